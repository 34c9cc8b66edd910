// SPDX-License-Identifier: MIT
#include "cells.hpp"

namespace weir::soak {
using command::grouped;

terms any_terms(dice& d, std::uint64_t most_units, std::uint64_t hertz) {
    const std::uint64_t tick = nanoseconds::per_second / hertz;
    const auto period =
        static_cast<std::int64_t>(d.magnitude(1'000 * tick, nanoseconds::per_second));
    const auto fastest = static_cast<std::uint64_t>(period) / (10 * tick);
    const auto units =
        static_cast<std::int64_t>(d.magnitude(1, std::min<std::uint64_t>(fastest, most_units)));
    const auto burst = static_cast<std::int64_t>(d.magnitude(1, 1'000'000));
    terms t{quota(units, nanoseconds(period), burst), {}, static_cast<unsigned>(d.between(2, 4))};
    if (d.one_in(3)) t.options.start = 0;
    return t;
}

std::string exactly(const quota& q) {
    return grouped(static_cast<std::uint64_t>(q.units())) + " per " +
           grouped(static_cast<std::uint64_t>(q.period().count())) + " ns, burst " +
           grouped(static_cast<std::uint64_t>(q.burst()));
}

std::string in_words(const terms& t) {
    return exactly(t.asked) + (t.options.start == 0 ? ", empty at first" : "") +
           (t.options.whole_periods ? ", whole periods" : "") + ", " + std::to_string(t.threads) +
           " threads";
}

}  // namespace weir::soak

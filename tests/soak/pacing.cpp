// SPDX-License-Identifier: MIT
#include "pacing.hpp"

#include "parts.hpp"

namespace weir::soak {
using command::grouped;

quota any_rate(dice& d) {
    return per_second(static_cast<std::int64_t>(d.magnitude(1'000, 2'000'000))).with_burst(8);
}

pacing_terms any_pacing(dice& d) {
    const quota rate = any_rate(d);
    catch_up late = catch_up::none();
    switch (d.between(0, 3)) {
        case 0: break;
        case 1: late = catch_up::half_an_interval(); break;
        case 2: late = catch_up::items(static_cast<std::int64_t>(d.magnitude(1, 100))); break;
        default:
            late = catch_up::within(
                nanoseconds(static_cast<std::int64_t>(d.magnitude(1'000, 2'000'000))));
    }
    return {rate,
            late,
            d.one_in(2) ? 1 : d.between(2, 8),
            static_cast<unsigned>(d.between(2, 4)),
            d.one_in(2) ? waiting::sleep : waiting::hybrid,
            static_cast<unsigned>(d.between(0, 3)),
            d.one_in(2)};
}

std::string rate_in_words(const pacing_terms& t) {
    return grouped(static_cast<std::uint64_t>(t.rate.units())) + "/s at first, catch-up of " +
           std::to_string(t.late.half_intervals) + " half intervals and " +
           grouped(static_cast<std::uint64_t>(t.late.time.count())) + " ns, items of up to " +
           std::to_string(t.most_cost);
}

std::string in_words(const pacing_terms& t) {
    constexpr const char* ends[] = {"closed", "drained", "discarded", "stopped"};
    return rate_in_words(t) + ", " + std::to_string(t.producers) + " producers, " +
           (t.how == waiting::sleep ? "sleeps" : "hybrid") + ", " + ends[t.end] +
           (t.end_is_sudden ? " suddenly" : "");
}

void soak_pacer(round& r) { soak_pacing<ledger>(r); }

}  // namespace weir::soak

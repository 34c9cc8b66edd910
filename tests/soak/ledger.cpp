// SPDX-License-Identifier: MIT
#include "ledger.hpp"

#include <algorithm>

#include "command/text.hpp"
#include "promises.hpp"

namespace weir::soak {
using command::grouped;

void pace_log::check() {
    if (passed_.empty()) return;
    const price p = price_of<steady_clock>(quota_);
    const auto halves = static_cast<word>(catch_up_.half_intervals);
    const wide tau = multiply(halves, p.per_unit / 2) +
                     multiply(static_cast<word>(catch_up_.time.count()), p.per_tick);
    const wide most = tau + multiply(most_cost_, p.per_unit);
    const busiest worst = busiest_span(passed_, income(0, p.per_tick), p.per_unit);
    passed_.clear();
    uses_ = std::max(uses_, ratio_of(worst.excess, most));
    if (worst.excess > most && problem_.empty()) {
        problem_ = in_words(worst, steady_clock::hertz()) + " at " +
                   grouped(static_cast<std::uint64_t>(quota_.units())) +
                   "/s, more than the rate and the catch-up allow";
    }
}

}  // namespace weir::soak

// SPDX-License-Identifier: MIT
// What limits of the library promise, asked of what has passed and of a limit that one thread has
// for itself.
#pragma once

#include <cstdint>
#include <string>

#include <weir/base/duration.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>

#include "round.hpp"
#include "windows.hpp"

namespace weir::soak {

// A rate in numbers of which each product fits: what a tick brings, and what a unit costs, of a
// quota whose period is a second at most.
struct price {
    word per_tick;
    word per_unit;
};
template <clock Clock>
[[nodiscard]] price price_of(const quota& q) {
    return {static_cast<word>(q.units()) * nanoseconds::per_second,
            static_cast<word>(q.period().count()) * static_cast<word>(Clock::hertz())};
}

[[nodiscard]] std::string in_words(const busiest& b, std::uint64_t hertz);

// In no span more than the quota's rate brings and so many units: its burst, most times. And where
// time is coarse, what `more` costs.
template <clock Clock>
void promise_spans(round& r, const passages& all, const quota& q, word burst, wide more = {}) {
    r.beat();
    if (all.empty()) return;
    const price p = price_of<Clock>(q);
    const busiest worst = busiest_span(all, income(0, p.per_tick), p.per_unit);
    const wide most = multiply(burst, p.per_unit) + more;
    r.uses(ratio_of(worst.excess, most));
    r.promise(worst.excess <= most, in_words(worst, Clock::hertz()) +
                                        ", more than its rate brings and " + std::to_string(burst));
}

// What the answers of a limit promise to a thread that has it for itself, from that time on.
template <class Limit>
void promise_answers(round& r, Limit& limit, instant<typename Limit::clock_type> now, word burst) {
    (void)limit.acquire_up_to(burst, now);
    const word n = r.random().between(1, burst);
    const std::string units = std::to_string(n) + " units";
    const auto refused = limit.try_acquire(n, now);
    r.promise(refused.verdict() == verdict::wait,
              "a limit from which all was taken did not tell who wants " + units + " to wait");
    const auto then = now + refused.ticks().retry_after();
    r.promise(limit.try_acquire(n, then).admitted(),
              "who waited for " + units + " as long as was said did not get them");
    const auto idle = then + limit.peek(0, then).ticks().reset_after();
    r.promise(limit.try_acquire(burst, idle).admitted(),
              "a limit that nobody used did not have its burst again when it said so");
}

}  // namespace weir::soak

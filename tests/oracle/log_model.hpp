// SPDX-License-Identifier: MIT
// The rolling window from its definition: the time of every unit that was admitted. Written from
// the specification alone; slow.
//
// Time lies on an endless axis and counts granules of 2^coarseness ticks; what comes in and goes
// out is in ticks. A `now` that asks is rounded down and one that is recorded is rounded up.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>

#include "answer.hpp"
#include "exact.hpp"

namespace oracle {

class log_model {
public:
    struct rate {
        integer units;   // in a period
        integer period;  // granules
        unsigned coarseness;
        integer debt;        // how many granules ahead a unit may be recorded
        integer most_ticks;  // of a state that is saved
    };

    explicit log_model(const rate& r) : rate_(r) {}

    answer try_acquire(integer now, integer n) { return take(now, n, 0); }
    answer charge(integer now, integer n) { return take(now, n, rate_.debt); }
    answer peek(integer now, integer n) const { return log_model(*this).try_acquire(now, n); }

    partial acquire_up_to(integer now, integer n) {
        const integer granted = std::min(n, remaining(now));
        if (granted == 0 && n > 0) return {0, peek(now, 1)};
        return {granted, try_acquire(now, granted)};
    }

    void fill(integer now, integer units) { spend(rate_.units - units, up(now)); }

    [[nodiscard]] saved_state save(integer now) const {
        return {rate_.units - remaining(now), std::min(reset_after(now), rate_.most_ticks)};
    }
    void restore(integer now, const saved_state& s) {
        spend(s.units, up(now) + ceiling_of(s.ticks, granule()) - rate_.period);
    }

    // Units that are recorded for later.
    [[nodiscard]] integer debt(integer now) const {
        return std::count_if(units_.begin(), units_.end(),
                             [at = up(now)](integer time) { return time > at; });
    }

    // When they were recorded, the latest last; those of long ago are left out.
    [[nodiscard]] const std::deque<integer>& units() const { return units_; }

private:
    answer take(integer now, integer n, integer debt) {
        if (n > rate_.units) return of(now, outcome::never, 0);
        if (n == 0) return of(now, outcome::admitted, 0);
        const auto from = free_from(n);
        const integer wait = from ? std::max<integer>(*from - down(now), 0) : 0;
        if (wait > debt) return of(now, outcome::wait, ticks_until(*from - debt, now));
        const integer ask = wait > 0 ? *from : up(now);
        record(n, units_.empty() ? ask : std::max(ask, units_.back()));
        return of(now, outcome::admitted, 0);
    }

    // From when on n more units fit, as far as the past has a say in it: a period after the unit
    // that is rate_.units before the last of them.
    [[nodiscard]] std::optional<integer> free_from(integer n) const {
        const integer place = integer(units_.size()) + n - 1 - rate_.units;
        if (place < 0) return std::nullopt;
        return units_[static_cast<std::size_t>(place)] + rate_.period;
    }

    [[nodiscard]] integer remaining(integer now) const {
        integer n = rate_.units;
        while (n > 0 && free_from(n) > down(now)) --n;
        return n;
    }

    [[nodiscard]] integer reset_after(integer now) const {
        return units_.empty() ? 0 : ticks_until(units_.back() + rate_.period, now);
    }

    [[nodiscard]] answer of(integer now, outcome verdict, integer wait) const {
        return {verdict, remaining(now), reset_after(now), wait};
    }

    void spend(integer n, integer time) {
        units_.clear();
        record(n, time);
    }
    // Units that are older than the last period's have nothing to say any more.
    void record(integer n, integer time) {
        for (; n > 0; --n) units_.push_back(time);
        while (integer(units_.size()) > rate_.units) units_.pop_front();
    }

    // The fewest ticks after which a `now`, rounded down, is there.
    [[nodiscard]] integer ticks_until(integer time, integer now) const {
        return std::max<integer>(time * granule() - now, 0);
    }
    [[nodiscard]] integer granule() const { return integer{1} << rate_.coarseness; }
    [[nodiscard]] integer down(integer now) const { return floor_of(now, granule()); }
    [[nodiscard]] integer up(integer now) const { return ceiling_of(now, granule()); }

    rate rate_;
    std::deque<integer> units_;
};

}  // namespace oracle

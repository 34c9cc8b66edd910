// SPDX-License-Identifier: MIT
// GCRA and the leaky bucket as a meter, which are one algorithm, straight from its definition: the
// theoretical arrival time on an endless time axis. Written from the specification alone; slow.
//
// All instants are absolute and count fractions of a tick, 2^shift to a tick, because the period of
// a unit is a whole number of them; what comes in and goes out is in ticks.
#pragma once

#include <algorithm>

#include "answer.hpp"
#include "exact.hpp"

namespace oracle {

class meter_model {
public:
    struct rate {
        integer period;  // fractions per unit
        unsigned shift;
        integer burst;
        integer debt;
        integer queue = 0;  // fractions that a reservation may start ahead
    };

    explicit meter_model(const rate& r) : rate_(r) {}

    answer try_acquire(integer now, integer n) { return request(now, n, rate_.burst, true); }
    answer peek(integer now, integer n) const {
        return meter_model(*this).request(now, n, rate_.burst, false);
    }
    answer charge(integer now, integer n) {
        return request(now, n, rate_.burst + rate_.debt, true);
    }

    // Whatever it is allowed to wait, the retry is how long until it starts.
    answer reserve(integer now, integer n, integer patience) {
        const answer late = peek(now, n);
        const integer wait = std::max(tat_, fractions(now)) + n * rate_.period -
                             rate_.burst * rate_.period - fractions(now);
        const integer most = std::min(fractions(patience), rate_.queue);
        if (late.verdict != outcome::wait || wait > most) return try_acquire(now, n);
        tat_ += n * rate_.period;
        return of(fractions(now), tat_, outcome::admitted, wait);
    }

    partial acquire_up_to(integer now, integer n) {
        const integer granted = std::min(n, peek(now, 0).remaining);
        if (granted == 0 && n > 0) return {0, peek(now, 1)};
        return {granted, try_acquire(now, granted)};
    }

    void fill(integer now, integer units) {
        tat_ = fractions(now) + (rate_.burst - units) * rate_.period;
    }

    // What is saved is how long it takes to become idle; it is put back as if no time had passed. A
    // `now` that is late sees longer times than there can be.
    [[nodiscard]] saved_state save(integer now) const {
        return {0, std::min(peek(now, 0).reset_after, ticks(reach()))};
    }
    void restore(integer now, const saved_state& s) { tat_ = fractions(now + s.ticks); }

    // Units beyond the burst, a partly paid one included.
    [[nodiscard]] integer debt(integer now) const {
        const integer over = tat_ - fractions(now) - rate_.burst * rate_.period;
        return ceiling_of(std::max<integer>(over, 0), rate_.period);
    }

    [[nodiscard]] integer level(integer now) const {
        return ceiling_of(std::max<integer>(tat_ - fractions(now), 0), rate_.period);
    }

    // The instant that the state was left in, and how far it may lie ahead of the latest `now`.
    [[nodiscard]] integer instant() const { return tat_; }
    [[nodiscard]] integer reach() const {
        return rate_.burst * rate_.period + std::max(rate_.debt * rate_.period, rate_.queue);
    }

private:
    answer request(integer now, integer n, integer most, bool commit) {
        const integer at = fractions(now);
        const integer base = std::max(at, tat_);
        if (n > most) return of(at, base, outcome::never, 0);
        const integer after = base + n * rate_.period;
        const integer early = after - most * rate_.period - at;
        if (n > 0 && early > 0) return of(at, base, outcome::wait, early);
        if (commit && n > 0) tat_ = after;
        return of(at, after, outcome::admitted, 0);
    }

    [[nodiscard]] answer of(integer at, integer tat, outcome verdict, integer early) const {
        const integer room = floor_of(rate_.burst * rate_.period - (tat - at), rate_.period);
        return {verdict, std::max<integer>(room, 0), ticks(tat - at), ticks(early)};
    }

    [[nodiscard]] integer fractions(integer whole) const {
        return whole * (integer{1} << rate_.shift);
    }
    [[nodiscard]] integer ticks(integer part) const {
        return ceiling_of(part, integer{1} << rate_.shift);
    }

    rate rate_;
    integer tat_ = 0;
};

}  // namespace oracle

// SPDX-License-Identifier: MIT
// The token bucket from its definition: a number of tokens, the instant of the last refill, and a
// portion of tokens at the end of every interval since. What is taken ahead of time is owed, unit
// by unit: there are less than no tokens then, and nobody gets any until there are more again.
// Written from the specification alone; slow.
//
// All instants are absolute and count fractions of a tick, 2^shift to a tick; what comes in and
// goes out is in ticks. A refill is imagined whenever somebody looks and kept only with a taking.
#pragma once

#include <algorithm>
#include <optional>

#include "answer.hpp"
#include "exact.hpp"

namespace oracle {

class bucket_model {
public:
    struct rate {
        integer interval;  // fractions between two portions
        unsigned shift;
        integer portion;
        integer burst;
        integer debt;
        integer queue = 0;                  // fractions that a reservation may start ahead
        std::optional<integer> promised{};  // units that reservations may owe
    };

    explicit bucket_model(const rate& r) : rate_(r) {
        while (grain_ < rate_.burst + rate_.portion) grain_ *= 2;
    }

    answer try_acquire(integer now, integer n) {
        const state full = refilled(now);
        if (n > rate_.burst) return of(now, full, outcome::never, 0);
        if (n > 0 && n > full.tokens) return of(now, full, outcome::wait, until(now, full, n));
        return taken(now, full, n);
    }

    answer peek(integer now, integer n) const { return bucket_model(*this).try_acquire(now, n); }

    answer charge(integer now, integer n) {
        const state full = refilled(now);
        if (n == 0 || n <= full.tokens) return taken(now, full, n);
        if (n > rate_.burst + rate_.debt) return of(now, full, outcome::never, 0);
        // All but the debt must be there.
        const integer late = until(now, full, n - rate_.debt) - slack();
        if (late > 0) return of(now, full, outcome::wait, late);
        return taken(now, full, n);
    }

    // Whatever it is allowed to wait, the retry is how long until it starts.
    answer reserve(integer now, integer n, integer patience) {
        const state full = refilled(now);
        const integer wait = until(now, full, n);
        const bool at_once = n == 0 || n <= full.tokens;
        const bool too_late = wait > std::min(fractions(patience), rate_.queue + slack());
        const bool too_many = rate_.promised && until(now, full, n - *rate_.promised) > slack();
        if (n > rate_.burst || at_once || too_late || too_many) return try_acquire(now, n);
        answer later = taken(now, full, n);
        later.retry_after = ticks(wait);
        return later;
    }

    partial acquire_up_to(integer now, integer n) {
        const integer granted = std::min(n, there(refilled(now)));
        if (granted == 0 && n > 0) return {0, peek(now, 1)};
        return {granted, try_acquire(now, granted)};
    }

    void fill(integer now, integer units) { state_ = {units, on_grid(fractions(now))}; }

    // What is saved are the tokens and how long it is to the next refill, or to the first that does
    // not pay for debts alone; what is owed of that are units beyond the burst. A `now` that is
    // late sees longer times than there can be.
    [[nodiscard]] saved_state save(integer now) const {
        const state some = paid_in_portions(refilled(now));
        const integer latest = ahead() + grain_ - 1 + rate_.interval;
        const integer next = some.stamp + rate_.interval - fractions(now);
        const integer units = some.tokens < 0 ? rate_.burst - some.tokens : some.tokens;
        return {units, ticks(std::min(next, latest))};
    }
    void restore(integer now, const saved_state& s) {
        const integer tokens = s.units > rate_.burst ? rate_.burst - s.units : s.units;
        state_ = {tokens, on_grid(fractions(now + s.ticks) - rate_.interval)};
    }

    // What is owed, and the portions that pay for debts alone and have not come at the next point
    // of the grid, from which a bucket that was full counts.
    [[nodiscard]] integer debt(integer now) const {
        const state s = paid_in_portions(refilled(now));
        if (s.tokens > 0) return 0;
        const integer time = std::max<integer>(s.stamp - on_grid(fractions(now)), 0);
        return ceiling_of(time, rate_.interval) * rate_.portion - s.tokens;
    }

    // The instant of the last refill that is known of, those that pay for debts alone included, and
    // how far it may lie ahead of the latest `now`.
    [[nodiscard]] integer instant() const { return paid_in_portions(state_).stamp; }
    [[nodiscard]] integer reach() const { return ahead() + 2 * grain_; }

private:
    struct state {
        integer tokens;  // below zero: owed
        integer stamp;
    };

    [[nodiscard]] state refilled(integer now) const {
        state s = state_;
        const integer at = fractions(now);
        if (at < s.stamp) return s;  // a late clock
        const integer elapsed = floor_of(at - s.stamp, rate_.interval);
        s.tokens += elapsed * rate_.portion;
        s.stamp += elapsed * rate_.interval;
        if (s.tokens >= rate_.burst) s = {rate_.burst, on_grid(at)};
        return s;
    }

    // As it will be when whole portions have been paid for what is owed.
    [[nodiscard]] state paid_in_portions(state s) const {
        if (s.tokens >= 0) return s;
        const integer whole = floor_of(-s.tokens, rate_.portion);
        return {s.tokens + whole * rate_.portion, s.stamp + whole * rate_.interval};
    }

    [[nodiscard]] static integer there(const state& s) { return std::max<integer>(s.tokens, 0); }

    answer taken(integer now, state s, integer n) {
        s.tokens -= n;
        if (n > 0) state_ = s;
        return of(now, s, outcome::admitted, 0);
    }

    // From now until n tokens have been there.
    [[nodiscard]] integer until(integer now, const state& s, integer n) const {
        return s.stamp + intervals(n - s.tokens) - fractions(now);
    }

    [[nodiscard]] answer of(integer now, const state& s, outcome verdict, integer wait) const {
        const integer reset = s.tokens == rate_.burst ? 0 : until(now, s, rate_.burst);
        return {verdict, there(s), ticks(reset), ticks(wait)};
    }

    [[nodiscard]] integer ahead() const { return std::max(intervals(rate_.debt), rate_.queue); }

    // The time in which that many tokens come; or, below zero, the longest in which no more did.
    [[nodiscard]] integer intervals(integer tokens) const {
        return ceiling_of(tokens, rate_.portion) * rate_.interval;
    }

    // A bucket that was full counts from the next point of the grid, which must not make it owe
    // more.
    [[nodiscard]] integer slack() const { return grain_ - 1; }

    // Instants of refills lie on a grid; a full bucket counts from the next point of it.
    [[nodiscard]] integer on_grid(integer at) const { return ceiling_of(at, grain_) * grain_; }

    [[nodiscard]] integer fractions(integer whole) const {
        return whole * (integer{1} << rate_.shift);
    }
    [[nodiscard]] integer ticks(integer part) const {
        return ceiling_of(part, integer{1} << rate_.shift);
    }

    rate rate_;
    integer grain_ = 1;
    state state_{0, 0};
};

}  // namespace oracle

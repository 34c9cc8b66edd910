// SPDX-License-Identifier: MIT
// So many units in a window of one period, from the definition: windows that open with the first
// action, or those of the clock. Written from the specification alone; slow.
//
// All instants are absolute and count fractions of a tick, 2^shift to a tick; what comes in and
// goes out is in ticks. What is used beyond a window's units is paid for by the windows after it.
#pragma once

#include <algorithm>

#include "answer.hpp"
#include "exact.hpp"

namespace oracle {

class window_model {
public:
    enum class opens { with_first_action, with_clock };

    struct rate {
        integer period;  // fractions in a window
        unsigned shift;
        integer units;
        integer debt;
        opens when;
    };

    explicit window_model(const rate& r) : rate_(r) {
        while (grain_ <= r.units + r.debt) grain_ *= 2;
    }

    answer try_acquire(integer now, integer n) { return request(now, n, rate_.units); }
    answer peek(integer now, integer n) const { return window_model(*this).try_acquire(now, n); }
    answer charge(integer now, integer n) { return request(now, n, rate_.units + rate_.debt); }

    partial acquire_up_to(integer now, integer n) {
        const integer granted = std::min(n, peek(now, 0).remaining);
        if (granted == 0 && n > 0) return {0, peek(now, 1)};
        return {granted, try_acquire(now, granted)};
    }

    void fill(integer now, integer units) { state_ = {fresh(now), rate_.units - units}; }

    // What is saved is what has been used and, of a window that is not the clock's, how long it
    // lasts: two periods if a server has said so. A `now` that is late sees longer times than there
    // can be.
    [[nodiscard]] saved_state save(integer now) const {
        const window w = present(now);
        if (rate_.when == opens::with_clock) return {w.used, 0};
        const integer lasts = w.start + rate_.period - fractions(now);
        return {w.used, std::min(ticks(lasts), ticks(2 * rate_.period + grain_ - 1))};
    }
    void restore(integer now, const saved_state& s) {
        const bool by_clock = rate_.when == opens::with_clock;
        const integer start =
            by_clock ? fresh(now) : on_grid(fractions(now + s.ticks) - rate_.period);
        state_ = {start, s.units};
    }

    [[nodiscard]] integer debt(integer now) const {
        return std::max<integer>(present(now).used - rate_.units, 0);
    }

    // The instant that the state was left in, and how far it may lie ahead of the latest `now`.
    [[nodiscard]] integer instant() const { return state_.start; }
    [[nodiscard]] integer reach() const { return (integer{1} << rate_.shift) + 2 * grain_; }
    [[nodiscard]] integer number() const { return floor_of(state_.start, rate_.period); }

private:
    struct window {
        integer start;
        integer used;
    };

    // The window that an action of now would open.
    [[nodiscard]] integer fresh(integer now) const {
        const integer at = fractions(now);
        if (rate_.when == opens::with_clock) return floor_of(at, rate_.period) * rate_.period;
        return on_grid(at);
    }

    [[nodiscard]] window present(integer now) const {
        window w = state_;
        if (fractions(now) < w.start) return w;  // a late clock, or a start that was rounded up
        const integer gone = floor_of(fractions(now) - w.start, rate_.period);
        w.used -= std::min(w.used, gone * rate_.units);
        w.start += gone * rate_.period;
        if (rate_.when == opens::with_first_action && w.used == 0) w.start = fresh(now);
        return w;
    }

    answer request(integer now, integer n, integer bound) {
        window w = present(now);
        if (n > bound) return of(now, w, outcome::never, 0);
        const integer over = w.used + n - bound;
        if (n > 0 && over > 0) return of(now, w, outcome::wait, paid(w, over) - fractions(now));
        w.used += n;
        if (n > 0) state_ = w;
        return of(now, w, outcome::admitted, 0);
    }

    // When the windows up to then have paid for so many units.
    [[nodiscard]] integer paid(const window& w, integer units) const {
        return w.start + ceiling_of(units, rate_.units) * rate_.period;
    }

    [[nodiscard]] answer of(integer now, const window& w, outcome verdict, integer wait) const {
        const integer reset = w.used == 0 ? 0 : paid(w, w.used) - fractions(now);
        return {verdict, std::max<integer>(rate_.units - w.used, 0), ticks(reset), ticks(wait)};
    }

    // A window that opens with an action starts at the next point of a grid.
    [[nodiscard]] integer on_grid(integer at) const { return ceiling_of(at, grain_) * grain_; }

    [[nodiscard]] integer fractions(integer whole) const {
        return whole * (integer{1} << rate_.shift);
    }
    [[nodiscard]] integer ticks(integer part) const {
        return ceiling_of(part, integer{1} << rate_.shift);
    }

    rate rate_;
    integer grain_ = 1;
    window state_{0, 0};
};

}  // namespace oracle

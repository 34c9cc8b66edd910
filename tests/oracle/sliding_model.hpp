// SPDX-License-Identifier: MIT
// The weighted estimate of two windows of the clock, from its definition: what has passed in the
// present one, and of the one before the share that a period still covers. Written from the
// specification alone; slow.
//
// All instants are absolute and count whole granules of 2^coarseness ticks; what comes in and goes
// out is in ticks.
#pragma once

#include <algorithm>

#include "answer.hpp"
#include "exact.hpp"

namespace oracle {

class sliding_model {
public:
    struct rate {
        integer period;  // granules in a window
        unsigned coarseness;
        integer units;
        integer debt;
    };

    explicit sliding_model(const rate& r) : rate_(r) {}

    answer try_acquire(integer now, integer n) { return request(now, n, rate_.units); }
    answer peek(integer now, integer n) const { return sliding_model(*this).try_acquire(now, n); }
    answer charge(integer now, integer n) { return request(now, n, rate_.units + rate_.debt); }

    partial acquire_up_to(integer now, integer n) {
        const integer granted = std::min(n, peek(now, 0).remaining);
        if (granted == 0 && n > 0) return {0, peek(now, 1)};
        return {granted, try_acquire(now, granted)};
    }

    void fill(integer now, integer units) {
        state_ = {number_of(granules(now)), rate_.units - units, 0};
    }

    // What is saved is the estimate, in whole units; it is put back as if all had just come.
    [[nodiscard]] saved_state save(integer now) const {
        const integer units = ceiling_of(taken(granules(now)), rate_.period);
        return {std::min(units, rate_.units + rate_.debt), 0};
    }
    void restore(integer now, const saved_state& s) {
        state_ = {number_of(granules(now)), s.units, 0};
    }

    // What the estimate has beyond the units, in whole ones.
    [[nodiscard]] integer debt(integer now) const {
        const integer over = taken(granules(now)) - rate_.units * rate_.period;
        return ceiling_of(std::max<integer>(over, 0), rate_.period);
    }

    [[nodiscard]] integer number() const { return state_.number; }

private:
    struct windows {
        integer number;
        integer here;
        integer before;
    };

    [[nodiscard]] windows present(integer at) const {
        const integer gone = number_of(at) - state_.number;
        if (gone <= 0) return state_;  // a late clock
        return {state_.number + gone, 0, gone == 1 ? state_.here : 0};
    }

    // The estimate, times the period.
    [[nodiscard]] integer taken(integer at) const {
        const windows w = present(at);
        const integer since = std::max<integer>(at - w.number * rate_.period, 0);
        return w.here * rate_.period + w.before * (rate_.period - since);
    }

    [[nodiscard]] bool passes(integer at, integer n, integer bound) const {
        return taken(at) + n * rate_.period <= bound * rate_.period;
    }

    answer request(integer now, integer n, integer bound) {
        const integer at = granules(now);
        if (n > bound) return of(now, outcome::never, 0);
        if (n > 0 && !passes(at, n, bound)) {
            return of(now, outcome::wait, first_pass(at, n, bound) * granule() - now);
        }
        if (n > 0) {
            state_ = present(at);
            state_.here += n;
        }
        return of(now, outcome::admitted, 0);
    }

    // Time only ever lowers the estimate, so the first granule that passes is found by halving.
    [[nodiscard]] integer first_pass(integer at, integer n, integer bound) const {
        integer fails = at;
        integer passing = (present(at).number + 2) * rate_.period;
        while (passing - fails > 1) {
            const integer middle = fails + (passing - fails) / 2;
            (passes(middle, n, bound) ? passing : fails) = middle;
        }
        return passing;
    }

    [[nodiscard]] answer of(integer now, outcome verdict, integer wait) const {
        const integer at = granules(now);
        const windows w = present(at);
        const integer room = floor_of(rate_.units * rate_.period - taken(at), rate_.period);
        const integer lasting = w.here != 0 ? 2 : w.before != 0 ? 1 : 0;
        const integer end = (w.number + lasting) * rate_.period * granule();
        return {verdict, std::max<integer>(room, 0), lasting == 0 ? 0 : end - now, wait};
    }

    [[nodiscard]] integer number_of(integer at) const { return floor_of(at, rate_.period); }
    [[nodiscard]] integer granule() const { return integer{1} << rate_.coarseness; }
    [[nodiscard]] integer granules(integer now) const { return floor_of(now, granule()); }

    rate rate_;
    windows state_{0, 0, 0};
};

}  // namespace oracle

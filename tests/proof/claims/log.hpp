// SPDX-License-Identifier: MIT
// Claims about the numbers of sliding_log: times, and how a place and its head are packed.
#pragma once

#include <cstdint>

#include <weir/cell/log.hpp>

#include "claim.hpp"

namespace proof {

template <class Word>
struct log {
    using rate = weir::log_rate<Word>;
    using q = const asked<rate>&;

    static constexpr unsigned round_bits = weir::bits_of<Word> / 16;

    // A rate's members, in their order.
    struct fields {
        Word units;
        Word period;
        Word debt;
        Word beyond;
        Word longest;
        std::uint8_t index_bits;
        std::uint8_t low;
        std::uint8_t coarseness;

        [[nodiscard]] constexpr Word granule() const noexcept {
            return static_cast<Word>(Word{1} << low);
        }
        [[nodiscard]] constexpr bool is_time(Word time) const noexcept {
            return (time & static_cast<Word>(granule() - 1)) == 0;
        }
        [[nodiscard]] constexpr Word guard() const noexcept {
            return static_cast<Word>(longest - period - beyond);
        }
        // What the proofs take for granted; made.cpp says that `make` sees to it.
        [[nodiscard]] constexpr bool are_made() const noexcept {
            const Word quarter = weir::largest<Word> / 4;
            if (index_bits == 0 || index_bits > weir::bits_of<Word> * 3 / 8) return false;
            if (low != index_bits + round_bits || coarseness > weir::bits_of<Word> - 1)
                return false;
            if (units == 0 || units > static_cast<Word>(Word{1} << index_bits)) return false;
            if (!is_time(period) || !is_time(debt) || !is_time(beyond) || !is_time(longest))
                return false;
            if (period == 0 || longest > quarter || beyond > longest || period > longest - beyond)
                return false;
            return beyond == debt + guard() + 2 * granule();
        }
    };
    [[nodiscard]] static constexpr rate made_of(const fields& f) noexcept {
        return __builtin_bit_cast(rate, f);
    }
    [[nodiscard]] static constexpr fields of(const rate& r) noexcept {
        return __builtin_bit_cast(fields, r);
    }

    // State is a time in a place or in the head, now the time that asks, x one more time.
    static constexpr bool a_unit_keeps_its_place_for_a_period(q a) noexcept {
        const auto age = static_cast<Word>(a.now - a.state);
        const fields f = of(a.rate);
        if (age >= f.period) return true;
        return a.rate.busy(a.state, a.now) == f.period - age;
    }
    static constexpr bool and_no_longer(q a) noexcept {
        const auto age = static_cast<Word>(a.now - a.state);
        const fields f = of(a.rate);
        return age < f.period || age > weir::largest<Word> / 2 || a.rate.busy(a.state, a.now) == 0;
    }
    // By a debt, and a now that is late by the guard.
    static constexpr bool a_unit_ahead_of_now_keeps_it_longer(q a) noexcept {
        const auto ahead = static_cast<Word>(a.state - a.now);
        const fields f = of(a.rate);
        if (ahead > static_cast<Word>(f.longest - f.period)) return true;
        return a.rate.busy(a.state, a.now) == f.period + ahead;
    }
    static constexpr bool a_relic_keeps_no_place(q a) noexcept {
        const auto ahead = static_cast<Word>(a.state - a.now);
        const fields f = of(a.rate);
        if (ahead <= static_cast<Word>(f.longest - f.period) || ahead > weir::largest<Word> / 2)
            return true;
        return a.rate.busy(a.state, a.now) == 0;
    }
    static constexpr bool the_latest_is_the_later_one(q a) noexcept {
        const auto ahead = static_cast<Word>(a.state - a.now);
        const Word latest = a.rate.latest(a.now, a.state);
        return latest == (ahead < of(a.rate).beyond ? a.state : a.now);
    }
    // To nobody, who is late by x or whose clock was set back by x.
    static constexpr bool what_was_long_ago_is_free(q a) noexcept {
        if (a.x > weir::largest<Word> / 8) return true;
        const Word past = a.rate.long_ago(a.now);
        return a.rate.busy(past, static_cast<Word>(a.now - a.x)) == 0 &&
               a.rate.busy(past, static_cast<Word>(a.now + a.x)) == 0;
    }
    // Neither to who is late, nor within a quarter of the circle.
    static constexpr bool a_head_is_not_of_another_time(q a) noexcept {
        const auto ahead = static_cast<Word>(a.state - a.now);
        const fields f = of(a.rate);
        if (ahead >= f.beyond && ahead <= weir::largest<Word> / 4 * 3) return true;
        return !a.rate.from_another_time(a.state, a.now);
    }
    // Of a head: state is where it is, n units are taken, x is the round, y the time.
    [[nodiscard]] static constexpr bool is_a_head(q a) noexcept {
        const fields f = of(a.rate);
        return a.state < f.units && a.n <= f.units && f.is_time(a.y);
    }
    static constexpr bool a_head_moves_on_by_its_units(q a) noexcept {
        const Word head = a.rate.after(a.state, a.n, a.x, a.y);
        const auto end = static_cast<Word>(a.state + a.n);
        const bool wraps = end >= of(a.rate).units;
        return !is_a_head(a) ||
               a.rate.index(head) == static_cast<Word>(wraps ? end - of(a.rate).units : end);
    }
    static constexpr bool and_into_the_next_round(q a) noexcept {
        const Word head = a.rate.after(a.state, a.n, a.x, a.y);
        const bool wraps = static_cast<Word>(a.state + a.n) >= of(a.rate).units;
        const auto mask = static_cast<Word>((Word{1} << round_bits) - 1);
        return !is_a_head(a) ||
               a.rate.round(head) == static_cast<Word>((a.x + (wraps ? 1 : 0)) & mask);
    }
    static constexpr bool a_head_keeps_its_time(q a) noexcept {
        return !is_a_head(a) || a.rate.time(a.rate.after(a.state, a.n, a.x, a.y)) == a.y;
    }
    static constexpr bool a_place_is_never_empty(q a) noexcept {
        return !of(a.rate).is_time(a.y) || a.rate.place(a.y, a.x) != 0;
    }
    // Now is in ticks here.
    static constexpr bool a_time_is_rounded_up_by_less_than_a_granule(q a) noexcept {
        const Word down = a.rate.down(at(a.now));
        const Word up = a.rate.up(at(a.now));
        return up == down || up == static_cast<Word>(down + of(a.rate).granule());
    }
};

#define WEIR_CLAIMS_OF_LOG(CLAIM)                                                                  \
    CLAIM(a_unit_keeps_its_place_for_a_period)                                                     \
    CLAIM(and_no_longer)                                                                           \
    CLAIM(a_unit_ahead_of_now_keeps_it_longer)                                                     \
    CLAIM(a_relic_keeps_no_place)                                                                  \
    CLAIM(the_latest_is_the_later_one)                                                             \
    CLAIM(what_was_long_ago_is_free)                                                               \
    CLAIM(a_head_is_not_of_another_time)                                                           \
    CLAIM(a_head_moves_on_by_its_units)                                                            \
    CLAIM(and_into_the_next_round)                                                                 \
    CLAIM(a_head_keeps_its_time)                                                                   \
    CLAIM(a_place_is_never_empty)                                                                  \
    CLAIM(a_time_is_rounded_up_by_less_than_a_granule)

}  // namespace proof

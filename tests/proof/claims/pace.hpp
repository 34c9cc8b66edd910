// SPDX-License-Identifier: MIT
// Claims about pace. The solver has those about a steady one. What changes its speed divides, and
// is tried in small numbers.
#pragma once

#include <cstdint>

#include <weir/limiter/pace.hpp>

#include "claim.hpp"

namespace proof {

struct paces {
    using rule = weir::pace;

    static constexpr std::uint64_t half = UINT64_MAX / 2;

    // A pace's members, in their order.
    struct fields {
        std::uint64_t end;
        std::uint64_t value;
        std::uint64_t last;
        std::uint64_t first;
        std::uint64_t length;
        std::uint64_t shift;
        std::uint64_t rest;

        // What the proofs take for granted of one that is steady; pacing.cpp looks.
        [[nodiscard]] constexpr bool are_made() const noexcept {
            return length == 0 && first == last && last != 0 && last <= weir::speed::highest &&
                   shift <= 63 && rest >> shift == 0;
        }
    };
    [[nodiscard]] static constexpr rule made_of(const fields& f) noexcept {
        return __builtin_bit_cast(rule, f);
    }
    [[nodiscard]] static constexpr fields of(const rule& r) noexcept {
        return __builtin_bit_cast(fields, r);
    }

    struct asked {
        fields pace;
        std::uint64_t now;
        std::uint64_t n;  // a multiplier
        std::uint64_t x;  // a shift
    };
    using q = const asked&;

    [[nodiscard]] static constexpr std::uint64_t grains(q a, std::uint64_t now) noexcept {
        return made_of(a.pace).grains_at(at(now));
    }
    // No time of what is asked is half a circle away.
    [[nodiscard]] static constexpr bool has_begun(q a, std::uint64_t further) noexcept {
        const std::uint64_t since = a.now - a.pace.end;
        return since <= half && further <= half - since;
    }

    static constexpr bool it_stands_still_before_it_begins(q a) noexcept {
        return a.now - a.pace.end - 1 < half || grains(a, a.now) == a.pace.value;
    }
    static constexpr bool a_tick_brings_its_speed(q a) noexcept {
        const std::uint64_t more = grains(a, a.now + 1) - grains(a, a.now);
        const std::uint64_t speed = a.pace.last >> a.pace.shift;
        return !has_begun(a, 1) || more == speed || more == speed + 1;
    }
    // Another speed at once: n / 2^x.
    static constexpr bool a_change_goes_on_where_it_was(q a) noexcept {
        if (a.x > 63 || !has_begun(a, 0)) return true;
        const weir::speed s{a.n, static_cast<unsigned>(a.x)};
        const auto next = made_of(a.pace).changed(at(a.now), s, 0);
        return next && of(*next).are_made() == (a.n != 0 && a.n <= weir::speed::highest) &&
               next->grains_at(at(a.now)) == grains(a, a.now);
    }

    // In small numbers: the speed changes evenly within a.x ticks, from `before` to `after`.
    struct change {
        rule before;
        rule after;
        weir::speed from;
        weir::speed to;
        std::uint64_t begin;
        std::uint64_t over;
    };
    using c = const change&;

    [[nodiscard]] static constexpr std::uint64_t most(c a) noexcept {
        const std::uint64_t from = (a.from.multiplier >> a.from.shift) + 1;
        const std::uint64_t to = (a.to.multiplier >> a.to.shift) + 1;
        return from < to ? to : from;
    }
    static constexpr bool it_begins_where_the_other_one_was(c a) noexcept {
        return a.after.grains_at(at(a.begin)) == a.before.grains_at(at(a.begin)) &&
               a.after.begin().count == a.begin;
    }
    static constexpr bool it_never_goes_back(c a) noexcept {
        for (std::uint64_t t = 0; t < a.over + 16; ++t) {
            const std::uint64_t more =
                a.after.grains_at(at(a.begin + t + 1)) - a.after.grains_at(at(a.begin + t));
            if (more > most(a)) return false;
        }
        return true;
    }
    // At most what the mean of both speeds brings, and a grain less at most; 2^64 grains are none.
    static constexpr bool a_change_brings_the_mean_of_both(c a) noexcept {
        const fields f = of(a.after);
        const fields g = of(a.before);
        const std::uint64_t gained =
            a.after.grains_at(at(a.begin + a.over)) - a.after.grains_at(at(a.begin));
        const std::uint64_t rest = g.rest + (a.begin - g.end) * g.last;
        const auto part = static_cast<double>(rest & ((std::uint64_t{1} << g.shift) - 1)) /
                          static_cast<double>(std::uint64_t{1} << g.shift);
        const double sum = static_cast<double>(f.first + f.last) /
                           static_cast<double>(std::uint64_t{1} << f.shift);
        const double mean = sum / 2 * static_cast<double>(a.over) + part;
        return static_cast<double>(gained) <= mean && static_cast<double>(gained) > mean - 1.001;
    }
    static constexpr bool when_is_the_first_tick(c a) noexcept {
        for (std::uint64_t t = 0; t < a.over + 4; ++t) {
            const std::uint64_t now = a.begin + t;
            for (std::uint64_t n = 1; n < 12; ++n) {
                const std::uint64_t value = a.after.grains_at(at(now)) + n;
                const std::uint64_t then = a.after.when(value, at(now)).count;
                if (weir::earlier(a.after.grains_at(at(then)), value) ||
                    !weir::earlier(a.after.grains_at(at(then - 1)), value))
                    return false;
            }
        }
        return true;
    }
};

#define WEIR_CLAIMS_OF_PACE(CLAIM)                                                                 \
    CLAIM(it_stands_still_before_it_begins, no_x)                                                  \
    CLAIM(a_tick_brings_its_speed, no_x)                                                           \
    CLAIM(a_change_goes_on_where_it_was, x_only)
#define WEIR_CLAIMS_OF_PACE_CHANGES(CLAIM)                                                         \
    CLAIM(it_begins_where_the_other_one_was, no_x)                                                 \
    CLAIM(it_never_goes_back, no_x)                                                                \
    CLAIM(a_change_brings_the_mean_of_both, no_x)                                                  \
    CLAIM(when_is_the_first_tick, no_x)

}  // namespace proof

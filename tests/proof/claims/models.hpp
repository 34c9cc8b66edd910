// SPDX-License-Identifier: MIT
// The rules of the other cells in plain arithmetic, and small rates as `make` would make them.
#pragma once

#include <cstdint>

#include <weir/cell/fixed_window.hpp>
#include <weir/cell/sliding_window.hpp>
#include <weir/cell/token_bucket.hpp>

namespace proof {

// A divisor's members.
template <class Number>
struct divided {
    Number value;
    Number reciprocal;

    static constexpr divided by(unsigned value) noexcept {
        return {static_cast<Number>(value),
                static_cast<Number>(weir::largest<Number> / static_cast<Number>(value))};
    }
};

__extension__ typedef __int128 exact;  // of which no product of two numbers wraps

template <class Number>
[[nodiscard]] constexpr bool is_divided(const divided<Number>& d, exact value) noexcept {
    return value > 0 && exact(d.value) == value &&
           exact(d.reciprocal) == exact(weir::largest<Number>) / value;
}
[[nodiscard]] constexpr bool is_mask(exact bits) noexcept { return (bits & (bits + 1)) == 0; }

// What a rate is made of here. Times are in fractions of a tick, of which a tick has 2^shift.
struct small_rate {
    unsigned period;  // in granules: of as many fractions as the word has values for the units
    unsigned burst;
    unsigned debt;
    unsigned queue;  // units
    unsigned guard;  // in granules
    unsigned portion;
    unsigned shift;
};

constexpr unsigned mask_for(unsigned units) noexcept {
    unsigned mask = 1;
    while (mask < units) mask = 2 * mask + 1;
    return mask;
}
constexpr unsigned width(unsigned mask) noexcept { return mask == 0 ? 0 : 1 + width(mask / 2); }

template <class Word>
struct token_bucket_model {
    using rate = weir::token_bucket_rate<Word>;
    static constexpr bool counts_by_clock = false;
    static constexpr bool reserves = true;

    struct fields {
        divided<Word> period;
        divided<std::uint32_t> portion;
        Word late;
        std::uint32_t burst, owing, full, levels;
        std::uint8_t shift;
        std::uint32_t most, unowed, unpromised;
        Word deepest, longest;

        // What the claims take for granted of a rate: see made.cpp and exhaustive.cpp.
        [[nodiscard]] bool are_made() const noexcept {
            const exact one = period.value;
            const exact each = portion.value;
            const exact granule = exact(levels) + 1;
            const auto refills = [&](exact units) { return (units + each - 1) / each; };
            const exact debt = exact(most) - burst;
            const exact furthest = deepest < longest ? longest : deepest;
            const exact guard = exact(late) - furthest - (exact(1) << shift) - 2 * granule;
            return is_divided(period, one) && is_divided(portion, each) && each <= exact(burst) &&
                   exact(owing) == each - 1 && exact(full) == exact(burst) + owing &&
                   is_mask(levels) && full <= levels && one % granule == 0 && debt >= 0 &&
                   exact(deepest) == refills(debt) * one &&
                   exact(unowed) == refills(debt) * each - debt && exact(unpromised) < each &&
                   guard >= 0 &&
                   refills(burst) * one + furthest + guard <= exact(weir::largest<Word> / 2);
        }
    };
    [[nodiscard]] static fields of(const rate& r) noexcept { return __builtin_bit_cast(fields, r); }
    // False if the word is too short for it.
    static bool make(const small_rate& s, rate& made) noexcept {
        if (s.portion > s.burst) return false;
        const unsigned owing = s.portion - 1;
        const unsigned levels = mask_for(s.burst + owing);
        const unsigned period = s.period * (levels + 1);
        const auto refills = [&](unsigned units) { return (units + owing) / s.portion; };
        const unsigned deepest = refills(s.debt) * period;
        const unsigned longest = refills(s.queue) * period;
        const unsigned furthest = deepest < longest ? longest : deepest;
        const unsigned guard = s.guard << s.shift;
        if (refills(s.burst) * period + furthest + guard > weir::largest<Word> / 2) return false;
        const unsigned late = furthest + guard + (1U << s.shift) + 2 * (levels + 1);
        const fields f{divided<Word>::by(period),
                       divided<std::uint32_t>::by(s.portion),
                       static_cast<Word>(late),
                       s.burst,
                       owing,
                       s.burst + owing,
                       levels,
                       static_cast<std::uint8_t>(s.shift),
                       s.burst + s.debt,
                       refills(s.debt) * s.portion - s.debt,
                       refills(s.queue) * s.portion - s.queue,
                       static_cast<Word>(deepest),
                       static_cast<Word>(longest)};
        made = __builtin_bit_cast(rate, f);
        return true;
    }
    [[nodiscard]] static long guard(const rate& r) noexcept {
        const fields f = of(r);
        const long furthest = long(f.deepest < f.longest ? f.longest : f.deepest);
        return (long(f.late) - furthest - (1L << f.shift) - 2 * (long(f.levels) + 1)) >> f.shift;
    }
    struct bucket {
        long level;
        long ahead;  // of the last refill, in fractions
    };
    [[nodiscard]] static bucket present(const rate& r, Word state, Word now) noexcept {
        const fields f = of(r);
        const long circle = long(weir::largest<Word>) + 1;
        const long at = (long(now) << f.shift) % circle;
        const long time = long(state) & ~long(f.levels);
        long level = long(state) & long(f.levels);
        const long ahead = (time - at + 2 * circle) % circle;
        if (ahead != 0 && ahead <= long(f.late)) return {level, ahead};
        const long elapsed = (at - time + circle) % circle;
        const long refills = elapsed / long(f.period.value);
        level += refills * long(f.portion.value);
        if (level < long(f.full)) return {level, refills * long(f.period.value) - elapsed};
        const long granule = long(f.levels) + 1;
        return {long(f.full), (granule - at % granule) % granule};
    }
    [[nodiscard]] static long room(const rate& r, Word state, Word now) noexcept {
        const long tokens = present(r, state, now).level - long(of(r).owing);
        return tokens < 0 ? 0 : tokens;
    }
    // Its units are no more than there can be, whenever they were taken.
    [[nodiscard]] static bool has_units(const rate& r, Word state) noexcept {
        return (state & of(r).levels) <= of(r).full;
    }
    // Is it one that a now which is late by so many ticks may find? It owes no more than debts and
    // promises may, and rounding.
    [[nodiscard]] static bool is_reachable(const rate& r, Word state, Word now,
                                           long late) noexcept {
        const fields f = of(r);
        const bucket b = present(r, state, now);
        const long rounding = (1L << f.shift) - 1 + 2 * long(f.levels);
        const long portion = long(f.portion.value);
        const long queue = long(f.longest) / scale(r) * portion - long(f.unpromised);
        const long most = queue < long(most_debt(r)) ? long(most_debt(r)) : queue;
        const long ahead = b.ahead - rounding - (late << f.shift);
        return has_units(r, state) &&
               (ahead <= 0 || (ahead <= long(f.deepest < f.longest ? f.longest : f.deepest) &&
                               long(f.owing) * scale(r) - b.level * scale(r) + portion * ahead <=
                                   most * scale(r)));
    }
    // In ticks: times of buckets that were full are rounded up to it.
    [[nodiscard]] static Word granule(const rate& r) noexcept {
        return weir::ticks(static_cast<Word>(of(r).levels), of(r).shift);
    }
    // What is there less what is owed, times the period.
    [[nodiscard]] static long balance(const rate& r, Word state, Word now) noexcept {
        const bucket b = present(r, state, now);
        return b.level * scale(r) - long(of(r).portion.value) * b.ahead;
    }
    [[nodiscard]] static long scale(const rate& r) noexcept { return long(of(r).period.value); }
    [[nodiscard]] static unsigned most(const rate& r) noexcept { return of(r).most; }
    [[nodiscard]] static unsigned most_debt(const rate& r) noexcept {
        return of(r).most - of(r).burst;
    }
};

template <class Word, weir::opens When>
struct window_model {
    using rate = weir::window_rate<Word, When>;
    static constexpr bool counts_by_clock = When == weir::opens::with_clock;
    static constexpr bool reserves = false;

    struct fields {
        divided<Word> period;
        divided<std::uint32_t> limit;
        std::uint32_t burst;
        Word late;
        std::uint32_t most, units;
        std::uint8_t bits, shift;

        // What the claims take for granted of a rate.
        [[nodiscard]] bool are_made() const noexcept {
            const exact half = weir::largest<Word> / 2;
            const exact one = period.value;
            const exact units_and_one = exact(units) + 1;
            const exact periods = 1 + (exact(most) - 1) / burst;  // one, and those of the debt
            const bool fit = is_divided(period, one) && is_divided(limit, exact(burst)) &&
                             most >= burst && is_mask(units) && most <= units &&
                             units_and_one == exact(1) << bits && bits < weir::bits_of<Word> / 2;
            if (counts_by_clock) {
                const exact numbers = exact(weir::largest<Word>) >> bits;
                return fit && shift == 0 && late >= 1 && exact(late) < numbers / 2 &&
                       periods * one <= half;
            }
            const exact guard = exact(late) - one - (exact(1) << shift) - 2 * units_and_one;
            return fit && one % units_and_one == 0 && guard >= 0 && periods * one + guard <= half;
        }
    };
    [[nodiscard]] static fields of(const rate& r) noexcept { return __builtin_bit_cast(fields, r); }
    static bool make(const small_rate& s, rate& made) noexcept {
        if (s.portion != 1 || s.queue != 0) return false;
        const unsigned units = mask_for(s.burst + s.debt);
        const unsigned bits = width(units);
        if (bits > weir::bits_of<Word> / 2 - 1) return false;
        const unsigned half = static_cast<unsigned>(weir::largest<Word> / 2);
        const unsigned period = counts_by_clock ? s.period * 5 : s.period * (units + 1);
        const unsigned periods = 1 + (s.debt + s.burst - 1) / s.burst;
        const unsigned guard = s.guard << s.shift;
        if (counts_by_clock && s.shift != 0) return false;
        if (periods * period + guard > half) return false;
        unsigned late = guard + period + (1U << s.shift) + 2 * (units + 1);
        if (counts_by_clock) {
            const auto numbers = static_cast<unsigned>(weir::largest<Word>) >> bits;
            late = guard / period + 1;
            if (late >= numbers / 2) return false;
        }
        const fields f{divided<Word>::by(period),
                       divided<std::uint32_t>::by(s.burst),
                       s.burst,
                       static_cast<Word>(late),
                       s.burst + s.debt,
                       units,
                       static_cast<std::uint8_t>(bits),
                       static_cast<std::uint8_t>(s.shift)};
        made = __builtin_bit_cast(rate, f);
        return true;
    }
    [[nodiscard]] static long guard(const rate& r) noexcept {
        const fields f = of(r);
        if (counts_by_clock) return long(f.late) * long(f.period.value) - 1;
        return (long(f.late) - long(f.period.value) - (1L << f.shift) - 2 * (long(f.units) + 1)) >>
               f.shift;
    }
    [[nodiscard]] static bool has_units(const rate& r, Word state) noexcept {
        return (state & of(r).units) <= of(r).most;
    }
    // Is it one that a now which is late by so many ticks may find? A reset puts it a period ahead,
    // and rounding.
    [[nodiscard]] static bool is_reachable(const rate& r, Word state, Word now,
                                           long late) noexcept {
        const fields f = of(r);
        const long circle = long(weir::largest<Word>) + 1;
        if (!has_units(r, state)) return false;
        if (counts_by_clock) {
            const long numbers = circle >> f.bits;
            const long number = (long(now) + late) / long(f.period.value);
            return (number - (long(state) >> f.bits) + 2 * numbers) % numbers <=
                   numbers - 1 - long(f.late);
        }
        const long start = long(state) & ~long(f.units);
        const long ahead = (start - (long(now) << f.shift) + 8 * circle) % circle;
        return ahead > long(f.late) || ahead - (late << f.shift) <= long(f.period.value) +
                                                                        (1L << f.shift) - 1 +
                                                                        2 * long(f.units);
    }
    // Units of the present window and of those after it.
    [[nodiscard]] static long used(const rate& r, Word state, Word now) noexcept {
        const fields f = of(r);
        const long circle = long(weir::largest<Word>) + 1;
        const long used = long(state) & long(f.units);
        long gone = 0;
        if (counts_by_clock) {
            const long numbers = circle >> f.bits;
            gone = (long(now) / long(f.period.value) - (long(state) >> f.bits) + 2 * numbers) %
                   numbers;
            if (gone > numbers - 1 - long(f.late)) gone = 0;
        } else {
            const long start = long(state) & ~long(f.units);
            const long elapsed = ((long(now) << f.shift) - start + 2 * circle) % circle;
            gone = elapsed > circle - 1 - long(f.late) ? 0 : elapsed / long(f.period.value);
        }
        const long left = used - gone * long(f.burst);
        return left < 0 ? 0 : left;
    }
    [[nodiscard]] static long room(const rate& r, Word state, Word now) noexcept {
        const long left = long(of(r).burst) - used(r, state, now);
        return left < 0 ? 0 : left;
    }
    [[nodiscard]] static Word granule(const rate& /*r*/) noexcept { return 0; }
    [[nodiscard]] static long balance(const rate& r, Word state, Word now) noexcept {
        return -used(r, state, now);
    }
    [[nodiscard]] static long scale(const rate& /*r*/) noexcept { return 1; }
    [[nodiscard]] static unsigned most(const rate& r) noexcept { return of(r).most; }
    [[nodiscard]] static unsigned most_debt(const rate& r) noexcept {
        return of(r).most - of(r).burst;
    }
};

template <class Word>
struct sliding_window_model {
    using rate = weir::sliding_window_rate<Word>;
    static constexpr bool counts_by_clock = true;
    static constexpr bool reserves = false;

    struct fields {
        divided<Word> period;
        Word late, burst, most, units;
        std::uint8_t bits, coarseness;

        // What the claims take for granted of a rate.
        [[nodiscard]] bool are_made() const noexcept {
            const exact whole = weir::largest<Word>;
            const exact one = period.value;
            const exact ticks = (one - 1) << coarseness;  // of a period, at least
            return is_divided(period, one) && burst >= 1 && most >= burst &&
                   exact(most) <= 2 * exact(burst) && is_mask(units) && most <= units &&
                   exact(units) + 1 == exact(1) << bits && bits <= weir::bits_of<Word> * 3 / 8 &&
                   exact(most) * one <= whole / 4 && 2 * ticks <= whole / 2 && late >= 1 &&
                   exact(late) < (whole >> (2 * bits)) / 2;
        }
    };
    [[nodiscard]] static fields of(const rate& r) noexcept { return __builtin_bit_cast(fields, r); }
    static bool make(const small_rate& s, rate& made) noexcept {
        if (s.portion != 1 || s.queue != 0 || s.shift > 1 || s.debt > s.burst) return false;
        const unsigned units = mask_for(s.burst + s.debt);
        const unsigned bits = width(units);
        const unsigned period = s.period * 3;
        const auto whole = static_cast<unsigned>(weir::largest<Word>);
        if (bits > weir::bits_of<Word> * 3 / 8 || (s.burst + s.debt) * period > whole / 4)
            return false;
        if ((2 * period << s.shift) + s.guard > whole / 2) return false;
        const unsigned late = s.guard / (period << s.shift) + 1;
        if (late >= (whole >> (2 * bits)) / 2) return false;
        const fields f{divided<Word>::by(period),         static_cast<Word>(late),
                       static_cast<Word>(s.burst),        static_cast<Word>(s.burst + s.debt),
                       static_cast<Word>(units),          static_cast<std::uint8_t>(bits),
                       static_cast<std::uint8_t>(s.shift)};
        made = __builtin_bit_cast(rate, f);
        return true;
    }
    [[nodiscard]] static long guard(const rate& r) noexcept {
        const fields f = of(r);
        return ((long(f.late) * long(f.period.value)) << f.coarseness) - 1;
    }
    [[nodiscard]] static bool has_units(const rate& r, Word state) noexcept {
        const fields f = of(r);
        return (state & f.units) <= f.most && (state >> f.bits & f.units) <= f.most;
    }
    // Is it one that a now which is late by so many ticks may find?
    [[nodiscard]] static bool is_reachable(const rate& r, Word state, Word now,
                                           long late) noexcept {
        const fields f = of(r);
        const long numbers = 1L << (weir::bits_of<Word> - 2 * f.bits);
        const long number = ((long(now) + late) >> f.coarseness) / long(f.period.value);
        if (!has_units(r, state)) return false;
        return (number - (long(state) >> (2 * f.bits)) + 2 * numbers) % numbers <=
               numbers - 1 - long(f.late);
    }
    // The estimate, times the period.
    [[nodiscard]] static long taken(const rate& r, Word state, Word now) noexcept {
        const fields f = of(r);
        const long numbers = 1L << (weir::bits_of<Word> - 2 * f.bits);
        const long period = long(f.period.value);
        const long granule = long(now) >> f.coarseness;
        const long here = long(state) >> f.bits & long(f.units);
        const long before = long(state) & long(f.units);
        const long behind =
            (granule / period - (long(state) >> (2 * f.bits)) + 2 * numbers) % numbers;
        const long left = period - granule % period;
        if (behind == 0) return here * period + before * left;
        if (behind == 1) return here * left;
        if (behind > numbers - 1 - long(f.late)) return (here + before) * period;
        return 0;
    }
    [[nodiscard]] static long room(const rate& r, Word state, Word now) noexcept {
        const long period = long(of(r).period.value);
        const long free = long(of(r).burst) * period - taken(r, state, now);
        return free < 0 ? 0 : free / period;
    }
    [[nodiscard]] static Word granule(const rate& /*r*/) noexcept { return 0; }
    [[nodiscard]] static long balance(const rate& r, Word state, Word now) noexcept {
        return -taken(r, state, now);
    }
    [[nodiscard]] static long scale(const rate& r) noexcept { return long(of(r).period.value); }
    [[nodiscard]] static unsigned most(const rate& r) noexcept { return unsigned(of(r).most); }
    [[nodiscard]] static unsigned most_debt(const rate& r) noexcept {
        return unsigned(of(r).most - of(r).burst);
    }
};

}  // namespace proof

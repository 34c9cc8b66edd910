// How a quota becomes integers: a period per unit in fractions of a tick, 1 tick = 2^shift of them.
//
// The period is rounded up, so the long-run rate is never above what was asked. The shift is the
// smallest one that brings the rate below it by no more than half a millionth (a thousandth in
// 32-bit words), because every further bit halves the time after which the word wraps; and it stops
// at fractions of a picosecond, where 10 M units/s is within 10 ppm and 1 G units/s within 0.1 %.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>

namespace weir {

// What a limit can be told beside its quota; the defaults suit almost everybody.
struct options {
    static constexpr std::int64_t whole_burst = INT64_MIN;
    static constexpr std::int64_t by_guard = INT64_MIN;
    static constexpr nanoseconds by_word{INT64_MIN};

    // Units that are there at the first decision.
    std::int64_t start = whole_burst;

    // How many units `charge` may take beyond what is there.
    std::int64_t debt = whole_burst;

    // How many units `reserve` may promise ahead of what is there. By default as many as come
    // within the default guard.
    std::int64_t waiting = by_guard;

    // How far a given `now` may lie behind the latest one without admitting more. By default an
    // hour in 64-bit words; 50 ms in 32-bit words, where one core is late by an interrupt at most;
    // and never more than 1/1024 of the time after which the word wraps (of the numbers of windows,
    // where these are counted).
    nanoseconds guard = by_word;

    // Token buckets only: refill a whole period's units at each period's end and none in between.
    // Those who wait for that, or take it ahead, share it: nobody takes more of it than they need.
    bool whole_periods = false;
};

template <class Word>
struct scale {
    Word period;     // between two refills, in fractions of a tick
    Word guard;      // in fractions of a tick
    Word burst;      // units
    Word debt;       // units
    Word waiting;    // how far ahead of now a reservation may start, in fractions of a tick
    unsigned shift;  // 1 tick = 2^shift fractions

    // One unit is refilled per q.period() / q.units(), or with `whole_periods` all of them per
    // q.period(). The period becomes a multiple of 2^low_bits fractions; the time in which burst
    // and debt (or waiting) are refilled, plus the guard, fits into half of the word's circle; and
    // the shift is `least` at least.
    [[nodiscard]] static constexpr result<scale> make(const quota& q, const options& o,
                                                      unsigned low_bits, std::uint64_t hertz,
                                                      unsigned least = 0) noexcept {
        const error invalid = check(q, o, hertz);
        if (invalid != error::none) return invalid;
        const auto burst = static_cast<std::uint64_t>(q.burst());
        const std::uint64_t debt = debt_of(q, o);
        const wide numerator = multiply(static_cast<std::uint64_t>(q.period().count()), hertz);
        const auto refills = static_cast<std::uint64_t>(o.whole_periods ? 1 : q.units());
        const wide denominator = multiply(refills, nanoseconds::per_second);
        const std::uint64_t portion = o.whole_periods ? portion_of(q) : 1;
        const auto refills_of = [&](std::uint64_t units) {
            return (units + portion - 1) / portion;
        };

        const bool by_word = o.guard == options::by_word;
        const wide guard_ticks = ticks_of(by_word ? default_guard() : o.guard, hertz);

        result<scale> best = error::burst_too_long;
        for (unsigned shift = least; shift <= bits_of<Word> - circle_bits; ++shift) {
            const unsigned finer = shift > low_bits ? shift - low_bits : 0;
            const unsigned coarser = low_bits > shift ? low_bits - shift : 0;
            const wide exact = numerator << finer;
            const wide unit = denominator << coarser;
            const division d = divide(exact, unit);
            const bool whole = d.remainder == wide{};
            const wide granules = whole ? d.quotient : d.quotient + wide{0, 1};
            if (!granules.fits(half_circle >> low_bits)) break;

            const auto period = static_cast<Word>(granules.low << low_bits);
            const wide guard = guard_at(guard_ticks, shift, by_word);
            const wide indebted = multiply(period, refills_of(debt));
            const wide waiting =
                o.waiting == options::by_guard
                    ? guard_at(ticks_of(default_guard(), hertz), shift, true)
                    : multiply(period, refills_of(static_cast<std::uint64_t>(o.waiting)));
            const wide ahead = indebted < waiting ? waiting : indebted;
            const wide refill = multiply(period, refills_of(burst)) + ahead;
            if (!guard.fits(half_circle) || !refill.fits(half_circle - guard.low)) break;

            const bool holds = whole || hundredfold(unit - d.remainder) <= exact;
            best =
                holds
                    ? result(scale{period, static_cast<Word>(guard.low), static_cast<Word>(burst),
                                   static_cast<Word>(debt), static_cast<Word>(waiting.low), shift})
                    : result<scale>(error::rate_too_fine);
            const bool in_ticks = shift >= low_bits;
            const bool precise = !d.quotient.fits((std::uint64_t{1} << precision) - 1);
            if (precise || (whole && in_ticks)) break;
            if (in_ticks && (hertz << finer) >= finest) break;
        }
        return best;
    }

    // The same for a cell that counts windows of the clock: the period is the whole window, in
    // whole ticks, and it may look so many of them ahead.
    [[nodiscard]] static constexpr result<scale> in_ticks(const quota& q, const options& o,
                                                          std::uint64_t hertz,
                                                          std::uint64_t periods) noexcept {
        const error invalid = check(q, o, hertz);
        if (invalid != error::none) return invalid;
        const division d = divide(multiply(static_cast<std::uint64_t>(q.period().count()), hertz),
                                  {0, nanoseconds::per_second});
        const bool whole = d.remainder == wide{};
        const wide period = whole ? d.quotient : d.quotient + wide{0, 1};
        const bool by_word = o.guard == options::by_word;
        const wide guard =
            guard_at(ticks_of(by_word ? default_guard() : o.guard, hertz), 0, by_word);
        if (!period.fits(half_circle) || !guard.fits(half_circle)) return error::burst_too_long;
        if (!multiply(period.low, periods).fits(half_circle - guard.low)) {
            return error::burst_too_long;
        }
        if (!whole && d.quotient.fits(99)) return error::rate_too_fine;
        return scale{static_cast<Word>(period.low),
                     static_cast<Word>(guard.low),
                     static_cast<Word>(q.burst()),
                     static_cast<Word>(debt_of(q, o)),
                     0,
                     0};
    }

    // For a cell that counts windows, in a word that has room for so many: those by which a time
    // may be late, or none if that is more than half the circle.
    [[nodiscard]] constexpr Word late_windows(const options& o, Word numbers) const noexcept {
        const auto late = static_cast<Word>(guard / period + 1);
        const auto usual = static_cast<Word>((numbers >> 10) + 1);
        if (o.guard == options::by_word && late > usual) return usual;
        return late < numbers / 2 ? late : Word{0};
    }

    [[nodiscard]] static constexpr std::uint64_t debt_of(const quota& q,
                                                         const options& o) noexcept {
        return static_cast<std::uint64_t>(o.debt == options::whole_burst ? q.burst() : o.debt);
    }

    [[nodiscard]] static constexpr std::uint64_t portion_of(const quota& q) noexcept {
        return static_cast<std::uint64_t>(q.units() < q.burst() ? q.units() : q.burst());
    }

    // What is wrong whatever the cell.
    [[nodiscard]] static constexpr error check(const quota& q, const options& o,
                                               std::uint64_t hertz) noexcept {
        if (hertz == 0) return error::clock_without_frequency;
        if (o.debt < 0 && o.debt != options::whole_burst) return error::debt_negative;
        if (o.waiting < 0 && o.waiting != options::by_guard) return error::waiting_negative;
        if (o.guard < nanoseconds{} && o.guard != options::by_word) return error::guard_negative;
        if (o.start != options::whole_burst && (o.start < 0 || o.start > q.burst())) {
            return error::start_not_in_burst;
        }
        return error::none;
    }

private:
    static constexpr unsigned precision = bits_of<Word> / 3;
    static constexpr std::uint64_t finest = std::uint64_t{1} << 40;  // fractions per second
    static constexpr unsigned circle_bits = 16;  // ticks until the word wraps, at least
    static constexpr std::uint64_t half_circle = largest<Word> / 2;

    [[nodiscard]] static constexpr wide ticks_of(nanoseconds time, std::uint64_t hertz) noexcept {
        return divide_up(multiply(static_cast<std::uint64_t>(time.count()), hertz),
                         {0, nanoseconds::per_second});
    }

    [[nodiscard]] static constexpr nanoseconds default_guard() noexcept {
        return sizeof(Word) == 8 ? seconds(3600) : milliseconds(50);
    }

    // By default no more than 1/1024 of the circle: an idle cell whose time has come round may be
    // refused for as long as the guard, so that must stay rare.
    [[nodiscard]] static constexpr wide guard_at(wide ticks, unsigned shift,
                                                 bool by_word) noexcept {
        const wide fractions = ticks.fits(half_circle >> shift) ? ticks << shift : wide{1, 0};
        const wide most = {0, largest<Word> >> 10};
        return by_word && fractions > most ? most : fractions;
    }

    [[nodiscard]] static constexpr wide hundredfold(wide x) noexcept {
        return (x << 6) + (x << 5) + (x << 2);
    }
};

}  // namespace weir

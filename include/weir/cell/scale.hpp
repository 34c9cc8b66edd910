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

    // Units that are there at the first decision or `peek`. A limit does not read its clock while
    // it is constructed, so further units come from that moment on; what must begin to fill earlier
    // is asked earlier, by a `peek`.
    std::int64_t start = whole_burst;

    // How many units `charge` may take beyond what is there.
    std::int64_t debt = whole_burst;

    // How many units `reserve` may promise ahead of what is there. By default as many as come
    // within the default guard.
    std::int64_t waiting = by_guard;

    // How far a given `now` may lie behind the latest one without admitting more. By default an
    // hour in 64-bit words; 50 ms in 32-bit words, where one core is late by an interrupt at most;
    // and never more than 1/1024 of the time after which the word wraps (of the numbers of windows,
    // where these are counted). It is a price too: after the clock was set back, a limit may deny
    // for as long as burst + max(debt, waiting) + guard, unless it is `reset`; see clock.hpp.
    nanoseconds guard = by_word;

    // Token buckets only: refill a whole period's units at each period's end and none in between.
    // Those who wait for that, or take it ahead, share it: nobody takes more of it than they need.
    bool whole_periods = false;
};

// The lowest and the highest frequency that a clock has on any machine.
struct hertz_bounds {
    std::uint64_t lowest;
    std::uint64_t highest;
};

// Why `Rate::make` refuses a quota for at least one of these frequencies; `none` if it accepts the
// quota for all of them. There may be billions, so this does not ask `make` for each: the rate says
// in `between` what the two ends do not tell of those between them.
template <class Rate>
[[nodiscard]] constexpr error refusal(const quota& q, hertz_bounds within,
                                      const options& o = {}) noexcept {
    const error lowest = Rate::make(q, within.lowest, o).error();
    if (lowest != error::none || within.lowest == within.highest) return lowest;
    const error highest = Rate::make(q, within.highest, o).error();
    return highest == error::none ? Rate::between(q, within, o) : highest;
}

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
        const error invalid = reason_against(q, o, hertz);
        if (invalid != error::none) return invalid;
        const auto burst = static_cast<std::uint64_t>(q.burst());
        const std::uint64_t debt = debt_of(q, o);
        const wide numerator = multiply(static_cast<std::uint64_t>(q.period().count()), hertz);
        const auto refills = static_cast<std::uint64_t>(o.whole_periods ? 1 : q.units());
        const wide denominator = multiply(refills, nanoseconds::per_second);

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
            const wide waiting =
                waiting_of(q, o, period, guard_at(ticks_of(default_guard(), hertz), shift, true));
            const wide refill = refill_of(q, o, period, waiting);
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

    // Does `make` accept what it accepts at both ends of these bounds at each frequency between
    // them as well? A period of `enough` granules, which are 2^low_bits fractions, is rounded by no
    // more than 1 %. Each further bit of the shift doubles the number of granules. So at any
    // frequency the first shift that makes enough granules makes fewer than twice as many, unless
    // it is the least shift. Burst, debt and guard must therefore fit when there are twice as many.
    [[nodiscard]] static constexpr error between(const quota& q, const options& o,
                                                 unsigned low_bits, hertz_bounds within,
                                                 unsigned least = 0) noexcept {
        const auto time = static_cast<std::uint64_t>(q.period().count());
        const auto refills = static_cast<std::uint64_t>(o.whole_periods ? 1 : q.units());
        const wide numerator = multiply(time, within.lowest);
        const wide denominator = multiply(refills, nanoseconds::per_second);
        unsigned shift = least;  // the largest that any of the frequencies needs
        while (divide(numerator << (shift > low_bits ? shift - low_bits : 0),
                      denominator << (low_bits > shift ? low_bits - shift : 0))
                   .quotient.fits(enough - 1)) {
            if (++shift > bits_of<Word> - circle_bits) return error::rate_too_fine;
        }
        // The least shift is precise enough everywhere, and the highest frequency fits with it.
        if (shift == least) return error::none;

        const wide a_second =
            divide_up(multiply(refills, 2 * enough * nanoseconds::per_second), {0, time});
        if (!a_second.fits(2 * finest)) return error::rate_too_fine;
        const auto most = [&](nanoseconds span, bool by_word) {
            const wide granules =
                divide_up(multiply(static_cast<std::uint64_t>(span.count()), a_second.low),
                          {0, nanoseconds::per_second});
            // Ticks are rounded up before they are shifted, which makes up to a tick more.
            const wide fractions = granules.fits(half_circle >> low_bits)
                                       ? (granules << low_bits) + (wide{0, 1} << shift)
                                       : wide{1, 0};
            return by_word ? capped(fractions) : fractions;
        };
        const bool by_word = o.guard == options::by_word;
        const wide guard = most(by_word ? default_guard() : o.guard, by_word);
        const std::uint64_t period = 2 * enough << low_bits;
        const wide waiting = waiting_of(q, o, period, most(default_guard(), true));
        const wide refill = refill_of(q, o, period, waiting);
        const bool fits = guard.fits(half_circle) && refill.fits(half_circle - guard.low);
        return fits ? error::none : error::rate_too_fine;
    }

    // The same for a cell that counts windows of the clock: the period is the whole window, in
    // whole ticks, and it may look so many of them ahead.
    [[nodiscard]] static constexpr result<scale> in_ticks(const quota& q, const options& o,
                                                          std::uint64_t hertz,
                                                          std::uint64_t periods) noexcept {
        const error invalid = reason_against(q, o, hertz);
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
        if (!whole && d.quotient.fits(enough - 1)) return error::rate_too_fine;
        return scale{static_cast<Word>(period.low),
                     static_cast<Word>(guard.low),
                     static_cast<Word>(q.burst()),
                     static_cast<Word>(debt_of(q, o)),
                     0,
                     0};
    }

    // What `in_ticks` accepts at both ends it accepts at each frequency between them, if the
    // windows have ticks enough at the lowest or are whole ticks at all of them.
    [[nodiscard]] static constexpr error between_in_ticks(const quota& q,
                                                          hertz_bounds within) noexcept {
        const auto period = static_cast<std::uint64_t>(q.period().count());
        const wide ticks =
            divide(multiply(period, within.lowest), {0, nanoseconds::per_second}).quotient;
        const bool always_whole = period % nanoseconds::per_second == 0;
        return always_whole || !ticks.fits(enough - 1) ? error::none : error::rate_too_fine;
    }

    // For a cell that counts windows, in a word that has room for so many: those by which a time
    // may be late, or none if that is more than half the circle.
    [[nodiscard]] constexpr Word late_windows(const options& o, Word numbers) const noexcept {
        const auto late = static_cast<Word>(guard / period + 1);
        const auto usual = static_cast<Word>((numbers >> 10) + 1);
        if (o.guard == options::by_word && late > usual) return usual;
        return late < numbers / 2 ? late : Word{0};
    }
    // The same for whichever frequency: rounding to ticks makes a window more of it at most.
    [[nodiscard]] static constexpr bool always_late_windows(const quota& q, const options& o,
                                                            Word numbers) noexcept {
        if (o.guard == options::by_word) return true;
        const std::int64_t late = o.guard.count() / q.period().count() + 2;
        return static_cast<std::uint64_t>(late) < numbers / 2;
    }

    // A negative debt counts as none here; `reason_against` refuses it.
    [[nodiscard]] static constexpr std::uint64_t debt_of(const quota& q,
                                                         const options& o) noexcept {
        const std::int64_t debt = o.debt == options::whole_burst ? q.burst() : o.debt;
        return debt < 0 ? 0 : static_cast<std::uint64_t>(debt);
    }

    [[nodiscard]] static constexpr std::uint64_t portion_of(const quota& q) noexcept {
        return static_cast<std::uint64_t>(q.units() < q.burst() ? q.units() : q.burst());
    }

    // What is wrong whatever the cell.
    [[nodiscard]] static constexpr error reason_against(const quota& q, const options& o,
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
    static constexpr std::uint64_t enough = 100;  // granules: what is rounded up is within 1 %
    static_assert(std::uint64_t{1} << precision >= enough);
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
        return by_word ? capped(fractions) : fractions;
    }
    [[nodiscard]] static constexpr wide capped(wide fractions) noexcept {
        const wide most = {0, largest<Word> >> 10};
        return fractions > most ? most : fractions;
    }

    // How far ahead reservations may start, and how long all of burst and debt or these takes.
    [[nodiscard]] static constexpr wide waiting_of(const quota& q, const options& o,
                                                   std::uint64_t period, wide by_guard) noexcept {
        if (o.waiting == options::by_guard) return by_guard;
        return multiply(period, refills_of(q, o, static_cast<std::uint64_t>(o.waiting)));
    }
    [[nodiscard]] static constexpr wide refill_of(const quota& q, const options& o,
                                                  std::uint64_t period, wide waiting) noexcept {
        const wide indebted = multiply(period, refills_of(q, o, debt_of(q, o)));
        const auto burst = static_cast<std::uint64_t>(q.burst());
        return multiply(period, refills_of(q, o, burst)) +
               (indebted < waiting ? waiting : indebted);
    }
    [[nodiscard]] static constexpr std::uint64_t refills_of(const quota& q, const options& o,
                                                            std::uint64_t units) noexcept {
        const std::uint64_t portion = o.whole_periods ? portion_of(q) : 1;
        return (units + portion - 1) / portion;
    }

    [[nodiscard]] static constexpr wide hundredfold(wide x) noexcept {
        return (x << 6) + (x << 5) + (x << 2);
    }
};

}  // namespace weir

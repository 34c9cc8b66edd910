// SPDX-License-Identifier: MIT
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
#include <weir/cell/granules.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>

namespace weir {

// The lowest and the highest frequency that a clock has on any machine.
struct hertz_bounds {
    std::uint64_t lowest;
    std::uint64_t highest;
};

// Why `Rate::make` refuses a quota for at least one of these frequencies; `none` if it accepts the
// quota for all of them. There may be billions, so this does not ask `make` for each: the rate says
// in `between` what the two ends do not tell of those between them.
template <class Rate>
[[nodiscard]] constexpr quota_error refusal(const quota& q, hertz_bounds within,
                                            const options& o = {}) noexcept {
    const quota_error lowest = Rate::make(q, within.lowest, o).error();
    if (lowest != quota_error::none || within.lowest == within.highest) return lowest;
    const quota_error highest = Rate::make(q, within.highest, o).error();
    return highest == quota_error::none ? Rate::between(q, within, o) : highest;
}

template <class Word>
struct scale {
    Word period;     // between two refills, in fractions of a tick
    Word guard;      // in fractions of a tick
    Word burst;      // units
    Word debt;       // units
    Word queue;      // how far ahead of now a reservation may start, in fractions of a tick
    unsigned shift;  // 1 tick = 2^shift fractions

    // One unit is refilled per q.period() / q.units(), or with `whole_periods` all of them per
    // q.period(). The period becomes a multiple of 2^low_bits fractions; the time in which burst
    // and debt (or the queue) are refilled, plus the guard, fits into half of the word's circle;
    // and the shift is `least` at least. Of a period of 2^precise granules no more is asked.
    [[nodiscard]] static constexpr result<scale, quota_error>
    make(const quota& q, const options& o, unsigned low_bits, std::uint64_t hertz,
         unsigned least = 0, unsigned precise = precision) noexcept {
        const quota_error invalid = reason_against(q, o, hertz);
        if (invalid != quota_error::none) return invalid;
        const exact_ticks ticks(q, refills_in_period(q, o), hertz);
        const guards guard(o, hertz);

        result<scale, quota_error> best = quota_error::burst_too_long;
        for (unsigned shift = least; shift <= bits_of<Word> - circle_bits; ++shift) {
            const granules refill = ticks.in_granules(shift, low_bits);
            const auto made = at_shift(q, o, low_bits, refill, guard, shift);
            if (!made) break;
            best = made;
            if (!refill.within_a_hundredth()) best = quota_error::rate_too_fine;
            if (is_fine_enough(refill, shift, low_bits, hertz, precise)) break;
        }
        return best;
    }

    // Does `make` accept what it accepts at both ends of these bounds at each frequency between
    // them as well? A period of `enough` granules, which are 2^low_bits fractions, is rounded by no
    // more than 1 %. Each further bit of the shift doubles the number of granules. So at any
    // frequency the first shift that makes enough granules makes fewer than twice as many, unless
    // it is the least shift. Burst, debt and guard must therefore fit when there are twice as many.
    [[nodiscard]] static constexpr quota_error between(const quota& q, const options& o,
                                                       unsigned low_bits, hertz_bounds within,
                                                       unsigned least = 0) noexcept {
        const std::uint64_t refills = refills_in_period(q, o);
        const exact_ticks fewest(q, refills, within.lowest);
        unsigned shift = least;  // the largest that any of the frequencies needs
        while (!fewest.in_granules(shift, low_bits).are_at_least(enough)) {
            if (++shift > bits_of<Word> - circle_bits) return quota_error::rate_too_fine;
        }
        // The least shift is precise enough everywhere, and the highest frequency fits with it.
        if (shift == least) return quota_error::none;

        const wide a_second = divide_up(multiply(refills, 2 * enough * nanoseconds::per_second),
                                        {0, static_cast<std::uint64_t>(q.period().count())});
        if (!a_second.fits(2 * finest)) return quota_error::rate_too_fine;
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
        const wide queue = queue_of(q, o, period, most(default_guard(), true));
        return spans{guard, queue, refill_of(q, o, period, queue)}.fit()
                   ? quota_error::none
                   : quota_error::rate_too_fine;
    }

    // The same for a cell that counts windows of the clock: the period is the whole window, in
    // whole ticks, and it may look so many of them ahead.
    [[nodiscard]] static constexpr result<scale, quota_error>
    in_ticks(const quota& q, const options& o, std::uint64_t hertz,
             std::uint64_t periods) noexcept {
        const quota_error invalid = reason_against(q, o, hertz);
        if (invalid != quota_error::none) return invalid;
        const granules window = exact_ticks(q, 1, hertz).whole_ticks();
        const wide period = window.rounded_up();
        const wide guard = guards(o, hertz).asked(0);
        if (!period.fits(half_circle) || !spans{guard, {}, multiply(period.low, periods)}.fit()) {
            return quota_error::burst_too_long;
        }
        if (!window.are_whole() && !window.are_at_least(enough)) return quota_error::rate_too_fine;
        return scale{static_cast<Word>(period.low),
                     static_cast<Word>(guard.low),
                     static_cast<Word>(q.burst()),
                     static_cast<Word>(debt_of(q, o)),
                     0,
                     0};
    }

    // What `in_ticks` accepts at both ends it accepts at each frequency between them, if the
    // windows have ticks enough at the lowest or are whole ticks at all of them.
    [[nodiscard]] static constexpr quota_error between_in_ticks(const quota& q,
                                                                hertz_bounds within) noexcept {
        const bool always_whole = q.period().count() % seconds(1).count() == 0;
        const granules shortest = exact_ticks(q, 1, within.lowest).whole_ticks();
        return always_whole || shortest.are_at_least(enough) ? quota_error::none
                                                             : quota_error::rate_too_fine;
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
    [[nodiscard]] static constexpr quota_error reason_against(const quota& q, const options& o,
                                                              std::uint64_t hertz) noexcept {
        if (hertz == 0) return quota_error::clock_without_frequency;
        if (o.debt < 0 && o.debt != options::whole_burst) return quota_error::debt_negative;
        if (o.queue < 0 && o.queue != options::by_guard) return quota_error::queue_negative;
        if (o.guard < nanoseconds{} && o.guard != options::by_word)
            return quota_error::guard_negative;
        if (o.anchor != nanoseconds{}) return quota_error::anchor_unknown;
        if (o.start != options::whole_burst && (o.start < 0 || o.start > q.burst())) {
            return quota_error::start_not_in_burst;
        }
        return quota_error::none;
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

    // The guard that is asked for and the one by default, in fractions of which a tick has 2^bits.
    class guards {
    public:
        constexpr guards(const options& o, std::uint64_t hertz) noexcept
            : usual_(ticks_of(default_guard(), hertz)),
              by_word_(o.guard == options::by_word),
              asked_(by_word_ ? usual_ : ticks_of(o.guard, hertz)) {}

        [[nodiscard]] constexpr wide asked(unsigned bits) const noexcept {
            return guard_at(asked_, bits, by_word_);
        }
        [[nodiscard]] constexpr wide usual(unsigned bits) const noexcept {
            return guard_at(usual_, bits, true);
        }

    private:
        wide usual_;  // in ticks
        bool by_word_;
        wide asked_;
    };

    // What has to fit into half of the word's circle together, in fractions.
    struct spans {
        wide guard;
        wide queue;
        wide refill;  // how long all of burst and debt (or the queue) takes
        [[nodiscard]] constexpr bool fit() const noexcept {
            return guard.fits(half_circle) && refill.fits(half_circle - guard.low);
        }
    };
    // With this shift, if all that must fit then does; however precise that is. All that `make`
    // makes is made here.
    [[nodiscard, gnu::always_inline]] static constexpr result<scale, quota_error>
    at_shift(const quota& q, const options& o, unsigned low_bits, const granules& refill,
             const guards& guard, unsigned shift) noexcept {
        const wide rounded = refill.rounded_up();
        if (!rounded.fits(half_circle >> low_bits)) return quota_error::burst_too_long;
        const auto period = static_cast<Word>(rounded.low << low_bits);
        const wide queue = queue_of(q, o, period, guard.usual(shift));
        const spans s{guard.asked(shift), queue, refill_of(q, o, period, queue)};
        if (!s.fit()) return quota_error::burst_too_long;
        return scale{period,
                     static_cast<Word>(s.guard.low),
                     static_cast<Word>(q.burst()),
                     static_cast<Word>(debt_of(q, o)),
                     static_cast<Word>(s.queue.low),
                     shift};
    }

    // Is the period exact enough, so that a further bit of the shift is not worth its price?
    [[nodiscard]] static constexpr bool is_fine_enough(const granules& refill, unsigned shift,
                                                       unsigned low_bits, std::uint64_t hertz,
                                                       unsigned precise) noexcept {
        if (refill.are_at_least(std::uint64_t{1} << precise)) return true;
        if (shift < low_bits) return false;  // a granule is longer than a tick
        return refill.are_whole() || (hertz << (shift - low_bits)) >= finest;
    }

    [[nodiscard]] static constexpr std::uint64_t refills_in_period(const quota& q,
                                                                   const options& o) noexcept {
        return static_cast<std::uint64_t>(o.whole_periods ? 1 : q.units());
    }

    // How far ahead reservations may start, and how long all of burst and debt or these takes.
    [[nodiscard]] static constexpr wide queue_of(const quota& q, const options& o,
                                                 std::uint64_t period, wide by_guard) noexcept {
        if (o.queue == options::by_guard) return by_guard;
        return multiply(period, refills_of(q, o, static_cast<std::uint64_t>(o.queue)));
    }
    [[nodiscard]] static constexpr wide refill_of(const quota& q, const options& o,
                                                  std::uint64_t period, wide queue) noexcept {
        const wide indebted = multiply(period, refills_of(q, o, debt_of(q, o)));
        const auto burst = static_cast<std::uint64_t>(q.burst());
        return multiply(period, refills_of(q, o, burst)) + (indebted < queue ? queue : indebted);
    }
    [[nodiscard]] static constexpr std::uint64_t refills_of(const quota& q, const options& o,
                                                            std::uint64_t units) noexcept {
        const std::uint64_t portion = o.whole_periods ? portion_of(q) : 1;
        return (units + portion - 1) / portion;
    }
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// sliding_window: the weighted estimate of two windows. What passed in the last period is taken to
// be what has passed in the present window of the clock and, of the window before, the share that
// the period still covers. The word is {number of the window, units in it, units in the one
// before}.
//
// The estimate is exact if the units of the window before came evenly. If they came together at its
// end, up to twice the quota's units pass within a period (tests/oracle/sliding_error_test.cpp
// measures it); sliding_log is exact. Any number of threads write it: the protocol is in
// one_word.hpp.
#pragma once

#include <bit>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/divisor.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/one_word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

namespace weir {

// Times are in granules of 2^coarseness() ticks, chosen so that units times period fits into a
// word.
template <class Word>
class sliding_window_rate {
public:
    using word_type = Word;

    sliding_window_rate() = default;

    [[nodiscard]] static constexpr result<sliding_window_rate, quota_error>
    make(const quota& q, std::uint64_t hertz, const options& o = {}) noexcept {
        if (o.whole_periods) return quota_error::whole_periods_unknown;
        if (q.burst() != q.units()) return quota_error::burst_not_the_window;
        const auto made = scale<Word>::in_ticks(q, o, hertz, 2);
        if (!made) return made.error();
        if (made->debt > made->burst) return quota_error::debt_beyond_the_window;
        const auto most = static_cast<std::uint64_t>(made->burst) + made->debt;
        const auto bits = static_cast<unsigned>(std::bit_width(most));
        if (bits > most_bits) return quota_error::burst_too_long;

        unsigned coarseness = 0;
        const auto period_at = [&](unsigned s) { return ((made->period - 1) >> s) + 1; };
        while (!multiply(most, period_at(coarseness)).fits(largest<Word> / 4)) ++coarseness;
        const auto period = static_cast<Word>(period_at(coarseness));
        if (coarseness != 0 && period < 100) return quota_error::rate_too_fine;

        const Word late = made->late_windows(o, static_cast<Word>(largest<Word> >> (2 * bits)));
        if (late == 0) return quota_error::burst_too_long;
        return sliding_window_rate(*made, period, late, bits, coarseness);
    }

    // See `refusal`. With so few bits for the units a period always has many granules.
    [[nodiscard]] static constexpr quota_error between(const quota& q, hertz_bounds within,
                                                       const options& o) noexcept {
        const auto most = static_cast<std::uint64_t>(q.burst()) + scale<Word>::debt_of(q, o);
        const auto bits = static_cast<unsigned>(std::bit_width(most));
        const bool late =
            scale<Word>::always_late_windows(q, o, static_cast<Word>(largest<Word> >> (2 * bits)));
        return late ? scale<Word>::between_in_ticks(q, within) : quota_error::burst_too_long;
    }

    [[nodiscard, gnu::always_inline]] constexpr step<Word> take(Word state, tick now,
                                                                Word n) const noexcept {
        return take_within(burst_, state, now, n);
    }

    [[nodiscard, gnu::always_inline]] constexpr step<Word> charge(Word state, tick now,
                                                                  Word n) const noexcept {
        return take_within(most_, state, now, n);
    }

    [[nodiscard, gnu::always_inline]] constexpr decision<Word> answer(step<Word> s,
                                                                      tick now) const noexcept {
        const windows w = at_present(s.next, now);
        const Word taken = this->taken(w);
        const Word whole = burst_ * period_.value();
        const Word room = taken < whole ? whole - taken : Word{0};
        Word reset = 0;
        if (w.before != 0) reset = until(w, period_.value(), now);
        if (w.here != 0) reset = until(w, 2 * period_.value(), now);
        return {s.verdict, room, period_.value(), reset, s.wait, 0};
    }

    [[nodiscard]] constexpr Word filled(tick now, Word units) const noexcept {
        return packed(fresh(now), burst_ - units);
    }

    [[nodiscard]] constexpr Word furthest_reset() const noexcept {
        return weir::furthest_reset<Word>(1);
    }
    // No more than `units` before `reset` ticks have passed, and no more than the state lets pass:
    // by as many units more in the present window as that takes. In the window after it they weigh
    // less and less, so a reset there is obeyed only as long as the debt has room for what that
    // takes.
    [[nodiscard]] constexpr lowered_to<Word> lowered(Word state, tick now, Word units, Word reset,
                                                     bool /*anew*/) const noexcept {
        const windows w = at_present(state, now);
        const Word period = period_.value();
        // The last granule before the reset, from the start of the present window on.
        const Word until = (now.count + (reset == 0 ? 0 : reset - 1)) >> coarseness_;
        const Word end = earlier(until, w.start) ? Word{0} : until - w.start;
        Word last = smaller(end, static_cast<Word>(2 * period - 1));
        const Word missing = units < burst_ ? burst_ - units : Word{0};

        Word here = 0;
        if (last < period) {
            const Word before = up(w.before * (period - last));
            here = missing < before ? Word{0} : missing - before;
        } else {
            const Word left = 2 * period - last;
            const Word most = 2 * burst_ - up(burst_ * left);  // if nobody was told anything
            here = most < units ? Word{0} : most - units;
            if (here > burst_) here = (missing * period - 1) / left + 1;
            if (here > most_) {
                here = most_;
                last = 2 * period - ((missing * period - 1) / most_ + 1);
            }
        }
        const bool is_less = here > w.here;
        const Word next = packed(w, is_less ? here : w.here);
        if (last == end) return {is_less ? obeyed::whole : obeyed::needless, next, reset};
        // As many units as there are in each of the windows until then.
        const Word own = smaller(w.here, burst_);
        const Word all = units < largest<Word> - own ? units + own : units;
        const bool fits = end / period < all / burst_;
        if (fits) return {obeyed::needless, packed(w, w.here), reset};
        return {obeyed::in_part, next, ((w.start + last + 1) << coarseness_) - now.count};
    }

    // {the estimate, rounded up, 0}; it is put back as if all had come just now.
    [[nodiscard]] constexpr cell_state<Word> state(Word state, tick now) const noexcept {
        const Word units = up(taken(at_present(state, now)));
        return {units < most_ ? units : most_, 0};
    }
    [[nodiscard]] constexpr cell_state<Word> most_state() const noexcept { return {most_, 0}; }
    [[nodiscard]] constexpr Word restored(tick now, cell_state<Word> s) const noexcept {
        return packed(fresh(now), s.units);
    }

    // What the estimate has beyond the window's units, rounded up.
    [[nodiscard]] constexpr Word debt(Word state, tick now) const noexcept {
        const Word taken = this->taken(at_present(state, now));
        const Word whole = burst_ * period_.value();
        return taken <= whole ? Word{0} : (taken - whole - 1) / period_.value() + 1;
    }

    [[nodiscard]] constexpr Word burst() const noexcept { return burst_; }

    // The rate as it is held: burst() units per period() x 2^coarseness() ticks.
    [[nodiscard]] constexpr Word period() const noexcept { return period_.value(); }
    [[nodiscard]] constexpr unsigned coarseness() const noexcept { return coarseness_; }

private:
    static constexpr unsigned most_bits = bits_of<Word> * 3 / 8;

    // Shorter words are for tests/proof, which enumerates all there is of them.
    static_assert(sizeof(Word) != 4,
                  "windows that are aligned to the clock need a clock that does not wrap");

    struct windows {
        Word place;   // number of the present one, above the units' bits
        Word start;   // of the present one, in granules
        Word here;    // units in it
        Word before;  // units in the one before
        Word left;    // how much of the one before the period still covers, in granules
    };

    constexpr sliding_window_rate(const scale<Word>& s, Word period, Word late, unsigned bits,
                                  unsigned coarseness) noexcept
        : period_(period),
          late_(late),
          burst_(s.burst),
          most_(static_cast<Word>(s.burst + s.debt)),
          units_((Word{1} << bits) - 1),
          bits_(static_cast<std::uint8_t>(bits)),
          coarseness_(static_cast<std::uint8_t>(coarseness)) {}

    [[nodiscard]] constexpr Word packed(const windows& w, Word here) const noexcept {
        return w.place | here << bits_ | w.before;
    }

    // The window of now, as if nothing had passed.
    [[nodiscard, gnu::always_inline]] constexpr windows fresh(tick now) const noexcept {
        const Word at = now.count >> coarseness_;
        const Word number = period_.quotient(at);
        const Word start = number * period_.value();
        return {number << (2 * bits_), start, 0, 0, start + period_.value() - at};
    }

    [[nodiscard, gnu::always_inline]] constexpr windows at_present(Word state,
                                                                   tick now) const noexcept {
        windows w = fresh(now);
        const Word here = state >> bits_ & units_;
        const Word numbers = largest<Word> >> (2 * bits_);
        const Word place = numbers << (2 * bits_);
        const Word behind = (w.place - (state & place)) >> (2 * bits_);
        if (behind == 0) {
            w.here = here;
            w.before = state & units_;
        } else if (behind == 1) {
            w.before = here;
        } else if (behind > numbers - late_) {
            // A late now finds itself at the beginning of the latest window.
            w = {state & place, w.start + (numbers - behind + 1) * period_.value(), here,
                 state & units_, period_.value()};
        }
        return w;
    }

    // The estimate times period, which no number of units makes wrap.
    [[nodiscard, gnu::always_inline]] constexpr Word taken(const windows& w) const noexcept {
        return w.here * period_.value() + w.before * w.left;
    }

    // Whole units of so many times the period, rounded up.
    [[nodiscard]] constexpr Word up(Word taken) const noexcept {
        return taken / period_.value() + (taken % period_.value() != 0 ? 1U : 0U);
    }

    // Ticks from now to so many granules after the start of the window.
    [[nodiscard, gnu::always_inline]] constexpr Word until(const windows& w, Word granules,
                                                           tick now) const noexcept {
        return ((w.start + granules) << coarseness_) - now.count;
    }

    [[nodiscard, gnu::always_inline]] constexpr step<Word>
    take_within(Word bound, Word state, tick now, Word n) const noexcept {
        if (n > bound) [[unlikely]]
            return {verdict::never, state, 0};
        const windows w = at_present(state, now);
        if (taken(w) + n * period_.value() <= bound * period_.value() || n == 0) {
            return {verdict::admitted, packed(w, w.here + n), 0};
        }
        return {verdict::wait, state, until(w, fits_at(bound, w, n), now)};
    }

    // The granules from the start of the window to when n units fit. Who does not ask for the wait
    // does not divide.
    [[nodiscard, gnu::always_inline]] constexpr Word fits_at(Word bound, const windows& w,
                                                             Word n) const noexcept {
        const Word period = period_.value();
        if (w.here + n <= bound) return period - (bound - w.here - n) * period / w.before;
        return 2 * period - (bound - n) * period / w.here;
    }

    divisor<Word> period_;     // of the window, in granules
    Word late_;                // a window no further ahead than this is the present one
    Word burst_;               // units in a window
    Word most_;                // and the debt
    Word units_;               // mask of the bits that hold one window's units
    std::uint8_t bits_;        // how many they are
    std::uint8_t coarseness_;  // 1 granule = 2^coarseness ticks
};

template <class Word = word, template <class> class Atomic = atomic>
class sliding_window : public one_word<sliding_window_rate<Word>, Atomic> {};

}  // namespace weir

// SPDX-License-Identifier: MIT
// The rule of fixed_window and aligned_window: so many units in each window of one period. The word
// is {where the window is, units used}, the units in as many low bits as they need. The file is
// long because windows of two kinds are owed, moved and told of by a server.
//
// Invariant: `used` counts from the window in the word and may run on into the windows after it, as
// a debt; each window that goes by pays for `limit` of them. A window that owes nothing and is used
// by nobody is forgotten. A window ahead of now, by a late clock, stays the present one: what is
// admitted late counts in it.
#pragma once

#include <bit>
#include <cstdint>

#include <weir/base/divisor.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

namespace weir {

enum class opens : unsigned char {
    with_first_action,  // the word holds the time at which it opened, in fractions of a tick
    with_clock,         // at whole periods of the clock; the word holds the window's number
};

// Times wrap with the word.
template <class Word, opens When>
class window_rate {
public:
    using word_type = Word;

    window_rate() = default;

    [[nodiscard]] static constexpr result<window_rate, quota_error>
    make(const quota& q, std::uint64_t hertz, const options& o = {}) noexcept {
        if (o.whole_periods) return quota_error::whole_periods_unknown;
        if (q.burst() != q.units()) return quota_error::burst_not_the_window;
        const unsigned bits = count_bits(q, o);
        if (bits > most_bits) return quota_error::burst_too_long;
        const options windows = as_windows(o);
        if constexpr (When == opens::with_first_action) {
            const auto made = scale<Word>::make(q, windows, bits, hertz);
            if (!made) return made.error();
            const auto rounding = static_cast<Word>((Word{1} << made->shift) + (Word{2} << bits));
            const auto ahead = static_cast<Word>(made->guard + made->period + rounding);
            return window_rate(*made, ahead, bits);
        } else {
            const auto units = static_cast<std::uint64_t>(q.units());
            const auto made = scale<Word>::in_ticks(
                q, windows, hertz, 1 + (scale<Word>::debt_of(q, o) + units - 1) / units);
            if (!made) return made.error();
            const Word late = made->late_windows(o, static_cast<Word>(largest<Word> >> bits));
            if (late == 0) return quota_error::burst_too_long;
            return window_rate(*made, late, bits);
        }
    }

    // See `refusal`.
    [[nodiscard]] static constexpr quota_error between(const quota& q, hertz_bounds within,
                                                       const options& o) noexcept {
        const unsigned bits = count_bits(q, o);
        if constexpr (When == opens::with_first_action) {
            return scale<Word>::between(q, as_windows(o), bits, within);
        } else {
            const bool late =
                scale<Word>::always_late_windows(q, o, static_cast<Word>(largest<Word> >> bits));
            return late ? scale<Word>::between_in_ticks(q, within) : quota_error::burst_too_long;
        }
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
        const window w = at_present(s.next, now);
        const count room = w.used < burst_ ? burst_ - w.used : 0;
        return {s.verdict, room, 1, until(w, limit_.quotient_up(w.used), now), s.wait, shift_};
    }

    [[nodiscard]] constexpr Word filled(tick now, Word units) const noexcept {
        return packed(fresh(now), burst_ - static_cast<count>(units));
    }

    [[nodiscard]] constexpr Word furthest_reset() const noexcept {
        return weir::furthest_reset<Word>(shift_);
    }
    // No more than `units` before `reset` ticks have passed, and no more than the state lets pass.
    // A window that opens with an action ends at the reset then, or, unless the state begins anew,
    // when it was to end if that is later. If the reset is more than a period away, the window
    // begins ahead of now, and counts from now on. Where there is time for several windows until
    // the reset, the first ones are used up, as a debt.
    [[nodiscard]] constexpr lowered_to<Word> lowered(Word state, tick now, Word units, Word reset,
                                                     bool anew) const noexcept {
        window w = at_present(state, now);
        const auto at = fractions<Word>(now, shift_);
        const auto time = static_cast<Word>(reset << shift_);
        // A window ahead of now, by a late clock, may be ahead of the reset too.
        const auto begun = static_cast<Word>(at - w.start);
        const bool before = earlier(at, w.start) && time <= static_cast<Word>(w.start - at);
        Word windows = before ? Word{1} : windows_in(static_cast<Word>(time + begun));
        if (windows <= fitting(w.used, units)) return {obeyed::needless, packed(w, w.used), reset};

        if constexpr (When == opens::with_first_action) {
            const Word until_reset = time < period_.value() ? 1 : period_.quotient(time);
            const auto start =
                granule(static_cast<Word>(at + time - until_reset * period_.value() + units_));
            if (reset != 0 && (anew || !earlier(start, w.start))) {
                w.place = w.start = start;
                windows = until_reset;
            }
        }
        const Word obeying = smaller(windows, fitting(most_, units));
        const auto most = static_cast<Word>(obeying * limit_.value());
        const count used = most > units ? static_cast<count>(most - units) : 0;
        const Word next = packed(w, used < w.used ? w.used : used);
        if (obeying == windows) return {obeyed::whole, next, reset};
        const auto over = static_cast<Word>(w.start + obeying * period_.value() - at);
        return {obeyed::in_part, next, ticks(over, shift_)};
    }

    // {units used, ticks until the window ends}; the clock knows where a window ends that opens
    // with it.
    [[nodiscard]] constexpr cell_state<Word> state(Word state, tick now) const noexcept {
        const window w = at_present(state, now);
        if constexpr (When == opens::with_clock) return {w.used, 0};
        return {w.used, ticks(until(w, 1, now), shift_)};
    }
    [[nodiscard]] constexpr cell_state<Word> most_state() const noexcept {
        if constexpr (When == opens::with_clock) return {most_, 0};
        return {most_, ticks(static_cast<Word>(2 * period_.value() + units_), shift_)};
    }
    [[nodiscard]] constexpr Word restored(tick now, cell_state<Word> s) const noexcept {
        window w = fresh(now);
        if constexpr (When == opens::with_first_action) {
            const auto ahead =
                static_cast<Word>(static_cast<Word>(s.ticks << shift_) - period_.value());
            w.place = granule(static_cast<Word>(fractions<Word>(now, shift_) + ahead + units_));
        }
        return packed(w, static_cast<count>(s.units));
    }

    [[nodiscard]] constexpr Word debt(Word state, tick now) const noexcept {
        const count used = at_present(state, now).used;
        return used < burst_ ? 0 : used - burst_;
    }

    // Windows begin where a time and the offset are whole periods together: one of them at
    // `anchor`. With the first offset no time that is late by the guard lies before the first
    // window. Another one differs from `offset` by half a period at most.
    [[nodiscard]] constexpr Word first_offset(Word anchor) const noexcept
        requires(When == opens::with_clock) {
        return next_offset(anchor, static_cast<Word>((late_ + 2) * period_.value()));
    }
    [[nodiscard]] constexpr Word next_offset(Word anchor, Word offset) const noexcept
        requires(When == opens::with_clock) {
        const auto at = static_cast<Word>(anchor + offset);
        const auto since = static_cast<Word>(at - period_.quotient(at) * period_.value());
        const bool is_behind = since <= period_.value() / 2;
        return static_cast<Word>(is_behind ? offset - since : offset - since + period_.value());
    }

    [[nodiscard]] constexpr Word burst() const noexcept { return burst_; }

    // The rate as it is held: burst() units per period() / 2^shift() ticks.
    [[nodiscard]] constexpr Word period() const noexcept { return period_.value(); }
    [[nodiscard]] constexpr unsigned shift() const noexcept { return shift_; }

private:
    using count = std::uint32_t;
    static constexpr unsigned most_bits = bits_of<Word> / 2 - 1;

    // Shorter words are for tests/proof, which enumerates all there is of them.
    static_assert(When == opens::with_first_action || sizeof(Word) != 4,
                  "windows that are aligned to the clock need a clock that does not wrap");

    // What units and debt of a window need in the word.
    [[nodiscard]] static constexpr unsigned count_bits(const quota& q, const options& o) noexcept {
        return static_cast<unsigned>(
            std::bit_width(static_cast<std::uint64_t>(q.units()) + scale<Word>::debt_of(q, o)));
    }
    // What `scale` has to know: a whole window is refilled at once, and nobody reserves.
    [[nodiscard]] static constexpr options as_windows(const options& o) noexcept {
        options windows = o;
        windows.whole_periods = true;
        if (When == opens::with_clock) windows.anchor = {};
        if (windows.queue > 0 || windows.queue == options::by_guard) windows.queue = 0;
        return windows;
    }

    struct window {
        Word place;  // as in the word: a time, or a number above the units' bits
        Word start;  // in fractions of a tick
        count used;
    };

    constexpr window_rate(const scale<Word>& s, Word late, unsigned bits) noexcept
        : period_(s.period),
          limit_(static_cast<count>(s.burst)),
          burst_(static_cast<count>(s.burst)),
          late_(late),
          most_(static_cast<count>(s.burst + s.debt)),
          units_((count{1} << bits) - 1),
          bits_(static_cast<std::uint8_t>(bits)),
          shift_(static_cast<std::uint8_t>(s.shift)) {}

    [[nodiscard]] constexpr Word granule(Word time) const noexcept {
        return static_cast<Word>(time & ~Word{units_});
    }
    [[nodiscard]] constexpr Word packed(const window& w, count used) const noexcept {
        return static_cast<Word>(w.place | used);
    }

    // The window that an action of now would open.
    [[nodiscard, gnu::always_inline]] constexpr window fresh(tick now) const noexcept {
        if constexpr (When == opens::with_clock) {
            const Word number = period_.quotient(now.count);
            return {static_cast<Word>(number << bits_), static_cast<Word>(number * period_.value()),
                    0};
        } else {
            const Word start = granule(static_cast<Word>(fractions<Word>(now, shift_) + units_));
            return {start, start, 0};
        }
    }

    // The window that now belongs to, with what is used of it and of those after it.
    [[nodiscard, gnu::always_inline]] constexpr window at_present(Word state,
                                                                  tick now) const noexcept {
        const auto used = static_cast<count>(state & units_);
        window w = fresh(now);
        if constexpr (When == opens::with_clock) {
            const auto behind = static_cast<Word>((w.place - granule(state)) >> bits_);
            if (behind == 0) return {w.place, w.start, used};
            const Word numbers = largest<Word> >> bits_;
            if (behind <= numbers - late_) return {w.place, w.start, unpaid(used, behind)};
            const auto ahead = static_cast<Word>(numbers - behind + 1);
            return {granule(state), static_cast<Word>(w.start + ahead * period_.value()), used};
        } else {
            const Word start = granule(state);
            const auto elapsed = static_cast<Word>(fractions<Word>(now, shift_) - start);
            const bool late = elapsed > largest<Word> - late_;
            if (late || (elapsed < period_.value() && used != 0)) return {start, start, used};
            const Word gone = period_.quotient(elapsed);
            const count left = unpaid(used, gone);
            if (left == 0) return w;
            const auto begun = static_cast<Word>(start + gone * period_.value());
            return {begun, begun, left};
        }
    }

    // Windows that so much time takes from the beginning of the first one on, one at least.
    [[nodiscard]] constexpr Word windows_in(Word time) const noexcept {
        return time == 0 ? Word{1} : static_cast<Word>(period_.quotient(time - 1) + 1);
    }
    // Windows of which all units fit into `used` and `units` together.
    [[nodiscard]] constexpr Word fitting(count used, Word units) const noexcept {
        const Word room = largest<Word> - units;
        return (room < used ? largest<Word> : static_cast<Word>(units + used)) / limit_.value();
    }

    [[nodiscard, gnu::always_inline]] constexpr count unpaid(count used,
                                                             Word windows) const noexcept {
        if (windows > most_) return 0;
        const auto paid = static_cast<std::uint64_t>(windows) * limit_.value();
        return used > paid ? static_cast<count>(used - paid) : 0;
    }

    // Fractions of a tick from now to the end of the n-th window, counting the present one.
    [[nodiscard, gnu::always_inline]] constexpr Word until(const window& w, count n,
                                                           tick now) const noexcept {
        if (n == 0) return 0;
        return static_cast<Word>(w.start + n * period_.value() - fractions<Word>(now, shift_));
    }

    [[nodiscard, gnu::always_inline]] constexpr step<Word>
    take_within(count bound, Word state, tick now, Word n) const noexcept {
        if (n > bound) [[unlikely]]
            return {verdict::never, state, 0};
        const window w = at_present(state, now);
        const count after = w.used + static_cast<count>(n);
        if (after <= bound || n == 0) return {verdict::admitted, packed(w, after), 0};
        return {verdict::wait, state, until(w, limit_.quotient_up(after - bound), now)};
    }

    divisor<Word> period_;
    divisor<count> limit_;  // units in a window
    count burst_;           // the same
    // A window no further ahead than this is the present one: the guard, and of windows that open
    // with an action a period more, for resets.
    Word late_;
    count most_;          // and the debt
    count units_;         // mask of the bits that hold the units
    std::uint8_t bits_;   // how many they are
    std::uint8_t shift_;  // 1 tick = 2^shift fractions
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// The rule of gcra and leaky_bucket. The state is one instant, `tat`, at which the cell will be
// idle; its distance from now is the backlog, and n units put it n periods further ahead.
//
// In its low bits the state carries a tag that no admission changes and every refund does, so that
// a refund cannot mistake a state for one that it has seen. The period, and so every cost, is a
// multiple of what the tag counts, a granule. A keyed table has a wider tag, which says whose the
// state is; a granule may be longer than a tick there, and a time is rounded down to granules.
//
// Invariant: an admission leaves tat <= now + depth and moves it by its full cost, so however
// threads and their clocks interleave, all that passes until an instant t costs at most
// depth + (t - start). A `now` that is late therefore denies more and never admits more.
#pragma once

#include <cstdint>

#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

namespace weir {

template <class Word>
inline constexpr unsigned refund_tag_bits = sizeof(Word) == 8 ? 3 : 0;

// Times are in fractions of a tick and wrap with the word.
template <class Word, unsigned TagBits = refund_tag_bits<Word>>
class backlog_rate {
    static constexpr bool coarse = TagBits > refund_tag_bits<Word>;

public:
    using word_type = Word;

    backlog_rate() = default;

    [[nodiscard]] static constexpr result<backlog_rate, quota_error>
    make(const quota& q, std::uint64_t hertz, const options& o = {}) noexcept {
        if (o.whole_periods) return quota_error::whole_periods_unknown;
        const auto made = scale<Word>::make(q, o, TagBits, hertz, least_shift, precision);
        if (!made) return made.error();
        return backlog_rate(*made);
    }

    // For another quota whose states lie beside those of this one: their times are as fine, and no
    // longer. Which of the two a state was left by makes no difference.
    [[nodiscard]] constexpr result<backlog_rate, quota_error>
    beside(const quota& q, std::uint64_t hertz, const options& o) const noexcept {
        const auto made = scale<Word>::make(q, o, TagBits, hertz, shift_, 0);
        if (!made) return made.error();
        if (made->shift != shift_) return quota_error::rate_too_fine;
        backlog_rate other(*made);
        if (other.furthest() > furthest()) return quota_error::burst_too_long;
        other.horizon_ = horizon_;
        return other;
    }
    // For quotas of which the units of one come fastest, and the burst of the other one takes
    // longest: all that lie beside them.
    [[nodiscard]] static constexpr result<backlog_rate, quota_error>
    beyond(const quota& fastest, const quota& longest, std::uint64_t hertz,
           const options& o) noexcept {
        const auto finer = make(fastest, hertz, o);
        if (!finer) return finer.error();
        const auto made = scale<Word>::make(longest, o, TagBits, hertz, finer->shift_, 0);
        if (!made) return made.error();
        const backlog_rate all(*made);
        const quota_error reason = all.beside(fastest, hertz, o).error();
        if (reason != quota_error::none) return reason;
        return all;
    }

    // In a time that counts units, each of which takes `unit`, a multiple of what the tag counts:
    // for quotas that change. States may lie so many units ahead, whatever the quota is.
    [[nodiscard]] static constexpr backlog_rate in_units(Word unit, Word burst, Word debt,
                                                         Word ahead) noexcept {
        return backlog_rate(
            scale<Word>{unit, static_cast<Word>((ahead - burst - debt) * unit), burst, debt, 0, 0});
    }

    // See `refusal`.
    [[nodiscard]] static constexpr quota_error between(const quota& q, hertz_bounds within,
                                                       const options& o) noexcept {
        return scale<Word>::between(q, o, TagBits, within, least_shift);
    }

    // The cell's time.
    [[nodiscard, gnu::always_inline]] constexpr Word at(tick now) const noexcept {
        const auto exact = fractions<Word>(now, shift_);
        return coarse ? static_cast<Word>(exact & ~tag) : exact;
    }

    [[nodiscard, gnu::always_inline]] constexpr step<Word> take(Word tat, tick now,
                                                                Word n) const noexcept {
        return take_within(depth_, 0, tat, now, n);
    }

    // As soon as it conforms, but no more than `longest` ticks from now.
    [[nodiscard, gnu::always_inline]] constexpr step<Word> reserve(Word tat, tick now, Word n,
                                                                   Word longest) const noexcept {
        const Word most =
            longest > longest_ >> shift_ ? longest_ : static_cast<Word>(longest << shift_);
        return take_within(depth_, most, tat, now, n);
    }
    [[nodiscard]] constexpr Word cost(Word n) const noexcept {
        return static_cast<Word>(n * period_);
    }

    // How much of `cost` a refund may give back of a span that ends no earlier than `end`. What of
    // the span has gone by has drained, and giving it back would admit a second burst. And while
    // somebody waits only the last span may go: those after it have been told when they start, and
    // who took its place would start together with them.
    [[nodiscard]] constexpr Word refundable(Word tat, tick now, Word end, Word cost) const noexcept
        requires(sizeof(Word) == 8) {
        const Word at = this->at(now);
        const Word whole = ahead(tat, at);
        if (whole > depth_ && !ends_at(tat, end)) return 0;
        const Word left = ahead(end, at);
        const Word back = left < whole ? left : whole;
        return back < cost ? back : cost;
    }
    // Is the span that ends there the last one?
    [[nodiscard]] static constexpr bool ends_at(Word tat, Word end) noexcept {
        return (tat & ~tag) == (end & ~tag);
    }
    // `state` with the tag that follows on that of `old`.
    [[nodiscard]] static constexpr Word renewed(Word state, Word old) noexcept {
        return static_cast<Word>((state & ~tag) | ((old + 1) & tag));
    }

    [[nodiscard, gnu::always_inline]] constexpr step<Word> charge(Word tat, tick now,
                                                                  Word n) const noexcept {
        return take_within(deepest_, 0, tat, now, n);
    }

    [[nodiscard, gnu::always_inline]] constexpr decision<Word> answer(step<Word> s,
                                                                      tick now) const noexcept {
        const Word backlog = ahead(s.next, at(now));
        const Word room = backlog < depth_ ? static_cast<Word>((depth_ & ~tag) - backlog) : Word{0};
        return {s.verdict, room, period_, backlog, s.wait, shift_};
    }

    [[nodiscard]] constexpr Word filled(tick now, Word units) const noexcept {
        return static_cast<Word>(at(now) + (depth_ & ~tag) - units * period_);
    }

    [[nodiscard]] constexpr Word furthest_reset() const noexcept {
        return weir::furthest_reset<Word>(shift_);
    }
    // No more than `units` before `reset` ticks have passed, and no more than the state lets pass.
    // After them the next one comes at the reset, and all of them as late as the rate brings them.
    [[nodiscard]] constexpr lowered_to<Word> lowered(Word tat, tick now, Word units, Word reset,
                                                     bool /*anew*/) const noexcept {
        const Word at = this->at(now);
        const auto whole = static_cast<Word>(depth_ & ~tag);
        const auto part = static_cast<Word>(fractions<Word>(now, shift_) - at);
        // To the first granule that decisions at the reset find, and none before it.
        Word time = 0;
        Word count = units;
        if (reset != 0) {
            time = static_cast<Word>(((part + (reset << shift_) - 1) | tag) + 1);
            if (count != largest<Word>) ++count;
        }
        Word cost = 0;
        if (__builtin_mul_overflow(count, period_, &cost)) cost = largest<Word>;
        Word told = 0;
        if (cost <= whole) {
            told = static_cast<Word>(time + (whole - cost));
        } else if (time > cost - whole) {
            told = static_cast<Word>(time - (cost - whole));
        }
        const auto most = static_cast<Word>(furthest() & ~tag);
        const Word bound = smaller(told, most);
        const Word own = ahead(tat, at);
        const Word next = own < bound ? static_cast<Word>((at + bound) | (tat & tag)) : tat;
        if (told <= most) return {own < told ? obeyed::whole : obeyed::needless, next, reset};
        const auto kept = static_cast<Word>(most - whole + cost);
        const Word over = kept > part ? static_cast<Word>(kept - part) : Word{0};
        return {obeyed::in_part, next, ticks(over, shift_)};
    }

    // {0, ticks until idle}
    [[nodiscard]] constexpr cell_state<Word> state(Word tat, tick now) const noexcept {
        return {0, ticks(ahead(tat, at(now)), shift_)};
    }
    [[nodiscard]] constexpr cell_state<Word> most_state() const noexcept {
        return {0, ticks(furthest(), shift_)};
    }
    [[nodiscard]] constexpr Word restored(tick now, cell_state<Word> s) const noexcept {
        return static_cast<Word>(at(now) + static_cast<Word>(s.ticks << shift_));
    }

    // How long it takes, in fractions, until a state may be forgotten that nobody uses again: until
    // no time that is late by the guard or less finds it busy. Negative if it might have been
    // forgotten so long ago; the lowest number for a relic.
    [[nodiscard]] constexpr std::int64_t until_forgotten(Word tat, tick now) const noexcept
        requires(sizeof(Word) == 8) {
        const auto guard = static_cast<Word>((horizon_ & ~tag) - furthest());
        const auto left = static_cast<Word>((tat & ~tag) + guard - at(now));
        const auto most = static_cast<Word>((horizon_ & ~tag) + guard);
        if (left <= most) return static_cast<std::int64_t>(smaller(left, largest<Word> / 2));
        return left > largest<Word> / 2 ? static_cast<std::int64_t>(left) : INT64_MIN;
    }

    // Units that are still in the bucket, a partly leaked one included.
    [[nodiscard]] constexpr Word level(Word tat, tick now) const noexcept {
        const Word backlog = ahead(tat, at(now));
        return static_cast<Word>(backlog / period_ + (backlog % period_ != 0 ? 1U : 0U));
    }

    // Units beyond the burst that are not paid for yet, a partly paid one included.
    [[nodiscard]] constexpr Word debt(Word tat, tick now) const noexcept {
        const Word backlog = ahead(tat, at(now));
        const auto most = static_cast<Word>(depth_ & ~tag);
        return backlog <= most ? Word{0} : static_cast<Word>((backlog - most - 1) / period_ + 1);
    }

    [[nodiscard]] constexpr Word burst() const noexcept { return depth_ / period_; }

    // The rate as it is held: one unit per period() / 2^shift() ticks.
    [[nodiscard]] constexpr Word period() const noexcept { return period_; }
    [[nodiscard]] constexpr unsigned shift() const noexcept { return shift_; }
    // How far ahead of now a reservation may start, in fractions of a tick.
    [[nodiscard]] constexpr Word longest() const noexcept { return longest_; }

private:
    static constexpr Word tag = (Word{1} << TagBits) - 1;
    // A third of the bits, so that a burst fits into the others.
    static constexpr unsigned least_shift = coarse ? 0 : TagBits;
    static constexpr unsigned precision = (bits_of<Word> - (coarse ? TagBits : 0)) / 3;

    constexpr explicit backlog_rate(const scale<Word>& s) noexcept
        : period_(s.period),
          depth_(static_cast<Word>(s.burst * s.period | tag)),
          horizon_(0),
          deepest_(static_cast<Word>((s.burst + s.debt) * s.period | tag)),
          longest_(s.queue),
          shift_(static_cast<std::uint8_t>(s.shift)) {
        const auto rounding =
            static_cast<Word>(((Word{1} << s.shift) - 1) | (coarse ? tag : Word{0}));
        const auto rounded_up = static_cast<Word>(furthest() + s.guard + rounding);
        // No further than half the circle, which rounding may exceed where there is no guard: a
        // relic there would take a burst, wrap around, and owe next to nothing.
        constexpr Word half = largest<Word> / 2 + 1;
        horizon_ = static_cast<Word>(smaller(rounded_up, half) | tag);
    }

    // No tat lies further ahead: after all the debt that is allowed, or the longest wait.
    [[nodiscard]] constexpr Word furthest() const noexcept {
        const auto indebted = static_cast<Word>(deepest_ & ~tag);
        const auto queued = static_cast<Word>((depth_ & ~tag) + longest_);
        return indebted < queued ? queued : indebted;
    }

    // How far ahead of `at` the cell is busy. One unsigned comparison tells the future from the
    // past, which wraps to a large distance, and from relics of a wrap or of another clock; both
    // count as idle.
    [[nodiscard]] constexpr Word ahead(Word tat, Word at) const noexcept {
        const auto distance = static_cast<Word>(tat - at);
        return distance <= horizon_ ? static_cast<Word>(distance & ~tag) : Word{0};
    }

    // Written so that the new tat of a busy cell does not depend on the clock, which is the slowest
    // thing here to arrive; the processor predicts the comparisons and goes ahead. The tag goes
    // along in the sums: as all else is a multiple of what it counts, bounds take it in.
    [[nodiscard, gnu::always_inline]] constexpr step<Word>
    take_within(Word bound, Word longest, Word tat, tick now, Word n) const noexcept {
        const Word at = this->at(now);
        Word cost = 0;
        if (__builtin_mul_overflow(n, period_, &cost) || cost > bound) [[unlikely]] {
            return {verdict::never, tat, 0};
        }
        const auto ahead = static_cast<Word>(tat - at);
        if (ahead > horizon_) {
            return {verdict::admitted, static_cast<Word>((at + cost) | (tat & tag)), 0};
        }
        const auto next = static_cast<Word>(tat + cost);
        const auto after = static_cast<Word>(next - at);
        if (after <= bound || n == 0) return {verdict::admitted, next, 0};
        const auto wait = static_cast<Word>((after | tag) - bound);
        // The wait is never 0 here; said so that a compiler needs no wait for who reserves nothing.
        return longest != 0 && wait <= longest ? step<Word>{verdict::admitted, next, wait}
                                               : step<Word>{verdict::wait, tat, wait};
    }

    // Bounds have the tag's bits set, see take_within. The shift comes last, so that a limiter can
    // put what is small behind it.
    Word period_;  // T, of one unit
    Word depth_;   // D = B x T: no admission leaves more backlog
    // Furthest and the guard, and the part of a tick by which a restored state was rounded up: a
    // tat further ahead is a relic.
    Word horizon_;
    Word deepest_;        // D and the debt allowed: no charge leaves more
    Word longest_;        // no reservation starts later from now
    std::uint8_t shift_;  // 1 tick = 2^shift fractions
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// token_bucket: whole tokens, refilled one by one at the quota's rate or a portion at a time, which
// is a period's worth. The word is {time of the last refill, level}: the level lies in as many low
// bits as it needs and the time above them, so the time wraps with the word and is used as it lies.
// The level is the tokens and one less than a portion: below that it says how much of the next
// portion is owed. Whole portions are owed by a time ahead of now.
// Any number of threads write it: the rule is here, the protocol in one_word.hpp. It is
// long because tokens come in portions, are owed, promised and told of by a server.
//
// Invariant: q portions more or less move the time by exactly q periods, so rounding neither loses
// nor makes time; only a full bucket forgets the part of a period that has gone by. A time ahead of
// now, by a late clock or by a debt, refills nothing.
#pragma once

#include <bit>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/divisor.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/one_word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

namespace weir {

// Times are in fractions of a tick and wrap with the word.
template <class Word>
class token_bucket_rate {
public:
    using word_type = Word;

    token_bucket_rate() = default;

    [[nodiscard]] static constexpr result<token_bucket_rate, quota_error>
    make(const quota& q, std::uint64_t hertz, const options& o = {}) noexcept {
        const std::uint64_t portion = o.whole_periods ? scale<Word>::portion_of(q) : 1;
        const std::uint64_t owing = portion - 1;
        const auto full = static_cast<std::uint64_t>(q.burst()) + owing;
        const unsigned bits = level_bits(q, o);
        if (bits > most_bits) return quota_error::burst_too_long;
        const auto made = scale<Word>::make(q, o, bits, hertz);
        if (!made) return made.error();
        // The most that `charge` counts with.
        if (full + made->debt + portion > largest<count>) return quota_error::burst_too_long;
        const auto rest_of = [&](std::uint64_t units) {
            return static_cast<count>((units + owing) / portion * portion - units);
        };
        const bool by_guard = o.queue == options::by_guard;
        const count unpromised = by_guard ? 0 : rest_of(static_cast<std::uint64_t>(o.queue));
        return token_bucket_rate(*made, static_cast<count>(portion), (count{1} << bits) - 1,
                                 rest_of(made->debt), unpromised);
    }

    // See `refusal`.
    [[nodiscard]] static constexpr quota_error between(const quota& q, hertz_bounds within,
                                                       const options& o) noexcept {
        return scale<Word>::between(q, o, level_bits(q, o), within);
    }

    [[nodiscard, gnu::always_inline]] constexpr step<Word> take(Word state, tick now,
                                                                Word n) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(state, at);
        if (n > burst_) [[unlikely]]
            return {verdict::never, state, 0};
        const auto units = static_cast<count>(n);
        const count needed = units + owing_;
        if (needed > b.level) {
            if (units == 0) return {verdict::admitted, packed(b), 0};
            return {verdict::wait, state, due(b, needed - b.level, at)};
        }
        return {verdict::admitted, packed({b.time, b.level - units}), 0};
    }

    // As soon as it conforms, but no more than `longest` ticks from now; and what may not be
    // promised of the last portion must conform on top of it.
    [[nodiscard, gnu::always_inline]] constexpr step<Word> reserve(Word state, tick now, Word n,
                                                                   Word longest) const noexcept {
        const Word last = with_granule(longest_);
        const Word most = longest > last >> shift_ ? last : static_cast<Word>(longest << shift_);
        const step<Word> s = take(state, now, n);
        if (s.verdict != verdict::wait || s.wait > most) return s;
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(state, at);
        const auto units = static_cast<count>(n);
        if (due(b, units + owing_ - b.level + unpromised_, at) > last) return s;
        return {verdict::admitted, packed(without(b, units)), s.wait};
    }

    // Owes units, so the next charge goes on in the same portion; by what has come until `now` no
    // more than the debt.
    [[nodiscard, gnu::always_inline]] constexpr step<Word> charge(Word state, tick now,
                                                                  Word n) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(state, at);
        if (n > most_) [[unlikely]]
            return {verdict::never, state, 0};
        const auto units = static_cast<count>(n);
        const count needed = units + owing_;
        if (units == 0 || needed <= b.level) return take(state, now, n);
        const Word until = due(b, needed - b.level + unowed_, at);
        const Word most = with_granule(deepest_);
        if (until > most) return {verdict::wait, state, static_cast<Word>(until - most)};
        return {verdict::admitted, packed(without(b, units)), 0};
    }

    [[nodiscard, gnu::always_inline]] constexpr decision<Word> answer(step<Word> s,
                                                                      tick now) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(s.next, at);
        const count missing = full_ - b.level;
        const Word reset = missing == 0 ? Word{0} : due(b, missing, at);
        const count tokens = b.level < owing_ ? 0 : b.level - owing_;
        return {s.verdict, tokens, 1, reset, s.wait, shift_};
    }

    // 0 would be a bucket that was emptied at time 0. This is one that is full, if any.
    static constexpr Word unused = largest<Word>;

    [[nodiscard]] constexpr Word filled(tick now, Word units) const noexcept {
        return packed({up(fractions<Word>(now, shift_)), static_cast<count>(units) + owing_});
    }

    [[nodiscard]] constexpr Word furthest_reset() const noexcept {
        return weir::furthest_reset<Word>(shift_);
    }
    // No more than `units` before `reset` ticks have passed, and no more than the state lets pass.
    // As many of them as there are tokens are there now. Refills go on as soon as those before the
    // reset bring no more than the rest of the units. If the state begins anew, the next refill
    // comes at the reset even if that is less than a period from now.
    [[nodiscard]] constexpr lowered_to<Word> lowered(Word state, tick now, Word units, Word reset,
                                                     bool anew) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket own = refilled(state, at);
        const count tokens = own.level < owing_ ? 0 : own.level - owing_;
        bucket b = own;
        if (units < tokens) b.level = static_cast<count>(units) + owing_;
        obeyed how = b.level == own.level ? obeyed::needless : obeyed::whole;
        if (reset == 0) return {how, packed(b), reset};

        const auto time = static_cast<Word>(reset << shift_);
        const Word rest = units < tokens ? Word{0} : units - tokens;
        const count owed = own.level < owing_ ? owing_ - own.level : 0;
        const Word room = largest<Word> - rest < owed ? largest<Word> : rest + owed;
        const Word refills = static_cast<Word>(room / portion_.value());
        if (refills > period_.quotient(time)) return {how, packed(b), reset};

        // The last refill before the first of these lies up to a period back, or ahead of now.
        const auto last = static_cast<Word>(time - (refills + 1) * period_.value());
        const bool is_ahead = last <= largest<Word> / 2;
        const bool too_far = is_ahead && last > furthest();
        b.time = up(static_cast<Word>(at + (too_far ? furthest() : last)));
        const bool is_later = earlier(own.time, b.time) || (anew && b.level != full_);
        if (!is_later) b.time = own.time;
        if (!too_far) return {is_later ? obeyed::whole : how, packed(b), reset};
        const auto over = static_cast<Word>(furthest() + (refills + 1) * period_.value());
        return {obeyed::in_part, packed(b), ticks(over, shift_)};
    }

    // {tokens, ticks until the next refill}; what is owed of that refill is told as so many more
    // than the burst.
    [[nodiscard]] constexpr cell_state<Word> state(Word state, tick now) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(state, at);
        return {b.level < owing_ ? full_ - b.level : b.level - owing_,
                ticks(due(b, 1, at), shift_)};
    }
    [[nodiscard]] constexpr cell_state<Word> most_state() const noexcept {
        return {full_, ticks(static_cast<Word>(furthest() + period_.value() + levels_), shift_)};
    }
    [[nodiscard]] constexpr Word restored(tick now, cell_state<Word> s) const noexcept {
        const auto ahead =
            static_cast<Word>(static_cast<Word>(s.ticks << shift_) - period_.value());
        const auto units = static_cast<count>(s.units);
        return packed({up(static_cast<Word>(fractions<Word>(now, shift_) + ahead)),
                       units > burst_ ? full_ - units : units + owing_});
    }

    // What is owed of the last portion, and all portions before it. The time of a bucket that was
    // full has been rounded up to a granule. So now is rounded up too before portions are counted.
    [[nodiscard]] constexpr Word debt(Word state, tick now) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(state, at);
        if (b.level > owing_) return 0;
        const bool later = static_cast<Word>(b.time - at) <= late_;
        const Word portions =
            later ? period_.quotient_up(static_cast<Word>(b.time - up(at))) : Word{0};
        return static_cast<Word>(owing_ - b.level + portions * portion_.value());
    }

    [[nodiscard]] constexpr Word burst() const noexcept { return burst_; }

    // The rate as it is held: portion() units per period() / 2^shift() ticks.
    [[nodiscard]] constexpr Word period() const noexcept { return period_.value(); }
    [[nodiscard]] constexpr Word portion() const noexcept { return portion_.value(); }
    [[nodiscard]] constexpr unsigned shift() const noexcept { return shift_; }
    // How far ahead of now a reservation may start, in fractions of a tick.
    [[nodiscard]] constexpr Word longest() const noexcept { return longest_; }

private:
    using count = std::uint32_t;
    static constexpr unsigned most_bits = bits_of<Word> / 2 - 1;

    // What a full bucket's level needs.
    [[nodiscard]] static constexpr unsigned level_bits(const quota& q, const options& o) noexcept {
        const std::uint64_t owing = o.whole_periods ? scale<Word>::portion_of(q) - 1 : 0;
        return static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(q.burst()) + owing));
    }

    struct bucket {
        Word time;    // of the last refill, a multiple of levels_ + 1
        count level;  // tokens and `owing_`
    };

    constexpr token_bucket_rate(const scale<Word>& s, count portion, count levels, count unowed,
                                count unpromised) noexcept
        : period_(s.period),
          portion_(portion),
          late_(0),
          burst_(static_cast<count>(s.burst)),
          owing_(portion - 1),
          full_(burst_ + owing_),
          levels_(levels),
          shift_(static_cast<std::uint8_t>(s.shift)),
          most_(static_cast<count>(s.burst + s.debt)),
          unowed_(unowed),
          unpromised_(unpromised),
          deepest_(static_cast<Word>(portion_.quotient_up(static_cast<count>(s.debt)) * s.period)),
          longest_(s.queue) {
        late_ = static_cast<Word>(furthest() + s.guard + rounding(s.shift, levels));
    }

    [[nodiscard]] constexpr Word furthest() const noexcept {
        return deepest_ < longest_ ? longest_ : deepest_;
    }

    // The time of a bucket that was full was rounded up by less than a granule, and what came after
    // that counts from there. So a debt and a reservation may end later by as much.
    [[nodiscard]] constexpr Word with_granule(Word ahead) const noexcept {
        return static_cast<Word>(ahead + levels_);
    }

    // What rounding up to granules and, for a restored state, to ticks may put a time ahead.
    [[nodiscard]] static constexpr Word rounding(unsigned shift, count levels) noexcept {
        return static_cast<Word>((Word{1} << shift) + 2 * (Word{levels} + 1));
    }

    [[nodiscard]] constexpr Word time_of(Word state) const noexcept {
        return static_cast<Word>(state & ~Word{levels_});
    }
    [[nodiscard]] constexpr Word up(Word time) const noexcept {
        return time_of(static_cast<Word>(time + levels_));
    }
    [[nodiscard]] constexpr Word packed(bucket b) const noexcept {
        return static_cast<Word>(b.time | b.level);
    }

    [[nodiscard, gnu::always_inline]] constexpr bucket refilled(Word state,
                                                                Word at) const noexcept {
        Word time = time_of(state);
        auto level = static_cast<count>(state & levels_);
        const auto elapsed = static_cast<Word>(at - time);
        if (elapsed > largest<Word> - late_) return {time, level};
        if (elapsed >= period_.value()) {
            const Word refills = period_.quotient(elapsed);
            const auto gained = static_cast<Word>(refills * portion_.value());
            const bool full = gained >= full_ - level;
            level = full ? full_ : level + static_cast<count>(gained);
            time = static_cast<Word>(time + refills * period_.value());
        }
        return {level == full_ ? up(at) : time, level};
    }

    // With so many units less, whether they are there or not.
    [[nodiscard, gnu::always_inline]] constexpr bucket without(bucket b,
                                                               count units) const noexcept {
        if (units <= b.level) return {b.time, b.level - units};
        const count portions = portion_.quotient_up(units - b.level);
        return {static_cast<Word>(b.time + portions * period_.value()),
                b.level + portions * portion_.value() - units};
    }

    // How long until `missing` more tokens, one at least, have been refilled.
    [[nodiscard, gnu::always_inline]] constexpr Word due(bucket b, count missing,
                                                         Word at) const noexcept {
        const count refills = portion_.quotient(missing - 1) + 1;
        return static_cast<Word>(b.time + refills * period_.value() - at);
    }

    divisor<Word> period_;    // between two refills
    divisor<count> portion_;  // tokens in a refill
    Word late_;               // a time that lies no more than this ahead of now refills nothing
    count burst_;
    count owing_;         // how much of a portion may be owed: all of it but one
    count full_;          // the level of a full bucket: burst_ + owing_
    count levels_;        // mask of the bits that hold the level
    std::uint8_t shift_;  // 1 tick = 2^shift fractions
    count most_;          // burst and debt
    count unowed_;        // what the debt leaves of its last portion
    count unpromised_;    // what the units that may wait leave of theirs
    Word deepest_;        // how far ahead of now a debt may push the time of the last refill
    Word longest_;        // no reservation starts later from now
};

template <class Word = word, template <class> class Atomic = atomic>
class token_bucket : public one_word<token_bucket_rate<Word>, Atomic> {};

static_assert(cell<token_bucket<>>);

}  // namespace weir

// token_bucket: whole tokens, refilled one by one at the quota's rate or a period's worth at a
// time. The word is {time of the last refill, tokens}: the tokens lie in as many low bits as the
// burst needs and the time above them, so the time wraps with the word and is used as it lies.
// Any number of threads write it: the rule is here, the protocol in one_word.hpp.
//
// Invariant: a refill adds q portions and moves the time by exactly q periods, so rounding neither
// loses nor makes time; only a full bucket forgets the part of a period that has gone by. A time
// ahead of now, by a late clock or by a debt, refills nothing.
#pragma once

#include <bit>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/divisor.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
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

    [[nodiscard]] static constexpr result<token_bucket_rate>
    make(const quota& q, std::uint64_t hertz, const options& o = {}) noexcept {
        const auto bits =
            static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(q.burst())));
        if (bits > most_bits) return error::burst_too_long;
        const auto made = scale<Word>::make(q, o, bits, hertz);
        if (!made) return made.error();
        const std::uint64_t portion = o.whole_periods ? scale<Word>::portion_of(q) : 1;
        if (portion + made->burst + made->debt > largest<count>) return error::burst_too_long;
        return token_bucket_rate(*made, static_cast<count>(portion), (count{1} << bits) - 1);
    }

    // Admits nothing, ever.
    [[nodiscard]] static constexpr token_bucket_rate closed() noexcept {
        return {{.period = 1, .guard = 0, .burst = 0, .debt = 0, .waiting = 0, .shift = 0}, 1, 0};
    }

    [[nodiscard, gnu::always_inline]] constexpr step<Word> take(Word state, tick now,
                                                                Word n) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(state, at);
        if (n > burst_) [[unlikely]]
            return {verdict::never, state, 0};
        const auto units = static_cast<count>(n);
        if (units > b.tokens) return {verdict::wait, state, due(b, units - b.tokens, at)};
        return {verdict::admitted, packed({b.time, b.tokens - units}), 0};
    }

    // As soon as it conforms, but no more than `longest` ticks from now.
    [[nodiscard, gnu::always_inline]] constexpr step<Word> reserve(Word state, tick now, Word n,
                                                                   Word longest) const noexcept {
        const Word most =
            longest > longest_ >> shift_ ? longest_ : static_cast<Word>(longest << shift_);
        step<Word> s = take(state, now, n);
        if (s.verdict != verdict::wait || s.wait > most) return s;
        const auto start = static_cast<Word>(fractions<Word>(now, shift_) + s.wait);
        return {verdict::admitted, packed({start, 0}), s.wait};
    }

    // A debt is a time of the last refill that lies ahead of now; one of part of a portion takes
    // the whole portion.
    [[nodiscard, gnu::always_inline]] constexpr step<Word> charge(Word state, tick now,
                                                                  Word n) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(state, at);
        if (n > most_) [[unlikely]]
            return {verdict::never, state, 0};
        const auto units = static_cast<count>(n);
        if (units <= b.tokens) return take(state, now, n);
        const Word until = due(b, units - b.tokens, at);
        // The time of a full bucket was rounded up by less than a granule.
        const auto most = static_cast<Word>(deepest_ + (b.tokens == burst_ ? tokens_ : 0));
        if (until > most) return {verdict::wait, state, static_cast<Word>(until - most)};
        return {verdict::admitted, packed({static_cast<Word>(at + until), 0}), 0};
    }

    [[nodiscard, gnu::always_inline]] constexpr decision<Word> answer(step<Word> s,
                                                                      tick now) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(s.next, at);
        const count missing = burst_ - b.tokens;
        const Word reset = missing == 0 ? Word{0} : due(b, missing, at);
        return {s.verdict, b.tokens, 1, reset, s.wait, shift_};
    }

    // 0 would be a bucket that was emptied at time 0. This is one that is full, if any.
    static constexpr Word unused = largest<Word>;

    [[nodiscard]] constexpr Word filled(tick now, Word units) const noexcept {
        return packed({up(fractions<Word>(now, shift_)), static_cast<count>(units)});
    }

    // {tokens, ticks until the next refill}
    [[nodiscard]] constexpr cell_state<Word> state(Word state, tick now) const noexcept {
        const auto at = fractions<Word>(now, shift_);
        const bucket b = refilled(state, at);
        return {b.tokens, ticks(due(b, 1, at), shift_)};
    }
    [[nodiscard]] constexpr cell_state<Word> most_state() const noexcept {
        return {burst_, ticks(static_cast<Word>(furthest() + period_.value() + tokens_), shift_)};
    }
    [[nodiscard]] constexpr Word restored(tick now, cell_state<Word> s) const noexcept {
        const auto ahead =
            static_cast<Word>(static_cast<Word>(s.ticks << shift_) - period_.value());
        return packed({up(static_cast<Word>(fractions<Word>(now, shift_) + ahead)),
                       static_cast<count>(s.units)});
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

    struct bucket {
        Word time;  // of the last refill, a multiple of tokens_ + 1
        count tokens;
    };

    constexpr token_bucket_rate(const scale<Word>& s, count portion, count tokens) noexcept
        : period_(s.period),
          portion_(portion),
          late_(0),
          burst_(static_cast<count>(s.burst)),
          tokens_(tokens),
          shift_(static_cast<std::uint8_t>(s.shift)),
          most_(static_cast<count>(s.burst + s.debt)),
          deepest_(static_cast<Word>(portion_.quotient_up(static_cast<count>(s.debt)) * s.period)),
          longest_(s.waiting) {
        late_ = static_cast<Word>(furthest() + s.guard + rounding(s.shift, tokens));
    }

    [[nodiscard]] constexpr Word furthest() const noexcept {
        return deepest_ < longest_ ? longest_ : deepest_;
    }

    // What rounding up to granules and, for a restored state, to ticks may put a time ahead.
    [[nodiscard]] static constexpr Word rounding(unsigned shift, count tokens) noexcept {
        return static_cast<Word>((Word{1} << shift) + 2 * (Word{tokens} + 1));
    }

    [[nodiscard]] constexpr Word time_of(Word state) const noexcept {
        return static_cast<Word>(state & ~Word{tokens_});
    }
    [[nodiscard]] constexpr Word up(Word time) const noexcept {
        return time_of(static_cast<Word>(time + tokens_));
    }
    [[nodiscard]] constexpr Word packed(bucket b) const noexcept {
        return static_cast<Word>(b.time | b.tokens);
    }

    [[nodiscard, gnu::always_inline]] constexpr bucket refilled(Word state,
                                                                Word at) const noexcept {
        Word time = time_of(state);
        auto tokens = static_cast<count>(state & tokens_);
        const auto elapsed = static_cast<Word>(at - time);
        if (elapsed > largest<Word> - late_) return {time, tokens};
        if (elapsed >= period_.value()) {
            const Word refills = period_.quotient(elapsed);
            const auto gained = static_cast<Word>(refills * portion_.value());
            const bool full = gained >= burst_ - tokens;
            tokens = full ? burst_ : tokens + static_cast<count>(gained);
            time = static_cast<Word>(time + refills * period_.value());
        }
        return {tokens == burst_ ? up(at) : time, tokens};
    }

    // How long until `missing` more tokens have been refilled.
    [[nodiscard, gnu::always_inline]] constexpr Word due(bucket b, count missing,
                                                         Word at) const noexcept {
        return static_cast<Word>(b.time + portion_.quotient_up(missing) * period_.value() - at);
    }

    divisor<Word> period_;    // between two refills
    divisor<count> portion_;  // tokens in a refill
    Word late_;               // a time that lies no more than this ahead of now refills nothing
    count burst_;
    count tokens_;        // mask of the bits that hold the tokens
    std::uint8_t shift_;  // 1 tick = 2^shift fractions
    count most_;          // burst and debt
    Word deepest_;        // how far ahead of now a debt may push the time of the last refill
    Word longest_;        // no reservation starts later from now
};

template <class Word = word, template <class> class Atomic = atomic>
class token_bucket : public one_word<token_bucket_rate<Word>, Atomic> {};

static_assert(cell<token_bucket<>>);

}  // namespace weir

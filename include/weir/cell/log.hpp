// The numbers of a sliding_log and what it answers: how a place and its head are packed, and when a
// unit that was recorded lets the next one pass. The protocol is in sliding_log.hpp.
//
// A place is {time, round, 1}, the head {time, round, index of the next place}. Times count
// granules of 2^k ticks above the other fields, so that they wrap with the word; k is 0 unless the
// period or the guard is long. A time that is recorded is rounded up and one that asks is rounded
// down.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

namespace weir {

// For a log of so many places; 0 if only the log knows.
template <class Word, std::size_t Places = 0>
class log_rate {
public:
    using word_type = Word;

    log_rate() = default;

    [[nodiscard]] static constexpr result<log_rate> make(const quota& q, std::uint64_t hertz,
                                                         const options& o = {}) noexcept {
        if (o.whole_periods) return error::whole_periods_unknown;
        if (q.burst() != q.units()) return error::burst_not_the_window;
        const auto units = static_cast<std::uint64_t>(q.units());
        if (Places != 0 && units > Places) return error::log_too_small;
        if (units > most_units) return error::burst_too_long;
        const auto made = scale<Word>::in_ticks(q, o, hertz, 1);
        if (!made) return made.error();

        const auto index_bits = static_cast<unsigned>(units == 1 ? 1 : std::bit_width(units - 1));
        const unsigned low = round_bits + index_bits;
        const std::uint64_t span = (largest<Word> >> low) / rarity;
        const std::uint64_t debts = (scale<Word>::debt_of(q, o) + (units - 1)) / units;
        const wide ahead = multiply(made->period, 1 + debts);
        if (!ahead.fits(largest<Word> / 2)) return error::burst_too_long;
        // Times must wrap where ticks do, or a turn of the clock would make the log forget: so a
        // granule has no more bits than a place has below its time.
        const unsigned coarsest = sizeof(Word) == sizeof(word) ? low : bits_of<Word> - 1;
        Word guard = made->guard;
        if (o.guard == options::by_word) {
            guard = most_guard(guard, ahead.low, span, made->period, coarsest);
        }

        unsigned step = 0;
        while (step < coarsest && (ahead.low + guard) >> step >= span) ++step;
        // What seems to lie more than a quarter of the circle back is ancient.
        if ((ahead.low + guard) >> step >= span * (rarity / 4)) return error::burst_too_long;
        const Word period = in_granules(made->period, step);
        if (step != 0 && period < 100) return error::rate_too_fine;
        return log_rate(static_cast<Word>(units), period,
                        static_cast<Word>(in_granules(static_cast<Word>(ahead.low), step) - period),
                        in_granules(guard, step), index_bits, step);
    }

    // Admits nothing, ever.
    [[nodiscard]] static constexpr log_rate closed() noexcept { return {0, 1, 0, 0, 1, 0}; }

    [[nodiscard]] constexpr Word burst() const noexcept { return units_; }

    // burst() units per period() x 2^step() ticks.
    [[nodiscard]] constexpr Word period() const noexcept { return period_ >> low_; }
    [[nodiscard]] constexpr unsigned step() const noexcept { return step_; }
    // How far ahead of now a debt may be recorded.
    [[nodiscard]] constexpr Word debt() const noexcept { return debt_; }
    [[nodiscard]] constexpr cell_state<Word> most_state() const noexcept {
        return {units_, in_ticks(static_cast<Word>(period_ + debt_))};
    }

    [[nodiscard]] constexpr Word down(tick now) const noexcept {
        return static_cast<Word>(static_cast<Word>(now.count >> step_) << low_);
    }
    [[nodiscard]] constexpr Word up(tick now) const noexcept {
        const word part = (word{1} << step_) - 1;
        return static_cast<Word>(down(now) + ((now.count & part) != 0 ? granule() : Word{0}));
    }
    // From now until `ahead` after it was rounded down, in ticks.
    [[nodiscard]] constexpr Word until(Word ahead, tick now) const noexcept {
        const word part = (word{1} << step_) - 1;
        return ahead == 0
                   ? Word{0}
                   : static_cast<Word>(in_ticks(ahead) - static_cast<Word>(now.count & part));
    }
    [[nodiscard]] constexpr Word in_ticks(Word time) const noexcept {
        return static_cast<Word>(time >> low_ << step_);
    }
    [[nodiscard]] constexpr Word restored(tick now, Word ticks) const noexcept {
        return static_cast<Word>(up(now) + static_cast<Word>(in_granules(ticks, step_) << low_) -
                                 period_);
    }

    // How long a unit recorded at `time` still keeps its place at `at`. A time ahead of `at` by
    // more than debt and guard is a relic.
    [[nodiscard, gnu::always_inline]] constexpr Word busy(Word time, Word at) const noexcept {
        const auto left = static_cast<Word>(time + period_ - at);
        return static_cast<Word>(left - 1) < longest_ ? left : Word{0};
    }
    // The later of now, rounded up, and the head's time; what is late by no more than the guard is
    // busy when now is rounded down too.
    [[nodiscard, gnu::always_inline]] constexpr Word latest(Word at, Word time) const noexcept {
        return static_cast<Word>(time - at) <= longest_ - period_ - granule() ? time : at;
    }
    // A time so long ago that the place is free, to late clocks too.
    [[nodiscard]] constexpr Word long_ago(Word at) const noexcept {
        return static_cast<Word>(at - longest_ - granule());
    }
    // Before long it would be taken for a later one.
    [[nodiscard]] constexpr bool ancient(Word place, Word at) const noexcept {
        return static_cast<Word>(at - time(place)) > largest<Word> / 4 &&
               busy(time(place), at) == 0;
    }

    [[nodiscard]] constexpr Word time(Word packed) const noexcept {
        return static_cast<Word>(packed & static_cast<Word>(~Word{0} << low_));
    }
    [[nodiscard]] constexpr Word round(Word packed) const noexcept {
        return static_cast<Word>(packed >> index_bits_ & round_mask);
    }
    [[nodiscard]] constexpr Word index(Word head) const noexcept {
        return static_cast<Word>(head & ((Word{1} << index_bits_) - 1));
    }
    [[nodiscard]] constexpr Word head(Word time, Word round, Word index) const noexcept {
        return static_cast<Word>(time | (round & round_mask) << index_bits_ | index);
    }
    // The head after n units from the place `first` on.
    [[nodiscard, gnu::always_inline]] constexpr Word after(Word first, Word n, Word round,
                                                           Word time) const noexcept {
        const auto end = static_cast<Word>(first + n);
        return end < units_
                   ? head(time, round, end)
                   : head(time, static_cast<Word>(round + 1), static_cast<Word>(end - units_));
    }
    // Never 0, which is a place that nobody has started.
    [[nodiscard]] constexpr Word place(Word time, Word round) const noexcept {
        return head(time, round, 1);
    }
    // How many rounds `round` is after `other`.
    [[nodiscard]] static constexpr Word rounds_after(Word round, Word other) noexcept {
        return static_cast<Word>(round - other) & round_mask;
    }
    static constexpr Word later_rounds = (Word{1} << (bits_of<Word> / 16 - 1)) - 1;

private:
    static constexpr unsigned round_bits = bits_of<Word> / 16;
    static constexpr Word round_mask = (Word{1} << round_bits) - 1;
    static constexpr std::uint64_t most_units = std::uint64_t{1} << (bits_of<Word> * 3 / 8);
    // An idle log meets a relic once in so many wake-ups after its times have wrapped.
    static constexpr std::uint64_t rarity = 1024;

    constexpr log_rate(Word units, Word period, Word debt, Word guard, unsigned index_bits,
                       unsigned step) noexcept
        : units_(units),
          period_(static_cast<Word>(period << (round_bits + index_bits))),
          debt_(static_cast<Word>(debt << (round_bits + index_bits))),
          longest_(static_cast<Word>(period_ + debt_ +
                                     static_cast<Word>((guard + 2) << (round_bits + index_bits)))),
          index_bits_(static_cast<std::uint8_t>(index_bits)),
          low_(static_cast<std::uint8_t>(round_bits + index_bits)),
          step_(static_cast<std::uint8_t>(step)) {}

    // As long as asked, but not so long that the period has fewer than a million granules.
    [[nodiscard]] static constexpr Word most_guard(Word asked, std::uint64_t ahead,
                                                   std::uint64_t span, Word period,
                                                   unsigned coarsest) noexcept {
        unsigned step = 0;
        while (step < coarsest && ahead >> step >= span) ++step;
        constexpr Word fine = Word{1} << (bits_of<Word> * 5 / 16);
        while (step < coarsest && period >> (step + 1) >= fine) ++step;
        const std::uint64_t most = (span << step) - 1;
        return most > ahead && most - ahead < asked ? static_cast<Word>(most - ahead) : asked;
    }

    [[nodiscard]] static constexpr Word in_granules(Word ticks, unsigned step) noexcept {
        const auto part = static_cast<Word>((Word{1} << step) - 1);
        return static_cast<Word>((ticks >> step) + ((ticks & part) != 0 ? 1U : 0U));
    }
    [[nodiscard]] constexpr Word granule() const noexcept {
        return static_cast<Word>(Word{1} << low_);
    }

    Word units_;    // in a period, and places in the ring
    Word period_;   // times lie above the other fields, as in a place
    Word debt_;     // how far ahead of now a debt may be recorded
    Word longest_;  // period, debt and guard: what is busy for longer is a relic
    std::uint8_t index_bits_;
    std::uint8_t low_;   // the bits of round and index
    std::uint8_t step_;  // 1 granule = 2^step ticks
};

// What a log answers, by the head that the decision leaves, or would leave. How many units remain
// after it has to be searched for in the log, so that is done when it is asked for; it counts what
// others have taken until then.
template <class Log>
class [[nodiscard]] log_decision {
public:
    using word_type = typename Log::word_type;
    static constexpr word_type forever = largest<word_type>;

    // `wait` is in the rate's time, from when now is rounded down.
    constexpr log_decision(weir::verdict verdict, word_type wait, word_type head, tick now,
                           const Log& log, const typename Log::rate& r) noexcept
        : verdict_(verdict),
          reset_(r.until(r.busy(r.time(head), r.down(now)), now)),
          retry_(verdict == verdict::never ? forever : r.until(wait, now)),
          head_(head),
          now_(now),
          log_(&log),
          rate_(r) {}

    [[nodiscard]] constexpr bool admitted() const noexcept { return verdict_ == verdict::admitted; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept { return verdict_; }

    // Units that could still pass at the time of the decision, as the log is now.
    [[nodiscard]] word_type remaining() const noexcept { return log_->room(head_, now_, rate_); }

    // Ticks until the log is as good as new, if nothing more comes.
    [[nodiscard]] constexpr word_type reset_after() const noexcept { return reset_; }

    // Ticks after which the same request passes, if nothing else comes; one tick earlier it does
    // not. Zero if it was admitted, `forever` if it never will be.
    [[nodiscard]] constexpr word_type retry_after() const noexcept { return retry_; }

private:
    weir::verdict verdict_;
    word_type reset_;
    word_type retry_;
    word_type head_;
    tick now_;
    const Log* log_;
    typename Log::rate rate_;
};

}  // namespace weir

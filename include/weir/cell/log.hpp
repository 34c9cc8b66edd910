// SPDX-License-Identifier: MIT
// The numbers of a sliding_log: how a place and its head are packed, and when a
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
#include <weir/cell/obeyed.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

namespace weir {

// For a log of so many places; 0 if only the log knows.
template <class Word, std::size_t Places = 0>
class log_rate {
public:
    using word_type = Word;

    log_rate() = default;

    [[nodiscard]] static constexpr result<log_rate, quota_error>
    make(const quota& q, std::uint64_t hertz, const options& o = {}) noexcept {
        if (o.whole_periods) return quota_error::whole_periods_unknown;
        if (q.burst() != q.units()) return quota_error::burst_not_the_window;
        const auto units = static_cast<std::uint64_t>(q.units());
        if (Places != 0 && units > Places) return quota_error::log_too_small;
        if (units > most_units) return quota_error::burst_too_long;
        const auto made = scale<Word>::in_ticks(q, o, hertz, 1);
        if (!made) return made.error();

        const unsigned index_bits = index_bits_of(q);
        const unsigned low = round_bits + index_bits;
        const std::uint64_t span = span_of(q);
        const wide ahead = ahead_of(q, o, made->period);
        if (!ahead.fits(largest<Word> / 2)) return quota_error::burst_too_long;
        // Times must wrap where ticks do, or a turn of the clock would make the log forget: so a
        // granule has no more bits than a place has below its time.
        const unsigned coarsest = sizeof(Word) == sizeof(word) ? low : bits_of<Word> - 1;
        Word guard = made->guard;
        if (o.guard == options::by_word) {
            guard = most_guard(guard, ahead.low, span, made->period, coarsest);
        }

        if (guard > UINT64_MAX / 8) return quota_error::burst_too_long;
        const std::uint64_t reach = reach_of(ahead.low, guard);
        unsigned coarseness = 0;
        while (coarseness < coarsest && reach >> coarseness >= span) ++coarseness;
        // What seems to lie more than a quarter of the circle back is ancient.
        if (reach >> coarseness >= span * (rarity / 4)) return quota_error::burst_too_long;
        const Word period = in_granules(made->period, coarseness);
        if (coarseness != 0 && period < 100) return quota_error::rate_too_fine;
        // What was recorded just now was rounded up, by as much may a debt lie further ahead.
        const std::uint64_t debts = debts_of(q, o);
        const auto debt =
            static_cast<Word>(debts * period + (coarseness != 0 && debts != 0 ? 1 : 0));
        return log_rate(static_cast<Word>(units), period, debt, in_granules(guard, coarseness),
                        index_bits, coarseness);
    }

    // See `refusal`. Whenever the coarseness becomes larger by one the period has half as many
    // granules as before, and what is looked ahead has half the span. By default the guard is
    // shorter where that would be too few.
    [[nodiscard]] static constexpr quota_error between(const quota& q, hertz_bounds within,
                                                       const options& o) noexcept {
        const quota_error in_ticks = scale<Word>::between_in_ticks(q, within);
        if (in_ticks != quota_error::none) return in_ticks;
        if (make(q, within.highest, o)->coarseness() == 0) return quota_error::none;
        const auto made = *scale<Word>::in_ticks(q, o, within.highest, 1);
        const wide ahead = ahead_of(q, o, made.period);
        const Word guard = o.guard == options::by_word ? Word{0} : made.guard;
        constexpr std::uint64_t enough = 208;  // halves; what rounding does is less than 4 %
        const wide needed = multiply(reach_of(ahead.low, guard), enough);
        return needed <= multiply(made.period, span_of(q)) ? quota_error::none
                                                           : quota_error::rate_too_fine;
    }

    [[nodiscard]] constexpr Word burst() const noexcept { return units_; }

    // burst() units per period() x 2^coarseness() ticks.
    [[nodiscard]] constexpr Word period() const noexcept { return period_ >> low_; }
    [[nodiscard]] constexpr unsigned coarseness() const noexcept { return coarseness_; }
    // How long a unit keeps its place, and how far ahead of now a debt may be recorded.
    [[nodiscard]] constexpr Word keeps() const noexcept { return period_; }
    [[nodiscard]] constexpr Word debt() const noexcept { return debt_; }
    [[nodiscard]] constexpr cell_state<Word> most_state() const noexcept {
        return {units_, in_ticks(static_cast<Word>(period_ + debt_))};
    }

    [[nodiscard]] constexpr Word down(tick now) const noexcept {
        return static_cast<Word>(static_cast<Word>(now.count >> coarseness_) << low_);
    }
    [[nodiscard]] constexpr Word up(tick now) const noexcept {
        const word part = (word{1} << coarseness_) - 1;
        return static_cast<Word>(down(now) + ((now.count & part) != 0 ? granule() : Word{0}));
    }
    // From now until `ahead` after it was rounded down, in ticks.
    [[nodiscard]] constexpr Word until(Word ahead, tick now) const noexcept {
        const word part = (word{1} << coarseness_) - 1;
        return ahead == 0
                   ? Word{0}
                   : static_cast<Word>(in_ticks(ahead) - static_cast<Word>(now.count & part));
    }
    [[nodiscard]] constexpr Word in_ticks(Word time) const noexcept {
        return static_cast<Word>(time >> low_ << coarseness_);
    }
    [[nodiscard]] constexpr Word restored(tick now, Word ticks) const noexcept {
        return static_cast<Word>(
            up(now) + static_cast<Word>(in_granules(ticks, coarseness_) << low_) - period_);
    }

    // A server says that so many units are left until `reset` ticks from now. Of those that pass in
    // the last period before that all but `units` have to be recorded, at `time`.
    struct said {
        Word units;
        Word time;
        Word within;  // what waits no longer than this passes before the reset
        Word ticks;   // how long that is obeyed
        bool whole;   // until the reset: it is not so far ahead that a debt must not lie there
        bool needed;  // or no more pass in any case
    };
    [[nodiscard]] constexpr said told(tick now, Word units, Word reset) const noexcept {
        const Word furthest = furthest_reset<Word>(0);
        if (reset > furthest) {
            said part = told(now, units, furthest);
            part.whole = false;
            return part;
        }
        const Word at = down(now);
        if (reset == 0) return {smaller(units, units_), up(now), 0, 0, true, units < units_};
        const word part = now.count & ((word{1} << coarseness_) - 1);
        const word all = ((part + reset - 1) >> coarseness_) + 1;
        // All units pass in any period. So as many whole periods before the reset bring no more.
        const word periods = units / units_;
        if (periods > all / period()) return {units_, at, 0, reset, true, false};
        const word before = periods * period();
        const word longest = word{period()} + (debt_ >> low_);
        const bool whole = all - before <= longest;
        const auto end = static_cast<Word>(whole ? all - before : longest);
        const auto time = static_cast<Word>(at + static_cast<Word>(end << low_) - period_);
        const auto within = static_cast<Word>((end - 1) << low_);
        const auto last = static_cast<Word>(units % units_);
        const auto ticks = static_cast<Word>(((end + before) << coarseness_) - part);
        return {last, time, within, whole ? reset : ticks, whole, end != 0};
    }

    // How long a unit recorded at `time` still keeps its place at `at`; 0 if that is a relic.
    [[nodiscard, gnu::always_inline]] constexpr Word busy(Word time, Word at) const noexcept {
        const auto left = static_cast<Word>(time + period_ - at);
        return static_cast<Word>(left - 1) < longest_ ? left : Word{0};
    }
    // Does the head lie further ahead of now than any lateness explains? Then its log has been idle
    // for so long that its times have come round, or the clock was set back. (What a head has below
    // its time is less than a granule.)
    [[nodiscard, gnu::always_inline]] constexpr bool from_another_time(Word head,
                                                                       Word at) const noexcept {
        return static_cast<Word>(head - at - beyond_) <= largest<Word> / 2;
    }
    // How long the head of another time will still be one.
    [[nodiscard]] constexpr Word until_its_own(Word head, Word at) const noexcept {
        return static_cast<Word>(time(head) - at - beyond_ + granule());
    }
    // The later of now, rounded up, and the head's time.
    [[nodiscard, gnu::always_inline]] constexpr Word latest(Word at, Word time) const noexcept {
        return static_cast<Word>(time - at) < beyond_ ? time : at;
    }
    // A time so long ago that the place is free, to late clocks too, and to clocks that are set
    // back by less than an eighth of the circle.
    [[nodiscard]] constexpr Word long_ago(Word at) const noexcept {
        return static_cast<Word>(at - longest_ - (largest<Word> / 8 + 1));
    }
    // How far ahead of now a head may lie, and what is busy for longer is a relic; in granules.
    [[nodiscard]] constexpr Word ahead() const noexcept { return (beyond_ >> low_) - 1; }
    [[nodiscard]] constexpr Word longest() const noexcept { return longest_ >> low_; }
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
                       unsigned coarseness) noexcept
        : units_(units),
          period_(static_cast<Word>(period << (round_bits + index_bits))),
          debt_(static_cast<Word>(debt << (round_bits + index_bits))),
          beyond_(static_cast<Word>(debt_ +
                                    static_cast<Word>((guard + 2) << (round_bits + index_bits)))),
          longest_(static_cast<Word>(period_ + beyond_ +
                                     static_cast<Word>(guard << (round_bits + index_bits)))),
          index_bits_(static_cast<std::uint8_t>(index_bits)),
          low_(static_cast<std::uint8_t>(round_bits + index_bits)),
          coarseness_(static_cast<std::uint8_t>(coarseness)) {}

    [[nodiscard]] static constexpr unsigned index_bits_of(const quota& q) noexcept {
        const auto units = static_cast<std::uint64_t>(q.units());
        return static_cast<unsigned>(units == 1 ? 1 : std::bit_width(units - 1));
    }
    // How far a recorded time is looked for: the guard counts twice, see `beyond_`.
    [[nodiscard]] static constexpr std::uint64_t reach_of(std::uint64_t ahead,
                                                          std::uint64_t guard) noexcept {
        return ahead + 2 * guard;
    }
    // As many granules may that have.
    [[nodiscard]] static constexpr std::uint64_t span_of(const quota& q) noexcept {
        return (largest<Word> >> (round_bits + index_bits_of(q))) / rarity;
    }
    // Periods that the debt lasts.
    [[nodiscard]] static constexpr std::uint64_t debts_of(const quota& q,
                                                          const options& o) noexcept {
        const auto units = static_cast<std::uint64_t>(q.units());
        return (scale<Word>::debt_of(q, o) + (units - 1)) / units;
    }
    [[nodiscard]] static constexpr wide ahead_of(const quota& q, const options& o,
                                                 Word period) noexcept {
        return multiply(period, 1 + debts_of(q, o));
    }

    // As long as asked, but not so long that the period has fewer than a million granules.
    [[nodiscard]] static constexpr Word most_guard(Word asked, std::uint64_t ahead,
                                                   std::uint64_t span, Word period,
                                                   unsigned coarsest) noexcept {
        unsigned coarseness = 0;
        while (coarseness < coarsest && ahead >> coarseness >= span) ++coarseness;
        constexpr Word fine = Word{1} << (bits_of<Word> * 5 / 16);
        while (coarseness < coarsest && period >> (coarseness + 1) >= fine) ++coarseness;
        const std::uint64_t most = (span << coarseness) - 1;
        const std::uint64_t guard = (most - ahead) / 2;
        return most >= ahead && guard < asked ? static_cast<Word>(guard) : asked;
    }

    [[nodiscard]] static constexpr Word in_granules(Word ticks, unsigned coarseness) noexcept {
        const auto part = static_cast<Word>((Word{1} << coarseness) - 1);
        return static_cast<Word>((ticks >> coarseness) + ((ticks & part) != 0 ? 1U : 0U));
    }
    [[nodiscard]] constexpr Word granule() const noexcept {
        return static_cast<Word>(Word{1} << low_);
    }

    Word units_;   // in a period, and places in the ring
    Word period_;  // times lie above the other fields, as in a place
    Word debt_;    // how far ahead of now a debt may be recorded
    // A head lies nearer than this ahead of a now that is late: debt and guard. As that may be a
    // head of long ago whose time has come round, a unit may be recorded so far ahead of the latest
    // now, and a now that is late may find it further ahead by another guard.
    Word beyond_;
    Word longest_;  // period and all of that: what would be busy for longer is a relic
    std::uint8_t index_bits_;
    std::uint8_t low_;         // the bits of round and index
    std::uint8_t coarseness_;  // 1 granule = 2^coarseness ticks
};

}  // namespace weir

// pace: how time, counted in units that a limit lets pass, runs against a clock. At a steady speed
// from `end` on, and before that, for `length` ticks, at one that changes evenly from the speed
// before: a limit that changes its quota at once has no such part, one that warms up has.
//
// Pure arithmetic on circles, as all times of weir. The multiplier is rounded up, so that after a
// whole number of periods there is a whole number of units and not a grain less; it takes centuries
// (at 1 G units/s, months) until that has made one grain too many. It needs 64-bit words.
#pragma once

#include <cstdint>

#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>

namespace weir {

// Grains per tick, as multiplier / 2^shift; a unit is 2^n grains.
struct speed {
    std::uint64_t multiplier;
    unsigned shift;

    [[nodiscard]] static constexpr result<speed> of(const quota& q, std::uint64_t hertz,
                                                    unsigned grain_bits) noexcept {
        if (hertz == 0) return error::clock_without_frequency;
        const auto units = static_cast<std::uint64_t>(q.units());
        const wide grains = multiply(units, nanoseconds::per_second);
        if (grains.high >> (63 - grain_bits) != 0) return error::rate_too_fine;
        const wide ticks = multiply(static_cast<std::uint64_t>(q.period().count()), hertz);
        const division whole = divide(grains << grain_bits, ticks);
        if (!whole.quotient.fits(highest)) return error::rate_too_fine;
        speed s{whole.quotient.low, 0};
        wide rest = whole.remainder;  // as many more bits as there is room for
        for (; s.shift < 63 && s.multiplier <= highest / 2; ++s.shift) {
            rest = rest << 1;
            const bool one = rest >= ticks;
            if (one) rest = rest - ticks;
            s.multiplier = s.multiplier << 1 | (one ? 1U : 0U);
        }
        if (s.multiplier < lowest) return error::rate_too_fine;
        if (rest != wide{}) ++s.multiplier;
        return s;
    }

    [[nodiscard]] constexpr std::uint64_t at_shift(unsigned other) const noexcept {
        return multiplier >> (shift - other);
    }

    static constexpr std::uint64_t highest = UINT64_MAX / 2;
    static constexpr std::uint64_t lowest = std::uint64_t{1} << 17;  // 10 ppm
};

class pace {
public:
    pace() = default;

    // It is `value` at `begin` and runs steadily from there.
    constexpr pace(tick begin, std::uint64_t value, speed s) noexcept
        : end_(begin.count),
          value_(value),
          last_(s.multiplier),
          first_(s.multiplier),
          length_(0),
          shift_(s.shift) {}

    // Up to `now` as this one, and from there to the new speed within `over` ticks. A `now` from
    // before this pace began counts as its beginning.
    [[nodiscard]] constexpr result<pace> turned(tick now, speed s, std::uint64_t over) const {
        const tick begin{end_ - length_};
        if (earlier(now, begin)) now = begin;
        pace next(now, at(now), s);
        if (over == 0) return next;
        const speed before{speed_at(now), static_cast<unsigned>(shift_)};
        const unsigned shift = before.shift < s.shift ? before.shift : s.shift;
        next.end_ += over;
        next.length_ = over;
        next.shift_ = shift;
        next.first_ = before.at_shift(shift);
        next.last_ = s.at_shift(shift);
        const std::uint64_t most = next.first_ < next.last_ ? next.last_ : next.first_;
        if (next.last_ < speed::lowest || over > quarter ||
            !scaled(over, most, shift).fits(quarter)) {
            return error::change_too_long;
        }
        next.value_ += next.gained_in_last(over);
        return next;
    }

    // Grains at `now`.
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t at(tick now) const noexcept {
        if (earlier(now, tick{end_})) [[unlikely]]
            return before_end(end_, value_, last_, first_, length_, shift_, now);
        return value_ + scaled(now.count - end_, last_, shift_).low;
    }

    // The first tick at which it is `value`, or the beginning of this pace.
    [[nodiscard]] constexpr tick when(std::uint64_t value) const noexcept {
        if (!earlier(value, value_)) {
            const wide ticks =
                divide_up(wide{0, value - value_} << static_cast<unsigned>(shift_), {0, last_});
            return {end_ + (ticks.fits(half) ? ticks.low : half)};
        }
        std::uint64_t longest = length_;  // before the end, so that it is there by then
        std::uint64_t low = 0;
        while (low < longest) {
            const std::uint64_t middle = longest - (longest - low) / 2;
            if (earlier(value_ - gained_in_last(middle), value)) {
                longest = middle - 1;
            } else {
                low = middle;
            }
        }
        return {end_ - low};
    }

    // Ticks from `now` until `grains` more have come, or the most that a tick can tell apart.
    [[nodiscard]] constexpr std::uint64_t until(tick now, std::uint64_t grains) const noexcept {
        const tick then = when(at(now) + grains);
        return grains == 0 || earlier(then, now) ? 0 : then.count - now.count;
    }

private:
    static constexpr std::uint64_t half = UINT64_MAX / 2;
    static constexpr std::uint64_t quarter = UINT64_MAX / 4;

    [[nodiscard]] static constexpr wide scaled(std::uint64_t ticks, std::uint64_t multiplier,
                                               std::uint64_t shift) noexcept {
        const wide p = multiply(ticks, multiplier);
        return {p.high >> shift, p.high << 1 << (63 - shift) | p.low >> shift};
    }

    // |last - first| * ticks / divisor, rounded up or down.
    [[nodiscard]] constexpr std::uint64_t part(std::uint64_t ticks, std::uint64_t divisor,
                                               bool up) const noexcept {
        const wide p = multiply(first_ < last_ ? last_ - first_ : first_ - last_, ticks);
        return (up ? divide_up(p, {0, divisor}) : divide(p, {0, divisor}).quotient).low;
    }

    [[nodiscard]] constexpr std::uint64_t speed_at(tick now) const noexcept {
        if (!earlier(now, tick{end_})) return last_;
        const std::uint64_t left = end_ - now.count;
        return first_ < last_ ? last_ - part(left, length_, true)
                              : last_ + part(left, length_, false);
    }

    // What comes in the last `ticks` of the change, rounded up: their mean speed times their
    // number.
    [[nodiscard]] constexpr std::uint64_t gained_in_last(std::uint64_t ticks) const noexcept {
        if (ticks == 0) return 0;
        const std::uint64_t mean = first_ < last_ ? last_ - part(ticks, 2 * length_, false)
                                                  : last_ + part(ticks, 2 * length_, true);
        return scaled(ticks, mean, shift_).low + 1;
    }

    // By values: a pace that is passed as a whole could not live in registers.
    [[nodiscard, gnu::noinline, gnu::cold]] static constexpr std::uint64_t
    before_end(std::uint64_t end, std::uint64_t value, std::uint64_t last, std::uint64_t first,
               std::uint64_t length, std::uint64_t shift, tick now) noexcept {
        const std::uint64_t left = end - now.count;
        return value - pace(end, value, last, first, length, shift)
                           .gained_in_last(left < length ? left : length);
    }

    constexpr pace(std::uint64_t end, std::uint64_t value, std::uint64_t last, std::uint64_t first,
                   std::uint64_t length, std::uint64_t shift) noexcept
        : end_(end), value_(value), last_(last), first_(first), length_(length), shift_(shift) {}

    std::uint64_t end_;
    std::uint64_t value_;  // at the end of the change
    std::uint64_t last_;   // the speed from there on
    std::uint64_t first_;  // and at the beginning of the change
    std::uint64_t length_;
    std::uint64_t shift_;
};

}  // namespace weir

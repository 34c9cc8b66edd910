// SPDX-License-Identifier: MIT
// pace: how time, counted in units that a limit lets pass, runs against a clock. At a steady speed
// from `end` on, and before that, for `length` ticks, at one that changes evenly from the speed
// before: a limit that changes its quota at once has no such part, one that warms up has.
//
// Pure arithmetic; grains are counted on a circle. A pace begins exactly where the one before it
// was, with the part of a grain that it had. The multiplier is rounded down, so the rate is never
// above the quota; if units are years apart it is up to 8 ppm below. After a whole number of
// periods there is a whole number of units and not a grain less, as the first pace begins a little
// ahead: by a millionth of a grain or a quarter of a tick. When hours of rounding have used that
// up, a unit comes a tick later. It needs 64-bit words.
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

    [[nodiscard]] static constexpr result<speed, quota_error>
    of(const quota& q, std::uint64_t hertz, unsigned grain_bits) noexcept {
        if (hertz == 0) return quota_error::clock_without_frequency;
        const auto units = static_cast<std::uint64_t>(q.units());
        const wide grains = multiply(units, nanoseconds::per_second);
        if (grains.high >> (63 - grain_bits) != 0) return quota_error::rate_too_fine;
        const wide ticks = multiply(static_cast<std::uint64_t>(q.period().count()), hertz);
        const division whole = divide(grains << grain_bits, ticks);
        if (!whole.quotient.fits(highest)) return quota_error::rate_too_fine;
        speed s{whole.quotient.low, 0};
        wide rest = whole.remainder;  // as many more bits as there is room for
        for (; s.shift < 63 && s.multiplier <= highest / 2; ++s.shift) {
            rest = rest << 1;
            const bool one = rest >= ticks;
            if (one) rest = rest - ticks;
            s.multiplier = s.multiplier << 1 | (one ? 1U : 0U);
        }
        if (s.multiplier < lowest) return quota_error::rate_too_fine;
        return s;
    }

    [[nodiscard]] constexpr std::uint64_t at_shift(unsigned other) const noexcept {
        return multiplier >> (shift - other);
    }
    // The same with as many bits as there is room for.
    [[nodiscard]] constexpr speed normalised() const noexcept {
        speed s(*this);
        for (; s.shift < 63 && s.multiplier <= highest / 2; ++s.shift) s.multiplier <<= 1;
        return s;
    }

    static constexpr std::uint64_t highest = UINT64_MAX / 2;
    static constexpr std::uint64_t lowest = std::uint64_t{1} << 17;  // 10 ppm
};

class pace {
public:
    pace() = default;

    // It is `value` at `begin` and runs steadily from there.
    constexpr pace(tick begin, std::uint64_t value, speed s) noexcept
        : pace(begin.count, value, s.multiplier, s.multiplier, 0, s.shift, lead(s)) {}

    // Up to `now` as this one, and from there to the new speed within `over` ticks. A `now` from
    // before this pace began counts as its beginning.
    [[nodiscard]] constexpr result<pace, quota_error> changed(tick now, speed s,
                                                              std::uint64_t over) const noexcept {
        if (earlier(now, begin())) now = begin();
        const speed before = speed{speed_at(now), static_cast<unsigned>(shift_)}.normalised();
        const unsigned shift = over == 0 ? s.shift : smaller(s.shift, before.shift);
        const point p = exactly(now).with(static_cast<unsigned>(shift_), shift);
        pace next(now.count, p.value, s.at_shift(shift), s.at_shift(shift), 0, shift, p.rest);
        if (over == 0) return next;
        next.end_ += over;
        next.length_ = over;
        next.first_ = before.at_shift(shift);
        const std::uint64_t most = next.first_ < next.last_ ? next.last_ : next.first_;
        if (next.last_ < speed::lowest || over > quarter ||
            !shifted(multiply(over, most), shift).fits(quarter)) {
            return quota_error::change_too_long;
        }
        const wide gained = next.area(over) + wide{0, p.rest};
        next.value_ += shifted(gained, shift).low;
        next.rest_ = gained.low & next.mask();
        return next;
    }

    // What it was before that it does not know: it stands still there.
    [[nodiscard]] constexpr tick begin() const noexcept { return {end_ - length_}; }

    // Grains at `now`.
    [[nodiscard, gnu::always_inline]] constexpr std::uint64_t grains_at(tick now) const noexcept {
        if (earlier(now, tick{end_})) [[unlikely]]
            return before_end(end_, value_, last_, first_, length_, shift_, rest_, now);
        return value_ + shifted(since_end(now), shift_).low;
    }

    // The first tick at which it is `value`, if that is after `now`; otherwise a tick not after it.
    [[nodiscard]] constexpr tick when(std::uint64_t value, tick now) const noexcept {
        const std::uint64_t present = grains_at(now);
        if (!earlier(present, value)) return now;
        if (earlier(now, tick{end_})) {
            if (!earlier(value_, value)) return {end_ - in_change(value)};
            return {end_ + ticks_for(value - value_, rest_)};
        }
        return {now.count + ticks_for(value - present, since_end(now).low & mask())};
    }

    // Ticks from `now` until `grains` more have come, or the most that a tick can tell apart.
    [[nodiscard]] constexpr std::uint64_t until(tick now, std::uint64_t grains) const noexcept {
        const tick then = when(grains_at(now) + grains, now);
        return grains == 0 || !earlier(now, then) ? 0 : then.count - now.count;
    }

private:
    static constexpr std::uint64_t half = UINT64_MAX / 2;
    static constexpr std::uint64_t quarter = UINT64_MAX / 4;

    // Grains, and parts of one of which there are 2^shift.
    struct point {
        std::uint64_t value;
        std::uint64_t rest;

        [[nodiscard]] constexpr point with(unsigned shift, unsigned other) const noexcept {
            return {value, other < shift ? rest >> (shift - other) : rest << (other - shift)};
        }
    };

    constexpr pace(std::uint64_t end, std::uint64_t value, std::uint64_t last, std::uint64_t first,
                   std::uint64_t length, std::uint64_t shift, std::uint64_t rest) noexcept
        : end_(end),
          value_(value),
          last_(last),
          first_(first),
          length_(length),
          shift_(shift),
          rest_(rest) {}

    // What rounding down may cost before a unit comes a tick later.
    [[nodiscard]] static constexpr std::uint64_t lead(speed s) noexcept {
        const std::uint64_t of_grain = std::uint64_t{1} << s.shift >> 20;
        const std::uint64_t of_tick = s.multiplier >> 2;
        return smaller(of_grain, of_tick);
    }

    [[nodiscard]] static constexpr wide shifted(wide w, std::uint64_t shift) noexcept {
        return {w.high >> shift, w.high << 1 << (63 - shift) | w.low >> shift};
    }
    [[nodiscard]] constexpr std::uint64_t mask() const noexcept {
        return (std::uint64_t{1} << shift_) - 1;
    }

    // In parts of a grain, what has come since the end of the change.
    [[nodiscard, gnu::always_inline]] constexpr wide since_end(tick now) const noexcept {
        return multiply(now.count - end_, last_) + wide{0, rest_};
    }

    // At the steady speed, until there are so many more grains than now, with `rest` parts of one.
    [[nodiscard]] constexpr std::uint64_t ticks_for(std::uint64_t grains,
                                                    std::uint64_t rest) const noexcept {
        const wide parts = (wide{0, grains} << static_cast<unsigned>(shift_)) - wide{0, rest};
        const wide ticks = divide_up(parts, {0, last_});
        return ticks.fits(half) ? ticks.low : half;
    }

    // How long before the end of the change it is `value`, no more than at its end.
    [[nodiscard]] constexpr std::uint64_t in_change(std::uint64_t value) const noexcept {
        std::uint64_t longest = length_;
        std::uint64_t low = 0;  // it is there by then
        while (low < longest) {
            const std::uint64_t middle = longest - (longest - low) / 2;
            if (earlier(before(middle).value, value)) {
                longest = middle - 1;
            } else {
                low = middle;
            }
        }
        return low;
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

    // In parts of a grain, what comes in the last `ticks` of the change: their mean speed times
    // their number.
    [[nodiscard]] constexpr wide area(std::uint64_t ticks) const noexcept {
        if (ticks == 0) return {};
        const std::uint64_t mean = first_ < last_ ? last_ - part(ticks, 2 * length_, false)
                                                  : last_ + part(ticks, 2 * length_, true);
        return multiply(ticks, mean);
    }

    [[nodiscard]] constexpr point before(std::uint64_t ticks) const noexcept {
        const wide a = area(ticks);
        const wide rest{0, rest_};
        if (a <= rest) return {value_, rest_ - a.low};
        const wide missing = a - rest + wide{0, mask()};
        return {value_ - shifted(missing, shift_).low, (rest_ - a.low) & mask()};
    }

    [[nodiscard]] constexpr point exactly(tick now) const noexcept {
        if (earlier(now, tick{end_})) {
            return before(smaller(end_ - now.count, length_));
        }
        const wide since = since_end(now);
        return {value_ + shifted(since, shift_).low, since.low & mask()};
    }

    // By values: a pace that is passed as a whole could not live in registers.
    [[nodiscard, gnu::noinline, gnu::cold]] static constexpr std::uint64_t
    before_end(std::uint64_t end, std::uint64_t value, std::uint64_t last, std::uint64_t first,
               std::uint64_t length, std::uint64_t shift, std::uint64_t rest, tick now) noexcept {
        return pace(end, value, last, first, length, shift, rest).exactly(now).value;
    }

    std::uint64_t end_;
    std::uint64_t value_;  // at the end of the change
    std::uint64_t last_;   // the speed from there on
    std::uint64_t first_;  // and at the beginning of the change
    std::uint64_t length_;
    std::uint64_t shift_;
    std::uint64_t rest_;  // of a grain at the end of the change, in 2^-shift
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// calibration: how fast a counter runs, measured against a clock that counts nanoseconds.
//
// A bracket reads the counter, the clock, and the counter again, so the clock was read in between.
// A straight line is fitted through the middles of all brackets, except those that are wider than
// 1.5 times the narrowest: something interrupted them. After each thousand brackets it is enough if
// they span 200 us and the standard error of the line's slope is at most 1.5 ppm. If it is not, and
// they span 26 ms or are a million, there is no answer. So a measurement ends where a clock stands
// still, goes back, or is slow to read. If all of a thousand are too wide, the core has become
// slower, for example because the thread has moved to another kind of core. Then the line begins
// anew, twice at most.
//
// Measured in 15 000 processes on a busy machine with two cores of an EPYC: the slope is wrong by
// 0.15 ppm in the median and by 5.9 ppm at worst, and a measurement takes 220 us in the median and
// at most 320 us of the thread's own time. With the counter between two readings of the clock, the
// worst of 3000 is wrong by 12 ppm. Where brackets up to 1.25 or 2 times the narrowest count, it is
// wrong by 25 or 10 ppm. Doubling the span instead of adding a thousand brackets took 1 ms at
// worst.
//
// An anchor is a bracket from earlier. If enough time has passed since, the widths of two brackets
// bound the error, and the first thousand brackets are enough. But the machine may have been
// suspended or moved meanwhile. So an anchor serves for ten seconds only, and only if the line
// through that thousand agrees within 200 ppm: a suspension of 2 ms or more is noticed.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>

namespace weir {

struct bracket {
    std::uint64_t before;
    std::uint64_t time;  // nanoseconds
    std::uint64_t after;

    [[nodiscard]] constexpr std::uint64_t width() const noexcept { return after - before; }
    // From another bracket's middle to this one's; less than nothing if a clock went back.
    [[nodiscard]] constexpr double ticks_since(const bracket& b) const noexcept {
        return (difference(before, b.before) + difference(after, b.after)) / 2;
    }
    [[nodiscard]] constexpr double nanoseconds_since(const bracket& b) const noexcept {
        return difference(time, b.time);
    }

private:
    [[nodiscard]] static constexpr double difference(std::uint64_t a, std::uint64_t b) noexcept {
        return static_cast<double>(static_cast<std::int64_t>(a - b));
    }
};

// The straight line through all brackets that are at most 1.5 times as wide as the narrowest.
class fitted_line {
public:
    // False if the bracket is too wide. If others turn out to be, the line begins anew with this
    // one.
    constexpr bool add(const bracket& b) noexcept {
        if (b.width() < narrowest_) narrowest_ = b.width();
        const std::uint64_t most = narrowest_ + narrowest_ / 2;
        if (b.width() > most) return false;
        if (n_ < 1 || widest_ > most) {
            *this = fitted_line();
            first_ = b;
            narrowest_ = b.width();
        }
        if (b.width() > widest_) widest_ = b.width();
        last_ = b;
        const double x = b.nanoseconds_since(first_);
        const double y = b.ticks_since(first_);
        n_ += 1;
        x_ += x;
        y_ += y;
        xx_ += x * x;
        xy_ += x * y;
        yy_ += y * y;
        return true;
    }

    [[nodiscard]] constexpr double brackets() const noexcept { return n_; }
    [[nodiscard]] constexpr const bracket& last() const noexcept { return last_; }
    // In nanoseconds, from the first bracket to the last.
    [[nodiscard]] constexpr double span() const noexcept { return last_.nanoseconds_since(first_); }

    // Ticks per nanosecond; 0 if no time has passed.
    [[nodiscard]] constexpr double slope() const noexcept {
        return spread_of_x() > 0 ? covariance() / spread_of_x() : 0;
    }
    // Is the standard error of a slope above 0 no larger than this part of it?
    [[nodiscard]] constexpr bool is_within(double error) const noexcept {
        const double rise = covariance();
        const double off = spread_of_x() * (n_ * yy_ - y_ * y_) - rise * rise;
        return n_ > 2 && rise > 0 && off <= error * error * rise * rise * (n_ - 2);
    }

private:
    [[nodiscard]] constexpr double spread_of_x() const noexcept { return n_ * xx_ - x_ * x_; }
    [[nodiscard]] constexpr double covariance() const noexcept { return n_ * xy_ - x_ * y_; }

    bracket first_{};
    bracket last_{};
    std::uint64_t narrowest_ = UINT64_MAX;
    std::uint64_t widest_ = 0;
    double n_ = 0;
    double x_ = 0;
    double y_ = 0;
    double xx_ = 0;
    double xy_ = 0;
    double yy_ = 0;
};

template <class Counter, class Reference>
class calibration {
    static_assert(sizeof(word) == 8, "a clock that wraps during a measurement cannot be measured");

public:
    // The result is wrong by no more than this many millionths of it: with an anchor by
    // construction, without one as was measured, for the standard error is within 1.5 millionths.
    static constexpr std::uint64_t error = 10;

    static constexpr std::uint64_t round = 1'000;  // brackets
    static constexpr std::uint64_t most_rounds = 1'000;
    static constexpr double shortest = 200'000;  // nanoseconds
    static constexpr double longest = 26'000'000;
    static constexpr int most_restarts = 2;

    // An anchor: the narrowest of some brackets.
    [[nodiscard]] static bracket read_anchor() noexcept {
        constexpr int tries = 32;
        bracket best = read();
        for (int i = 1; i < tries; ++i) {
            const bracket b = read();
            if (b.width() < best.width()) best = b;
        }
        return best;
    }

    // The counter's ticks per second; 0 if they cannot be told.
    [[nodiscard]] static std::uint64_t measure(const bracket& anchor = {}) noexcept {
        constexpr double accepted = 1.5e-6;
        fitted_line line;
        int restarts = 0;
        for (std::uint64_t i = 0; i < most_rounds; ++i) {
            bool grew = false;
            for (std::uint64_t k = 0; k < round; ++k) {
                if (line.add(read())) grew = true;
            }
            if (!grew) {
                if (++restarts > most_restarts) break;
                line = fitted_line();
                continue;
            }
            if (i == 0) {
                const double slope = slope_since(anchor, line.last());
                const double off = slope - line.slope();
                if (-agreement * slope < off && off < agreement * slope) return hertz(slope);
            }
            const bool is_long = line.span() >= shortest && 2 * line.brackets() >= round;
            if (is_long && line.is_within(accepted)) return hertz(line.slope());
            if (line.span() >= longest) break;
        }
        return 0;
    }

private:
    static constexpr double agreement = 200e-6;

    [[nodiscard]] static bracket read() noexcept {
        const std::uint64_t before = Counter::now().count;
        const std::uint64_t time = Reference::now().count;
        return {before, time, Counter::now().count};
    }

    // 0 if there is no anchor, or if it is too near or too old.
    [[nodiscard]] static double slope_since(const bracket& anchor, const bracket& b) noexcept {
        constexpr double oldest = 10e9;
        const double time = b.nanoseconds_since(anchor);
        const double ticks = b.ticks_since(anchor);
        const double most_off = static_cast<double>(anchor.width() + b.width()) / 2;
        const bool is_used = anchor.time != 0 && time <= oldest &&
                             most_off * 1e6 <= ticks * static_cast<double>(error);
        return is_used ? ticks / time : 0;
    }

    [[nodiscard]] static std::uint64_t hertz(double ticks_per_nanosecond) noexcept {
        constexpr double most = 1e18;  // more than any counter counts
        const double hertz = ticks_per_nanosecond * static_cast<double>(nanoseconds::per_second);
        return hertz < most ? static_cast<std::uint64_t>(hertz) : 0;
    }
};

}  // namespace weir

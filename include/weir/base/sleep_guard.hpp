// SPDX-License-Identifier: MIT
// sleep_guard: how long before its time a thread has to wake up, so that it can spin for the rest.
//
// It learns from how late the system woke the thread in its last 256 sleeps, and takes the 97th
// percentile of that. Two bounds keep it from growing without end, since a thread that spins long
// loses its turn on the core, is then woken later, and would want to spin longer still:
//
// - Spinning takes an eighth of the time that the thread waits, on average. Where the percentile
//   would take more, the guard is shorter and some waits end late.
// - A sleep that was late by more than 250 us teaches nothing, and the guard ends at 150 us.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>

namespace weir {

class sleep_guard {
public:
    static constexpr nanoseconds at_first = microseconds(60);
    static constexpr nanoseconds at_most = microseconds(150);
    static constexpr nanoseconds outlier = microseconds(250);
    static constexpr std::size_t memory = 256;
    static constexpr std::int64_t waited_per_spun = 8;

    [[nodiscard]] constexpr nanoseconds get() const noexcept {
        return nanoseconds(guard_ * resolution);
    }

    // The thread begins a wait of that length.
    constexpr void waits(nanoseconds time) noexcept {
        waited_ += smaller(time, longest_counted).count();
        ++waits_;
    }

    // The system woke the thread so much later than it was asked to.
    constexpr void woke(nanoseconds late) noexcept {
        if (late > outlier) return;
        const std::int64_t sample = late < nanoseconds{} ? 0 : late.count() / resolution;
        samples_[next_] = static_cast<std::uint16_t>(sample);
        next_ = (next_ + 1) % memory;
        if (count_ < memory) ++count_;
        if (next_ % often == 0) learn();
    }

private:
    static constexpr std::int64_t resolution = 4;  // nanoseconds; so that a sample has 16 bits
    static constexpr std::size_t often = 16;
    static constexpr nanoseconds longest_counted =
        milliseconds(10);  // one long wait is one of many

    static_assert(outlier.count() / resolution <= UINT16_MAX);

    // The shortest that is long enough for 97 of 100, or spins for as long as it may.
    constexpr void learn() noexcept {
        const std::int64_t budget =
            waits_ == 0 ? at_most.count() : waited_ / waits_ / waited_per_spun;
        const auto most_spun = static_cast<std::int64_t>(count_) * (budget / resolution);
        std::int64_t too_short = -1;
        guard_ = at_most.count() / resolution;
        while (guard_ - too_short > 1) {
            const std::int64_t middle = too_short + (guard_ - too_short) / 2;
            (is_enough(middle, most_spun) ? guard_ : too_short) = middle;
        }
        waited_ = waits_ = 0;
    }
    [[nodiscard]] constexpr bool is_enough(std::int64_t guard, std::int64_t most) const noexcept {
        std::int64_t spun = 0;
        std::size_t in_time = 0;
        for (std::size_t i = 0; i < count_; ++i) {
            if (samples_[i] > guard) continue;
            spun += guard - samples_[i];
            ++in_time;
        }
        return in_time > count_ * 97 / 100 || spun > most;
    }

    std::uint16_t samples_[memory]{};
    std::size_t next_ = 0;
    std::size_t count_ = 0;
    std::int64_t guard_ = at_first.count() / resolution;
    std::int64_t waited_ = 0;  // since it has learned last
    std::int64_t waits_ = 0;
};

}  // namespace weir

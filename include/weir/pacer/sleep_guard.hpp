// sleep_guard: how long before its time a thread has to wake up, so that it can spin for the rest.
// It learns from how late the system woke it: the 97th percentile of the last 256 sleeps. Samples
// above 250 us are left out and the guard ends at 150 us, or it would diverge: being late makes the
// guard longer, spinning burns the thread's share of the core, and having none makes it late.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <weir/base/duration.hpp>

namespace weir {

class sleep_guard {
public:
    static constexpr nanoseconds at_first = microseconds(60);
    static constexpr nanoseconds at_most = microseconds(150);
    static constexpr nanoseconds outlier = microseconds(250);
    static constexpr std::size_t memory = 256;

    [[nodiscard]] nanoseconds get() const noexcept { return nanoseconds(guard_); }

    // The system woke the thread so much later than it was asked to.
    void woke(nanoseconds late) noexcept {
        if (late > outlier) return;
        samples_[next_] = late < nanoseconds{} ? 0 : static_cast<std::uint32_t>(late.count());
        next_ = (next_ + 1) % memory;
        if (count_ < memory) ++count_;
        if (next_ % often == 0) learn();
    }

private:
    static constexpr std::size_t often = 16;

    void learn() noexcept {
        std::array<std::uint32_t, memory> sorted = samples_;
        const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(count_);
        const auto place = sorted.begin() + static_cast<std::ptrdiff_t>(count_ * 97 / 100);
        std::nth_element(sorted.begin(), place, end);
        guard_ = std::min<std::int64_t>(*place, at_most.count());
    }

    std::array<std::uint32_t, memory> samples_{};
    std::size_t next_ = 0;
    std::size_t count_ = 0;
    std::int64_t guard_ = at_first.count();
};

}  // namespace weir

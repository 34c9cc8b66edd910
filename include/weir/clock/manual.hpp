// SPDX-License-Identifier: MIT
// manual_clock: time that stands still until somebody moves it. For tests and simulation, where a
// day passes in a microsecond; each Tag is a clock of its own. A thread that waits by it comes back
// within some milliseconds after it was moved. Relaxed order suffices: the time is all that is
// told.
#pragma once

#include <concepts>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

template <class Tag = void, std::uint64_t Hertz = nanoseconds::per_second>
class manual_clock {
public:
    static constexpr std::uint64_t lowest_hertz = Hertz;
    static constexpr std::uint64_t highest_hertz = Hertz;

    [[nodiscard]] static instant<manual_clock> now() noexcept {
        return instant<manual_clock>(now_.load_relaxed());
    }
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return Hertz; }
    [[nodiscard]] static constexpr clock_facts facts() noexcept {
        return {"manual", Hertz, nanoseconds::from(1, 1, static_cast<std::int64_t>(Hertz)), false};
    }

    static void set(tick now) noexcept { now_.store_relaxed(now.count); }
    template <class Other>
        requires(!std::same_as<Other, manual_clock>)
    static void set(instant<Other> of_another_clock) = delete;

    // Rounded up to whole ticks.
    static void advance(nanoseconds time) noexcept {
        now_.fetch_add_relaxed(static_cast<word>(to_ticks<manual_clock>(time)));
    }

private:
    static constinit inline atomic<word> now_{0};
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// coarse_clock: the system's monotonic time as of the last timer interrupt. Its now() is the
// cheapest that the system offers, and late by up to facts().granularity, some milliseconds: a
// limit that reads it is never above its quota, but lets a burst's refill come that much late.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/windows.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/steady.hpp>

namespace weir {

#if defined(_WIN32)
struct coarse_clock {
    static constexpr std::uint64_t lowest_hertz = 10'000'000;
    static constexpr std::uint64_t highest_hertz = lowest_hertz;

    [[nodiscard]] static instant<coarse_clock> now() noexcept {
        unsigned long long time = 0;
        (void)windows::QueryUnbiasedInterruptTime(&time);  // it cannot fail
        return instant<coarse_clock>(static_cast<word>(time));
    }
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return highest_hertz; }
    // The timer's step, unless somebody in the system has asked for a shorter one.
    [[nodiscard]] static clock_facts facts() noexcept {
        return {"interrupt time", hertz(), nanoseconds(15'625'000), true};
    }
};
#elif defined(CLOCK_MONOTONIC_COARSE)
struct coarse_clock : detail::system_clock<coarse_clock, CLOCK_MONOTONIC_COARSE> {
    [[nodiscard]] static clock_facts facts() noexcept {
        return {"CLOCK_MONOTONIC_COARSE", hertz(), granularity(), true};
    }
};
#endif

}  // namespace weir

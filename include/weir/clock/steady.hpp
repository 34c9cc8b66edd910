// SPDX-License-Identifier: MIT
// steady_clock: the system's monotonic clock in nanoseconds, without <chrono>. On Linux it is read
// in user space (vDSO) and agrees with std::chrono::steady_clock.
#pragma once

#include <cstdint>
#include <ctime>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>

#ifdef CLOCK_MONOTONIC  // a C library for microcontrollers may have no such clock

namespace weir {

namespace detail {

template <class Clock, clockid_t Id>
struct system_clock {
    static constexpr std::uint64_t lowest_hertz = nanoseconds::per_second;
    static constexpr std::uint64_t highest_hertz = nanoseconds::per_second;
    static constexpr bool is_of_machine = true;

    [[nodiscard]] static instant<Clock> now() noexcept {
        timespec t;
        clock_gettime(Id, &t);
        // On a circle: a word of 32 bits has the low ones.
        return instant<Clock>(static_cast<word>(t.tv_sec) *
                                  static_cast<word>(nanoseconds::per_second) +
                              static_cast<word>(t.tv_nsec));
    }
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return highest_hertz; }

protected:
    [[nodiscard]] static nanoseconds granularity() noexcept {
        timespec t;
        clock_getres(Id, &t);
        return nanoseconds(t.tv_sec * nanoseconds::per_second + t.tv_nsec);
    }
};

}  // namespace detail

struct steady_clock : detail::system_clock<steady_clock, CLOCK_MONOTONIC> {
    [[nodiscard]] static clock_facts facts() noexcept {
        return {"CLOCK_MONOTONIC", hertz(), granularity(), true};
    }
};

}  // namespace weir

#endif

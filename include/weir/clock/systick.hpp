// SPDX-License-Identifier: MIT
// systick_clock: a Cortex-M's time in whole ticks of its SysTick timer, which the timer's interrupt
// counts. The interrupt alone writes; everybody may read, in interrupts too. Who reads in an
// interrupt that delays SysTick's sees a time that is late by a tick, which can only deny more.
// Relaxed order suffices: the count is all that is told.
//
// The timer stops in deep sleep and follows the core's frequency, so the clock does not call itself
// invariant. It wraps with the word: after 50 days of milliseconds.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>

namespace weir {

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
// Where the timer is on every Cortex-M (Armv7-M Architecture Reference Manual, B3.3).
struct systick_timer {
    struct registers {
        std::uint32_t control;
        std::uint32_t reload;
        std::uint32_t current;
    };
    [[nodiscard]] static volatile registers& get() noexcept {
        return *reinterpret_cast<volatile registers*>(0xE000'E010);  // NOLINT(performance-*)
    }
};
#endif

template <std::uint64_t Hertz, class Tag = void>
class systick_clock {
public:
    static_assert(Hertz > 0);
    static constexpr std::uint64_t lowest_hertz = Hertz;
    static constexpr std::uint64_t highest_hertz = Hertz;

    [[nodiscard]] static instant<systick_clock> now() noexcept {
        return instant<systick_clock>(count_.load_relaxed());
    }
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return Hertz; }
    [[nodiscard]] static constexpr clock_facts facts() noexcept {
        return {"SysTick", Hertz, nanoseconds::from(1, 1, static_cast<std::int64_t>(Hertz)), false};
    }

    // To be called by the timer's interrupt, once each, and by nobody else.
    static void on_interrupt() noexcept { count_.store_relaxed(count_.load_relaxed() + 1); }

    // Lets the timer count the core's cycles and interrupt Hertz times a second; for programs in
    // which nothing else has set it up. False, and nothing changed, if the timer's 24 bits cannot
    // count that, or the core's frequency is no multiple of it.
    template <class Timer>
    static bool start(std::uint32_t core_hertz) noexcept {
        constexpr std::uint32_t most = 1U << 24;
        constexpr std::uint32_t counts_cycles_and_interrupts = 7;
        const auto hertz = static_cast<std::uint32_t>(Hertz);
        const std::uint32_t cycles = core_hertz / hertz;
        if (cycles < 2 || cycles > most || cycles * hertz != core_hertz) return false;
        auto& timer = Timer::get();
        timer.reload = cycles - 1;
        timer.current = 0;
        timer.control = counts_cycles_and_interrupts;
        return true;
    }
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    static bool start(std::uint32_t core_hertz) noexcept {
        return start<systick_timer>(core_hertz);
    }
#endif

private:
    static constinit inline atomic<word> count_{0};
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// cycle_clock: the core's own counter, one instruction away: the TSC on x86-64, the generic timer
// (CNTVCT) on AArch64. Ticks are the counter's; the TSC's frequency is measured once against the
// system's monotonic clock, the generic timer's is read from a register.
//
// Error: a measurement takes 0.2 ms and is right within 10 ppm of the system's clock. hertz() is 10
// ppm above it, so a limit is never above its quota by that clock, and below it by 20 ppm at most.
// A time that is told is too long by 20 ppm at most. The generic timer's frequency has no error.
// What the system's clock is corrected by, with NTP up to 500 ppm, the counter follows only when it
// is calibrated again.
//
// Neither read is fenced. The core may read the counter some nanoseconds early, and a `now` that is
// late can only deny more; a fence would cost more than the decision.
#pragma once

#if defined(__x86_64__) || defined(__aarch64__)

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/clock/calibration.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/steady.hpp>

#ifdef __x86_64__
#include <cpuid.h>
#endif

namespace weir {

class cycle_clock {
public:
    static constexpr std::uint64_t lowest_hertz = 1'000'000;
    static constexpr std::uint64_t highest_hertz = 10'000'000'000;
    static constexpr bool is_of_machine = true;

    [[nodiscard]] static instant<cycle_clock> now() noexcept {
#ifdef __x86_64__
        return instant<cycle_clock>(__builtin_ia32_rdtsc());
#else
        std::uint64_t count;
        asm volatile("mrs %0, cntvct_el0" : "=r"(count));
        return instant<cycle_clock>(count);
#endif
    }

    // Ticks per second, no fewer than they are. The first call measures them: in 0.2 ms, or in 50
    // us if the program was loaded 3 ms to 10 s before. If many threads are the first, they all get
    // the same frequency. 0 if the system's clock stands still or takes microseconds to read. Then
    // the next call tries again, there is no limit by this clock, and default_clock does not use
    // it.
    [[nodiscard]] static std::uint64_t hertz() noexcept {
        const std::uint64_t known = hertz_.load_relaxed();
        if (known != 0) [[likely]]
            return known;
        std::uint64_t expected = 0;
        const std::uint64_t measured = measure();
        while (measured != 0 && expected == 0 && !hertz_.try_exchange_relaxed(expected, measured)) {
        }
        return expected == 0 ? measured : expected;
    }

    // Ticks per second, no more than they are.
    [[nodiscard]] static std::uint64_t least_hertz() noexcept {
        const std::uint64_t most = hertz();
        return most - 2 * error_of(most);
    }

    // Measures again, for limits that are made from now on; those that exist keep their numbers. 0,
    // and nothing changed, if it cannot be measured.
    static std::uint64_t calibrate() noexcept {
        const std::uint64_t measured = measure_anew();
        if (measured != 0) hertz_.store_relaxed(measured);
        return measured;
    }

    // Does the counter run at one rate, in all power states and on all cores?
    [[nodiscard]] static bool invariant() noexcept {
#ifdef __x86_64__
        unsigned a = 0;
        unsigned b = 0;
        unsigned c = 0;
        unsigned d = 0;
        constexpr unsigned advanced_power_management = 0x8000'0007;
        constexpr unsigned invariant_tsc = 1U << 8;
        return __get_cpuid(advanced_power_management, &a, &b, &c, &d) != 0 &&
               (d & invariant_tsc) != 0;
#else
        return true;  // by the architecture
#endif
    }

    [[nodiscard]] static clock_facts facts() noexcept {
#ifdef __x86_64__
        constexpr const char* source = "TSC";
#else
        constexpr const char* source = "CNTVCT_EL0";
#endif
        const std::uint64_t known = hertz();
        if (known == 0) return {source, 0, {}, invariant(), clock_facts::not_measured};
        return {source, known, to_time<cycle_clock>(1), invariant()};
    }

private:
#ifdef __x86_64__
    using calibrated = calibration<cycle_clock, steady_clock>;

    // Rounded up.
    [[nodiscard]] static constexpr std::uint64_t error_of(std::uint64_t hertz) noexcept {
        constexpr std::uint64_t part = 1'000'000 / calibrated::error;
        return (hertz + part - 1) / part;
    }
    [[nodiscard]] static std::uint64_t measure() noexcept {
        return most(calibrated::measure(anchor));
    }
    [[nodiscard]] static std::uint64_t measure_anew() noexcept {
        return most(calibrated::measure());
    }
    [[nodiscard]] static constexpr std::uint64_t most(std::uint64_t measured) noexcept {
        return measured + error_of(measured);
    }

    // Read when the program or the library is loaded, in 2 us. A `constinit` limiter has no other
    // moment, and one that is constructed at run time asks for the frequency at once.
    static inline const bracket anchor = calibrated::read_anchor();
#else
    [[nodiscard]] static constexpr std::uint64_t error_of(std::uint64_t) noexcept { return 0; }
    [[nodiscard]] static std::uint64_t measure_anew() noexcept { return measure(); }
    [[nodiscard]] static std::uint64_t measure() noexcept {
        std::uint64_t frequency;
        asm("mrs %0, cntfrq_el0" : "=r"(frequency));
        return frequency;
    }
#endif

    // Relaxed order suffices: the number is all that is told.
    static constinit inline atomic<std::uint64_t> hertz_{0};
};

}  // namespace weir

#endif

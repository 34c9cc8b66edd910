// SPDX-License-Identifier: MIT
// dwt_clock: the cycle counter of a Cortex-M3 or larger (DWT_CYCCNT): 32 bits, one load. It wraps
// with the word, after 25 s at 168 MHz; a 32-bit cell takes that in its stride.
//
// A debugger's unit, so it has to be started, some parts lack it, and it stands still while the
// core sleeps: start() tells whether it counts, and the clock does not call itself invariant. The
// frequency is the program's to say, for nothing in the core knows it.
#pragma once

#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>

namespace weir {

// Armv7-M Architecture Reference Manual, C1.8.7 (DWT_CTRL), C1.6.5 (DEMCR).
struct dwt_unit {
    struct registers {
        std::uint32_t control;
        std::uint32_t cycles;
    };
    [[nodiscard]] static volatile registers& get() noexcept {
        return *reinterpret_cast<volatile registers*>(0xE000'1000);  // NOLINT(performance-*)
    }
    // Without it the unit answers nothing.
    [[nodiscard]] static volatile std::uint32_t& debug_control() noexcept {
        return *reinterpret_cast<volatile std::uint32_t*>(0xE000'EDFC);  // NOLINT(performance-*)
    }
};

template <std::uint64_t Hertz, class Unit = dwt_unit>
class dwt_clock {
public:
    static_assert(Hertz > 0);
    static constexpr std::uint64_t lowest_hertz = Hertz;
    static constexpr std::uint64_t highest_hertz = Hertz;

    [[nodiscard]] static instant<dwt_clock> now() noexcept {
        return instant<dwt_clock>(std::uint32_t{Unit::get().cycles});
    }
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return Hertz; }
    [[nodiscard]] static constexpr clock_facts facts() noexcept {
        return {"DWT_CYCCNT", Hertz, nanoseconds::from(1, 1, static_cast<std::int64_t>(Hertz)),
                false};
    }

    // True if the counter counts now; once at the start of the program.
    static bool start() noexcept {
        constexpr std::uint32_t trace_enable = 1U << 24;
        constexpr std::uint32_t has_no_counter = 1U << 25;
        constexpr std::uint32_t count_cycles = 1;
        Unit::debug_control() = Unit::debug_control() | trace_enable;
        auto& dwt = Unit::get();
        if ((dwt.control & has_no_counter) != 0) return false;
        dwt.control = dwt.control | count_cycles;
        const std::uint32_t first = dwt.cycles;
        // An emulator's counter may stand for some dozen instructions.
        for (int i = 0; i < 64; ++i) {
            if (dwt.cycles != first) return true;
        }
        return false;  // an emulator, or a part that leaves it out without a word
    }
};

}  // namespace weir

#endif

// SPDX-License-Identifier: MIT
// What the machine offers beside arithmetic: the size of a cache line, a hint for spinning, and an
// order for reading a counter.
#pragma once

#include <cstddef>

#include <weir/base/word.hpp>

namespace weir {

// Pinned here: hardware_destructive_interference_size is 256 with GCC on AArch64 and changes with
// compiler options, which would make it part of the ABI of every type that is aligned by it.
inline constexpr std::size_t cache_line = 64;

// What other threads write begins on a line of its own. Microcontrollers have no lines to keep
// apart, and little memory.
inline constexpr bool has_lines = sizeof(word) == 8;
inline constexpr std::size_t own_line = has_lines ? cache_line : alignof(word);

// Tells the core that this thread spins. It costs 66 ns on some x86 machines, so it belongs into
// waiting loops, and between two tries of a compare-exchange only where several were lost, see
// lost_races.
inline void spin_hint() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
    asm volatile("yield");
#endif
}

// A counter that is read after this is not read before what came ahead of it.
inline void order_clock() noexcept {
#if defined(__x86_64__) || defined(__SSE2__)
    __builtin_ia32_lfence();
#elif defined(__i386__)
    // The fence above came with SSE2. The clock is the system's here, so what came ahead is memory.
    asm volatile("lock orl $0, (%%esp)" : : : "memory", "cc");
#elif defined(__aarch64__) || (defined(__ARM_ARCH) && __ARM_ARCH >= 7)
    asm volatile("isb" : : : "memory");
#endif
}

}  // namespace weir

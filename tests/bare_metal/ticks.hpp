// SPDX-License-Identifier: MIT
// The timer that calls SysTick_Handler: a Cortex-M's own, or RISC-V's, whose next interrupt the
// handler has to ask for.
#pragma once

#include <cstdint>

#ifdef __riscv
// Where QEMU's machine has them; it counts ten times a microsecond.
inline volatile std::uint64_t& machine_time() {
    return *reinterpret_cast<volatile std::uint64_t*>(0x0200'BFF8);
}
inline volatile std::uint64_t& next_interrupt() {
    return *reinterpret_cast<volatile std::uint64_t*>(0x0200'4000);
}
#endif

template <class Clock>
bool start_ticks() {
#ifdef __riscv
    next_interrupt() = machine_time() + CORE_HERTZ / Clock::hertz();
    asm volatile(".option arch, +zicsr\n\tcsrs mie, %0\n\tcsrs mstatus, %1" : : "r"(0x80), "r"(8));
    return true;
#else
    return Clock::start(CORE_HERTZ);
#endif
}

// The first thing in a handler.
template <class Clock>
void count_tick() {
#ifdef __riscv
    next_interrupt() = next_interrupt() + CORE_HERTZ / Clock::hertz();
#endif
    Clock::on_interrupt();
}

inline void mask_interrupts() {
#ifdef __riscv
    asm volatile(".option arch, +zicsr\n\tcsrc mstatus, %0" : : "r"(8) : "memory");
#else
    asm volatile("cpsid i" : : : "memory");
#endif
}

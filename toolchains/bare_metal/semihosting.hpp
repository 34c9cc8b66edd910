// SPDX-License-Identifier: MIT
// What a program without an operating system asks of its debugger, or here of qemu: to show a text
// and to end with an exit code (Arm, Semihosting for AArch32 and AArch64; RISC-V Semihosting, which
// has the same calls).
#pragma once

#include <cstdint>

namespace semihosting {

inline std::uint32_t call(std::uint32_t operation, const void* argument) {
#ifdef __riscv
    register std::uint32_t a0 asm("a0") = operation;
    register const void* a1 asm("a1") = argument;
    // The debugger knows its breakpoint by the two instructions around it, which do nothing.
    asm volatile(".balign 16\n\t.option push\n\t.option norvc\n\t"
                 "slli zero, zero, 0x1f\n\tebreak\n\tsrai zero, zero, 7\n\t.option pop"
                 : "+r"(a0)
                 : "r"(a1)
                 : "memory");
    return a0;
#else
    register std::uint32_t r0 asm("r0") = operation;
    register const void* r1 asm("r1") = argument;
    asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
#endif
}

inline void write(const char* text) {
    constexpr std::uint32_t sys_write0 = 0x04;
    call(sys_write0, text);
}

// In decimal.
inline void write(std::uint32_t number) {
    char digits[11];
    char* first = digits + sizeof(digits) - 1;
    *first = '\0';
    do {
        *--first = static_cast<char>('0' + number % 10);
        number /= 10;
    } while (number != 0);
    write(first);
}

[[noreturn]] inline void exit(std::uint32_t code) {
    constexpr std::uint32_t sys_exit_extended = 0x20;
    constexpr std::uint32_t application_exit = 0x20026;
    const std::uint32_t arguments[] = {application_exit, code};
    for (;;) call(sys_exit_extended, arguments);
}

}  // namespace semihosting

// SPDX-License-Identifier: MIT
// From reset to main() on a Cortex-M or a RISC-V, without a C library: the first instruction or the
// vector table, the copying of initialised data, constructors, and the memory functions that the
// compiler itself calls. A program that wants an interrupt defines its handler.
#include <cstddef>
#include <cstdint>

#include "semihosting.hpp"

int main();

extern "C" {

// From the linker script.
extern std::uint32_t data_begin[];
extern std::uint32_t data_end[];
extern const std::uint32_t data_image[];
extern std::uint32_t bss_begin[];
extern std::uint32_t bss_end[];
extern void (*const init_array_begin[])();
extern void (*const init_array_end[])();
extern std::uint32_t stack_top[];

[[noreturn]] void start() {
    const std::uint32_t* from = data_image;
    for (std::uint32_t* to = data_begin; to != data_end;) *to++ = *from++;
    for (std::uint32_t* to = bss_begin; to != bss_end;) *to++ = 0;
    for (auto constructor = init_array_begin; constructor != init_array_end;) (*constructor++)();
    semihosting::exit(static_cast<std::uint32_t>(main()));
}

[[noreturn]] void unexpected() {
    semihosting::write("an interrupt or a fault that nobody handles\n");
    semihosting::exit(99);
}

[[gnu::weak]] void SysTick_Handler() { unexpected(); }

// GCC turns loops into calls of these, these loops themselves included, unless told not to.
#define PLAIN_LOOPS [[gnu::optimize("no-tree-loop-distribute-patterns")]]

PLAIN_LOOPS void* memcpy(void* to, const void* from, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        static_cast<char*>(to)[i] = static_cast<const char*>(from)[i];
    }
    return to;
}

PLAIN_LOOPS void* memset(void* to, int value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) static_cast<char*>(to)[i] = static_cast<char>(value);
    return to;
}

#ifdef __riscv
// The machine begins with the first instruction, and has one handler for all interrupts and faults.
[[gnu::section(".vectors"), gnu::used, gnu::naked]] void reset() {
    asm volatile("la sp, stack_top\n\tla t0, on_trap\n\t"
                 ".option arch, +zicsr\n\tcsrw mtvec, t0\n\tj start");
}
[[gnu::interrupt, gnu::used, gnu::aligned(4)]] void on_trap() {
    constexpr std::uint32_t timer = 0x8000'0007;
    std::uint32_t cause = 0;
    asm volatile(".option arch, +zicsr\n\tcsrr %0, mcause" : "=r"(cause));
    if (cause != timer) unexpected();
    SysTick_Handler();
}
#else
struct vector_table {
    std::uint32_t* stack;
    void (*handlers[15])();
};

[[gnu::section(".vectors"), gnu::used]] extern const vector_table vectors = {
    stack_top,
    {start, unexpected, unexpected, unexpected, unexpected, unexpected, unexpected, unexpected,
     unexpected, unexpected, unexpected, unexpected, unexpected, unexpected, SysTick_Handler}};
#endif
}

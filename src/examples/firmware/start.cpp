// SPDX-License-Identifier: MIT
// From reset to main: what a vendor's start-up file does. The vector table, initialised data and
// constructors. An interrupt that a program wants has one of the names in the table.
#include <cstddef>
#include <cstdint>

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

[[noreturn]] void Reset_Handler() {
    const std::uint32_t* from = data_image;
    for (std::uint32_t* to = data_begin; to != data_end;) *to++ = *from++;
    for (std::uint32_t* to = bss_begin; to != bss_end;) *to++ = 0;
    for (auto constructor = init_array_begin; constructor != init_array_end;) (*constructor++)();
    main();
    for (;;) asm volatile("wfi");
}

[[noreturn]] void unexpected() {
    for (;;) asm volatile("bkpt 0");  // for a debugger to see
}

[[gnu::weak]] void SysTick_Handler() { unexpected(); }

struct vector_table {
    std::uint32_t* stack;
    void (*handlers[15])();
};

// Of the board's own interrupts, which would follow, the firmware uses none.
[[gnu::section(".vectors"), gnu::used]] extern const vector_table vectors = {
    stack_top,
    {Reset_Handler, unexpected, unexpected, unexpected, unexpected, unexpected, unexpected,
     unexpected, unexpected, unexpected, unexpected, unexpected, unexpected, unexpected,
     SysTick_Handler}};
}

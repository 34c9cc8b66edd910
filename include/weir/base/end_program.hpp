// SPDX-License-Identifier: MIT
// How weir ends a program that goes on after a mistake, such as one that takes the value of a
// result that has none: with one sentence on stderr. Where there is no operating system to print
// for, it traps. The same in every build.
#pragma once

#include <initializer_list>

namespace weir::detail {

// The system's `write` under a name of ours, so that no header is needed and none can contradict.
#if __STDC_HOSTED__ && (defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
#define WEIR_TEXT_OF(name) #name
#define WEIR_SYMBOL(prefix, name) WEIR_TEXT_OF(prefix) name
#ifdef _WIN32
extern "C" int weir_system_write(int file, const void* text, unsigned length) noexcept
    asm(WEIR_SYMBOL(__USER_LABEL_PREFIX__, "_write"));
#else
extern "C" __PTRDIFF_TYPE__ weir_system_write(int file, const void* text,
                                              __SIZE_TYPE__ length) noexcept
    asm(WEIR_SYMBOL(__USER_LABEL_PREFIX__, "write"));
#endif
#undef WEIR_SYMBOL
#undef WEIR_TEXT_OF

// Prints "weir: what: reason" in a line, or without the reason if there is none, and aborts.
// Allocates nothing; what is longer than the line is cut off.
[[noreturn, gnu::cold, gnu::noinline]] inline void end_program(const char* what,
                                                               const char* reason = "") noexcept {
    char line[256];
    unsigned length = 0;
    for (const char* part : {"weir: ", what, *reason == 0 ? "" : ": ", reason}) {
        while (*part != 0 && length < sizeof line - 1) line[length++] = *part++;
    }
    line[length++] = '\n';
    constexpr int standard_error = 2;
    // Whether it can be printed changes nothing.
    [[maybe_unused]] const auto written = weir_system_write(standard_error, line, length);
    __builtin_abort();
}
#else
[[noreturn, gnu::cold, gnu::noinline]] inline void end_program(const char*,
                                                               const char* = "") noexcept {
    __builtin_trap();
}
#endif

}  // namespace weir::detail

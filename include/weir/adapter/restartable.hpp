// SPDX-License-Identifier: MIT
// restartable: a compare-exchange of a word that only threads on one core exchange. It needs no
// locked instruction, so it takes a fraction of the time. It is one of Linux's restartable
// sequences ("rseq"): if the kernel takes the core from the thread in the middle, or delivers a
// signal, the sequence has not happened.
//
// It uses the area that glibc registers for each thread (2.35 or newer, x86-64). `sections()` says
// whether that is so in this process; it is not with an older glibc, with musl, with
// GLIBC_TUNABLES=glibc.pthread.rseq=0, where somebody else was first to register, under valgrind
// and qemu, and with ThreadSanitizer, which does not see such an exchange. AArch64 is left out:
// qemu has no restartable sequences, so it could not be tested here.
//
// Threads on other cores may read the word. Before one of them writes to it, it has to close the
// word to its core and to call `stop_all`.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>

#if defined(__SANITIZE_THREAD__)
#define WEIR_NO_SECTIONS
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define WEIR_NO_SECTIONS
#endif
#endif

#if defined(__linux__) && defined(__x86_64__) && defined(__LP64__) && !defined(WEIR_NO_SECTIONS)

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

// Null where the C library has no such thing. The names are its own.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
extern const std::ptrdiff_t __rseq_offset [[gnu::weak]];
extern const unsigned int __rseq_size [[gnu::weak]];
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

#define WEIR_SECTIONS
#endif
#undef WEIR_NO_SECTIONS

namespace weir {

// Whether units are taken in restartable sections, or why not.
enum class core_sections : unsigned char {
    used,
    not_built_in,    // another machine or system, or ThreadSanitizer
    not_registered,  // by the C library
    not_stoppable,   // the kernel has no membarrier for them
};

[[nodiscard]] constexpr const char* describe(core_sections how) noexcept {
    switch (how) {
        case core_sections::used: return "units are taken in restartable sections";
        case core_sections::not_built_in: return "this target has no restartable sections";
        case core_sections::not_registered:
            return "the C library has registered no restartable sequences";
        case core_sections::not_stoppable: break;
    }
    return "the kernel cannot stop restartable sections";
}

class restartable {
public:
    // What `core` answers if the thread cannot use sections; larger than any core.
    static constexpr std::uint32_t no_core = ~std::uint32_t{0};

#ifdef WEIR_SECTIONS
    // Wait-free, as all but `stop_all`. Before the program's static objects are made nobody uses
    // sections.
    [[nodiscard]] static core_sections sections() noexcept { return found.how; }

    // Where the thread is, which may be past by the time of the answer.
    [[nodiscard, gnu::always_inline]] static std::uint32_t core() noexcept {
        const std::ptrdiff_t area = found.area;
        if (area == 0) [[unlikely]]
            return no_core;
        std::uint32_t mine;
        asm volatile("movl %%fs:4(%[area]), %[mine]" : [mine] "=r"(mine) : [area] "r"(area));
        // A thread that is not registered has a negative one.
        return mine <= INT32_MAX ? mine : no_core;
    }

    // Puts `desired` in place of `expected` if the thread is on the core whose number is in `open`.
    // It may fail although all that is so.
    [[nodiscard, gnu::always_inline]] static bool try_replace(atomic<word>& units,
                                                              const atomic<std::uint32_t>& open,
                                                              word expected,
                                                              word desired) noexcept {
        const std::ptrdiff_t area = found.area;
        if (area == 0) [[unlikely]]
            return false;
        // 1: says to the kernel that between 2: and 3: it shall go on at 4: instead, which must
        // stand behind the number that glibc has registered. What a function brings into these
        // sections goes where the function goes ("?").
        asm goto(".pushsection __rseq_cs, \"aw?\", @progbits\n\t"
                 ".balign 32\n"
                 "1:\n\t"
                 ".long 0, 0\n\t"
                 ".quad 2f, 3f - 2f, 4f\n\t"
                 ".popsection\n\t"
                 ".pushsection __rseq_failure, \"ax?\", @progbits\n\t"
                 ".byte 0x0f, 0xb9, 0x3d\n\t"
                 ".long 0x53053053\n"
                 "4:\n\t"
                 "jmp %l[failed]\n\t"
                 ".popsection\n\t"
                 "leaq 1b(%%rip), %%rax\n\t"
                 "movq %%rax, %%fs:8(%[area])\n"
                 "2:\n\t"
                 "movl %%fs:4(%[area]), %%eax\n\t"
                 "cmpl %%eax, %[open]\n\t"
                 "jne %l[failed]\n\t"
                 "cmpq %[expected], %[units]\n\t"
                 "jne %l[failed]\n\t"
                 "movq %[desired], %[units]\n"
                 "3:"
                 :
                 : [area] "r"(area), [open] "m"(open), [units] "m"(units), [expected] "r"(expected),
                   [desired] "r"(desired)
                 : "rax", "cc", "memory"
                 : failed);
        return true;
    failed:
        return false;
    }

    // Afterwards no section is under way that began before: each has come to its end or starts
    // over. A system call, which waits until each core on which a thread of this process runs has
    // been interrupted. False if the kernel refuses it. (A filter of system calls that is set up
    // later must not answer that the call was made.)
    [[nodiscard]] static bool stop_all() noexcept {
        if (call(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ)) return true;
        return may_stop_all() && call(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ);
    }

private:
    struct area {
        core_sections how;
        std::ptrdiff_t area;  // from the thread's pointer; zero: there is none
    };

    [[nodiscard]] static bool call(int command) noexcept {
        return syscall(SYS_membarrier, command, 0, 0) == 0;
    }
    [[nodiscard]] static bool may_stop_all() noexcept {
        return call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ);
    }
    // A filter of system calls may say that the call was made, and make none.
    [[nodiscard]] static bool can_stop_all() noexcept {
        constexpr long needed =
            MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ | MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ;
        const long known = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
        return known > 0 && (known & needed) == needed && may_stop_all();
    }

    [[nodiscard]] static area find() noexcept {
        if (&__rseq_size == nullptr || __rseq_size == 0) return {core_sections::not_registered, 0};
        if (!can_stop_all()) return {core_sections::not_stoppable, 0};
        return {core_sections::used, __rseq_offset};
    }

    static const area found;
#else
    [[nodiscard]] static constexpr core_sections sections() noexcept {
        return core_sections::not_built_in;
    }
    [[nodiscard]] static constexpr std::uint32_t core() noexcept { return no_core; }
    [[nodiscard]] static constexpr bool try_replace(atomic<word>&, const atomic<std::uint32_t>&,
                                                    word, word) noexcept {
        return false;
    }
    [[nodiscard]] static constexpr bool stop_all() noexcept { return false; }
#endif
};

#ifdef WEIR_SECTIONS
inline const restartable::area restartable::found = restartable::find();
#undef WEIR_SECTIONS
#endif

}  // namespace weir

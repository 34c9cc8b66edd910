// SPDX-License-Identifier: MIT
// armv7_counter: the generic timer (CNTVCT) of a 32-bit ARM core under Linux, one instruction away
// where clock_gettime costs a system call on many boards. Opt-in, because kernels may hide it (and
// then reading it raises SIGILL), old cores lack it, and only the kernel knows whether it is sound.
//
//   weir::limiter<weir::gcra<>, weir::armv7_clock> limit{weir::per_second(100)};
//
// armv7_clock looks once, at the first question: for one instruction it handles SIGILL itself, and
// passes on whatever else raises that meanwhile. Where the counter is hidden it is steady_clock;
// facts().source tells.
#pragma once

#if defined(__linux__) && defined(__arm__) && defined(__ARM_ARCH) && __ARM_ARCH >= 7

#include <cstdint>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): sigaction is POSIX
#include <ucontext.h>

#include <weir/base/atomic.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/default.hpp>
#include <weir/clock/steady.hpp>

namespace weir {

class armv7_counter {
public:
    static constexpr std::uint64_t lowest_hertz = 1'000'000;
    static constexpr std::uint64_t highest_hertz = 1'000'000'000;
    static constexpr bool is_of_machine = true;

    // Not fenced, as cycle_clock is not: a time that is late can only deny more.
    [[nodiscard]] static instant<armv7_counter> now() noexcept {
        std::uint64_t count;
        asm volatile("mrrc p15, 1, %Q0, %R0, c14" : "=r"(count));
        return instant<armv7_counter>(count);
    }

    // What the firmware has entered; 0 if it forgot to, which no clock is trusted with. Volatile,
    // or the compiler might read it before anybody has asked whether that may be.
    [[nodiscard]] static std::uint64_t hertz() noexcept {
        std::uint32_t frequency;
        asm volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(frequency));
        return frequency;
    }

    // May it be read here? The same rate at all times follows from the architecture. Who comes
    // while another thread finds out waits for it, for microseconds and once.
    [[nodiscard]] static bool invariant() noexcept {
        answer known = answer::unknown;
        // Acquire, if it fails: pairs with the release below. If not, neither half has a partner.
        if (answer_.try_exchange_acq_rel(known, answer::asked)) {
            known = probe() ? answer::readable : answer::hidden;
            // Pairs with the acquires above and below: the handler is gone again.
            answer_.store_release(known);
        }
        while (known == answer::unknown || known == answer::asked) {
            spin_hint();
            known = answer_.load_acquire();  // pairs with the release above
        }
        return known == answer::readable;
    }

    [[nodiscard]] static clock_facts facts() noexcept {
        return {"CNTVCT", hertz(), to_time<armv7_counter>(1), true};
    }

private:
    enum class answer : unsigned char { unknown, asked, readable, hidden };

    static constexpr std::uint32_t ours = 0x7765'6972;

    [[nodiscard]] static bool probe() noexcept {
        struct sigaction handler = {};
        handler.sa_sigaction = &step_over;
        handler.sa_flags = SA_SIGINFO;
        if (sigaction(SIGILL, nullptr, &before_) != 0) return false;
        if (sigaction(SIGILL, &handler, nullptr) != 0) return false;
        // Blocked, it would end the process.
        sigset_t illegal;
        sigset_t mask;
        sigemptyset(&illegal);
        sigaddset(&illegal, SIGILL);
        const bool handled = pthread_sigmask(SIG_UNBLOCK, &illegal, &mask) == 0;
        const bool readable = handled && read();
        if (handled) pthread_sigmask(SIG_SETMASK, &mask, nullptr);
        sigaction(SIGILL, &before_, nullptr);
        return readable;
    }
    // With a mark in r2, which is gone if the instruction had to be stepped over.
    [[nodiscard]] static bool read() noexcept {
        register std::uint32_t mark asm("r2") = ours;
        asm volatile("mrrc p15, 1, r0, r1, c14" : "+r"(mark) : : "r0", "r1", "memory");
        return mark == ours;
    }

    static void step_over(int signal, siginfo_t* info, void* context) noexcept {
        auto& core = static_cast<ucontext_t*>(context)->uc_mcontext;
        if (core.arm_r2 == ours) {
            core.arm_r2 = 0;
            core.arm_pc += 4;  // in Thumb code too it is an instruction of 32 bits
        } else if ((before_.sa_flags & SA_SIGINFO) != 0) {
            before_.sa_sigaction(signal, info, context);
        } else if (before_.sa_handler != SIG_DFL && before_.sa_handler != SIG_IGN) {
            before_.sa_handler(signal);
        } else {
            sigaction(SIGILL, &before_, nullptr);  // and then it happens again
        }
    }

    static constinit inline atomic<answer> answer_{answer::unknown};
    static constinit inline struct sigaction before_ = {};
};

using armv7_clock = trusted_clock<armv7_counter, steady_clock>;

}  // namespace weir

#endif

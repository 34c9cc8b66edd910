// SPDX-License-Identifier: MIT
// The seam between weir and the machine's atomics. Everything that is shared between threads goes
// through this type, and each order is part of a function's name; a model checker puts its own
// template in place of this one and explores the very code that ships.
//
// It is made of the compiler's builtins, as std::atomic is, because <atomic> brings <mutex>'s and
// <string>'s headers along with GCC, and does not exist on every bare machine. All of it is inlined
// even where the compiler is told to save space: an instruction or three are shorter than a call.
#pragma once

#include <cstdint>
#include <type_traits>

// Cortex-M0, M0+ and M1: neither exclusives nor a compare-and-swap.
#if defined(__ARM_ARCH_6M__) && !defined(WEIR_MASK_INTERRUPTS)
#error "no exclusive loads here: if one core alone uses weir, define WEIR_MASK_INTERRUPTS"
#endif

#ifdef __ARM_ARCH_6M__

#include <weir/base/masked.hpp>

namespace weir {

template <class T>
using atomic = masked_atomic<T>;

}

#else

namespace weir {

template <class T>
class atomic {
public:
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(__atomic_always_lock_free(sizeof(T), nullptr),
                  "this target has no lock-free atomic of that size");

    // A load does nothing else, so one whose value nobody needs may be left out.
    static constexpr bool loads_are_silent = true;

    constexpr atomic() noexcept = default;
    constexpr explicit atomic(T value) noexcept : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    ~atomic() = default;

    [[nodiscard, gnu::always_inline]] T load_relaxed() const noexcept {
        return load(__ATOMIC_RELAXED);
    }
    [[nodiscard, gnu::always_inline]] T load_acquire() const noexcept {
        return load(__ATOMIC_ACQUIRE);
    }
    [[gnu::always_inline]] void store_relaxed(T value) noexcept {
        __atomic_store(&value_, &value, __ATOMIC_RELAXED);
    }
    [[gnu::always_inline]] void store_release(T value) noexcept {
        __atomic_store(&value_, &value, __ATOMIC_RELEASE);
    }

    // May fail although the value was the expected one; then, too, `expected` is the value seen.
    [[nodiscard, gnu::always_inline]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        constexpr bool weak = true;
        return __atomic_compare_exchange(&value_, &expected, &desired, weak, __ATOMIC_RELAXED,
                                         __ATOMIC_RELAXED);
    }

    // Release if it succeeds, acquire in any case.
    [[nodiscard, gnu::always_inline]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        constexpr bool weak = true;
        return __atomic_compare_exchange(&value_, &expected, &desired, weak, __ATOMIC_ACQ_REL,
                                         __ATOMIC_ACQUIRE);
    }

    [[gnu::always_inline]] T fetch_add_release(T amount) noexcept {
        return __atomic_fetch_add(&value_, amount, __ATOMIC_RELEASE);
    }
    [[gnu::always_inline]] T fetch_add_relaxed(T amount) noexcept {
        return __atomic_fetch_add(&value_, amount, __ATOMIC_RELAXED);
    }

private:
    [[nodiscard, gnu::always_inline]] T load(int order) const noexcept {
        T value;
        __atomic_load(&value_, &value, order);
        return value;
    }

    alignas(sizeof(T)) T value_{};
};

#ifdef __riscv
// RISC-V exchanges nothing smaller than 32 bits, and GCC before 14 calls a library for a byte. So
// what is smaller lies in a word of its own, with every compiler.
template <class T>
    requires(sizeof(T) < sizeof(std::uint32_t))
class atomic<T> {
public:
    constexpr atomic() noexcept = default;
    constexpr explicit atomic(T value) noexcept : word_(static_cast<std::uint32_t>(value)) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    ~atomic() = default;

    [[nodiscard, gnu::always_inline]] T load_relaxed() const noexcept {
        return static_cast<T>(word_.load_relaxed());
    }
    [[nodiscard, gnu::always_inline]] T load_acquire() const noexcept {
        return static_cast<T>(word_.load_acquire());
    }
    [[gnu::always_inline]] void store_relaxed(T value) noexcept {
        word_.store_relaxed(static_cast<std::uint32_t>(value));
    }
    [[gnu::always_inline]] void store_release(T value) noexcept {
        word_.store_release(static_cast<std::uint32_t>(value));
    }

    [[nodiscard, gnu::always_inline]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        auto seen = static_cast<std::uint32_t>(expected);
        const bool done = word_.try_exchange_relaxed(seen, static_cast<std::uint32_t>(desired));
        expected = static_cast<T>(seen);
        return done;
    }
    [[nodiscard, gnu::always_inline]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        auto seen = static_cast<std::uint32_t>(expected);
        const bool done = word_.try_exchange_acq_rel(seen, static_cast<std::uint32_t>(desired));
        expected = static_cast<T>(seen);
        return done;
    }

private:
    atomic<std::uint32_t> word_{0};
};
#endif

}  // namespace weir

#endif

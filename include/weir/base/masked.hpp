// SPDX-License-Identifier: MIT
// Atomics for ARM cores without exclusive loads (Cortex-M0, M0+, M1), one core alone: what reads
// and writes a word masks the interrupts for these few instructions, so nobody sees it half done.
//
// It is taken only where WEIR_MASK_INTERRUPTS is defined, since a second core (RP2040) does not
// mind what the first one masks. An NMI and a fault's handler cannot be masked and must not touch
// such a word; unprivileged code cannot mask, so it must not either.
#pragma once

#include <cstdint>
#include <type_traits>

namespace weir {

namespace detail {

class interrupts_masked {
public:
    [[gnu::always_inline]] interrupts_masked() noexcept {
        asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before_) : : "memory");
    }
    // As they were, for who calls may have masked them too.
    [[gnu::always_inline]] ~interrupts_masked() {
        asm volatile("msr primask, %0" : : "r"(before_) : "memory");
    }
    interrupts_masked(const interrupts_masked&) = delete;
    interrupts_masked& operator=(const interrupts_masked&) = delete;

private:
    std::uint32_t before_;
};

}  // namespace detail

// On one core each order is the compiler's affair alone, and masking is a barrier to it. A word is
// loaded and stored in one piece by the architecture.
template <class T>
class masked_atomic {
public:
    static_assert(std::is_trivially_copyable_v<T>);
    static_assert(sizeof(T) <= sizeof(std::uint32_t), "no wider than the core's own loads");

    static constexpr bool loads_are_silent = true;  // as in atomic.hpp

    constexpr masked_atomic() noexcept = default;
    constexpr explicit masked_atomic(T value) noexcept : value_(value) {}
    masked_atomic(const masked_atomic&) = delete;
    masked_atomic& operator=(const masked_atomic&) = delete;
    ~masked_atomic() = default;

    [[nodiscard, gnu::always_inline]] T load_relaxed() const noexcept {
        return __builtin_bit_cast(T, *reinterpret_cast<const volatile in_memory*>(&value_));
    }
    [[nodiscard, gnu::always_inline]] T load_acquire() const noexcept {
        const T value = load_relaxed();
        __atomic_signal_fence(__ATOMIC_ACQUIRE);
        return value;
    }
    [[gnu::always_inline]] void store_relaxed(T value) noexcept {
        *reinterpret_cast<volatile in_memory*>(&value_) = __builtin_bit_cast(bits, value);
    }
    [[gnu::always_inline]] void store_release(T value) noexcept {
        __atomic_signal_fence(__ATOMIC_RELEASE);
        store_relaxed(value);
    }

    [[nodiscard, gnu::always_inline]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        const detail::interrupts_masked alone;
        const T seen = value_;
        if (seen == expected) {
            value_ = desired;
            return true;
        }
        expected = seen;
        return false;
    }
    [[nodiscard, gnu::always_inline]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        return try_exchange_relaxed(expected, desired);
    }

    [[gnu::always_inline]] T fetch_add_relaxed(T amount) noexcept {
        const detail::interrupts_masked alone;
        const T seen = value_;
        value_ = static_cast<T>(seen + amount);
        return seen;
    }
    [[gnu::always_inline]] T fetch_add_release(T amount) noexcept {
        return fetch_add_relaxed(amount);
    }

private:
    // Volatile works for numbers, so what is loaded in one piece is one.
    using bits =
        std::conditional_t<sizeof(T) == 1, std::uint8_t,
                           std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;
    using in_memory [[gnu::may_alias]] = bits;
    static_assert(sizeof(bits) == sizeof(T));

    alignas(sizeof(T)) T value_{};
};

}  // namespace weir

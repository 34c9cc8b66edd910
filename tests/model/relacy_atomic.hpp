// SPDX-License-Identifier: MIT
// The seam, filled by Relacy: an Atomic for weir's cells with the function names of weir::atomic.
// At each call Relacy may switch threads; a load may be answered with an older value, as far as the
// order allows, and a compare-exchange may fail for nothing. Only this file includes Relacy.
//
// What the compiler has constructed (a clock's static member) belongs to no search and must not be
// used in one.
#pragma once

// Relacy gives a new meaning to words of the language. So what it includes comes first, and its
// words go again after it; RL_INFO, which names a place in a history, stays.
// clang-format off
#include <bit>
#include <cstdint>
#include <optional>
#include <type_traits>
#define RL_DO_ASSERT 1  // it then also tells of a scenario that is not deterministic
#include <relacy/relacy.hpp>
// clang-format on
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno
#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst

namespace model {

// By all atomics together, so that a write which changes nothing shows too.
inline unsigned writes = 0;

template <class T>
class relacy_atomic {
public:
    // They are not, but so a log's search for what remains is left out where nobody asks for it.
    static constexpr bool loads_are_silent = true;

    constexpr relacy_atomic() noexcept : relacy_atomic(T{}) {}
    constexpr explicit relacy_atomic(T value) noexcept {
        if (!std::is_constant_evaluated()) shared_.emplace(to_held(value));
    }

    [[nodiscard]] T load_relaxed() const noexcept { return load(rl::mo_relaxed); }
    [[nodiscard]] T load_acquire() const noexcept { return load(rl::mo_acquire); }
    void store_relaxed(T value) noexcept { store(value, rl::mo_relaxed); }
    void store_release(T value) noexcept { store(value, rl::mo_release); }
    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        return try_exchange(expected, desired, rl::mo_relaxed);
    }
    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        return try_exchange(expected, desired, rl::mo_acq_rel);
    }
    T fetch_add_relaxed(T amount) noexcept { return fetch_add(amount, rl::mo_relaxed); }
    // Relacy switches threads at each access anyway.
    static void spin_hint() noexcept {}
    T fetch_add_release(T amount) noexcept { return fetch_add(amount, rl::mo_release); }

private:
    // Relacy prints what it holds; as a byte that would be a letter.
    static constexpr bool small = sizeof(T) <= 4;  // NOLINT(bugprone-sizeof-expression): a pointer
    using held = std::conditional_t<small, std::uint32_t, std::uint64_t>;
    static constexpr bool is_number = std::is_integral_v<T> || std::is_enum_v<T>;

    [[nodiscard]] static constexpr held to_held(T value) noexcept {
        if constexpr (is_number) {
            return static_cast<held>(value);
        } else {
            return std::bit_cast<held>(value);
        }
    }
    [[nodiscard]] static constexpr T from_held(held value) noexcept {
        if constexpr (is_number) {
            return static_cast<T>(value);
        } else {
            return std::bit_cast<T>(value);
        }
    }

    [[nodiscard]] T load(rl::memory_order order) const noexcept {
        return from_held(shared_->load(order, RL_INFO));
    }
    void store(T value, rl::memory_order order) noexcept {
        ++writes;
        shared_->store(to_held(value), order, RL_INFO);
    }
    bool try_exchange(T& expected, T desired, rl::memory_order order) noexcept {
        auto seen = to_held(expected);
        const bool done = shared_->compare_exchange_weak(seen, to_held(desired), order, RL_INFO);
        writes += done ? 1U : 0U;
        expected = from_held(seen);
        return done;
    }
    T fetch_add(T amount, rl::memory_order order) noexcept {
        ++writes;
        return from_held(shared_->fetch_add(to_held(amount), order, RL_INFO));
    }

    std::optional<rl::atomic<held>> shared_;
};

}  // namespace model

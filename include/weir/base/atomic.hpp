// The seam between weir and std::atomic. Everything that is shared between threads goes through
// this type, and each order is part of a function's name; a model checker puts its own template in
// place of this one and explores the very code that ships.
#pragma once

#include <atomic>

namespace weir {

template <class T>
class atomic {
public:
    static_assert(std::atomic<T>::is_always_lock_free,
                  "this target has no lock-free atomic of that size");

    constexpr atomic() noexcept = default;
    constexpr explicit atomic(T value) noexcept : value_(value) {}

    [[nodiscard]] T load_relaxed() const noexcept { return value_.load(std::memory_order_relaxed); }
    [[nodiscard]] T load_acquire() const noexcept { return value_.load(std::memory_order_acquire); }
    void store_relaxed(T value) noexcept { value_.store(value, std::memory_order_relaxed); }
    void store_release(T value) noexcept { value_.store(value, std::memory_order_release); }

    // May fail although the value was the expected one; then, too, `expected` is the value seen.
    bool try_exchange_relaxed(T& expected, T desired) noexcept {
        return value_.compare_exchange_weak(expected, desired, std::memory_order_relaxed,
                                            std::memory_order_relaxed);
    }

    T fetch_add_relaxed(T amount) noexcept {
        return value_.fetch_add(amount, std::memory_order_relaxed);
    }

private:
    std::atomic<T> value_{};
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// In place of include/weir/base/atomic.hpp, before which this folder is searched: atomics of which
// any access can be stopped. Then others act, on the same thread and to their end; so each test is
// the same in each run, and tries every place at which one can be stopped. (What weak memory may
// show is the model checker's to try.)
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <type_traits>
#include <utility>

namespace stopped {

inline int left = 0;
inline std::function<void()> others;

// Who is held up by one who is stopped would try for ever.
inline constexpr int endless = 1'000'000;
inline int accesses = -1;  // of all, since the stop began; less than none between stops

inline void before_access() {
    if (accesses >= 0 && ++accesses > endless) {
        std::fputs("somebody waits for one who is stopped\n", stderr);
        std::abort();
    }
    if (others && left-- == 0) std::exchange(others, nullptr)();
}

// Does `one`, and `some` before its access number `when`; false if it has fewer.
template <class One, class Some>
bool stop(int when, One one, Some some) {
    left = when;
    others = some;
    accesses = 0;
    one();
    accesses = -1;
    return !std::exchange(others, nullptr);
}

}  // namespace stopped

namespace weir {

template <class T>
class atomic {
public:
    static_assert(std::is_trivially_copyable_v<T>);

    constexpr atomic() noexcept = default;
    constexpr explicit atomic(T value) noexcept : value_(value) {}
    atomic(const atomic&) = delete;
    atomic& operator=(const atomic&) = delete;
    ~atomic() = default;

    [[nodiscard]] T load_relaxed() const noexcept {
        stopped::before_access();
        return value_;
    }
    [[nodiscard]] T load_acquire() const noexcept { return load_relaxed(); }
    void store_relaxed(T value) noexcept {
        stopped::before_access();
        value_ = value;
    }
    void store_release(T value) noexcept { store_relaxed(value); }
    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        stopped::before_access();
        const bool same = value_ == expected;
        expected = std::exchange(value_, same ? desired : value_);
        return same;
    }
    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        return try_exchange_relaxed(expected, desired);
    }
    T fetch_add_relaxed(T amount) noexcept {
        stopped::before_access();
        return std::exchange(value_, static_cast<T>(value_ + amount));
    }
    T fetch_add_release(T amount) noexcept { return fetch_add_relaxed(amount); }

private:
    T value_{};
};

}  // namespace weir

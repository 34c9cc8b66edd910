// SPDX-License-Identifier: MIT
// Atomics with one order too weak, for checks that must find what that breaks.
#pragma once

#include "relacy_atomic.hpp"

namespace model {

template <class T>
class reads_relaxed : public relacy_atomic<T> {
public:
    using relacy_atomic<T>::relacy_atomic;
    [[nodiscard]] T load_acquire() const noexcept { return this->load_relaxed(); }
};

template <class T>
class writes_relaxed : public relacy_atomic<T> {
public:
    using relacy_atomic<T>::relacy_atomic;
    void store_release(T value) noexcept { this->store_relaxed(value); }
};

template <class T>
class exchanges_relaxed : public relacy_atomic<T> {
public:
    using relacy_atomic<T>::relacy_atomic;
    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        return this->try_exchange_relaxed(expected, desired);
    }
};

}  // namespace model

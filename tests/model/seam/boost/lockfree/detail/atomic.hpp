// SPDX-License-Identifier: MIT
// In place of Boost's header of this name: the indices of its queues become Relacy's atomics, so
// that what is pushed into a lane is explored like all that weir's own atomics publish.
#pragma once

#include <weir/base/atomic.hpp>

namespace boost::lockfree {

enum memory_order { memory_order_relaxed, memory_order_acquire, memory_order_release };

template <class T>
class atomic : weir::atomic<T> {
public:
    using weir::atomic<T>::atomic;

    [[nodiscard]] T load(memory_order order) const noexcept {
        return order == memory_order_relaxed ? this->load_relaxed() : this->load_acquire();
    }
    [[nodiscard]] static constexpr bool is_lock_free() noexcept { return true; }
    void store(T value, memory_order order) noexcept {
        order == memory_order_relaxed ? this->store_relaxed(value) : this->store_release(value);
    }
};

namespace detail {
using lockfree::atomic;
using lockfree::memory_order_acquire;
using lockfree::memory_order_relaxed;
using lockfree::memory_order_release;
}  // namespace detail

}  // namespace boost::lockfree

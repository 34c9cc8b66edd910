// SPDX-License-Identifier: MIT
// In place of include/weir/base/atomic.hpp, before which this folder is searched: what takes its
// atomics from there and not from a template parameter, as the limiter and a lane do, gets
// Relacy's.
#pragma once

#include "../../../relacy_atomic.hpp"

namespace weir {

// Planted bugs, for the checks that they are found.
inline bool releases_relaxed = false;
inline bool exchanges_in_two_steps = false;
inline bool exchanges_relaxed = false;

template <class T>
class atomic : public model::relacy_atomic<T> {
public:
    using model::relacy_atomic<T>::relacy_atomic;

    void store_release(T value) noexcept {
        releases_relaxed ? this->store_relaxed(value)
                         : model::relacy_atomic<T>::store_release(value);
    }

    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        return exchanges_relaxed ? try_exchange_relaxed(expected, desired)
                                 : model::relacy_atomic<T>::try_exchange_acq_rel(expected, desired);
    }

    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        if (!exchanges_in_two_steps) {
            return model::relacy_atomic<T>::try_exchange_relaxed(expected, desired);
        }
        const T seen = this->load_relaxed();
        const bool same = seen == expected;
        if (same) this->store_relaxed(desired);
        expected = seen;
        return same;
    }
};

}  // namespace weir

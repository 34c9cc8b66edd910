// In place of include/weir/base/atomic.hpp, before which this folder is searched: what takes its
// atomics from there and not from a template parameter, as the limiter and a lane do, gets
// Relacy's.
#pragma once

#include "../../../relacy_atomic.hpp"

namespace weir {

// A planted bug, for the check that it is found.
inline bool releases_relaxed = false;

template <class T>
class atomic : public model::relacy_atomic<T> {
public:
    using model::relacy_atomic<T>::relacy_atomic;

    void store_release(T value) noexcept {
        releases_relaxed ? this->store_relaxed(value)
                         : model::relacy_atomic<T>::store_release(value);
    }
};

}  // namespace weir

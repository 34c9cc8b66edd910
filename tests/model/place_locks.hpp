// SPDX-License-Identifier: MIT
// Relacy's mutex for the queue of those who wait for a place; or none, which must be found.
#pragma once

#include <weir/limiter/in_flight.hpp>

#include "check.hpp"

namespace model {

// Begun before each schedule, and ended after it.
inline shared<rl::mutex> place_mutex;

template <bool Locks>
struct place_locks {
    struct guard {
        guard() {
            if (Locks) place_mutex->lock(RL_INFO);
        }
        ~guard() {
            if (Locks) place_mutex->unlock(RL_INFO);
        }
        guard(const guard&) = delete;
        guard& operator=(const guard&) = delete;
    };
    static guard lock(const weir::in_flight&) { return {}; }
};

}  // namespace model

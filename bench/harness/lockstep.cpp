// SPDX-License-Identifier: MIT
#include "lockstep.hpp"

#include <atomic>
#include <chrono>
#include <sched.h>
#include <sys/resource.h>

namespace bench {

// Its orders make the tallies of one thread visible to the other; the last to arrive pairs with all
// who wait.
void lockstep::meet() noexcept {
    const unsigned generation = generation_.value.load(std::memory_order_acquire);
    if (arrived_.value.fetch_add(1, std::memory_order_acq_rel) == threads_ - 1) {
        arrived_.value.store(0, std::memory_order_relaxed);
        generation_.value.store(generation + 1, std::memory_order_release);
    } else {
        // Who has waited for long waits for a thread without a core, and may have the one that it
        // needs. The system counts a yield as a core that it took away.
        for (unsigned spins = 0; generation_.value.load(std::memory_order_acquire) == generation;) {
            if (++spins < longest_spin)
                weir::spin_hint();
            else
                sched_yield();
        }
    }
}

double lockstep::probe(unsigned me) {
    line& mine = me == 0 ? ping_ : pong_;
    const line& theirs = me == 0 ? pong_ : ping_;
    mine.value.store(0, std::memory_order_relaxed);
    meet();
    const auto start = std::chrono::steady_clock::now();
    for (unsigned trip = 1; trip <= round_trips; ++trip) {
        if (me == 0) mine.value.store(trip, std::memory_order_relaxed);
        while (theirs.value.load(std::memory_order_relaxed) != trip) {
        }
        if (me == 1) mine.value.store(trip, std::memory_order_relaxed);
    }
    const std::chrono::duration<double, std::nano> elapsed =
        std::chrono::steady_clock::now() - start;
    meet();
    return elapsed.count() / (2.0 * round_trips);
}

long lockstep::switched_out() {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

}  // namespace bench

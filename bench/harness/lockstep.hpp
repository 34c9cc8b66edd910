// SPDX-License-Identifier: MIT
// lockstep: what two threads need that measure together: a barrier, a probe of the distance between
// their cores, and whether the system took a core away.
#pragma once

#include <atomic>

#include <weir/base/machine.hpp>

namespace bench {

struct alignas(weir::cache_line) line {
    std::atomic<unsigned> value{0};
};

class lockstep {
public:
    // One thread alone meets nobody.
    explicit lockstep(unsigned threads = 2) : threads_(threads) {}

    // Comes back when all have come. It spins, as a sleeping thread would start late and on a cold
    // core; after some milliseconds it yields, which `switched_out` shows.
    void meet() noexcept;

    // Nanoseconds for a line to come over from the other core. Both threads call it.
    double probe(unsigned me);

    // How many times the system took the core away from the calling thread.
    [[nodiscard]] static long switched_out();

private:
    static constexpr unsigned round_trips = 100;
    static constexpr unsigned longest_spin = 100'000;

    unsigned threads_;
    line arrived_;
    line generation_;
    line ping_;
    line pong_;
};

}  // namespace bench

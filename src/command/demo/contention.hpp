// SPDX-License-Identifier: MIT
// contention: one limiter hammered by all cores at once, and the count of what it let through
// beside the most that its quota allows.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include <weir/cell/quota.hpp>

namespace weir::command {

struct contention {
    quota asked;
    unsigned threads;
    double seconds;              // up to the last decision, by the limiter's clock
    std::uint64_t started_with;  // units
    std::uint64_t exact;         // with what is refilled in that time: the most that is allowed
    std::uint64_t admitted;      // units
    std::uint64_t denied;        // decisions
    double nanoseconds_per_decision;  // of one thread

    // Did the threads ask for more than was there? If not, what they got says nothing of the limit.
    [[nodiscard]] bool saturated() const { return denied != 0; }
};

// A slow one and a fast one. Their bursts are 400 ms' worth: long enough to sit out a moment in
// which a busy machine schedules no thread.
[[nodiscard]] std::vector<quota> contended_quotas();

[[nodiscard]] contention contend(const quota& q, unsigned threads,
                                 std::chrono::milliseconds duration);

}  // namespace weir::command

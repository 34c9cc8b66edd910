// SPDX-License-Identifier: MIT
// rivals: two threads that ask one limit without a pause, and what a decision takes then: weir's
// limits beside a mutex bucket and beside the least that it could take.
//
// It is measured in slices of some milliseconds (bench/harness/slice.hpp), which the rivals take in
// turns. A slice in which the system took a core away counts for nothing, since the two threads did
// not meet; what is told are the medians of the others.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace weir::command {

struct rival {
    std::string name;  // for programs
    std::string what;  // for people
    // Of one decision. None if the two threads never ran together; then `slices` is 0.
    double nanoseconds = 0;
    double tail = 0;  // 99.99 % of all decisions take no longer, with two readings of the clock
    unsigned slices = 0;
};

// The floor comes first. All that could be measured, so nothing where there is only one core.
[[nodiscard]] std::vector<rival> measure_rivals(std::chrono::milliseconds duration);

}  // namespace weir::command

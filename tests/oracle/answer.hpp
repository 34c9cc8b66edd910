// SPDX-License-Identifier: MIT
// What a model answers, in whole units and whole ticks.
#pragma once

#include <string>

#include "exact.hpp"

namespace oracle {

enum class outcome { admitted, wait, never };

struct answer {
    outcome verdict = outcome::admitted;
    integer remaining = 0;
    integer reset_after = 0;
    integer retry_after = 0;  // means nothing if the verdict is `never`

    friend bool operator==(const answer&, const answer&) = default;
};

struct partial {
    integer units = 0;
    answer after;
};

// A state that was saved.
struct saved_state {
    integer units = 0;
    integer ticks = 0;

    friend bool operator==(const saved_state&, const saved_state&) = default;
};

[[nodiscard]] inline std::string text_of(const answer& a) {
    const char* const names[] = {"admitted", "wait", "never"};
    return std::string(names[static_cast<int>(a.verdict)]) + " remaining " + text_of(a.remaining) +
           " reset " + text_of(a.reset_after) + " retry " + text_of(a.retry_after);
}

}  // namespace oracle

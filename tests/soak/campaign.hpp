// SPDX-License-Identifier: MIT
// campaign: rounds of all parts, several at a time, until the time is over, a promise is broken or
// somebody asks for the end. What it keeps does not grow with the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "round.hpp"

namespace weir::soak {

struct plan {
    std::uint64_t seed;  // of the first round; the next one's is one higher, and so on
    std::chrono::nanoseconds length;
    unsigned at_once;  // rounds
    std::span<const part> parts;
};

// The seed that begins a soak begins with that round.
struct breach {
    std::string part;
    std::uint64_t seed;
    std::string round;  // what was drawn
    std::string what;
};

struct results {
    std::vector<tally> parts;  // in the order of the plan's
    std::vector<breach> broken;
    double seconds = 0;

    [[nodiscard]] tally sum() const;
};

// `watch` is called several times a second with the results so far, and says whether to go on.
[[nodiscard]] results run(const plan& p, const std::function<bool(const results&)>& watch);

}  // namespace weir::soak

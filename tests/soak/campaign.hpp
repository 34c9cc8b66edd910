// SPDX-License-Identifier: MIT
// campaign: rounds of all parts, several at a time, until the time is over, a promise is broken,
// somebody asks for the end, or a watchdog finds a thread that makes no progress. What it keeps
// does not grow with the time.
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
    // So many looks of the watchdog, a tenth of a second apart at least, a thread may make no
    // progress: a minute. It may make none ten times as long as any did that made some afterwards,
    // so a machine that is slower has more.
    unsigned patience = 600;
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
    unsigned longest_pause = 0;           // of a thread that went on after it, in looks
    std::vector<watched_thread> threads;  // at work when one of them was found stuck

    [[nodiscard]] tally sum() const;
};

// `watch` is called several times a second with the results so far, and says whether to go on.
// `bark` is told of a thread that makes no progress, as of a broken promise, and ends the process:
// nobody can wait for such a thread.
[[nodiscard]] results run(const plan& p, const std::function<bool(const results&)>& watch,
                          const std::function<void(const results&)>& bark);

}  // namespace weir::soak

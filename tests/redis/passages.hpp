// SPDX-License-Identifier: MIT
// What passed a limit of a fleet, and when: for the bound in every window.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#include <weir/cell/quota.hpp>

// By the clock that all processes of the machine share.
[[nodiscard]] inline std::int64_t time_now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// By how much the single units that passed at these times are, in some window, beyond rate x time.
// A time is read after the unit has passed, so a window may count one that came shortly before it:
// one for each thread that takes units, and no more, as that thread takes one after the other. A
// thousandth of the rate is for Redis's clock, which a time server may set faster.
[[nodiscard]] inline double most_beyond(std::vector<std::int64_t> times, const weir::quota& q) {
    std::sort(times.begin(), times.end());
    const double rate =
        1.001 * static_cast<double>(q.units()) / static_cast<double>(q.period().count());
    double level = 0;
    double most = 0;
    std::int64_t last = 0;
    for (const std::int64_t time : times) {
        level = std::max(0.0, level - static_cast<double>(time - last) * rate) + 1;
        last = time;
        most = std::max(most, level);
    }
    return most;
}

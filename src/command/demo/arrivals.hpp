// SPDX-License-Identifier: MIT
// The arrivals that every algorithm is shown: a fixed trace of single requests in virtual time.
#pragma once

#include <chrono>
#include <vector>

namespace weir::command {

// When each request arrives, in order.
using arrivals = std::vector<std::chrono::microseconds>;

constexpr std::chrono::seconds trace_length{20};
constexpr int usual_rate = 100;  // of every quota that the trace meets, per second
constexpr int peak_rate = 4 * usual_rate;

// A quiet base, a burst of three times the quota for a second, and a flood of four times.
[[nodiscard]] arrivals bursty_arrivals();

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// The arrivals that every algorithm is shown: a fixed trace of requests in virtual time, of twenty
// periods of the quota that they meet. A second of the trace stands for a period, and where the
// quota has more than a thousand units a request stands for several of them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <weir/cell/quota.hpp>

namespace weir::command {

// When each request arrives, in order.
using arrivals = std::vector<std::chrono::microseconds>;

constexpr std::chrono::seconds trace_length{20};
constexpr int usual_rate = 100;  // per second, of the quota that the trace meets unless told
constexpr int most_rate = 1000;
constexpr int peak = 4;  // times the quota's rate

// A quiet base, a burst of three times that rate for a second, and a flood of four times.
[[nodiscard]] arrivals bursty_arrivals(int rate = usual_rate);

struct scene {
    quota asked;          // as it was given
    quota played;         // the same in requests of the trace, each second
    std::uint64_t units;  // that a request stands for
    arrivals times;

    // So many times the units of a period: 400, or 1.23M.
    [[nodiscard]] std::string rate_in_words(unsigned factor) const;
    // So many periods: "second", "ten minutes", "2.5 s".
    [[nodiscard]] std::string in_words(int periods) const;
    [[nodiscard]] std::uint64_t in_units(std::uint64_t requests) const { return requests * units; }
    // Requests of the trace in one of its seconds, as units in one of real time.
    [[nodiscard]] std::vector<double> per_second(std::vector<double> rates) const;
};
[[nodiscard]] scene scene_for(const quota& q);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// bars: what the library promises about its speed, as multiples of what the machine can do.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "report.hpp"

namespace bench {

struct bar {
    std::string row;
    std::string reference;  // the row it is a multiple of; empty: the reference of its duel
    double limit;
    std::vector<double> runs{};  // the multiple, in each run that measured it
};

// Timings are noisy, so a bar fails only if it is missed by more than this share in every run.
inline constexpr double tolerance = 1.10;

// Notes a run's figures. A bar that has not failed keeps what it has.
void judge(std::vector<bar>& all, const report& figures);

[[nodiscard]] std::vector<bar> all_bars();
[[nodiscard]] bool fails(const bar& b);
[[nodiscard]] bool any_fails(const std::vector<bar>& all);

// A filter for Google Benchmark: the rows of the bars that fail, and what they are compared with.
[[nodiscard]] std::string failing_rows(const std::vector<bar>& all);

void write_bars(std::ostream& out, const std::vector<bar>& all);

}  // namespace bench

// SPDX-License-Identifier: MIT
// A shape as a chart for a terminal: what passes in solid blocks, what is refused as a light area
// above it; one row of text is the quota's rate.
#pragma once

#include <cstddef>
#include <string>

#include "command/demo/shapes.hpp"
#include "command/style.hpp"

namespace weir::command {

// The rows of one shape, each ended.
[[nodiscard]] std::string chart_of(const scene& t, const shape& s, const style& out);

// The time axis, to be put below a chart.
[[nodiscard]] std::string time_axis(const scene& t, const style& out);

// What the signs mean.
[[nodiscard]] std::string chart_legend(const scene& t, const style& out);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// A plot in rows of text: what passes in solid blocks, what came and did not pass as a light area
// above it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "command/style.hpp"

namespace weir::command {

struct plot {
    std::size_t gutter;  // columns to the left of the plot: labels and the axis
    int rows;
    double per_row;      // what the height of a row stands for
    std::string top;     // label of the highest row,
    std::string bottom;  // and of the lowest
};

// Columns that a plot has room for.
[[nodiscard]] std::size_t plot_columns(const plot& p, const style& out);

// The rows, each ended; both have as many values as there are columns.
[[nodiscard]] std::string plot_rows(const plot& p, const std::vector<double>& came,
                                    const std::vector<double>& passed, const style& out);

// The axis below a plot, with labels where they belong: at shares of its length.
[[nodiscard]] std::string plot_axis(const plot& p,
                                    const std::vector<std::pair<double, std::string>>& labels,
                                    const style& out);

// What the signs mean.
[[nodiscard]] std::string plot_legend(const plot& p, const style& out);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// shapes: what each cell of the catalogue lets through of the same arrivals, and some limits that
// are built of cells. Seconds are those of the trace.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <weir/cell/quota.hpp>

#include "command/demo/arrivals.hpp"
#include "command/sim/worst_window.hpp"

namespace weir::command {

struct shape {
    std::string algorithm;
    std::string character;  // what to look for, in some words
    quota asked;
    std::vector<bool> passed;  // of each arrival, whether it did
};

// Those that can hold the quota.
[[nodiscard]] std::vector<shape> shapes_of(const scene& t);

// The names of the others, and why.
struct without_shape {
    std::string names;
    std::string why;
};
[[nodiscard]] without_shape those_without_shape(const scene& t);

// Per second, in each of `bins` equal parts of the trace.
[[nodiscard]] std::vector<double> arrival_rates(const arrivals& all, std::size_t bins);
[[nodiscard]] std::vector<double> passed_rates(const arrivals& all, const shape& s,
                                               std::size_t bins);

[[nodiscard]] std::size_t passed_in_all(const shape& s);

// What passed in each second, wherever it begins, in microseconds; and the most of that.
[[nodiscard]] worst_window windows_of(const arrivals& all, const shape& s);
[[nodiscard]] std::size_t most_in_a_second(const arrivals& all, const shape& s);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// costs: what one decision takes beside the least that it could take: reading the clock, loading
// the cell's word and exchanging it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "command/demo/rivals.hpp"
#include "command/json.hpp"
#include "command/table.hpp"

namespace weir::command {

struct cost {
    std::string name;  // for programs
    std::string what;  // for people
    double nanoseconds;
    double floors;  // as a multiple of the floor of as many threads
};

// Of one thread: the best of many short repetitions, since what disturbs a measurement only ever
// makes it longer.
[[nodiscard]] std::vector<cost> measure_costs(std::chrono::milliseconds duration);

// What the same takes of two threads, beside two that do just the floor: of those that met.
void add_pairs(std::vector<cost>& to, const std::vector<rival>& all);

[[nodiscard]] table costs_table(const std::vector<cost>& costs);
void put(json& j, const cost& c);

}  // namespace weir::command

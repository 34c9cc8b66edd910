// costs: what one decision takes when nobody else is there, beside the least that it could take:
// reading the clock, loading the cell's word and exchanging it.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace weir::command {

struct cost {
    std::string name;  // for programs
    std::string what;  // for people
    double nanoseconds;
    double floors;  // as a multiple of the floor
};

// The best of many short repetitions: what disturbs a measurement only ever makes it longer.
[[nodiscard]] std::vector<cost> measure_costs(std::chrono::milliseconds duration);

}  // namespace weir::command

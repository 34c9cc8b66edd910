// SPDX-License-Identifier: MIT
// sections: the parts of a run that are not about the time of a decision: how exactly a rate is
// kept, how threads wait, what a limiter takes to begin, and programs that slow a pipe down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rounds.hpp"

namespace bench {

struct column {
    std::string heading;
    const char* format;
    bool is_cost = true;  // the less the better, so it is compared with the first line's
};

struct cell {
    std::optional<double> value{};  // none: it could not be measured
    bool as_told = true;
    std::optional<double> wrong_by{};  // at most; then no more digits are told than are known
};

struct section_line {
    std::string row;
    std::string title;
    std::vector<cell> cells;
};

// The first line is weir's.
struct section {
    std::string title;
    std::string what;
    std::vector<column> columns;
    std::vector<section_line> lines;
};

struct section_effort {
    unsigned rounds;         // of each figure
    std::uint64_t slow;      // ms at a unit a second
    std::uint64_t accuracy;  // ms at each other rate
    std::uint64_t waiting;   // ms at each rate
    std::uint64_t making;    // limiters
    unsigned processes;      // that make a first decision
    std::uint64_t pipe;      // ms at each rate
};

// Of the rows that can answer such a demand.
[[nodiscard]] section measure_accuracy(const std::vector<row>& rows, const section_effort& e);
[[nodiscard]] section measure_waiting(const std::vector<row>& rows, const section_effort& e);
[[nodiscard]] section measure_beginning(const std::vector<row>& rows, const section_effort& e);

// Programs that are missing are left out, with a sentence. `weir` is the command's path.
[[nodiscard]] section measure_pipes(const std::string& only, const std::string& weir,
                                    const section_effort& e, std::vector<std::string>& left_out);

}  // namespace bench

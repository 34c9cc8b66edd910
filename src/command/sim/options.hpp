// SPDX-License-Identifier: MIT
// What `weir sim` can be asked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>

#include "command/sim/generated.hpp"
#include "command/sim/trace.hpp"
#include "command/subcommand.hpp"

namespace weir::command {

// With the names of all limits.
[[nodiscard]] std::string sim_help();

struct sim_options {
    bool help = false;
    bool json = false;
    std::optional<quota> asked;
    std::vector<std::string> limits;
    bool all_limits = false;  // that can hold the quota
    std::vector<pattern> patterns;
    std::optional<trace_terms> log;
    nanoseconds length = seconds(60);
    std::optional<std::uint64_t> seed;
    std::size_t most_keys = 1'000'000;
    std::optional<std::uint64_t> suggest;  // in millionths of a hundredth
    nanoseconds longest_wait = seconds(3'600);
    std::size_t top = 10;
    std::optional<std::string> svg;
    std::optional<std::string> csv;
};

// Throws usage_error.
[[nodiscard]] sim_options parse_sim(arguments all);

}  // namespace weir::command

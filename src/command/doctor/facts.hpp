// SPDX-License-Identifier: MIT
// What a look at this machine finds out. Nothing is judged here: see findings.hpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "command/demo/costs.hpp"
#include "command/demo/machine.hpp"
#include "command/lateness.hpp"

namespace weir::command {

// What the system's files tell; nothing where a file is missing, as in many containers.
struct system_facts {
    std::optional<std::string> clock_source;     // of the kernel
    std::optional<std::string> governor;         // of the first core
    std::optional<double> cores_allowed;         // by a control group; a container's share
    std::optional<std::int64_t> realtime_share;  // of each second, in microseconds; below 0: all
    std::optional<std::uint64_t> stolen;  // ticks of all cores that a hypervisor took, so far
    bool in_container = false;
};
// `root` is /, or what a test puts in its place.
[[nodiscard]] system_facts read_system(const std::filesystem::path& root = "/");

// How far the counters of two cores are apart: as far as could be seen by messages between them.
struct core_skew {
    unsigned cores;   // that were compared with the first one
    double at_least;  // nanoseconds: a skew that is certain; 0: none could be seen
    double at_most;   // nanoseconds: it cannot be larger
};

struct doctor_facts {
    bool quick = false;
    machine where{};
    system_facts system;
    double clock_step = 0;         // nanoseconds: the smallest that was seen
    double system_clock_read = 0;  // nanoseconds for a reading of the system's clock
    double longest_gap = 0;  // nanoseconds in which a thread that only reads the clock did not
    std::optional<core_skew> skew;  // none: there is one core only, or cores cannot be chosen
    std::vector<cost> costs;
    std::vector<lateness> waits;
    std::optional<std::int64_t> timer_slack;  // nanoseconds
    int realtime_refused = 0;  // error number of asking for a real-time class; 0: it is allowed
    int fence_refused = 0;     // the same of membarrier
    std::string sections;      // whether a striped limit can use restartable sections
    bool has_sections = false;
    std::string hypervisor;              // empty: none is seen
    std::optional<double> stolen_share;  // of the time of the look
    std::optional<bool> shared_memory;   // may it be written?
};

// Calls `begins` with what is looked at next. It takes some seconds, or a part of one if `quick`.
[[nodiscard]] doctor_facts look_around(bool quick,
                                       const std::function<void(std::string_view)>& begins);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// What a simulation found out, for people and for programs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command/sim/keys.hpp"
#include "command/sim/subject.hpp"
#include "command/sim/suggestion.hpp"
#include "command/sim/timeline.hpp"
#include "command/sim/trace.hpp"
#include "command/style.hpp"

namespace weir::command {

struct simulated_limit {
    const limit_kind* kind;
    std::unique_ptr<subject> limit;

    [[nodiscard]] const tally& found() const { return limit->so_far(); }
};

struct sim_results {
    // Where the arrivals came from.
    std::string arrivals;               // as they were asked for
    std::optional<std::uint64_t> seed;  // if chance made any
    std::optional<trace_facts> log;
    std::optional<log_format> format;
    apart_by by = apart_by::nothing;
    std::unique_ptr<keys> known;

    // What came.
    std::uint64_t requests = 0;
    std::uint64_t units = 0;
    std::uint64_t begin = 0;  // nanoseconds of virtual time
    std::uint64_t end = 0;
    timeline came;                           // units
    std::vector<std::uint64_t> came_by_key;  // requests

    std::vector<simulated_limit> limits;
    std::vector<suggestion> suggestions;
    std::uint64_t suggested_of = 0;  // requests: the first so many
    std::uint64_t share = 0;         // asked for, in hundred-millionths
    std::size_t top = 0;
    bool interrupted = false;
    std::string svg;  // where it lies
    std::string csv;

    [[nodiscard]] std::size_t key_count() const { return known ? known->size() : 0; }
    // The time that pictures show: all of it, and that in which what waited still passed, but no
    // more than as long again.
    [[nodiscard]] std::uint64_t shown_end() const;
};

// The keys that a limit refuses most often, and of equal ones the earlier first.
[[nodiscard]] std::vector<std::uint32_t> worst_keys(const tally& of, std::size_t most);

// A time of the log as people read it, or seconds of virtual time.
[[nodiscard]] std::string time_text(const sim_results& r, std::uint64_t time);

// The same on an axis, so long after the beginning: only what differs along it. Within less than 20
// seconds that is the time since the beginning.
[[nodiscard]] std::string axis_text(const sim_results& r, std::uint64_t after);

// 1s, 20ms
[[nodiscard]] std::string period_text(const quota& q);

[[nodiscard]] std::string sim_text(const sim_results& r, const style& out);
[[nodiscard]] std::string sim_json(const sim_results& r);
[[nodiscard]] std::string sim_csv(const sim_results& r);
[[nodiscard]] std::string sim_svg(const sim_results& r);

}  // namespace weir::command

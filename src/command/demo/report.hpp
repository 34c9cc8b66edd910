// SPDX-License-Identifier: MIT
// What the demo found out, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/demo/arrivals.hpp"
#include "command/demo/contention.hpp"
#include "command/demo/costs.hpp"
#include "command/demo/machine.hpp"
#include "command/demo/rivals.hpp"
#include "command/demo/shapes.hpp"
#include "command/lateness.hpp"
#include "command/style.hpp"

namespace weir::command {

struct findings {
    machine where;
    bool quick;  // too short for its numbers to mean much
    std::vector<rival> rivals;
    std::vector<contention> contended;
    std::vector<lateness> paced;
    bool has_all;  // also what follows the first screen
    std::optional<scene> played;
    std::vector<shape> shapes;
    std::string svg;  // where it lies; empty if none was asked for
    std::vector<cost> costs;
};

// The first screen in parts, since each is shown as soon as it is known. Together they take no more
// than 24 lines of 80 columns.
[[nodiscard]] std::string machine_text(const findings& f, const style& out);
[[nodiscard]] std::string rivals_text(const findings& f, const style& out);
[[nodiscard]] std::string contention_text(const std::vector<contention>& all, const style& out);
[[nodiscard]] std::string pacing_text(const findings& f, const style& out);
[[nodiscard]] std::string more_text(const style& out);

// And what follows it.
[[nodiscard]] std::string shapes_text(const findings& f, const style& out);
[[nodiscard]] std::string costs_text(const findings& f, const style& out);
[[nodiscard]] std::string svg_text(const findings& f);

[[nodiscard]] std::string json_text(const findings& f);

}  // namespace weir::command

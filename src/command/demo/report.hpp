// SPDX-License-Identifier: MIT
// What the demo found out, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "command/demo/arrivals.hpp"
#include "command/demo/contention.hpp"
#include "command/demo/costs.hpp"
#include "command/demo/machine.hpp"
#include "command/demo/shapes.hpp"
#include "command/style.hpp"

namespace weir::command {

struct findings {
    machine where;
    bool quick;  // too short for its numbers to mean much
    std::vector<contention> contended;
    arrivals trace;
    std::vector<shape> shapes;
    std::string svg;     // where it lies; empty if none was written
    std::string no_svg;  // why not, if one was to be
    std::vector<cost> costs;
};

// The text in parts, since each is shown as soon as it is known.
[[nodiscard]] std::string machine_text(const findings& f, const style& out);
[[nodiscard]] std::string contention_text(const std::vector<contention>& all, const style& out);
[[nodiscard]] std::string shapes_text(const findings& f, const style& out);
[[nodiscard]] std::string costs_text(const findings& f, const style& out);

[[nodiscard]] std::string json_text(const findings& f);

}  // namespace weir::command

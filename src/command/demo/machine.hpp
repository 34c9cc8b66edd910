// SPDX-License-Identifier: MIT
// On what all this was measured.
#pragma once

#include <string>

#include <weir/clock/clock.hpp>

namespace weir::command {

struct machine {
    unsigned cores;         // that this process may use
    std::string processor;  // its model, or its architecture where no model is told
    clock_facts clock;      // of the default clock
};

[[nodiscard]] machine this_machine();

}  // namespace weir::command

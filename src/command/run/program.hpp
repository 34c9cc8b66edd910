// SPDX-License-Identifier: MIT
// The program that another one is to become, found as a shell does.
#pragma once

#include <string>
#include <vector>

namespace weir::command {

// Its errno, or 0 if the program is there and may be run.
[[nodiscard]] int look_for_program(const std::string& name);

// Becomes that program. Comes back with its errno if it cannot.
[[nodiscard]] int become(std::vector<std::string> words);

}  // namespace weir::command

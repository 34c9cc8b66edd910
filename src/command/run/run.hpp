// SPDX-License-Identifier: MIT
// weir run: a command, when a limit that all processes of the machine share admits it.
#pragma once

#include "command/subcommand.hpp"

namespace weir::command {

inline constexpr int run_failed = 125;  // as env, nice and timeout have it

// Comes back only if the command does not run.
int run_run(arguments all);

}  // namespace weir::command

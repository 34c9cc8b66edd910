// SPDX-License-Identifier: MIT
// weir limits: what limits there are in shared memory, and their end.
#pragma once

#include "command/subcommand.hpp"

namespace weir::command {

int run_limits(arguments all);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// weir demo: contention, shapes and costs on this machine, as text or as JSON.
#pragma once

#include "command/subcommand.hpp"

namespace weir::command {

int run_demo(arguments all);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// weir sim: what limits make of arrivals, in virtual time.
#pragma once

#include "command/subcommand.hpp"

namespace weir::command {

int run_sim(arguments all);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// weir pace: standard input to standard output, no faster than a rate.
#pragma once

#include "command/subcommand.hpp"

namespace weir::command {

int run_pace(arguments all);

}  // namespace weir::command

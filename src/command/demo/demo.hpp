// SPDX-License-Identifier: MIT
// weir demo: what the library does on this machine, as text or as JSON. One screen within five
// seconds, which is left to be read: the shapes and costs, which are long, come with --all.
#pragma once

#include "command/subcommand.hpp"

namespace weir::command {

int run_demo(arguments all);

}  // namespace weir::command

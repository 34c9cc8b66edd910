// weir soak: all parts of the library together under load, with what they promise checked all
// along.
#pragma once

#include <span>

#include "command/soak/round.hpp"
#include "command/subcommand.hpp"

namespace weir::command {

int run_soak(arguments all);

// The same of other parts.
int run_soak_of(std::span<const soak::part> parts, arguments all);

}  // namespace weir::command

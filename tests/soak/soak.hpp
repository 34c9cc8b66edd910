// SPDX-License-Identifier: MIT
// weir soak: all parts of the library together under load, with what they promise checked all
// along.
#pragma once

#include <span>

#include "command/subcommand.hpp"
#include "round.hpp"

namespace weir::soak {

int run_soak(command::arguments all);

// The same of other parts, and with another patience (see campaign.hpp) if it is not 0.
int run_soak_of(std::span<const part> parts, command::arguments all, unsigned patience = 0);

}  // namespace weir::soak

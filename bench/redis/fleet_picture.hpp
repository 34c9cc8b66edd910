// SPDX-License-Identifier: MIT
// A picture for who plans how many processes, units and calls a fleet is to have.
#pragma once

#include <string>

namespace bench {

// An SVG. Simulates fleets of up to a thousand processes first, which takes half a minute.
[[nodiscard]] std::string fleet_picture();

}  // namespace bench

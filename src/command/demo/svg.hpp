// SPDX-License-Identifier: MIT
// The shapes as an SVG image, a panel for each.
#pragma once

#include <string>
#include <vector>

#include "command/demo/shapes.hpp"

namespace weir::command {

[[nodiscard]] std::string svg_of(const scene& t, const std::vector<shape>& shapes);

}  // namespace weir::command

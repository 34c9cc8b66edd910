// SPDX-License-Identifier: MIT
// picture: what one decision takes, of each library, as an image in SVG.
#pragma once

#include <string>
#include <vector>

#include "rounds.hpp"

namespace bench {

// The average and the p99.99 of decisions that admit, of one thread and of two on one limit.
[[nodiscard]] std::string picture_of(const std::vector<row>& rows);

}  // namespace bench

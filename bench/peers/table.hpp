// SPDX-License-Identifier: MIT
// table: what a run found, for people and for programs.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "rounds.hpp"

namespace bench {

void write_peers(std::ostream& out, const std::vector<row>& rows);

// Of all samples of two threads that were kept: is the machine quiet enough to compare them?
void write_quiet(std::ostream& out, const std::vector<row>& rows);

[[nodiscard]] std::string peers_json(const std::vector<row>& rows);

}  // namespace bench

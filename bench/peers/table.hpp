// SPDX-License-Identifier: MIT
// table: what a run found, for people and for programs.
#pragma once

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "rounds.hpp"
#include "sections.hpp"

namespace bench {

void write_peers(std::ostream& out, const std::vector<row>& rows);

// Of all samples of two threads that were kept: is the machine quiet enough to compare them?
void write_quiet(std::ostream& out, const std::vector<row>& rows);

// Nothing of a section without lines.
void write_section(std::ostream& out, const section& s);

// A line for each figure, and no more digits than it is known by.
[[nodiscard]] std::string peers_json(const std::vector<row>& rows,
                                     const std::vector<section>& sections,
                                     const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace bench

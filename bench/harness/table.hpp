// SPDX-License-Identifier: MIT
// table: a table of Markdown that reads well in a terminal too.
#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace bench {

// The first line is the heading.
using lines = std::vector<std::vector<std::string>>;

// `right` says which columns are flushed right. Writes nothing if there is no line but the heading.
void write_lines(std::ostream& out, const lines& table, const std::vector<bool>& right);

// As printf does it.
[[nodiscard]] std::string text(const char* format, double value);

}  // namespace bench

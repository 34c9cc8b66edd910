// SPDX-License-Identifier: MIT
// The part of the report about keyed tables, besides their rows.
#pragma once

#include <iosfwd>

namespace bench {

// In keys.cpp: the memory that a key takes, and what a flood of keys does. Takes some seconds.
void write_keyed_tables(std::ostream& out);

}  // namespace bench

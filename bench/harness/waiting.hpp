// SPDX-License-Identifier: MIT
// The part of the report that is not made of rows.
#pragma once

#include <iosfwd>

namespace bench {

// In waiting.cpp: measures how waiting threads wake up, which takes some seconds.
void write_waiting(std::ostream& out);

}  // namespace bench

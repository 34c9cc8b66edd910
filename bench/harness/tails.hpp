// SPDX-License-Identifier: MIT
// The part of the report about the slowest decisions.
#pragma once

#include <iosfwd>

namespace bench {

// In tails.cpp. Takes two minutes; `quick`: some seconds, to see that it runs.
void write_tails(std::ostream& out, bool quick);

}  // namespace bench

// SPDX-License-Identifier: MIT
// The pacer's part of the report.
#pragma once

#include <iosfwd>

namespace bench {

// In pacer.cpp: what a push costs, how many items a pacer passes on, and how late it is by each way
// of waiting, and by whose fault, beside a bare loop of clock_nanosleep and beside busy processes.
// Takes two minutes.
void write_pacer(std::ostream& out);

}  // namespace bench

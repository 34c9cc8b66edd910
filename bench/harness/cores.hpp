// SPDX-License-Identifier: MIT
// The two cores that everything is measured on: a thread that moves between cores measures the
// move.
#pragma once

#include <vector>

namespace bench {

// One logical processor of each of two cores, of those that this process may use; only one where
// there is no second core. Siblings of one core would share its pipeline, not just a line.
[[nodiscard]] const std::vector<int>& cores();

// Keeps the calling thread, and those it starts, on cores()[index].
void pin(unsigned index);

}  // namespace bench

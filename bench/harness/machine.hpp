// SPDX-License-Identifier: MIT
// What the figures depend on: the machine, the compiler, the clock.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bench {

// In the order in which they are printed. No host name: a figure belongs to a kind of machine.
using facts = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] facts machine_facts();

// Short enough for a file: the processor's model and the number of cores, such as amd-epyc-2.
[[nodiscard]] std::string machine_name();

}  // namespace bench

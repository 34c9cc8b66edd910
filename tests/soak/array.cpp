// SPDX-License-Identifier: MIT
#include "parts.hpp"
#include "tables.hpp"

namespace weir::soak {

void soak_array(round& r) { soak_array_of<gcra<>>(r); }

}  // namespace weir::soak

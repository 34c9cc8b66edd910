// SPDX-License-Identifier: MIT
#include "turning_parts.hpp"

namespace weir::soak {

#define SOAK(kind, ...) template void soak_turning<kinds::kind, word>(round&);
WEIR_CELLS(SOAK)

}  // namespace weir::soak

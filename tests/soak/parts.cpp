// SPDX-License-Identifier: MIT
#include "parts.hpp"

#include <weir/cell/kinds.hpp>

namespace weir::soak {
namespace {

constexpr part parts[] = {
#define PART(kind, ...) {kinds::kind::name, soak_cell<kinds::kind>},
    WEIR_CELLS(PART)
#undef PART
        {"reservations", soak_reservations},
    {"waiting", soak_waiting},
    {"lease", soak_lease},
    {"all_of", soak_all_of},
    {"adjustable", soak_adjustable},
#ifdef WEIR_HAS_PACER
    {"pacer", soak_pacer},
#endif
};

}  // namespace

std::span<const part> all_parts() { return parts; }

const char* left_out() {
#ifdef WEIR_HAS_PACER
    return "";
#else
    return "without the pacer, since Boost was missing when this was built";
#endif
}

}  // namespace weir::soak

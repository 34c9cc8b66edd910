// SPDX-License-Identifier: MIT
#include "parts.hpp"

#include <vector>

#include <weir/cell/kinds.hpp>

namespace weir::soak {

std::span<const part> all_parts() {
    static const std::vector<part> all = [] {
        std::vector<part> parts;
#define PART(kind, bits, ...)                                                                      \
    parts.push_back({#kind, soak_cell<kinds::kind>});                                              \
    if constexpr ((bits) <= bits_of<std::uint32_t>) {                                              \
        parts.push_back({#kind ", wrapped", soak_turning<kinds::kind, word>});                     \
        parts.push_back({#kind ", 32 bits", soak_turning<kinds::kind, std::uint32_t>});            \
    }
        WEIR_CELLS(PART)
#undef PART
        parts.insert(parts.end(), {
                                      {"reservations", soak_reservations},
                                      {"waiting", soak_waiting},
                                      {"lease", soak_lease},
                                      {"all_of", soak_all_of},
                                      {"adjustable", soak_adjustable},
                                      {"limiter_array", soak_array},
                                      {"keyed_limits", soak_keyed},
                                      {"striped", soak_striped},
                                      {"shared memory", soak_shared_memory},
#ifdef WEIR_HAS_PACER
                                      {"pacer", soak_pacer},
                                      {"priorities", soak_priorities},
#endif
                                  });
        return parts;
    }();
    return all;
}

const char* left_out() {
#ifdef WEIR_HAS_PACER
    return "";
#else
    return "without the pacer, since Boost was missing when this was built";
#endif
}

}  // namespace weir::soak

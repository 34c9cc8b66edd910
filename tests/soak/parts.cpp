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
        parts.push_back({"reservations", soak_reservations});
        parts.push_back({"waiting", soak_waiting});
        parts.push_back({"lease", soak_lease});
        parts.push_back({"all_of", soak_all_of});
        parts.push_back({"adjustable", soak_adjustable});
        parts.push_back({"limiter_array", soak_array});
        parts.push_back({"keyed_limits", soak_keyed});
        parts.push_back({"striped", soak_striped});
        if (why_no_shared_memory() == nullptr) {
            parts.push_back({"shared memory", soak_shared_memory});
        }
#ifdef WEIR_HAS_PACER
        parts.push_back({"pacer", soak_pacer});
        parts.push_back({"priorities", soak_priorities});
#endif
        return parts;
    }();
    return all;
}

std::string left_out() {
    std::string without;
#ifndef WEIR_HAS_PACER
    without = "without the pacer, since Boost was missing when this was built";
#endif
    if (const char* why = why_no_shared_memory()) {
        without += (without.empty() ? "" : "; ") + std::string("without shared memory: ") + why;
    }
    return without;
}

}  // namespace weir::soak

#include "parts.hpp"

namespace weir::soak {
namespace {

constexpr part parts[] = {
    {"gcra", soak_gcra},
    {"leaky_bucket", soak_leaky_bucket},
    {"token_bucket", soak_token_bucket},
    {"fixed_window", soak_fixed_window},
    {"aligned_window", soak_aligned_window},
    {"sliding_window", soak_sliding_window},
    {"sliding_log", soak_sliding_log},
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

// SPDX-License-Identifier: MIT
// pacer_error: why a schedule or a pacer is refused.
#pragma once

#include <cstdint>

namespace weir {

enum class pacer_error : std::uint8_t {
    none,
    clock_without_frequency,
    rate_too_fine,
    burst_too_long,
    catch_up_negative,
    frames_not_positive,
    lane_without_places,
    too_many_places,
    no_keys,
};

[[nodiscard]] constexpr const char* describe(pacer_error reason) noexcept {
    switch (reason) {
        case pacer_error::none: return "no error";
        case pacer_error::clock_without_frequency:
            return "the clock must tick at least once per second";
        case pacer_error::rate_too_fine: return "a schedule cannot hold the rate within 1 %";
        case pacer_error::burst_too_long:
            return "burst and catch-up together span more time than a schedule can hold";
        case pacer_error::catch_up_negative:
            return "what a pacer may catch up must not be negative";
        case pacer_error::frames_not_positive:
            return "a pacer must be polled in at least one frame per second";
        case pacer_error::lane_without_places: return "a lane must have at least one place";
        case pacer_error::too_many_places:
            return "there are at most 2^30 places of keys, and of items that can be withdrawn";
        case pacer_error::no_keys: return "a keyed pacer must have a place for one key at least";
    }
    return "unknown error";
}

namespace detail {

// Not constexpr: in a constant expression the compiler stops here and shows the name.
inline void this_schedule_cannot_hold_its_quota_or_its_catch_up() {}

}  // namespace detail

// For `result`: stops the compiler.
constexpr void must_not_compile(pacer_error reason) {
    if (reason != pacer_error::none) detail::this_schedule_cannot_hold_its_quota_or_its_catch_up();
}

}  // namespace weir

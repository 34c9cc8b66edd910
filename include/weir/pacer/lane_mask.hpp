// SPDX-License-Identifier: MIT
// lane_mask: a set of a pacer's lanes, one bit per lane. Pure functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace weir {

template <std::size_t Lanes>
using lane_mask = std::conditional_t<(Lanes > 32), std::uint64_t, std::uint32_t>;

template <std::size_t Lanes>
[[nodiscard]] constexpr lane_mask<Lanes> bit_of(std::size_t lane) noexcept {
    return static_cast<lane_mask<Lanes>>(lane_mask<Lanes>{1} << lane);
}
template <std::size_t Lanes>
[[nodiscard]] constexpr lane_mask<Lanes> all_but(std::size_t lane) noexcept {
    return static_cast<lane_mask<Lanes>>(~bit_of<Lanes>(lane));
}

// Calls act(lane) for each lane of the set. Of a lane alone the compiler knows where it is.
template <std::size_t Lanes, class Act>
constexpr void for_each_lane(lane_mask<Lanes> some, Act act) noexcept {
    if constexpr (Lanes == 1) {
        if (some != 0) act(std::size_t{0});
    } else {
        for (; some != 0; some = static_cast<lane_mask<Lanes>>(some & (some - 1))) {
            act(static_cast<std::size_t>(std::countr_zero(some)));
        }
    }
}

}  // namespace weir

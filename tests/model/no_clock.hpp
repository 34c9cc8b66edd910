// SPDX-License-Identifier: MIT
// A clock for limits whose every time is given.
#pragma once

#include <cstdint>

#include <weir/clock/clock.hpp>

namespace model {

template <std::uint64_t Hertz>
struct no_clock {
    static constexpr std::uint64_t lowest_hertz = Hertz;
    static constexpr std::uint64_t highest_hertz = Hertz;
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return Hertz; }
    [[nodiscard]] static constexpr weir::instant<no_clock> now() noexcept {
        return weir::instant<no_clock>();
    }
    [[nodiscard]] static constexpr weir::clock_facts facts() noexcept { return {}; }
};

}  // namespace model

// SPDX-License-Identifier: MIT
// ticket: names one item that was pushed into a lane that can be steered, so that it can be
// cancelled. A value; it belongs to whoever has it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/word.hpp>

namespace weir {

// Of no item unless a push has answered it. A lane gives each number once until its counter comes
// round: after 2^63 items, or 2^31 where words have 32 bits.
struct ticket {
    word number = 0;
    std::uint32_t lane = 0;

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return number != 0; }
    friend constexpr bool operator==(const ticket&, const ticket&) = default;
};

// In place of a ticket, of lanes that cannot be steered.
struct no_ticket {};

// Places of a lane that can be steered.
inline constexpr std::size_t most_steered_places = std::size_t{1} << 30;

}  // namespace weir

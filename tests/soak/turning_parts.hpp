// SPDX-License-Identifier: MIT
// Rounds of each cell whose time comes round in the middle of them. A cell of 32 bits has the
// microseconds that a small machine counts.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/cell/kinds.hpp>

#include "cells.hpp"
#include "parts.hpp"
#include "turning.hpp"

namespace weir::soak {

// Windows of the clock are of a clock that does not come round. What a word of 32 bits cannot hold
// is of such a clock.
template <class Kind, class Word>
void soak_turning(round& r) {
    constexpr std::size_t places = 256;
    constexpr bool whole = sizeof(Word) == sizeof(word);
    constexpr std::uint64_t hertz = whole ? nanoseconds::per_second : 1'000'000;
    if constexpr (Kind::template fits<std::uint32_t>) {
        soak_of_its_family<typename Kind::template cell<places, Word>, turning_clock<hertz>>(
            r, places);
    }
}

}  // namespace weir::soak

// SPDX-License-Identifier: MIT
// Exact integers for the models: 128 bits hold every instant (64-bit ticks with up to 32 further
// bits of fraction) and every sum the models form, so nothing here wraps, rounds or saturates.
#pragma once

#include <algorithm>
#include <string>

#include "long_integer.hpp"

namespace oracle {

#ifdef __SIZEOF_INT128__
__extension__ typedef __int128 integer;  // NOLINT(modernize-use-using)
#else
using integer = long_integer;
#endif

// For any numerator and a positive denominator.
[[nodiscard]] constexpr integer floor_of(integer numerator, integer denominator) {
    const integer quotient = numerator / denominator;
    return numerator % denominator < 0 ? quotient - 1 : quotient;
}

[[nodiscard]] constexpr integer ceiling_of(integer numerator, integer denominator) {
    return -floor_of(-numerator, denominator);
}

[[nodiscard]] inline std::string text_of(integer value) {
    if (value < 0) return "-" + text_of(-value);
    std::string digits;
    do {
        digits += static_cast<char>('0' + static_cast<int>(value % 10));
        value /= 10;
    } while (value != 0);
    std::reverse(digits.begin(), digits.end());
    return digits;
}

}  // namespace oracle

// SPDX-License-Identifier: MIT
// 128-bit arithmetic for exact products and quotients, on every target: 32-bit compilers have no
// __int128. Only the products are meant for a hot path; divisions belong to set-up and to
// answers that are asked for seldom.
#pragma once

#include <compare>
#include <cstdint>
#include <type_traits>

namespace weir {

#ifdef __SIZEOF_INT128__
namespace detail {
__extension__ typedef unsigned __int128 u128;  // NOLINT(modernize-use-using)
}
#endif

struct wide {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    friend constexpr bool operator==(wide, wide) = default;
    friend constexpr auto operator<=>(wide, wide) = default;  // high is compared first

    [[nodiscard]] constexpr wide operator+(wide other) const noexcept {
        const std::uint64_t sum = low + other.low;
        return {high + other.high + (sum < low ? 1U : 0U), sum};
    }
    [[nodiscard]] constexpr wide operator-(wide other) const noexcept {
        return {high - other.high - (low < other.low ? 1U : 0U), low - other.low};
    }
    [[nodiscard]] constexpr wide operator<<(unsigned by) const noexcept {
        if (by == 0) return *this;
        if (by >= 64) return {low << (by - 64), 0};
        return {(high << by) | (low >> (64 - by)), low << by};
    }
    [[nodiscard]] constexpr bool fits(std::uint64_t bound) const noexcept {
        return high == 0 && low <= bound;
    }
};

[[nodiscard]] constexpr wide multiply(std::uint64_t a, std::uint64_t b) noexcept {
#ifdef __SIZEOF_INT128__
    const auto product = static_cast<detail::u128>(a) * b;
    return {static_cast<std::uint64_t>(product >> 64), static_cast<std::uint64_t>(product)};
#else
    constexpr std::uint64_t mask = 0xFFFF'FFFFU;
    const std::uint64_t ll = (a & mask) * (b & mask);
    const std::uint64_t lh = (a & mask) * (b >> 32);
    const std::uint64_t hl = (a >> 32) * (b & mask);
    const std::uint64_t middle = (ll >> 32) + (lh & mask) + (hl & mask);
    return {(a >> 32) * (b >> 32) + (lh >> 32) + (hl >> 32) + (middle >> 32),
            (middle << 32) | (ll & mask)};
#endif
}

// The upper half of a product: one instruction where Word is the machine's own.
template <class Word>
[[nodiscard]] constexpr Word mul_high(Word a, Word b) noexcept {
    if constexpr (sizeof(Word) == 8) {
        return multiply(a, b).high;
    } else {
        return static_cast<Word>((std::uint64_t{a} * b) >> (8 * sizeof(Word)));
    }
}

struct division {
    wide quotient;
    wide remainder;
};

namespace detail {

// Schoolbook, one bit at a time.
[[nodiscard]] constexpr division divide_by_bits(wide numerator, wide divisor) noexcept {
    division result;
    for (unsigned bit = numerator.high == 0 ? 64 : 128; bit-- > 0;) {
        const std::uint64_t limb = bit >= 64 ? numerator.high : numerator.low;
        result.remainder = (result.remainder << 1) + wide{0, (limb >> (bit % 64)) & 1U};
        result.quotient = result.quotient << 1;
        if (result.remainder >= divisor) {
            result.remainder = result.remainder - divisor;
            result.quotient.low |= 1U;
        }
    }
    return result;
}

}  // namespace detail

// The divisor must be neither zero nor above 2^127.
[[nodiscard]] constexpr division divide(wide numerator, wide divisor) noexcept {
    if (numerator.high == 0 && divisor.high == 0) {
        return {{0, numerator.low / divisor.low}, {0, numerator.low % divisor.low}};
    }
#ifdef __SIZEOF_INT128__
    const auto n = static_cast<detail::u128>(numerator.high) << 64 | numerator.low;
    const auto d = static_cast<detail::u128>(divisor.high) << 64 | divisor.low;
    const detail::u128 quotient = n / d;
    const detail::u128 remainder = n - quotient * d;
    return {{static_cast<std::uint64_t>(quotient >> 64), static_cast<std::uint64_t>(quotient)},
            {static_cast<std::uint64_t>(remainder >> 64), static_cast<std::uint64_t>(remainder)}};
#else
    return detail::divide_by_bits(numerator, divisor);
#endif
}

[[nodiscard]] constexpr wide divide_up(wide numerator, wide divisor) noexcept {
    const division d = divide(numerator, divisor);
    return d.remainder == wide{} ? d.quotient : d.quotient + wide{0, 1};
}

}  // namespace weir

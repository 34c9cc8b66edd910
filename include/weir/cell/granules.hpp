// SPDX-License-Identifier: MIT
// granules: what a time is in whole numbers of something, and how much rounding has made of it. A
// quota's times are quotients of two products, which no machine's division holds exactly.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/wide.hpp>
#include <weir/cell/quota.hpp>

namespace weir {

// A time divided by the length of a granule, as `exact` / `one`.
class granules {
public:
    constexpr granules(wide exact, wide one) noexcept
        : exact_(exact), one_(one), counted_(divide(exact, one)) {}

    [[nodiscard]] constexpr bool are_whole() const noexcept { return counted_.remainder == wide{}; }
    [[nodiscard]] constexpr wide rounded_up() const noexcept {
        return are_whole() ? counted_.quotient : counted_.quotient + wide{0, 1};
    }
    [[nodiscard]] constexpr bool are_at_least(std::uint64_t n) const noexcept {
        return !counted_.quotient.fits(n - 1);
    }
    // Does rounding up add a hundredth of the time at most?
    [[nodiscard]] constexpr bool within_a_hundredth() const noexcept {
        return are_whole() || hundredfold(one_ - counted_.remainder) <= exact_;
    }

private:
    [[nodiscard]] static constexpr wide hundredfold(wide x) noexcept {
        return (x << 6) + (x << 5) + (x << 2);
    }

    wide exact_;
    wide one_;
    division counted_;
};

// A quota's period in ticks, or a part of it: a granule is a tick.
struct exact_ticks {
    wide numerator;
    wide denominator;

    constexpr exact_ticks(const quota& q, std::uint64_t parts, std::uint64_t hertz) noexcept
        : numerator(multiply(static_cast<std::uint64_t>(q.period().count()), hertz)),
          denominator(multiply(parts, nanoseconds::per_second)) {}

    // A granule is 2^low_bits fractions, and a tick is 2^shift.
    [[nodiscard]] constexpr granules in_granules(unsigned shift, unsigned low_bits) const noexcept {
        const unsigned finer = shift > low_bits ? shift - low_bits : 0;
        const unsigned coarser = low_bits > shift ? low_bits - shift : 0;
        return {numerator << finer, denominator << coarser};
    }
    [[nodiscard]] constexpr granules whole_ticks() const noexcept { return in_granules(0, 0); }
};

}  // namespace weir

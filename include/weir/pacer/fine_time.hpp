// SPDX-License-Identifier: MIT
// fine_time: ticks and, below them, as many bits again. A pacer's interval, which as a rule is no
// whole number of ticks, is held so finely that ten million items later not a tick is missing: the
// remainder that whole ticks would have to carry along.
#pragma once

#include <cstdint>

#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>

namespace weir {

template <class Word>
struct fine_time {
    Word ticks = 0;
    Word parts = 0;  // of a tick, of which there are as many as Word has values

    friend constexpr bool operator==(fine_time, fine_time) = default;

    // On the circle, as all times.
    [[nodiscard]] constexpr fine_time operator+(fine_time other) const noexcept {
        const auto sum = static_cast<Word>(parts + other.parts);
        return {static_cast<Word>(ticks + other.ticks + (sum < parts ? 1U : 0U)), sum};
    }
    [[nodiscard]] constexpr fine_time operator-(fine_time other) const noexcept {
        return {static_cast<Word>(ticks - other.ticks - (parts < other.parts ? 1U : 0U)),
                static_cast<Word>(parts - other.parts)};
    }
    [[nodiscard]] constexpr fine_time operator*(Word n) const noexcept {
        return {static_cast<Word>(ticks * n + mul_high(parts, n)), static_cast<Word>(parts * n)};
    }
    [[nodiscard]] constexpr bool earlier_than(fine_time other) const noexcept {
        return ticks == other.ticks ? parts < other.parts : earlier(ticks, other.ticks);
    }
    [[nodiscard]] constexpr Word rounded_up() const noexcept {
        return static_cast<Word>(ticks + (parts != 0 ? 1U : 0U));
    }
    [[nodiscard]] constexpr fine_time half() const noexcept {
        const auto low = static_cast<Word>(ticks << (bits_of<Word> - 1));
        return {static_cast<Word>(ticks >> 1), static_cast<Word>((parts >> 1) | low)};
    }

    // In 2^64 parts.
    [[nodiscard]] constexpr wide exact() const noexcept {
        return {ticks, static_cast<std::uint64_t>(parts) << (64 - bits_of<Word>)};
    }

    // numerator / denominator ticks, rounded up; the largest time if it does not fit. The
    // denominator must be below 2^127.
    [[nodiscard]] static constexpr fine_time from(wide numerator, wide denominator) noexcept {
        const division whole = divide(numerator, denominator);
        if (!whole.quotient.fits(largest<Word> - 1)) return {largest<Word>, largest<Word>};
        fine_time time{static_cast<Word>(whole.quotient.low), 0};
        wide rest = whole.remainder;
        for (unsigned i = 0; i < bits_of<Word>; ++i) {
            rest = rest << 1;
            const bool one = rest >= denominator;
            if (one) rest = rest - denominator;
            time.parts = static_cast<Word>((time.parts << 1) | (one ? 1U : 0U));
        }
        return rest == wide{} ? time : time + fine_time{0, 1};
    }
};

}  // namespace weir

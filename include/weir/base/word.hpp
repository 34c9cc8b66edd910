// SPDX-License-Identifier: MIT
// The machine word of weir: the widest unsigned integer that this target compares and exchanges
// without a lock, and the tick, one instant of one clock.
//
// Times live on a circle: a word wraps. What is compared is therefore never two instants but the
// distance between them, which is right as long as it stays below half the circle.
#pragma once

#include <cstdint>
#include <type_traits>

namespace weir {

using word = std::conditional_t<__atomic_always_lock_free(sizeof(std::uint64_t), nullptr),
                                std::uint64_t, std::uint32_t>;

// An instant in the integer time of one clock. A type of its own, so that nobody passes an instant
// where a count belongs.
struct tick {
    word count = 0;

    friend constexpr bool operator==(tick, tick) = default;
};

template <class Word>
inline constexpr unsigned bits_of = sizeof(Word) * 8;

template <class Word>
inline constexpr Word largest = static_cast<Word>(~Word{0});

// std::min without <algorithm>, which is large.
template <class T>
[[nodiscard]] constexpr T smaller(T a, T b) noexcept {
    return b < a ? b : a;
}

// Instants on the circle: is `a` earlier than `b`, seen from less than half the circle away?
template <class Word>
[[nodiscard]] constexpr bool earlier(Word a, Word b) noexcept {
    return static_cast<Word>(a - b) > largest<Word> / 2;
}

[[nodiscard]] constexpr bool earlier(tick a, tick b) noexcept { return earlier(a.count, b.count); }

}  // namespace weir

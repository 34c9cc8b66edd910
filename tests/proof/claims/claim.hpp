// SPDX-License-Identifier: MIT
// What all claims are made of. A claim is a function of any rate, state, time and counts whatsoever
// that is to be true; the solver proves it from its compiled form, and the enumeration calls it.
#pragma once

#include <cstdint>

#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>

namespace proof {

template <class Rate>
struct asked {
    using word = typename Rate::word_type;
    Rate rate;
    word state;
    word now;
    word n;  // units; also what is told of a server
    word x;  // any number more: how late, how much later, how long
    word y;
};

template <class Word>
[[nodiscard]] constexpr weir::tick at(Word time) noexcept {
    return {static_cast<weir::word>(time)};
}
// Of a time and a length of time, on the circle.
template <class Word>
[[nodiscard]] constexpr weir::tick later(Word time, Word by) noexcept {
    return {static_cast<weir::word>(static_cast<Word>(time + by))};
}
template <class Word>
[[nodiscard]] constexpr weir::tick sooner(Word time, Word by) noexcept {
    return {static_cast<weir::word>(static_cast<Word>(time - by))};
}

[[nodiscard]] constexpr bool implies(bool a, bool b) noexcept { return !a || b; }

}  // namespace proof

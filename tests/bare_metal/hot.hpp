// SPDX-License-Identifier: MIT
// The functions of 32-bit cells that are measured, inspected and stepped through.
#pragma once

#include <weir/clock/systick.hpp>
#include <weir/weir.hpp>

template <class Cell>
struct hot {
    using word = typename Cell::word_type;
    using rate = typename Cell::rate;

    static bool try_one(Cell& cell, weir::tick now, const rate& r) noexcept;
    static bool try_many(Cell& cell, weir::tick now, word n, const rate& r) noexcept;
    static bool charge(Cell& cell, weir::tick now, word n, const rate& r) noexcept;
    static bool peek(const Cell& cell, weir::tick now, word n, const rate& r) noexcept;
};

// What firmware does most: a quota that the compiler knows and a clock that the core has.
using milliseconds = weir::systick_clock<1'000>;
inline constexpr auto button_rate =
    *weir::gcra<>::rate::make(weir::quota{1, weir::milliseconds(50), 1}, milliseconds::hertz());

bool hot_button(weir::gcra<>& cell) noexcept;

// SPDX-License-Identifier: MIT
// What the tests of waiting threads have in common.
#pragma once

#include <cstdint>

#include <weir/weir.hpp>

template <class Cell>
using limiter_of = weir::limiter<Cell, weir::steady_clock>;

// So many by the clock since a time before the first decision, burst included; rounded up.
[[nodiscard]] inline weir::word allowed(const weir::quota& q, weir::word begin, weir::word now) {
    const auto units = static_cast<weir::word>(q.units());
    const auto period = static_cast<weir::word>(q.period().count());
    return static_cast<weir::word>(q.burst()) + ((now - begin) * units + period - 1) / period;
}

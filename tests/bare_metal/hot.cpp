// SPDX-License-Identifier: MIT
#include "hot.hpp"

#include <weir/cell/kinds.hpp>

template <class Cell>
bool hot<Cell>::try_one(Cell& cell, weir::tick now, const rate& r) noexcept {
    return cell.try_acquire(now, 1, r).admitted();
}

template <class Cell>
bool hot<Cell>::try_many(Cell& cell, weir::tick now, word n, const rate& r) noexcept {
    return cell.try_acquire(now, n, r).admitted();
}

template <class Cell>
bool hot<Cell>::charge(Cell& cell, weir::tick now, word n, const rate& r) noexcept {
    return cell.charge(now, n, r).admitted();
}

template <class Cell>
bool hot<Cell>::peek(const Cell& cell, weir::tick now, word n, const rate& r) noexcept {
    return cell.peek(now, n, r).admitted();
}

// Each cell that a 32-bit word holds.
#define HOT_32(kind) template struct hot<weir::kinds::kind::cell<16>>;
#define HOT_64(kind)
#define HOT(kind, bits, ...) HOT_##bits(kind)
WEIR_CELLS(HOT)

bool hot_button(weir::gcra<>& cell) noexcept {
    return cell.try_acquire(milliseconds::now(), 1, button_rate).admitted();
}

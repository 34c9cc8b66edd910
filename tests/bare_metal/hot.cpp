#include "hot.hpp"

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

template struct hot<weir::gcra<>>;
template struct hot<weir::leaky_bucket<>>;
template struct hot<weir::token_bucket<>>;
template struct hot<weir::fixed_window<>>;
template struct hot<weir::sliding_log<16>>;

bool hot_button(weir::gcra<>& cell) noexcept {
    return cell.try_acquire(milliseconds::now(), 1, button_rate).admitted();
}

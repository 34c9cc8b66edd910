// SPDX-License-Identifier: MIT
#include <cstdint>

#include <weir/cell/catalogue.hpp>

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
bool hot<Cell>::try_now(Cell& cell, const rate& r) noexcept {
#if defined(__x86_64__) || defined(__aarch64__)
    return cell.try_acquire(weir::cycle_clock::now(), 1, r).admitted();
#else
    return cell.try_acquire({}, 1, r).admitted();
#endif
}

// The wait of a sliding window is the one thing here that divides, for those who ask for it.
template <class Cell>
constexpr bool divides_for_the_wait = false;
template <>
constexpr bool divides_for_the_wait<weir::sliding_window<>> = true;

template <class Cell>
typename Cell::word_type hot<Cell>::wait(Cell& cell, weir::tick now, word n,
                                         const rate& r) noexcept {
    const auto d = cell.try_acquire(now, n, r);
    if constexpr (divides_for_the_wait<Cell>) return d.reset_after();
    return d ? d.reset_after() : d.retry_after();
}

template <class Cell>
bool hot<Cell>::charge(Cell& cell, weir::tick now, word n, const rate& r) noexcept {
    return cell.charge(now, n, r).admitted();
}

template <class Cell>
bool hot<Cell>::peek(const Cell& cell, weir::tick now, word n, const rate& r) noexcept {
    return cell.peek(now, n, r).admitted();
}

// Of each cell in each word that holds it.
#define HOT_64(kind) template struct hot<hot_cell<weir::kinds::kind, std::uint64_t>>;
#define HOT_32(kind) HOT_64(kind) template struct hot<hot_cell<weir::kinds::kind, std::uint32_t>>;
#define HOT(kind, bits, ...) HOT_##bits(kind)
WEIR_CELLS(HOT)

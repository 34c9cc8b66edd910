#include <cstdint>

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

template struct hot<weir::gcra<>>;
template struct hot<weir::gcra<std::uint32_t>>;
template struct hot<weir::leaky_bucket<>>;
template struct hot<weir::token_bucket<>>;
template struct hot<weir::token_bucket<std::uint32_t>>;
template struct hot<weir::fixed_window<>>;
template struct hot<weir::fixed_window<std::uint32_t>>;
template struct hot<weir::aligned_window<>>;
template struct hot<weir::sliding_window<>>;
template struct hot<weir::sliding_log<100'000>>;

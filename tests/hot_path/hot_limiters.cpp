#include "hot.hpp"

template <class Cell>
bool hot_limiter<Cell>::try_one(limiter& limit) noexcept {
    return limit.try_acquire().admitted();
}

template <class Cell>
bool hot_limiter<Cell>::try_given(limiter& limit, weir::tick now) noexcept {
    return limit.try_acquire(1, now).admitted();
}

template <class Cell>
bool hot_limiter<Cell>::peek(const limiter& limit) noexcept {
    return limit.peek().admitted();
}

template struct hot_limiter<weir::gcra<>>;
template struct hot_limiter<weir::leaky_bucket<>>;
template struct hot_limiter<weir::token_bucket<>>;

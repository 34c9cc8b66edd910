#include "hot.hpp"

template <class Limiter>
bool hot_limiter<Limiter>::try_one(Limiter& limit) noexcept {
    return limit.try_acquire().admitted();
}

template <class Limiter>
bool hot_limiter<Limiter>::try_given(Limiter& limit, weir::tick now) noexcept {
    return limit.try_acquire(1, now).admitted();
}

template <class Limiter>
bool hot_limiter<Limiter>::peek(const Limiter& limit) noexcept {
    return limit.peek().admitted();
}

template struct hot_limiter<weir::limiter<weir::gcra<>>>;
template struct hot_limiter<weir::limiter<weir::leaky_bucket<>>>;
template struct hot_limiter<weir::limiter<weir::token_bucket<>>>;
template struct hot_limiter<weir::adjustable<>>;

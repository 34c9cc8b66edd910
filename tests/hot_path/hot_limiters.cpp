// SPDX-License-Identifier: MIT
#include "hot.hpp"

template <class Limiter>
bool hot_limiter<Limiter>::try_one(Limiter& limit) noexcept {
    return limit.try_acquire().admitted();
}

template <class Limiter>
bool hot_limiter<Limiter>::try_given(Limiter& limit,
                                     weir::instant<typename Limiter::clock_type> now) noexcept {
    return limit.try_acquire(1, now).admitted();
}

template <class Limiter>
bool hot_limiter<Limiter>::charge(Limiter& limit, weir::word n) noexcept {
    return limit.charge(n).admitted();
}

template <class Limiter>
bool hot_limiter<Limiter>::peek(const Limiter& limit) noexcept {
    return limit.peek().admitted();
}

template <class Limiter>
bool hot_lease<Limiter>::spend(weir::lease<Limiter>& units, weir::word n) noexcept {
    return units.try_acquire(n);
}

bool hot_stock::take(weir::fleet_stock& stock, weir::word n) noexcept {
    return stock.take(n, n).passes;
}

template <class Limiter>
bool hot_stripes<Limiter>::try_one(weir::striped<Limiter>& all) noexcept {
    return all.try_acquire().admitted();
}

template <class... Limiters>
bool hot_several<Limiters...>::try_one(weir::all_of<Limiters...>& all) noexcept {
    return all.try_acquire().admitted();
}

template <class... Limiters>
bool hot_several<Limiters...>::try_given(limits& all,
                                         weir::instant<typename limits::clock_type> now) noexcept {
    return all.try_acquire(1, now).admitted();
}

#define HOT(kind, ...) template struct hot_limiter<hot_limiter_of<weir::kinds::kind>>;
WEIR_CELLS(HOT)
template struct hot_limiter<counted>;
template struct hot_limiter<counted_log>;
template struct hot_limiter<counted_by_threads>;
template struct hot_limiter<weir::adjustable<>>;
template struct hot_limiter<indexed>;
#ifdef __linux__
template struct hot_limiter<weir::shared_limiter<>>;
#endif

template struct hot_lease<weir::limiter<>>;
template struct hot_lease<weir::limiter<weir::token_bucket<>>>;

template struct hot_stripes<weir::limiter<>>;
template struct hot_stripes<weir::limiter<weir::token_bucket<>>>;

template struct hot_several<weir::limiter<>, weir::limiter<weir::leaky_bucket<>>>;
template struct hot_several<weir::limiter<>, weir::limiter<small_log>>;
template struct hot_several<weir::limiter<weir::token_bucket<>>, counted>;

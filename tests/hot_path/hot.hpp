// SPDX-License-Identifier: MIT
// The hot functions of weir, each under a name that nm and objdump can be asked for.
#pragma once

#include <cstddef>

#ifdef __linux__
#include <weir/adapter/shm.hpp>
#endif
#include <weir/adapter/fleet_stock.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/table/array.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

inline constexpr std::size_t places = 100'000;
template <class Kind, class Word>
using hot_cell = typename Kind::template cell<places, Word>;

template <class Cell>
struct hot {
    using word = typename Cell::word_type;
    using rate = typename Cell::rate;

    static bool try_one(Cell& cell, weir::tick now, const rate& r) noexcept;
    static bool try_many(Cell& cell, weir::tick now, word n, const rate& r) noexcept;
    static bool try_now(Cell& cell, const rate& r) noexcept;  // reads the cycle clock
    static word wait(Cell& cell, weir::tick now, word n, const rate& r) noexcept;
    static bool charge(Cell& cell, weir::tick now, word n, const rate& r) noexcept;
    static bool peek(const Cell& cell, weir::tick now, word n, const rate& r) noexcept;
};

// An entry of an array, by its index.
struct indexed {
    using clock_type = weir::default_clock;

    [[gnu::always_inline]] auto try_acquire() noexcept { return all[index].try_acquire(); }
    [[gnu::always_inline]] auto try_acquire(weir::unit_count n,
                                            weir::instant<clock_type> now) noexcept {
        return all[index].try_acquire(n, now);
    }
    [[gnu::always_inline]] auto charge(weir::word n) noexcept { return all[index].charge(n); }
    [[gnu::always_inline]] auto peek() const noexcept { return all[index].peek(); }

    weir::limiter_array<64> all;
    std::size_t index;
};

// The same of a limiter, which calls something at its first decision only.
template <class Limiter>
struct hot_limiter {
    static bool try_one(Limiter& limit) noexcept;
    static bool try_given(Limiter& limit, weir::instant<typename Limiter::clock_type> now) noexcept;
    static bool charge(Limiter& limit, weir::word n) noexcept;
    static bool peek(const Limiter& limit) noexcept;
};

// Of a lease, which calls something when it has no units left.
template <class Limiter>
struct hot_lease {
    static bool spend(weir::lease<Limiter>& units, weir::word n) noexcept;
};

// Of the stock of a leased limit, which calls something when it has too few units left.
struct hot_stock {
    static bool take(weir::fleet_stock& stock, weir::word n) noexcept;
};

// Of stripes, which call something when one of them has no units left.
template <class Limiter>
struct hot_stripes {
    static bool try_one(weir::striped<Limiter>& all) noexcept;
};

// Of several limits, which call something when one of them has lost a race too.
template <class... Limiters>
struct hot_several {
    static bool try_one(weir::all_of<Limiters...>& all) noexcept;
    using limits = weir::all_of<Limiters...>;
    static bool try_given(limits& all, weir::instant<typename limits::clock_type> now) noexcept;
};

template <class Kind>
using hot_limiter_of = weir::limiter<typename Kind::template cell<1'000>>;
using small_log = weir::sliding_log<1'000>;
using counted = weir::limiter<weir::gcra<>, weir::default_clock, weir::counters>;
using counted_by_threads = weir::limiter<weir::gcra<>, weir::default_clock, weir::stats>;
using counted_log = weir::limiter<small_log, weir::default_clock, weir::counters>;

// The hot functions of weir, each under a name that nm and objdump can be asked for.
#pragma once

#include <weir/limiter/adjustable.hpp>
#include <weir/weir.hpp>

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

// The same of a limiter, which calls something at its first decision only.
template <class Limiter>
struct hot_limiter {
    static bool try_one(Limiter& limit) noexcept;
    static bool try_given(Limiter& limit, weir::tick now) noexcept;
    static bool peek(const Limiter& limit) noexcept;
};

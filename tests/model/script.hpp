// SPDX-License-Identifier: MIT
// A script: what three threads ask of one cell, each at the times that it believes in, and how many
// units they may get together. And what a cell answers to each.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>

#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

#include "check.hpp"

namespace model {

using weir::word;

enum class ask : unsigned char { nothing, take, take_up_to, charge, fill, start, peek };

struct action {
    ask what = ask::nothing;
    word units = 0;
    word now = 0;
};

inline constexpr std::size_t actions = 2;  // of each thread, at most

inline constexpr std::uint64_t hertz = 1'000;
inline constexpr word begin = 1'000'000;  // when the cell was filled

[[nodiscard]] constexpr action take(word n, word after = 0) {
    return {ask::take, n, begin + after};
}
[[nodiscard]] constexpr action take_up_to(word n) { return {ask::take_up_to, n, begin}; }
[[nodiscard]] constexpr action charge(word n) { return {ask::charge, n, begin}; }
[[nodiscard]] constexpr action fill(word n) { return {ask::fill, n, begin}; }
[[nodiscard]] constexpr action start(word n, word after = 0) {
    return {ask::start, n, begin + after};
}
[[nodiscard]] constexpr action peek(word n) { return {ask::peek, n, begin}; }

struct script {
    weir::quota limit;
    weir::options options{};
    bool used = true;  // or is it `start` that fills the cell?
    word there = 0;    // units in it when the threads come
    std::array<std::array<action, actions>, threads> asked;
    word least;  // units that the threads get together
    word most;
};

struct told {
    word units;  // got
    word remaining;
    word reset_after;
    word retry_after;

    friend constexpr auto operator<=>(const told&, const told&) = default;
};

template <class Decision>
[[nodiscard]] told tell(word units, const Decision& d) {
    return {units, d.remaining(), d.reset_after(), d.retry_after()};
}

template <class Cell>
told perform(Cell& cell, const action& a, const typename Cell::rate& r) {
    const weir::tick now{a.now};
    const auto n = static_cast<typename Cell::word_type>(a.units);
    switch (a.what) {
        case ask::nothing: break;
        case ask::take: {
            const auto d = cell.try_acquire(now, n, r);
            return tell(d ? n : 0, d);
        }
        case ask::take_up_to: {
            const auto g = cell.acquire_up_to(now, n, r);
            return tell(g.units, g.after);
        }
        case ask::charge: {
            const auto d = cell.charge(now, n, r);
            return tell(d ? n : 0, d);
        }
        case ask::fill: cell.fill(now, n, r); break;
        case ask::start: cell.start(now, n, r); break;
        case ask::peek: return tell(0, cell.peek(now, n, r));
    }
    return {};
}

}  // namespace model

// SPDX-License-Identifier: MIT
// What a thread takes from a cell that it shares with others.
#pragma once

#include <cstdint>

#include <weir/base/word.hpp>

#include "../oracle/dice.hpp"
#include "races.hpp"

// Up to six units at a time, or as many of them as there are, again and again.
template <class Cell>
std::uint64_t taken_at_random(Cell& cell, weir::tick now, const typename Cell::rate& rate,
                              int times, unsigned seed, races& lost) {
    using word_type = typename Cell::word_type;
    oracle::dice random(seed);
    std::uint64_t mine = 0;
    for (int i = 0; i < times; ++i) {
        const auto n = static_cast<word_type>(random.roll(7));
        if (i % 3 == 0) {
            mine += cell.acquire_up_to(now, n, rate, lost).units;
        } else if (cell.try_acquire(now, n, rate, lost)) {
            mine += n;
        }
        lost.decided();
    }
    return mine;
}

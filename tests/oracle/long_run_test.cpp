// SPDX-License-Identifier: MIT
// Long spans of virtual time under a demand that never ends: nothing may be lost to rounding, and
// nothing gained.
#include <cstdint>

#include <gtest/gtest.h>

#include "cells.hpp"
#include "effort.hpp"
#include "history.hpp"

namespace {

using namespace oracle;

template <class Cell>
class cell_long_run : public testing::Test {};

TYPED_TEST_SUITE(cell_long_run, refilled_cells, cell_names);

// What comes in a span after the burst, with the period as it is held and with the ideal one.
template <class Rate>
[[nodiscard]] integer held_gain(const Rate& r, integer span) {
    integer portion = 1;
    if constexpr (requires { r.portion(); }) portion = integer{r.portion()};
    return span * (integer{1} << r.shift()) / integer{r.period()} * portion;
}
[[nodiscard]] integer ideal_gain(const scenario& s, integer span) {
    return span * 1'000'000'000 * s.units / (integer{s.hertz} * s.period);
}

TYPED_TEST(cell_long_run, greedy_demand_gets_the_burst_and_then_exactly_the_rate) {
    using word = typename TypeParam::word_type;
    std::uint64_t refused = 0;
    std::uint64_t compared = 0;
    const std::uint64_t histories = scaled(1'000);
    for (std::uint64_t seed = 0; seed < histories; ++seed) {
        dice chaos(series() << 32U | seed);
        auto start = any_opening<TypeParam>(chaos, refused);
        const auto& rate = start.rate;
        const integer burst = start.about.burst;
        TypeParam cell;
        cell.fill(tick_of(0), static_cast<word>(burst), rate);
        integer now = 0;  // a point of every grid
        integer span = 0;
        integer admitted = 0;
        for (int step = 0; step < 1'000; ++step) {
            const auto g = cell.acquire_up_to(tick_of(now), static_cast<word>(burst), rate);
            admitted += integer{g.units};
            span = now;
            ASSERT_EQ(admitted, burst + held_gain(rate, now)) << seed << text_of(start.about);
            // Never so long that the cell becomes full and begins to forget, as one does that
            // holds a single portion or is refilled within a tick.
            const integer wait{cell.peek(tick_of(now), 1, rate).retry_after()};
            const integer full{g.after.reset_after()};
            if (wait >= full) break;
            now += chaos.chance(50) ? wait : wait + chaos.up_to(full - 1 - wait);
        }
        const bool whole = start.about.options.whole_periods;
        if (whole || span == 0 || span >> 50U != 0) continue;
        ++compared;
        const integer ideal = burst + ideal_gain(start.about, span);
        ASSERT_LE(admitted, ideal) << seed << text_of(start.about);
        if (sizeof(word) == 8 && start.about.burst < 1000 && start.about.hertz >= 1'000'000) {
            ASSERT_GE(admitted * 1000, (ideal - 1) * 999) << seed << text_of(start.about);
        }
    }
    EXPECT_GT(compared, histories / 3);
}

TYPED_TEST(cell_long_run, one_by_one_at_the_earliest_instant_loses_nothing) {
    std::uint64_t refused = 0;
    std::uint64_t steps = 0;
    const std::uint64_t histories = scaled(200);
    for (std::uint64_t seed = 0; seed < histories; ++seed) {
        dice chaos(series() << 32U | seed);
        const auto start = any_opening<TypeParam>(chaos, refused);
        const auto& rate = start.rate;
        TypeParam cell;
        cell.fill(tick_of(0), 0, rate);
        integer now = 0;
        integer admitted = 0;
        for (int step = 0; step < 10'000; ++step) {
            const auto d = cell.try_acquire(tick_of(now), 1, rate);
            if (d) ++admitted;
            // A step is as short as possible, so what is not yet taken is there to be taken.
            ASSERT_EQ(admitted + integer{d.remaining()}, held_gain(rate, now))
                << seed << text_of(start.about);
            if (d.retry_after() >= d.reset_after()) break;
            now += integer{d.retry_after()};
            ++steps;
        }
    }
    EXPECT_GT(steps, histories * 500);
}

}  // namespace

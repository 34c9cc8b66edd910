// SPDX-License-Identifier: MIT
// The check of what has passed, on examples by hand and against one that looks at every span.
#include <algorithm>
#include <cstddef>

#include <gtest/gtest.h>

#include "../oracle/dice.hpp"
#include "windows.hpp"

namespace {

using namespace weir::soak;
using oracle::dice;
using weir::wide;
using weir::word;

// All pairs of a beginning and an end.
wide slowly(const passages& all, const income& brought, word per_unit) {
    wide most;
    for (const passage& a : all) {
        for (const passage& b : all) {
            wide cost;
            for (const passage& p : all) {
                if (p.from >= a.from && p.to <= b.to) {
                    cost = cost + weir::multiply(p.units, per_unit);
                }
            }
            if (a.to > b.to) continue;
            cost = cost + weir::multiply(brought.less_at(a.from), per_unit);
            const wide came = brought.until(b.to) < brought.until(a.from)
                                  ? wide{}
                                  : brought.until(b.to) - brought.until(a.from);
            if (cost > came) most = std::max(most, cost - came);
        }
    }
    return most;
}

TEST(windows, find_the_busiest_span_of_many) {
    dice d(7);
    for (int round = 0; round < 300; ++round) {
        income brought(0, d.between(0, 5));
        word at = 0;
        for (auto changes = d.between(0, 3); changes > 0; --changes) {
            brought.change(at += d.between(0, 40), d.between(0, 20), d.between(0, 9));
        }
        const bool known = d.one_in(2);
        passages all;
        for (auto size = d.between(0, 25); size > 0; --size) {
            const word from = d.between(0, 100);
            all.push_back({from, from + (known ? 0 : d.between(0, 30)), d.between(0, 4)});
        }
        const busiest found = busiest_span(all, brought, 7);
        ASSERT_EQ(found.excess, slowly(all, brought, 7)) << "round " << round;
        word inside = 0;
        for (const passage& p : all) {
            if (p.from >= found.from && p.to <= found.to) inside += p.units;
        }
        const word expected = found.excess == wide{} ? 0 : inside;
        ASSERT_EQ(found.units, expected) << "round " << round;
    }
}

// One unit per 10 ticks and a burst of 3.
busiest of_ten_ticks_each(const passages& all) { return busiest_span(all, income(0, 1), 10); }
constexpr wide three{0, 30};

TEST(windows, see_a_unit_too_many_and_none_where_there_is_none) {
    passages all{{100, 100, 3}, {110, 110, 1}, {120, 120, 1}};
    EXPECT_EQ(of_ten_ticks_each(all).excess, three);
    all[2] = {119, 119, 1};
    const busiest worst = of_ten_ticks_each(all);
    EXPECT_EQ(worst.excess, (wide{0, 31}));
    EXPECT_EQ(worst.from, 100U);
    EXPECT_EQ(worst.to, 119U);
    EXPECT_EQ(worst.units, 5U);
}

TEST(windows, give_what_is_not_known_exactly_the_benefit_of_the_doubt) {
    EXPECT_EQ(of_ten_ticks_each({{100, 100, 3}, {105, 115, 1}}).excess, three);
    EXPECT_GT(of_ten_ticks_each({{100, 100, 3}, {105, 109, 1}}).excess, three);
}

TEST(windows, count_in_half_open_intervals_and_in_windows_of_the_clock) {
    const passages all{{19, 19, 2}, {20, 20, 1}, {28, 28, 1}, {29, 29, 4}, {29, 31, 8}};
    EXPECT_EQ(most_in_interval({{10, 10, 2}, {19, 19, 1}, {20, 20, 1}}, 10), 3U);
    EXPECT_EQ(most_in_window(all, 10), 6U) << "what may belong to either of two is of none";
    EXPECT_EQ(most_in_window({}, 10), 0U);
}

TEST(windows, weigh_the_window_before_by_the_share_that_a_period_still_covers) {
    // Windows of 10 steps of 2 ticks: 4 units in the one from 0 to 19, then 1 at step 13.
    EXPECT_EQ(most_weighted({{19, 19, 4}}, 10, 1), 40U);
    EXPECT_EQ(most_weighted({{19, 19, 4}, {26, 26, 1}}, 10, 1), 40U) << "1 + 4 * 7/10";
    EXPECT_EQ(most_weighted({{19, 19, 4}, {25, 25, 1}}, 10, 1), 42U) << "1 + 4 * 8/10";
    EXPECT_EQ(most_weighted({{19, 20, 4}, {25, 25, 1}}, 10, 1), 10U) << "of either window";
    EXPECT_EQ(most_weighted({{20, 20, 4}, {21, 23, 3}, {23, 23, 3}}, 10, 1), 70U)
        << "one that may have come later does not count";
    EXPECT_EQ(most_weighted({}, 10, 1), 0U);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/base/wide.hpp>
#include <weir/cell/granules.hpp>
#include <weir/cell/quota.hpp>

namespace {

using weir::exact_ticks;
using weir::granules;
using weir::wide;

TEST(granules, are_counted_as_they_are_rounded_down_and_told_as_they_are_rounded_up) {
    const granules whole({0, 300}, {0, 3});
    EXPECT_TRUE(whole.are_whole());
    EXPECT_EQ(whole.rounded_up(), (wide{0, 100}));
    EXPECT_TRUE(whole.are_at_least(99));
    EXPECT_TRUE(whole.are_at_least(100));
    EXPECT_FALSE(whole.are_at_least(101));

    const granules part({0, 301}, {0, 3});
    EXPECT_FALSE(part.are_whole());
    EXPECT_EQ(part.rounded_up(), (wide{0, 101}));
    EXPECT_TRUE(part.are_at_least(100));
    EXPECT_FALSE(part.are_at_least(101)) << "only rounded up";

    EXPECT_TRUE(granules({1, 0}, {0, 1}).are_at_least(UINT64_MAX));
}

// Of 99.0 something that becomes 100 the hundredth is all but reached; of exactly 99 it is not
// more.
TEST(granules, say_whether_rounding_adds_more_than_a_hundredth) {
    EXPECT_TRUE(granules({0, 5}, {0, 5}).within_a_hundredth()) << "nothing is rounded";
    EXPECT_TRUE(granules({0, 1'000}, {0, 1'010}).within_a_hundredth()) << "exactly a hundredth";
    EXPECT_FALSE(granules({0, 999}, {0, 1'009}).within_a_hundredth());
    EXPECT_FALSE(granules({0, 1'000}, {0, 1'011}).within_a_hundredth());
    EXPECT_TRUE(granules({0, 9'901}, {0, 100}).within_a_hundredth()) << "99 of 9901";
    EXPECT_FALSE(granules({0, 101}, {0, 100}).within_a_hundredth());
    // Products beyond 64 bits are compared as they are.
    EXPECT_TRUE(granules({100, 0}, {101, 0}).within_a_hundredth());
    EXPECT_FALSE(granules({100, 0}, {101, 1}).within_a_hundredth());
}

TEST(exact_ticks, are_of_a_tick_or_of_as_many_fractions_as_a_granule_has) {
    const weir::quota third{3, weir::seconds(1)};
    const exact_ticks ticks(third, 3, 1'000);  // 333 and a third
    EXPECT_EQ(ticks.whole_ticks().rounded_up(), (wide{0, 334}));
    EXPECT_EQ(ticks.in_granules(2, 0).rounded_up(), (wide{0, 1'334})) << "quarters of a tick";
    EXPECT_EQ(ticks.in_granules(5, 3).rounded_up(), (wide{0, 1'334}));
    EXPECT_EQ(ticks.in_granules(0, 2).rounded_up(), (wide{0, 84})) << "four ticks each";
    EXPECT_EQ(ticks.in_granules(4, 4).rounded_up(), (wide{0, 334}));
}

}  // namespace

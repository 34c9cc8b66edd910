// SPDX-License-Identifier: MIT
// What a flood does to a keyed table: the outcome of each policy, and the guide's table of them.
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/table/when_full.hpp>

#include "harness/flood.hpp"

namespace {

using bench::flood_outcome;
using bench::flooded;
using weir::when_full;

TEST(a_flood, keeps_most_of_the_honest_out_of_a_table_that_denies) {
    const flood_outcome o = flooded(when_full::deny);
    EXPECT_LT(o.honest, 0.5);
    EXPECT_EQ(o.beyond, 0U);
    EXPECT_EQ(o.counted.forgiven, weir::nanoseconds{});
}

TEST(a_flood, lets_everybody_pass_a_table_that_allows) {
    const flood_outcome o = flooded(when_full::allow);
    EXPECT_EQ(o.honest, 1);
    EXPECT_EQ(o.once, 1);
    EXPECT_EQ(o.counted.forgiven, weir::nanoseconds{});
    EXPECT_GT(o.counted.full, 500'000U);
}

TEST(a_flood, neither_stops_the_honest_nor_helps_the_abusive_where_the_least_is_forgiven) {
    const flood_outcome o = flooded(when_full::forgive_least);
    EXPECT_EQ(o.honest, 1);
    EXPECT_LE(o.abusive, 12.5);
    EXPECT_GT(o.abusive, 9);
    EXPECT_LE(static_cast<std::int64_t>(o.beyond) * weir::milliseconds(100).count(),
              o.counted.forgiven.count());
    EXPECT_GT(o.counted.steals, 700'000U);
}

// It never changes, so the page has it letter for letter.
TEST(a_flood, has_the_outcomes_that_the_guide_tells) {
    std::ifstream file(KEYED_GUIDE);
    const std::string guide{std::istreambuf_iterator<char>(file), {}};
    std::ostringstream table;
    bench::write_flood(table);
    EXPECT_NE(guide.find(table.str()), std::string::npos) << table.str();
}

}  // namespace

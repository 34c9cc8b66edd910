// SPDX-License-Identifier: MIT
#include <cstdint>
#include <set>

#include <gtest/gtest.h>

#include <weir/limiter/jitter.hpp>

namespace {

using weir::jitter;
using weir::milliseconds;
using weir::nanoseconds;
using weir::seconds;

TEST(jitter, adds_no_less_than_nothing_and_no_more_than_it_may) {
    jitter some(1, nanoseconds(9));
    std::set<std::int64_t> seen;
    for (int i = 0; i < 1'000; ++i) seen.insert(some.after(seconds(1)).count() - 1'000'000'000);
    EXPECT_EQ(seen.size(), 10U) << "every one of them";
    EXPECT_EQ(*seen.begin(), 0);
    EXPECT_EQ(*seen.rbegin(), 9);
}

TEST(jitter, spreads_a_crowd_evenly) {
    std::int64_t sum = 0;
    for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
        sum += jitter(seed, milliseconds(100)).after(nanoseconds(0)).count();
    }
    EXPECT_NEAR(static_cast<double>(sum) / 10'000, 50e6, 1e6);
}

TEST(jitter, can_be_repeated_and_is_bounded) {
    EXPECT_EQ(jitter(7, seconds(1)).after(seconds(2)), jitter(7, seconds(1)).after(seconds(2)));
    EXPECT_EQ(jitter(7, nanoseconds(0)).after(seconds(2)), seconds(2));
    EXPECT_EQ(jitter(7, nanoseconds(-5)).after(seconds(2)), seconds(2));
    EXPECT_EQ(jitter(7, seconds(1)).after(nanoseconds::longest()), nanoseconds::longest());
    jitter longest(7, nanoseconds::longest());
    for (int i = 0; i < 100; ++i) EXPECT_GE(longest.after(seconds(1)), seconds(1));
}

}  // namespace

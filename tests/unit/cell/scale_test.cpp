// SPDX-License-Identifier: MIT
// What a scale says without making it at each frequency, where it changes its answer.
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/cell/scale.hpp>

namespace {

using weir::microseconds;
using weir::nanoseconds;
using weir::quota;
using weir::quota_error;
using weir::seconds;
using scale = weir::scale<std::uint64_t>;

constexpr std::uint64_t gigahertz = 1'000'000'000;
constexpr weir::options nothing_ahead{.debt = 0, .queue = 0, .guard = nanoseconds{}};

// A unit in a tick: 100 granules of 8 fractions are enough, and 128 are the first that are so many.
// Twice 100 are counted with, as another frequency may need nearly as many.
TEST(scale_between, leaves_room_for_a_burst_in_twice_as_many_granules_as_are_enough) {
    const auto between = [](std::int64_t burst, const weir::options& o) {
        return scale::between({1'000'000'000, seconds(1), burst}, o, 3, {gigahertz, gigahertz}, 3);
    };
    EXPECT_EQ(between(1'000, {}), quota_error::none);
    const std::int64_t half = (std::int64_t{1} << 62) / 800;  // of 2 x 100 x 8 fractions each
    EXPECT_EQ(between(half, nothing_ahead), quota_error::none);
    EXPECT_EQ(between(half + 1, nothing_ahead), quota_error::rate_too_fine);
    // A debt takes as much as a burst does.
    const auto owing = [&](std::int64_t debt) {
        return between(half / 2, {.debt = debt, .queue = 0, .guard = nanoseconds{}});
    };
    EXPECT_EQ(owing(half - half / 2), quota_error::none);
    EXPECT_EQ(owing(half - half / 2 + 1), quota_error::rate_too_fine);
}

// By default both are no more than 1/1024 of the circle.
TEST(scale_between, counts_with_no_longer_guard_and_queue_than_the_word_bears) {
    const auto between = [](std::int64_t burst, const weir::options& o) {
        return scale::between({5'000'000'000, seconds(1), burst}, o, 3, {gigahertz, gigahertz}, 3);
    };
    const std::int64_t half = (std::int64_t{1} << 62) / 800;
    const std::int64_t one = (std::int64_t{1} << 54) / 1'600 + 4;  // and a tick
    EXPECT_EQ(between(half - one, {.debt = 0, .guard = nanoseconds{}}), quota_error::none);
    EXPECT_EQ(between(half - one, {.debt = 0, .queue = 0}), quota_error::none);
    EXPECT_EQ(between(half - 2 * one, {.debt = 0}), quota_error::none);
    EXPECT_EQ(between(half - one, {.debt = 0}), quota_error::rate_too_fine);
    EXPECT_EQ(between(half - one, {.debt = 0, .queue = 0, .guard = seconds(3'600)}),
              quota_error::rate_too_fine)
        << "an hour that is asked for is an hour";
}

TEST(scale_between, needs_no_more_where_the_least_shift_is_enough_everywhere) {
    EXPECT_EQ(scale::between({1, seconds(1), 1}, {}, 3, {100, 1'000}, 3), quota_error::none);
    EXPECT_EQ(scale::between({1'000'000, seconds(1)}, {}, 3, {1, 2}, 3), quota_error::none);
    EXPECT_EQ(scale::between({1'000'000'000'000'000, nanoseconds(1)}, {}, 3, {1, 2}, 3),
              quota_error::rate_too_fine);
}

TEST(scale_in_ticks, holds_windows_that_are_whole_ticks_or_many) {
    const auto between = [](const quota& q, std::uint64_t lowest) {
        return scale::between_in_ticks(q, {lowest, 2 * lowest});
    };
    EXPECT_EQ(between({5, seconds(2)}, 10), quota_error::none) << "whole at each frequency";
    EXPECT_EQ(between({5, microseconds(1'500)}, 1'000), quota_error::rate_too_fine);
    EXPECT_EQ(between({5, microseconds(99'999)}, 1'000), quota_error::rate_too_fine);
    EXPECT_EQ(between({5, microseconds(100'000)}, 1'000), quota_error::none);

    const auto made = scale::in_ticks({5, microseconds(100'500)}, nothing_ahead, 1'000, 1);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->period, 101U);
    EXPECT_EQ(made->burst, 5U);
    EXPECT_EQ(made->queue, 0U);
    EXPECT_EQ(made->shift, 0U);
    EXPECT_EQ(scale::in_ticks({5, microseconds(99'500)}, nothing_ahead, 1'000, 1).error(),
              quota_error::rate_too_fine);
}

// A clock that is late by six seconds is late by seven windows of one, and by one more if they are
// rounded.
TEST(scale_in_ticks, counts_the_windows_by_which_a_clock_may_be_late) {
    const quota q{5, seconds(1)};
    const weir::options six{.guard = seconds(6)};
    const auto made = scale::in_ticks(q, six, 1'000, 1);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->late_windows(six, 16), 7U);
    EXPECT_EQ(made->late_windows(six, 14), 0U) << "half of the numbers and more";
    EXPECT_FALSE(scale::always_late_windows(q, six, 16));
    EXPECT_FALSE(scale::always_late_windows(q, six, 17));
    EXPECT_TRUE(scale::always_late_windows(q, six, 18));
    EXPECT_TRUE(scale::always_late_windows(q, {}, 2)) << "by default as many as there are";
    const auto usual = scale::in_ticks(q, {}, 1'000, 1);
    EXPECT_EQ(usual->late_windows({}, 2'048), 3U);
    EXPECT_EQ(usual->late_windows({}, 1'023), 1U);
    EXPECT_EQ(usual->late_windows({}, std::uint64_t{1} << 40U), 3'601U);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/cell/fixed_window.hpp>
#include <weir/clock/utc.hpp>
#include <weir/limiter/limiter.hpp>

#include "../../at.hpp"

namespace {

using weir::aligned_window;
using weir::fixed_window;
using weir::quota;
using weir::quota_error;
using weir::seconds;
using weir::tick;
using weir::verdict;
using weir::word;

constexpr std::uint64_t kilohertz = 1'000;

template <class Word>
class fixed_window_of : public testing::Test {};
using words = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(fixed_window_of, words);

TYPED_TEST(fixed_window_of, opens_with_its_first_action_and_lasts_one_period) {
    using window = fixed_window<TypeParam>;
    const auto rate = *window::rate::make(quota{5, seconds(1)}, kilohertz);
    window cell;
    cell.fill({0}, 5, rate);
    EXPECT_TRUE(cell.try_acquire({700}, 3, rate));
    const auto d = cell.try_acquire({1'600}, 3, rate);
    EXPECT_EQ(d.verdict(), verdict::wait);
    EXPECT_EQ(d.remaining(), 2U);
    EXPECT_EQ(d.retry_after(), 100U);
    EXPECT_EQ(d.reset_after(), 100U);
    EXPECT_FALSE(cell.try_acquire({1'699}, 3, rate));
    EXPECT_TRUE(cell.try_acquire({1'700}, 3, rate));
    EXPECT_EQ(cell.peek({1'700}, 6, rate).verdict(), verdict::never);
    EXPECT_EQ(cell.peek({9'000}, 0, rate).remaining(), 5U);
}

TYPED_TEST(fixed_window_of, pays_a_debt_window_by_window) {
    using window = fixed_window<TypeParam>;
    const auto rate = *window::rate::make(quota{5, seconds(1)}, kilohertz, {.debt = 8});
    window cell;
    cell.fill({0}, 5, rate);
    EXPECT_EQ(cell.charge({0}, 14, rate).verdict(), verdict::never);
    EXPECT_TRUE(cell.charge({0}, 12, rate));
    EXPECT_EQ(cell.charge({0}, 2, rate).retry_after(), 1'000U);
    EXPECT_EQ(cell.try_acquire({0}, 1, rate).retry_after(), 2'000U);
    EXPECT_EQ(cell.peek({0}, 0, rate).reset_after(), 3'000U);
    EXPECT_EQ(cell.peek({2'000}, 0, rate).remaining(), 3U);
    EXPECT_TRUE(cell.try_acquire({0}, 0, rate)) << "nothing is asked for, nothing refused";
}

TYPED_TEST(fixed_window_of, is_saved_and_restored_with_the_rest_of_its_window) {
    using window = fixed_window<TypeParam>;
    const auto rate = *window::rate::make(quota{5, seconds(1)}, kilohertz);
    window cell;
    cell.fill({0}, 5, rate);
    EXPECT_TRUE(cell.try_acquire({100}, 4, rate));
    const auto saved = cell.state({400}, rate);
    EXPECT_EQ(saved.units, 4U);
    EXPECT_EQ(saved.ticks, 700U);
    window other;
    EXPECT_TRUE(other.restore({50'000}, saved, rate));
    EXPECT_EQ(other.try_acquire({50'000}, 2, rate).retry_after(), 700U);
    EXPECT_FALSE(other.restore({50'000}, {11, 700}, rate));
    EXPECT_FALSE(other.restore({50'000}, {4, 2'100}, rate));
}

// Resets are told in whole seconds, rounded up: one that is a little more than a period away is no
// reason to refuse for a whole period.
TYPED_TEST(fixed_window_of, is_longer_if_the_reset_is_further_away_than_a_period) {
    using window = fixed_window<TypeParam>;
    const auto rate = *window::rate::make(quota{5, seconds(1)}, kilohertz);
    window cell;
    cell.fill({10'000}, 5, rate);
    EXPECT_TRUE(cell.try_acquire({10'000}, 1, rate));
    for (const std::uint64_t reset : {1'500U, 1'990U}) {
        EXPECT_EQ(cell.lower_remaining({10'000}, 4, static_cast<TypeParam>(reset), rate).how,
                  weir::obeyed::whole);
        EXPECT_EQ(cell.peek({10'000}, 0, rate).remaining(), 4U);
        EXPECT_EQ(cell.peek({10'000}, 5, rate).retry_after(), reset);
    }
    EXPECT_TRUE(cell.try_acquire({10'001}, 4, rate));
    window other;
    EXPECT_TRUE(other.restore({50'001}, cell.state({10'001}, rate), rate));
    EXPECT_GE(other.peek({50'001}, 1, rate).retry_after(), 1'989U);
    EXPECT_FALSE(cell.try_acquire({11'989}, 1, rate));
    EXPECT_TRUE(cell.try_acquire({11'990}, 5, rate));
}

TYPED_TEST(fixed_window_of, counts_what_comes_late_in_the_latest_window) {
    using window = fixed_window<TypeParam>;
    const auto rate =
        *window::rate::make(quota{5, seconds(1)}, kilohertz, {.guard = weir::milliseconds(50)});
    window cell;
    cell.fill({0}, 5, rate);
    EXPECT_TRUE(cell.try_acquire({10'000}, 4, rate));
    EXPECT_EQ(cell.try_acquire({9'960}, 2, rate).retry_after(), 1'040U);
    EXPECT_TRUE(cell.try_acquire({9'960}, 1, rate));
    EXPECT_FALSE(cell.try_acquire({10'999}, 1, rate));
}

TEST(aligned_window, opens_when_the_clock_says_so) {
    const auto rate = *aligned_window<>::rate::make(quota{5, seconds(1)}, kilohertz);
    aligned_window<> cell;
    cell.fill({12'345}, 5, rate);
    EXPECT_TRUE(cell.try_acquire({12'900}, 5, rate));
    EXPECT_EQ(cell.try_acquire({12'900}, 1, rate).retry_after(), 100U);
    EXPECT_TRUE(cell.try_acquire({13'000}, 5, rate));
    EXPECT_EQ(cell.try_acquire({12'999}, 1, rate).retry_after(), 1'001U) << "late";
    EXPECT_EQ(cell.try_acquire({13'999}, 1, rate).retry_after(), 1U);
    EXPECT_EQ(cell.peek({13'400}, 1, rate).reset_after(), 600U);
}

TEST(aligned_window, pays_a_debt_window_by_window) {
    const auto rate = *aligned_window<>::rate::make(quota{5, seconds(1)}, kilohertz, {.debt = 8});
    aligned_window<> cell;
    cell.fill({500}, 5, rate);
    EXPECT_TRUE(cell.charge({500}, 12, rate));
    EXPECT_EQ(cell.try_acquire({500}, 1, rate).retry_after(), 1'500U);
    EXPECT_EQ(cell.charge({500}, 2, rate).retry_after(), 500U);
    EXPECT_EQ(cell.peek({500}, 0, rate).reset_after(), 2'500U);
    EXPECT_EQ(cell.peek({2'700}, 0, rate).remaining(), 3U);
}

TEST(aligned_window, follows_the_seconds_of_the_calendar) {
    weir::limiter<aligned_window<>, weir::utc_clock> limit{weir::per_second(5)};
    const word second = 1'000'000'000;
    const word now = 1'700'000'000 * second + second / 4;
    EXPECT_TRUE(limit.try_acquire(5, at(limit, now)));
    EXPECT_EQ(limit.try_acquire(1, at(limit, now)).retry_after(), weir::milliseconds(750));
    EXPECT_STREQ(weir::utc_clock::facts().source, "CLOCK_REALTIME");
}

TEST(windows, pass_their_units_whole_so_the_burst_is_the_same_number) {
    const quota uneven{5, seconds(1), 3};
    EXPECT_EQ(fixed_window<>::rate::make(uneven, kilohertz).error(),
              quota_error::burst_not_the_window);
    EXPECT_EQ(aligned_window<>::rate::make(uneven, kilohertz).error(),
              quota_error::burst_not_the_window);
}

TEST(windows, refuse_what_they_cannot_hold) {
    const auto fixed = [](const quota& q, const weir::options& o = {}) {
        return fixed_window<>::rate::make(q, kilohertz, o).error();
    };
    const auto aligned = [](const quota& q, const weir::options& o = {}) {
        return aligned_window<>::rate::make(q, kilohertz, o).error();
    };
    const quota usual{5, seconds(1)};
    EXPECT_EQ(fixed(usual, {.whole_periods = true}), quota_error::whole_periods_unknown);
    EXPECT_EQ(aligned(usual, {.whole_periods = true}), quota_error::whole_periods_unknown);
    EXPECT_EQ(fixed(usual, {.debt = -1}), quota_error::debt_negative);
    EXPECT_EQ(aligned(usual, {.debt = -1}), quota_error::debt_negative);
    EXPECT_EQ(fixed(usual, {.debt = INT64_MAX}), quota_error::burst_too_long);
    EXPECT_EQ(aligned(usual, {.debt = INT64_MAX}), quota_error::burst_too_long);
    EXPECT_EQ(aligned(usual, {.start = 6}), quota_error::start_not_in_burst);
    EXPECT_EQ(fixed(usual, {.anchor = seconds(1)}), quota_error::anchor_unknown);
    EXPECT_EQ(aligned(usual, {.anchor = seconds(1)}), quota_error::none);
    const quota large{1 << 29, seconds(1)};  // of windows there are 2^33 numbers
    EXPECT_EQ(aligned(large, {.guard = seconds(std::int64_t{1} << 31)}), quota_error::none);
    EXPECT_EQ(aligned(large, {.guard = seconds(std::int64_t{1} << 32)}),
              quota_error::burst_too_long);
    EXPECT_EQ(fixed(quota{std::int64_t{1} << 40, seconds(1)}), quota_error::burst_too_long);
    EXPECT_EQ(aligned(quota{std::int64_t{1} << 40, seconds(1)}), quota_error::burst_too_long);
    EXPECT_EQ(aligned(quota{5, weir::microseconds(1'500)}), quota_error::rate_too_fine);
    EXPECT_EQ(
        aligned_window<>::rate::make(quota{5, weir::nanoseconds(INT64_MAX - 1)}, 10'000'000'000)
            .error(),
        quota_error::burst_too_long);
}

}  // namespace

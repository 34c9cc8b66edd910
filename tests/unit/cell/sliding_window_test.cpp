// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/cell/sliding_window.hpp>

namespace {

using weir::quota;
using weir::quota_error;
using weir::seconds;
using weir::sliding_window;
using weir::verdict;

constexpr std::uint64_t kilohertz = 1'000;

TEST(sliding_window, weighs_the_window_before_by_what_the_period_still_covers) {
    const auto rate = *sliding_window<>::rate::make(quota{10, seconds(1)}, kilohertz);
    sliding_window<> cell;
    cell.fill({5'000}, 10, rate);
    EXPECT_TRUE(cell.try_acquire({5'900}, 10, rate));
    EXPECT_EQ(cell.peek({6'000}, 0, rate).remaining(), 0U);
    EXPECT_EQ(cell.peek({6'250}, 0, rate).remaining(), 2U);
    EXPECT_EQ(cell.peek({6'299}, 0, rate).remaining(), 2U);
    EXPECT_EQ(cell.peek({6'300}, 0, rate).remaining(), 3U);
    EXPECT_TRUE(cell.try_acquire({6'500}, 5, rate));
    EXPECT_EQ(cell.peek({6'999}, 0, rate).remaining(), 4U);
    EXPECT_EQ(cell.peek({7'000}, 0, rate).remaining(), 5U);
    EXPECT_EQ(cell.peek({7'000}, 0, rate).reset_after(), 1'000U);
    EXPECT_EQ(cell.peek({8'000}, 0, rate).reset_after(), 0U);
}

TEST(sliding_window, says_to_the_tick_when_a_request_passes) {
    const auto rate = *sliding_window<>::rate::make(quota{7, seconds(1)}, kilohertz);
    sliding_window<> cell;
    cell.fill({0}, 7, rate);
    EXPECT_TRUE(cell.try_acquire({400}, 7, rate));
    for (weir::word n = 1; n <= 7; ++n) {
        const auto d = cell.peek({500}, n, rate);
        ASSERT_EQ(d.verdict(), verdict::wait);
        EXPECT_TRUE(cell.peek({500 + d.retry_after()}, n, rate)) << n;
        EXPECT_FALSE(cell.peek({500 + d.retry_after() - 1}, n, rate)) << n;
    }
    EXPECT_EQ(cell.peek({500}, 8, rate).verdict(), verdict::never);
}

TEST(sliding_window, charges_up_to_a_windows_debt) {
    const auto rate = *sliding_window<>::rate::make(quota{10, seconds(1)}, kilohertz, {.debt = 5});
    sliding_window<> cell;
    cell.fill({0}, 10, rate);
    EXPECT_TRUE(cell.charge({0}, 15, rate));
    EXPECT_EQ(cell.charge({0}, 1, rate).verdict(), verdict::wait);
    EXPECT_TRUE(cell.try_acquire({0}, 0, rate)) << "nothing is asked for, nothing refused";
    EXPECT_EQ(cell.try_acquire({0}, 1, rate).retry_after(), 1'400U);  // 15 x 0.6 = 9
}

TEST(sliding_window, counts_what_comes_late_at_the_start_of_the_latest_window) {
    const auto rate = *sliding_window<>::rate::make(quota{10, seconds(1)}, kilohertz);
    sliding_window<> cell;
    cell.fill({0}, 10, rate);
    EXPECT_TRUE(cell.try_acquire({900}, 6, rate));
    EXPECT_TRUE(cell.try_acquire({1'500}, 3, rate));
    EXPECT_EQ(cell.peek({950}, 0, rate).remaining(), 1U);
    EXPECT_EQ(cell.try_acquire({950}, 2, rate).verdict(), verdict::wait);
}

TEST(sliding_window, is_saved_as_its_estimate) {
    const auto rate = *sliding_window<>::rate::make(quota{10, seconds(1)}, kilohertz);
    sliding_window<> cell;
    cell.fill({0}, 10, rate);
    EXPECT_TRUE(cell.try_acquire({0}, 9, rate));
    const auto saved = cell.state({1'500}, rate);
    EXPECT_EQ(saved.units, 5U);  // 4.5
    EXPECT_EQ(saved.ticks, 0U);
    sliding_window<> other;
    EXPECT_TRUE(other.restore({70'000}, saved, rate));
    EXPECT_EQ(other.peek({70'000}, 0, rate).remaining(), 5U);
    EXPECT_FALSE(other.restore({70'000}, {21, 0}, rate));
    EXPECT_FALSE(other.restore({70'000}, {1, 1}, rate));
}

TEST(sliding_window, holds_many_units_in_a_long_window_with_coarser_steps) {
    const auto rate = *sliding_window<>::rate::make(quota{1'000'000, seconds(86'400)},
                                                    2'600'000'000, {.debt = 0});
    EXPECT_GT(rate.coarseness(), 0U);
    sliding_window<> cell;
    cell.fill({0}, 1'000'000, rate);
    EXPECT_EQ(cell.acquire_up_to({0}, 2'000'000, rate).units, 1'000'000U);
    const auto wait = cell.peek({0}, 1, rate).retry_after();
    EXPECT_TRUE(cell.peek({wait}, 1, rate));
    EXPECT_FALSE(cell.peek({wait - 1}, 1, rate));
}

TEST(sliding_window, refuses_what_it_cannot_hold) {
    const auto make = [](const quota& q, const weir::options& o = {}) {
        return sliding_window<>::rate::make(q, kilohertz, o).error();
    };
    const quota usual{5, seconds(1)};
    EXPECT_EQ(make(quota{5, seconds(1), 3}), quota_error::burst_not_the_window);
    EXPECT_EQ(make(usual, {.whole_periods = true}), quota_error::whole_periods_unknown);
    EXPECT_EQ(make(usual, {.debt = 6}), quota_error::debt_beyond_the_window);
    EXPECT_EQ(make(usual, {.debt = -1}), quota_error::debt_negative);
    EXPECT_EQ(make(quota{std::int64_t{1} << 40, seconds(1)}), quota_error::burst_too_long);
    EXPECT_EQ(make(quota{5, weir::microseconds(1'500)}), quota_error::rate_too_fine);
}

// In 24 bits for the units of each of two windows there is room for 2^16 numbers of windows, of
// which no clock may be late by half.
TEST(sliding_window, refuses_a_guard_that_its_numbers_cannot_tell_from_the_future) {
    using rate = sliding_window<>::rate;
    const weir::options late = {.debt = 0, .guard = seconds(40'000)};
    const quota large{10'000'000, seconds(1)};
    EXPECT_EQ(rate::make(large, kilohertz, late).error(), quota_error::burst_too_long);
    EXPECT_EQ(rate::between(large, {kilohertz, kilohertz}, late), quota_error::burst_too_long);
    const quota smaller{40'000, seconds(1)};
    EXPECT_EQ(rate::make(smaller, kilohertz, late).error(), quota_error::none);
    EXPECT_EQ(rate::between(smaller, {kilohertz, kilohertz}, late), quota_error::none);
}

// At the last tick before the reset the window before still counts by 35 hundredths, so ten units
// leave six.
TEST(sliding_window, is_told_no_more_units_than_the_server_says) {
    const auto rate = *sliding_window<>::rate::make(quota{10, seconds(1)}, kilohertz, {.debt = 0});
    sliding_window<> cell;
    cell.fill({5'000}, 10, rate);
    const auto told = cell.lower_remaining({5'000}, 6, 1'651, rate);
    EXPECT_EQ(told.how, weir::obeyed::whole);
    EXPECT_EQ(told.ticks, 1'651U);
    EXPECT_EQ(cell.peek({6'650}, 0, rate).remaining(), 6U);
    EXPECT_EQ(cell.peek({6'800}, 0, rate).remaining(), 8U);
}

// All ten units in the present window leave nothing until it is over, and a tick longer.
TEST(sliding_window, says_for_how_long_it_obeys_in_part) {
    const auto rate = *sliding_window<>::rate::make(quota{10, seconds(1)}, kilohertz, {.debt = 0});
    for (const weir::word into : {0U, 400U}) {
        sliding_window<> cell;
        cell.fill({5'000 + into}, 10, rate);
        const auto told = cell.lower_remaining({5'000 + into}, 0, 1'900 - into, rate);
        EXPECT_EQ(told.how, weir::obeyed::in_part);
        EXPECT_EQ(told.ticks, 1'001U - into);
        EXPECT_EQ(cell.peek({6'000}, 0, rate).remaining(), 0U);
        EXPECT_EQ(cell.peek({6'100}, 0, rate).remaining(), 1U);
    }
}

}  // namespace

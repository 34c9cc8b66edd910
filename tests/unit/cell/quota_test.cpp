// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <type_traits>

#include <gtest/gtest.h>

#include <weir/cell/gcra.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/token_bucket.hpp>

namespace {

using weir::quota;
using weir::quota_error;
using namespace std::chrono_literals;

constexpr std::uint64_t gigahertz = 1'000'000'000;

TEST(quota, reads_as_it_is_said) {
    constexpr quota q{500, 1min, 20};
    EXPECT_EQ(q.units(), 500);
    EXPECT_EQ(q.period(), weir::seconds(60));
    EXPECT_EQ(q.burst(), 20);
    EXPECT_EQ(weir::per_minute(500).with_burst(20), q);
    EXPECT_EQ(weir::per_second(7), (quota{7, 1s, 7}));
    EXPECT_EQ(weir::per_hour(7), (quota{7, 1h}));
    EXPECT_EQ(weir::per_day(7), (quota{7, 24h}));
}

TEST(quota, refuses_what_is_not_positive_each_with_its_error) {
    EXPECT_EQ(quota::make(0, 1s, 1).error(), quota_error::units_not_positive);
    EXPECT_EQ(quota::make(-1, 1s, 1).error(), quota_error::units_not_positive);
    EXPECT_EQ(quota::make(1, 0s, 1).error(), quota_error::period_not_positive);
    EXPECT_EQ(quota::make(1, -1s, 1).error(), quota_error::period_not_positive);
    EXPECT_EQ(quota::make(1, 1s, 0).error(), quota_error::burst_not_positive);
    EXPECT_EQ(quota::make(1, 1s, -7).error(), quota_error::burst_not_positive);
    EXPECT_EQ(quota::make(1, std::chrono::hours::max(), 1).error(), quota_error::period_too_long);
    EXPECT_THROW(quota(0, 1s), weir::refused);
    EXPECT_THROW((void)weir::per_second(-3), weir::refused);
    EXPECT_THROW((void)weir::per_second(3).with_burst(0), weir::refused);
}

// As constants.
template <std::int64_t Units, std::int64_t Seconds, std::int64_t Burst>
concept compiles = requires {
    typename std::bool_constant<(quota{Units, weir::seconds(Seconds), Burst}, true)>;
};
static_assert(compiles<1, 1, 1>);
static_assert(!compiles<0, 1, 1>);
static_assert(!compiles<-1, 1, 1>);
static_assert(!compiles<1, 0, 1>);
static_assert(!compiles<1, -1, 1>);
static_assert(!compiles<1, 1, 0>);
template <std::int64_t Units>
concept compiles_per_second = requires {
    typename std::bool_constant<(weir::per_second(Units) == quota{Units, 1s})>;
};
static_assert(compiles_per_second<1>);
static_assert(!compiles_per_second<0>);

template <class Rate>
quota_error refusal(const quota& q, const weir::options& o = {}, std::uint64_t hertz = gigahertz) {
    return Rate::make(q, hertz, o).error();
}

using gcra_rate = weir::gcra<>::rate;
using bucket_rate = weir::token_bucket<>::rate;
using small_rate = weir::gcra<std::uint32_t>::rate;

TEST(rate, refuses_a_burst_that_lasts_longer_than_the_word) {
    EXPECT_EQ(refusal<gcra_rate>({1, 1h, std::int64_t{1} << 32}), quota_error::burst_too_long);
    EXPECT_EQ(refusal<gcra_rate>({1, 1s, INT64_MAX}), quota_error::burst_too_long);
    EXPECT_EQ(refusal<bucket_rate>({1, 1s, std::int64_t{1} << 32}), quota_error::burst_too_long);
    EXPECT_EQ(refusal<small_rate>({1, 1s, 10}), quota_error::burst_too_long);
    EXPECT_EQ(refusal<gcra_rate>({1, 1s, 1'000'000}), quota_error::none);
}

TEST(rate, refuses_a_rate_that_it_cannot_hold_within_a_percent) {
    // A tick is a millisecond and 32 bits leave no room for enough fractions of it.
    EXPECT_EQ(refusal<small_rate>({300'000, 1s, 300'000'000}, {}, 1'000),
              quota_error::rate_too_fine);
    // A thousand units per nanosecond.
    EXPECT_EQ(refusal<gcra_rate>({1'000'000'000'000, 1s}), quota_error::rate_too_fine);
    EXPECT_EQ(refusal<gcra_rate>({1'000'000'000, 1s}), quota_error::none);
}

template <class T>
concept counts_units = requires(T units) {
    weir::per_second(units);
};
// What is not whole does not compile: tests/no_exceptions/mistakes.cpp.
static_assert(counts_units<int> && counts_units<std::uint64_t>);

TEST(rate, refuses_a_debt_that_a_bucket_cannot_count) {
    const quota q{1'000'000'000, 1s, 1};
    EXPECT_EQ(refusal<bucket_rate>(q, {.debt = 4'000'000'000}), quota_error::none);
    EXPECT_EQ(refusal<bucket_rate>(q, {.debt = 5'000'000'000}), quota_error::burst_too_long);
}

TEST(rate, refuses_options_that_make_no_sense) {
    const quota q{10, 1s};
    EXPECT_EQ(refusal<gcra_rate>(q, {.start = 11}), quota_error::start_not_in_burst);
    EXPECT_EQ(refusal<gcra_rate>(q, {.start = -1}), quota_error::start_not_in_burst);
    EXPECT_EQ(refusal<gcra_rate>(q, {.debt = -1}), quota_error::debt_negative);
    EXPECT_EQ(refusal<gcra_rate>(q, {.guard = -1s}), quota_error::guard_negative);
    EXPECT_EQ(refusal<gcra_rate>(q, {.whole_periods = true}), quota_error::whole_periods_unknown);
    EXPECT_EQ(refusal<gcra_rate>(q, {}, 0), quota_error::clock_without_frequency);
    EXPECT_EQ(refusal<bucket_rate>(q, {.whole_periods = true}), quota_error::none);
    EXPECT_EQ(refusal<gcra_rate>(q, {.guard = std::chrono::hours(24 * 365 * 35)}),
              quota_error::none);
    EXPECT_EQ(refusal<gcra_rate>(q, {.guard = std::chrono::hours(24 * 365 * 35)}, 10 * gigahertz),
              quota_error::burst_too_long);
    EXPECT_EQ(refusal<gcra_rate>(q, {.debt = INT64_MAX}), quota_error::burst_too_long);
    EXPECT_EQ(refusal<gcra_rate>(q, {.queue = -1}), quota_error::queue_negative);
    EXPECT_EQ(refusal<gcra_rate>(q, {.queue = INT64_MAX}), quota_error::burst_too_long);
    EXPECT_EQ(refusal<gcra_rate>(q, {.guard = std::chrono::hours::max()}),
              quota_error::burst_too_long);
}

TEST(rate, keeps_slow_quotas_in_whole_ticks_so_that_the_word_lasts) {
    const auto slow = gcra_rate::make({100, 1s}, gigahertz);
    ASSERT_TRUE(slow);
    EXPECT_EQ(slow->shift(), 3U) << "of which a refund's tag takes the bits";
    EXPECT_EQ(slow->period(), 80'000'000U);
}

}  // namespace

// SPDX-License-Identifier: MIT
// The numbers of a log where they are about to be too large, to the tick.
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/base/atomic.hpp>
#include <weir/cell/log.hpp>
#include <weir/cell/quota_error.hpp>
#include <weir/cell/sliding_log.hpp>

namespace {

using weir::nanoseconds;
using weir::quota;
using weir::quota_error;
using weir::seconds;
using rate = weir::log_rate<std::uint64_t>;

constexpr std::uint64_t kilohertz = 1'000;
constexpr std::uint64_t gigahertz = 1'000'000'000;

[[nodiscard]] quota_error refusal(nanoseconds period, const weir::options& o) {
    return rate::make({5, period}, gigahertz, o).error();
}

TEST(log_rates,
     refuse_a_debt_that_takes_more_than_half_the_circle_and_a_guard_that_takes_an_eighth) {
    const nanoseconds long_period(3'100'000'000'000'000'000);
    EXPECT_EQ(refusal(long_period, {.debt = 20, .guard = nanoseconds(1'600'000'000'000'000'000)}),
              quota_error::burst_too_long)
        << "period and debt and twice the guard come to little more than the circle";
    EXPECT_EQ(refusal(nanoseconds(220'000'000'000'000'000),
                      {.debt = 15, .guard = nanoseconds(9'000'000'000'000'000'000)}),
              quota_error::burst_too_long);
}

// One unit has places of one bit, so 2^49 - 1 granules may be looked ahead. Here it is exactly so
// many of two ticks, which is one too many.
TEST(log_rates, have_granules_as_coarse_as_is_needed) {
    const quota q{1, nanoseconds(416)};
    const weir::options exact = {.debt = 0, .guard = nanoseconds(562'949'953'421'103)};
    const auto r = rate::make(q, gigahertz, exact);
    ASSERT_TRUE(r);
    EXPECT_EQ(r->coarseness(), 2U);
    EXPECT_EQ(rate::between(q, {gigahertz, gigahertz}, exact), quota_error::none);
    const weir::options shorter = {.debt = 0, .guard = nanoseconds(562'949'953'421'102)};
    EXPECT_EQ(rate::make(q, gigahertz, shorter)->coarseness(), 1U);
    const weir::options longer = {.debt = 0, .guard = nanoseconds(562'949'953'421'104)};
    EXPECT_EQ(rate::make(q, gigahertz, longer)->coarseness(), 2U);
    EXPECT_EQ(rate::between(q, {gigahertz, gigahertz}, longer), quota_error::rate_too_fine);
}

class log_of_five : public testing::Test {
protected:
    using log_type = weir::sliding_log<5>;

    log_type::rate rate_ = log_type::rate::make({5, seconds(1)}, kilohertz, {.debt = 10}).value();
};

TEST_F(log_of_five, is_told_of_a_reset_to_the_tick) {
    for (const weir::word reset : {1U, 700U, 1'000U, 1'001U, 2'500U}) {
        log_type other;
        other.start({100'000}, 5, rate_);
        const auto told = other.lower_remaining({100'000}, 0, reset, rate_);
        EXPECT_EQ(told.how, weir::obeyed::whole);
        EXPECT_EQ(told.ticks, reset);
        EXPECT_EQ(other.peek({100'000}, 1, rate_).retry_after(), reset);
    }
}

// A circle of its times has 2^57 ticks, of which it bears an eighth.
TEST_F(log_of_five, is_free_to_a_clock_that_is_set_back_by_less_than_an_eighth_of_the_circle) {
    ASSERT_EQ(rate_.coarseness(), 0U);
    const weir::word now = weir::word{1} << 60U;
    for (const weir::word back : {2'000U, 10'000'000U}) {
        log_type other;
        other.start({now}, 5, rate_);
        EXPECT_TRUE(other.try_acquire({now - (weir::word{1} << 54U) + back}, 5, rate_)) << back;
    }
}

// The head lies further ahead than this clock can be late, and nobody takes a unit for 999 ticks.
TEST_F(log_of_five, is_told_of_a_reset_to_the_tick_by_a_clock_that_is_behind_its_head) {
    const auto late =
        log_type::rate::make({5, seconds(1)}, kilohertz, {.debt = 0, .guard = seconds(2)}).value();
    const weir::tick now{100'000 - 3'000};
    for (const weir::word reset : {998U, 999U, 1'000U, 1'001U}) {
        log_type other;
        other.start({90'000}, 5, late);
        EXPECT_TRUE(other.try_acquire({100'000}, 1, late));
        ASSERT_EQ(other.peek(now, 1, late).retry_after(), 999U);
        (void)other.lower_remaining(now, 0, reset, late);
        EXPECT_GE(other.peek(now, 1, late).retry_after(), reset);
        EXPECT_EQ(other.peek({now.count + reset - 1}, 1, late).admitted(), false) << reset;
    }
}

// For a whole period nobody takes a unit by this clock; then four of them are free.
TEST_F(log_of_five, owes_no_more_than_was_taken_by_a_clock_that_is_behind_its_head) {
    const auto late =
        log_type::rate::make({5, seconds(1)}, kilohertz, {.debt = 0, .guard = seconds(2)}).value();
    const weir::tick now{100'000 - 3'001};
    log_type log;
    log.start({90'000}, 5, late);
    EXPECT_TRUE(log.try_acquire({100'000}, 1, late));
    ASSERT_EQ(log.peek(now, 1, late).retry_after(), 1'000U);
    EXPECT_EQ(log.debt(now, late), 1U);
}

}  // namespace

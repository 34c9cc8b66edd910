// SPDX-License-Identifier: MIT
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/gcra.hpp>
#include <weir/cell/leaky_bucket.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::tick;
using weir::verdict;

constexpr std::uint64_t kilohertz = 1'000;
constexpr std::uint64_t gigahertz = 1'000'000'000;

template <class Cell>
class backlog_cell : public testing::Test {};
using cells = testing::Types<weir::gcra<std::uint64_t>, weir::gcra<std::uint32_t>,
                             weir::leaky_bucket<std::uint64_t>, weir::leaky_bucket<std::uint32_t>>;
TYPED_TEST_SUITE(backlog_cell, cells);

// One unit per second, five at once, the clock in milliseconds.
TYPED_TEST(backlog_cell, passes_the_example_of_the_contract) {
    struct row {
        weir::word now;
        unsigned n;
        weir::verdict verdict;
        unsigned remaining;
        unsigned reset;
        unsigned retry;
    };
    constexpr auto yes = verdict::admitted;
    constexpr auto no = verdict::wait;
    constexpr row rows[] = {
        {0, 6, verdict::never, 5, 0, 0}, {0, 1, yes, 4, 1000, 0},
        {0, 1, yes, 3, 2000, 0},         {0, 1, yes, 2, 3000, 0},
        {0, 1, yes, 1, 4000, 0},         {0, 1, yes, 0, 5000, 0},
        {0, 1, no, 0, 5000, 1000},       {3000, 1, yes, 2, 3000, 0},
        {3100, 1, yes, 1, 3900, 0},      {4000, 1, yes, 1, 4000, 0},
        {8000, 1, yes, 4, 1000, 0},      {9500, 1, yes, 4, 1000, 0},
        {9500, 0, yes, 4, 1000, 0},      {9500, 2, yes, 2, 3000, 0},
        {9500, 5, no, 2, 3000, 3000},    {15000, 6, verdict::never, 5, 0, 0},
    };
    const auto rate = *TypeParam::rate::make(quota{1, seconds(1), 5}, kilohertz);
    TypeParam cell;
    for (const row& r : rows) {
        const auto peeked = cell.peek(tick{r.now}, r.n, rate);
        const auto d = cell.try_acquire(tick{r.now}, r.n, rate);
        EXPECT_EQ(d.verdict(), r.verdict) << r.now;
        EXPECT_EQ(d.remaining(), r.remaining) << r.now;
        EXPECT_EQ(d.reset_after(), r.reset) << r.now;
        if (r.verdict == verdict::never) {
            EXPECT_EQ(d.retry_after(), d.forever) << r.now;
        } else {
            EXPECT_EQ(d.retry_after(), r.retry) << r.now;
        }
        EXPECT_EQ(peeked.verdict(), d.verdict()) << r.now;
        EXPECT_EQ(peeked.retry_after(), d.retry_after()) << r.now;
    }
}

TYPED_TEST(backlog_cell, keeps_the_promise_of_retry_after) {
    const auto rate = *TypeParam::rate::make(quota{3, seconds(1), 2}, kilohertz);
    TypeParam cell;
    tick now{12'345};
    for (int i = 0; i < 1000; ++i) {
        while (cell.try_acquire(now, 1, rate)) {
        }
        const auto wait = cell.peek(now, 2, rate).retry_after();
        ASSERT_FALSE(cell.peek({now.count + wait - 1}, 2, rate));
        ASSERT_TRUE(cell.peek({now.count + wait}, 2, rate));
        now.count += wait + static_cast<weir::word>(i % 7);
    }
}

TYPED_TEST(backlog_cell, denies_more_and_admits_no_more_when_time_runs_backwards) {
    const auto rate =
        *TypeParam::rate::make(quota{1, seconds(1), 5}, kilohertz, {.guard = seconds(2)});
    TypeParam cell;
    unsigned admitted = 0;
    for (int i = 0; i < 1000; ++i) {
        admitted += cell.try_acquire({100'000}, 1, rate) ? 1U : 0U;
        admitted += cell.try_acquire({99'000}, 1, rate) ? 1U : 0U;
    }
    EXPECT_EQ(admitted, 5U);
}

TYPED_TEST(backlog_cell, heals_itself_after_the_clock_was_reset) {
    const auto rate = *TypeParam::rate::make(quota{1, seconds(1), 5}, kilohertz, {.queue = 0});
    TypeParam cell;
    EXPECT_TRUE(cell.try_acquire({1'000'000}, 5, rate));
    EXPECT_FALSE(cell.try_acquire({1'000'000}, 1, rate));
    if constexpr (sizeof(typename TypeParam::word_type) == 4) {
        EXPECT_TRUE(cell.try_acquire({0}, 5, rate));
        EXPECT_FALSE(cell.try_acquire({0}, 1, rate));
    } else {
        // Within the guard of an hour the old time still counts.
        EXPECT_FALSE(cell.try_acquire({0}, 1, rate));
        EXPECT_TRUE(cell.try_acquire({weir::word{} - 4'000'000}, 5, rate));
    }
}

TYPED_TEST(backlog_cell, heals_itself_after_an_idle_of_half_the_words_range) {
    const auto rate = *TypeParam::rate::make(quota{1'000'000, seconds(1), 1'000}, gigahertz);
    TypeParam cell;
    const unsigned bits = sizeof(typename TypeParam::word_type) * 8 - rate.shift();
    tick now{777};
    for (int i = 0; i < 9; ++i) {
        EXPECT_TRUE(cell.try_acquire(now, 1'000, rate));
        EXPECT_FALSE(cell.try_acquire(now, 1, rate));
        now.count += weir::word{1} << (bits - 1);
    }
}

TYPED_TEST(backlog_cell, charges_into_debt_up_to_what_is_allowed) {
    const auto rate = *TypeParam::rate::make(quota{1, seconds(1), 5}, kilohertz, {.debt = 3});
    TypeParam cell;
    EXPECT_EQ(cell.charge({0}, 9, rate).verdict(), verdict::never);
    EXPECT_TRUE(cell.charge({0}, 7, rate));
    const auto refused = cell.charge({0}, 2, rate);
    EXPECT_EQ(refused.verdict(), verdict::wait);
    EXPECT_EQ(refused.retry_after(), 1'000U);
    EXPECT_EQ(refused.remaining(), 0U);
    EXPECT_EQ(refused.reset_after(), 7'000U);
    EXPECT_EQ(cell.try_acquire({0}, 1, rate).retry_after(), 3'000U);
    EXPECT_TRUE(cell.try_acquire({0}, 0, rate)) << "nothing is asked for, nothing refused";
    EXPECT_TRUE(cell.try_acquire({3'000}, 1, rate));
}

TYPED_TEST(backlog_cell, never_passes_units_whose_cost_wraps) {
    const auto rate = *TypeParam::rate::make(quota{1, seconds(1), 5}, kilohertz);
    TypeParam cell;
    const auto most = weir::largest<typename TypeParam::word_type>;
    const auto wraps = static_cast<typename TypeParam::word_type>(most / rate.period() + 1);
    EXPECT_EQ(cell.try_acquire({0}, wraps, rate).verdict(), verdict::never);
    EXPECT_EQ(cell.charge({0}, wraps, rate).verdict(), verdict::never);
    EXPECT_EQ(cell.try_acquire({0}, most, rate).verdict(), verdict::never);
}

TYPED_TEST(backlog_cell, grants_as_many_as_there_are) {
    const auto rate = *TypeParam::rate::make(quota{1, seconds(1), 5}, kilohertz);
    TypeParam cell;
    EXPECT_EQ(cell.acquire_up_to({0}, 3, rate).units, 3U);
    const auto rest = cell.acquire_up_to({500}, 1'000'000, rate);
    EXPECT_EQ(rest.units, 2U);
    EXPECT_EQ(rest.after.remaining(), 0U);
    EXPECT_EQ(rest.after.reset_after(), 4'500U);
    const auto none = cell.acquire_up_to({500}, 3, rate);
    EXPECT_EQ(none.units, 0U);
    EXPECT_EQ(none.after.retry_after(), 500U);
    EXPECT_EQ(cell.acquire_up_to({500}, 0, rate).units, 0U);
}

TYPED_TEST(backlog_cell, is_filled_saved_and_restored) {
    const auto rate =
        *TypeParam::rate::make(quota{1, seconds(1), 5}, kilohertz, {.debt = 0, .queue = 0});
    TypeParam cell;
    cell.fill({9'000}, 2, rate);
    EXPECT_EQ(cell.peek({9'000}, 0, rate).remaining(), 2U);
    const auto saved = cell.state({9'100}, rate);
    EXPECT_EQ(saved.ticks, 2'900U);

    TypeParam other;
    ASSERT_TRUE(other.restore({50}, saved, rate));
    EXPECT_EQ(other.peek({50}, 0, rate).reset_after(), 2'900U);
    EXPECT_FALSE(other.restore({50}, {0, 5'001}, rate));
    EXPECT_FALSE(other.restore({50}, {1, 0}, rate));
    EXPECT_EQ(other.peek({50}, 0, rate).reset_after(), 2'900U) << "a refused state changes nothing";
    EXPECT_TRUE(other.restore({50}, {0, 5'000}, rate));
    EXPECT_EQ(other.peek({50}, 0, rate).remaining(), 0U);
}

TYPED_TEST(backlog_cell, starts_only_once) {
    const auto rate = *TypeParam::rate::make(quota{1, seconds(1), 5}, kilohertz);
    TypeParam cell;
    cell.start({70'000}, 3, rate);
    cell.start({70'000}, 5, rate);
    EXPECT_EQ(cell.peek({70'000}, 0, rate).remaining(), 3U);
    TypeParam moved = std::move(cell);
    EXPECT_EQ(moved.peek({70'000}, 0, rate).remaining(), 3U);
}

TEST(leaky_bucket, tells_its_level) {
    const auto rate = *weir::leaky_bucket<>::rate::make(quota{1, seconds(1), 5}, kilohertz);
    weir::leaky_bucket<> bucket;
    EXPECT_EQ(bucket.level({0}, rate), 0U);
    EXPECT_TRUE(bucket.try_acquire({0}, 3, rate));
    EXPECT_EQ(bucket.level({0}, rate), 3U);
    EXPECT_EQ(bucket.level({1}, rate), 3U) << "a partly leaked unit is still there";
    EXPECT_EQ(bucket.level({1'000}, rate), 2U);
    EXPECT_EQ(bucket.level({3'000}, rate), 0U);
}

// The decision is a pure function, so the compiler can check the rule by itself.
constexpr auto one_per_second = *weir::gcra<>::rate::make(quota{1, seconds(1), 5}, kilohertz);
constexpr auto all_five = one_per_second.take(0, tick{0}, 5);
static_assert(all_five.verdict == verdict::admitted &&
              all_five.next == 5'000U << one_per_second.shift());
constexpr auto one_more = one_per_second.take(all_five.next, tick{0}, 1);
static_assert(one_per_second.answer(one_more, tick{0}).retry_after() == 1'000);

// Without a guard a burst may take half the circle, and rounding to ticks a little more. At one
// tick of the other half, 18 hours later, the sum wrapped: a burst passed, and at once a second
// one.
TEST(gcra_of_32_bits, owes_a_burst_that_takes_half_the_circle_at_every_tick) {
    using cell = weir::gcra<std::uint32_t>;
    const auto half = quota::make(324, seconds(1), 21'691'754);
    ASSERT_TRUE(half);
    const auto rate =
        cell::rate::make(*half, kilohertz, {.debt = 0, .queue = 0, .guard = weir::nanoseconds{}});
    ASSERT_TRUE(rate);
    for (std::uint32_t ticks = (1U << 26U) - 10; ticks < (1U << 26U) + 10; ++ticks) {
        cell c;
        c.fill({}, rate->burst(), *rate);
        ASSERT_TRUE(c.try_acquire({}, 1, *rate));
        (void)c.try_acquire({ticks}, rate->burst(), *rate);  // or it is taken for busy
        EXPECT_FALSE(c.try_acquire({ticks}, rate->burst() - 1, *rate)) << ticks;
    }
}

}  // namespace

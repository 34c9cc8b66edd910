#include <cstdint>

#include <gtest/gtest.h>

#include <weir/cell/token_bucket.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::tick;
using weir::verdict;

constexpr std::uint64_t kilohertz = 1'000;

template <class Word>
class bucket_of : public testing::Test {};
using words = testing::Types<std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(bucket_of, words);

TYPED_TEST(bucket_of, refills_token_by_token) {
    using bucket = weir::token_bucket<TypeParam>;
    const auto rate = *bucket::rate::make(quota{1, seconds(1), 5}, kilohertz);
    bucket cell;
    cell.fill({100}, 5, rate);
    EXPECT_EQ(cell.try_acquire({100}, 6, rate).verdict(), verdict::never);
    EXPECT_TRUE(cell.try_acquire({100}, 5, rate));
    const auto d = cell.try_acquire({350}, 2, rate);
    EXPECT_EQ(d.verdict(), verdict::wait);
    EXPECT_EQ(d.retry_after(), 1'750U);
    EXPECT_EQ(d.reset_after(), 4'750U);
    EXPECT_FALSE(cell.try_acquire({2'099}, 2, rate));
    EXPECT_TRUE(cell.try_acquire({2'100}, 2, rate));
    EXPECT_EQ(cell.try_acquire({2'100}, 1, rate).retry_after(), 1'000U);
}

TYPED_TEST(bucket_of, keeps_the_part_of_a_period_that_has_gone_by) {
    using bucket = weir::token_bucket<TypeParam>;
    const auto rate = *bucket::rate::make(quota{1, seconds(1), 5}, kilohertz);
    bucket cell;
    cell.fill({0}, 0, rate);
    unsigned admitted = 0;
    for (weir::word now = 0; now <= 1'000'000; now += 300) {
        admitted += cell.try_acquire({now}, 1, rate) ? 1U : 0U;
    }
    EXPECT_EQ(admitted, 999U);  // the last look is at 999.9 s
}

TYPED_TEST(bucket_of, a_full_bucket_banks_no_time) {
    using bucket = weir::token_bucket<TypeParam>;
    const auto rate = *bucket::rate::make(quota{1, seconds(1), 2}, kilohertz);
    bucket cell;
    cell.fill({0}, 2, rate);
    EXPECT_TRUE(cell.try_acquire({999}, 2, rate));
    EXPECT_EQ(cell.try_acquire({1'000}, 1, rate).retry_after(), 999U);
}

TYPED_TEST(bucket_of, refills_whole_periods_when_asked) {
    using bucket = weir::token_bucket<TypeParam>;
    const auto rate =
        *bucket::rate::make(quota{3, seconds(1), 7}, kilohertz, {.whole_periods = true});
    EXPECT_EQ(rate.portion(), 3U);
    bucket cell;
    cell.fill({0}, 7, rate);
    EXPECT_TRUE(cell.try_acquire({0}, 7, rate));
    EXPECT_FALSE(cell.try_acquire({999}, 1, rate));
    const auto d = cell.try_acquire({999}, 4, rate);
    EXPECT_EQ(d.retry_after(), 1'001U);
    EXPECT_EQ(d.reset_after(), 2'001U);
    EXPECT_EQ(cell.try_acquire({1'000}, 1, rate).remaining(), 2U);
    EXPECT_EQ(cell.peek({2'000}, 0, rate).remaining(), 5U);
    EXPECT_EQ(cell.peek({3'000}, 0, rate).remaining(), 7U);
}

TYPED_TEST(bucket_of, starts_anywhere) {
    using bucket = weir::token_bucket<TypeParam>;
    const auto rate = *bucket::rate::make(quota{1, seconds(1), 5}, kilohertz);
    bucket cell;
    cell.start({1'234}, 3, rate);
    cell.start({1'234}, 5, rate);
    EXPECT_EQ(cell.peek({1'234}, 0, rate).remaining(), 3U);
}

TYPED_TEST(bucket_of, admits_no_more_when_time_runs_backwards) {
    using bucket = weir::token_bucket<TypeParam>;
    const auto rate =
        *bucket::rate::make(quota{1, seconds(1), 5}, kilohertz, {.guard = seconds(2)});
    bucket cell;
    cell.fill({100'000}, 5, rate);
    unsigned admitted = 0;
    for (int i = 0; i < 1000; ++i) {
        admitted += cell.try_acquire({100'000}, 1, rate) ? 1U : 0U;
        admitted += cell.try_acquire({99'000}, 1, rate) ? 1U : 0U;
    }
    EXPECT_EQ(admitted, 5U);
}

TYPED_TEST(bucket_of, charges_into_debt_up_to_what_is_allowed) {
    using bucket = weir::token_bucket<TypeParam>;
    const auto rate = *bucket::rate::make(quota{1, seconds(1), 5}, kilohertz, {.debt = 3});
    bucket cell;
    cell.fill({0}, 5, rate);
    EXPECT_EQ(cell.charge({0}, 9, rate).verdict(), verdict::never);
    EXPECT_TRUE(cell.charge({0}, 7, rate));
    EXPECT_EQ(cell.charge({0}, 2, rate).retry_after(), 1'000U);
    EXPECT_EQ(cell.try_acquire({0}, 1, rate).retry_after(), 3'000U);
    EXPECT_FALSE(cell.try_acquire({2'999}, 1, rate));
    EXPECT_TRUE(cell.try_acquire({3'000}, 1, rate));
}

TYPED_TEST(bucket_of, is_saved_and_restored_with_its_debt) {
    using bucket = weir::token_bucket<TypeParam>;
    const auto rate =
        *bucket::rate::make(quota{1, seconds(1), 5}, kilohertz, {.debt = 3, .waiting = 0});
    bucket cell;
    cell.fill({0}, 5, rate);
    EXPECT_TRUE(cell.charge({0}, 7, rate));
    bucket other;
    ASSERT_TRUE(other.restore({777'000}, cell.state({400}, rate), rate));
    EXPECT_EQ(other.peek({777'000}, 1, rate).retry_after(), 2'600U);
    EXPECT_FALSE(other.restore({0}, {6, 1}, rate));
    EXPECT_FALSE(other.restore({0}, {0, 5'000}, rate));
}

TYPED_TEST(bucket_of, grants_as_many_as_there_are) {
    using bucket = weir::token_bucket<TypeParam>;
    const auto rate = *bucket::rate::make(quota{1, seconds(1), 5}, kilohertz);
    bucket cell;
    cell.fill({0}, 4, rate);
    EXPECT_EQ(cell.acquire_up_to({0}, 3, rate).units, 3U);
    EXPECT_EQ(cell.acquire_up_to({0}, 3, rate).units, 1U);
    const auto none = cell.acquire_up_to({0}, 3, rate);
    EXPECT_EQ(none.units, 0U);
    EXPECT_EQ(none.after.retry_after(), 1'000U);
}

}  // namespace

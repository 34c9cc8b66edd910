// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
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
        *bucket::rate::make(quota{1, seconds(1), 5}, kilohertz, {.debt = 3, .queue = 0});
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

// Portions of so many units a second, of which none are there, in ticks of a millisecond.
template <class Word>
class portions {
public:
    using bucket = weir::token_bucket<Word>;

    explicit portions(std::int64_t units, weir::options o = {}) {
        o.whole_periods = true;
        if (o.queue == weir::options::by_guard) o.queue = 5 * units;
        rate_ = bucket::rate::make(weir::per_second(units), kilohertz, o).value();
        cell_.fill({0}, 0, rate_);
    }

    // When it starts; 0 if it is refused.
    Word reserve(weir::word now, Word n, Word patience = weir::largest<Word>) {
        const auto s = cell_.reserve({now}, n, patience, rate_);
        if (s.verdict != verdict::admitted) return 0;
        return static_cast<Word>(now + weir::ticks(s.wait, rate_.shift()));
    }
    auto charge(weir::word now, Word n) { return cell_.charge({now}, n, rate_); }
    auto take(weir::word now, Word n) { return cell_.try_acquire({now}, n, rate_); }
    auto take_up_to(weir::word now, Word n) { return cell_.acquire_up_to({now}, n, rate_); }
    [[nodiscard]] auto peek(weir::word now, Word n = 0) const {
        return cell_.peek({now}, n, rate_);
    }

    bucket& cell() { return cell_; }
    [[nodiscard]] const auto& rate() const { return rate_; }

private:
    typename bucket::rate rate_;
    bucket cell_;
};

TYPED_TEST(bucket_of, reservations_share_the_portion_that_they_wait_for) {
    portions<TypeParam> b(1'000);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(b.reserve(0, 1), 1'000U);
    EXPECT_EQ(b.reserve(300, 996), 1'000U);
    EXPECT_EQ(b.reserve(300, 1), 2'000U);
}

TYPED_TEST(bucket_of, a_thousand_reservations_of_a_thousand_per_second_start_within_a_period) {
    portions<TypeParam> b(1'000);
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(b.reserve(0, 1), 1'000U) << i;
    for (int i = 0; i < 1'000; ++i) ASSERT_EQ(b.reserve(0, 1), 2'000U) << i;
    EXPECT_EQ(b.reserve(0, 1), 3'000U);
}

TYPED_TEST(bucket_of, a_reservation_spans_the_portions_that_it_needs_and_leaves_the_rest) {
    portions<TypeParam> b(10);
    b.cell().fill({0}, 4, b.rate());
    EXPECT_EQ(b.reserve(0, 7), 1'000U);
    EXPECT_EQ(b.reserve(0, 8), 2'000U);
    EXPECT_EQ(b.reserve(0, 9), 2'000U);
    EXPECT_EQ(b.reserve(0, 1), 3'000U);
}

TYPED_TEST(bucket_of, what_a_reservation_leaves_is_there_when_it_starts_and_not_before) {
    portions<TypeParam> b(10);
    EXPECT_EQ(b.reserve(0, 3), 1'000U);
    EXPECT_EQ(b.take_up_to(0, 10).units, 0U);
    EXPECT_TRUE(b.take(999, 0)) << "none are always there";
    EXPECT_EQ(b.peek(999).remaining(), 0U);
    EXPECT_EQ(b.take(999, 7).retry_after(), 1U);
    EXPECT_EQ(b.take(999, 8).retry_after(), 1'001U);
    EXPECT_EQ(b.peek(999).reset_after(), 1'001U);
    EXPECT_EQ(b.peek(1'000).remaining(), 7U);
    EXPECT_EQ(b.take_up_to(1'000, 10).units, 7U);
    EXPECT_EQ(b.take(1'000, 1).retry_after(), 1'000U);
}

TYPED_TEST(bucket_of, charges_into_debt_use_the_whole_portion) {
    portions<TypeParam> b(4);
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(b.charge(0, 1)) << i;
    EXPECT_EQ(b.charge(0, 1).retry_after(), 1'000U);
    EXPECT_EQ(b.take(0, 1).retry_after(), 2'000U);
    EXPECT_TRUE(b.charge(0, 0));
    EXPECT_FALSE(b.charge(999, 1));
    EXPECT_TRUE(b.charge(1'000, 1));
    EXPECT_EQ(b.peek(2'000).remaining(), 3U);
}

TYPED_TEST(bucket_of, owes_no_more_units_than_the_debt_whatever_the_portion) {
    portions<TypeParam> b(10, {.debt = 12});
    EXPECT_EQ(b.charge(0, 22).retry_after(), 1'000U);
    EXPECT_EQ(b.charge(0, 23).verdict(), verdict::never);
    EXPECT_TRUE(b.charge(0, 5));
    EXPECT_EQ(b.charge(0, 8).retry_after(), 1'000U);
    EXPECT_TRUE(b.charge(0, 7));
    EXPECT_EQ(b.charge(0, 1).retry_after(), 1'000U);
    EXPECT_EQ(b.take(0, 8).retry_after(), 2'000U);
    EXPECT_EQ(b.take(0, 9).retry_after(), 3'000U);
}

TYPED_TEST(bucket_of, promises_no_more_units_than_may_wait_whatever_the_portion) {
    portions<TypeParam> b(10, {.queue = 12});
    EXPECT_EQ(b.reserve(0, 5), 1'000U);
    EXPECT_EQ(b.reserve(0, 8), 0U);
    EXPECT_EQ(b.reserve(0, 7, 1'999), 0U);
    EXPECT_EQ(b.reserve(0, 7, 2'000), 2'000U);
    EXPECT_EQ(b.reserve(999, 1), 0U);
    EXPECT_EQ(b.reserve(1'000, 1), 2'000U);
    portions<TypeParam> none(10, {.queue = 0});
    EXPECT_EQ(none.reserve(999, 1), 0U);
}

TYPED_TEST(bucket_of, a_late_clock_takes_what_there_is_of_a_portion) {
    portions<TypeParam> b(10, {.guard = seconds(2)});
    EXPECT_TRUE(b.take(5'500, 1));
    EXPECT_EQ(b.peek(4'500).remaining(), 9U) << "it was full";
    EXPECT_TRUE(b.take(4'500, 9));
    EXPECT_FALSE(b.take(4'500, 1));
    EXPECT_FALSE(b.take(6'499, 1));
    EXPECT_EQ(b.reserve(6'000, 4), 6'500U);
    EXPECT_EQ(b.peek(5'000).remaining(), 0U) << "what comes at 6500 is not there yet";
}

TYPED_TEST(bucket_of, is_saved_and_restored_with_what_it_owes_of_a_portion) {
    portions<TypeParam> b(10);
    for (const TypeParam owed : {3U, 7U, 5U, 12U}) {
        ASSERT_NE(b.reserve(100, owed > 10 ? 10 : owed), 0U);
        const auto saved = b.cell().state({400}, b.rate());
        portions<TypeParam> other(10);
        ASSERT_TRUE(other.cell().restore({700'400}, saved, other.rate()));
        for (const TypeParam n : {1U, 3U, 4U, 8U, 10U}) {
            EXPECT_EQ(other.peek(700'400, n).retry_after(), b.peek(400, n).retry_after()) << n;
        }
        EXPECT_EQ(other.peek(700'999).remaining(), 0U);
        EXPECT_EQ(other.peek(701'000).remaining(), b.peek(1'000).remaining());
    }
    EXPECT_FALSE(b.cell().restore({0}, {20, 1}, b.rate())) << "it cannot owe ten of ten";
}

// A full bucket counts its time from the next granule, which lies up to a granule ahead. What is
// owed from there on is as much as if it were counted from now.
TEST(bucket, just_after_it_was_full_goes_into_all_of_the_debt_and_all_of_the_waiting) {
    using bucket = weir::token_bucket<std::uint64_t>;
    for (const bool whole : {false, true}) {
        for (const std::int64_t burst : {5, 1'000, 100'000}) {
            const auto rate = *bucket::rate::make(quota{1'000, seconds(1), burst}, 1'000'000'000,
                                                  {.queue = burst, .whole_periods = whole});
            const auto all = static_cast<weir::word>(burst);
            for (weir::word now = 7'000'000'000; now < 7'000'001'000; ++now) {
                bucket charged;
                charged.fill({now}, all, rate);
                ASSERT_TRUE(charged.try_acquire({now}, all, rate)) << now;
                ASSERT_TRUE(charged.charge({now}, all - 1, rate)) << now;
                ASSERT_TRUE(charged.charge({now}, 1, rate)) << now;
                ASSERT_FALSE(charged.charge({now}, 1, rate)) << "the debt is used up";
                bucket booked;
                booked.fill({now}, all, rate);
                ASSERT_TRUE(booked.try_acquire({now}, all, rate)) << now;
                const auto last = booked.reserve({now}, all, weir::largest<weir::word>, rate);
                ASSERT_EQ(last.verdict, verdict::admitted) << now;
                const auto more = booked.reserve({now}, 1, weir::largest<weir::word>, rate);
                ASSERT_EQ(more.verdict, verdict::wait) << "as many may wait";
            }
        }
    }
}

// So the debt may be deeper by what comes in a granule, which is long in a short word: the next
// charge after all of the debt comes that much too early, and no more.
TEST(bucket, of_a_short_word_may_owe_what_comes_in_a_granule_beyond_its_debt) {
    using bucket = weir::token_bucket<std::uint32_t>;
    constexpr std::uint32_t burst = 4'015;
    const auto rate =
        *bucket::rate::make(quota{2, weir::nanoseconds(83'688'316), burst}, 1'000'000);
    constexpr std::int64_t unit = 41'844;  // ticks, rounded down
    const std::int64_t granule = (std::int64_t{1} << std::bit_width(burst)) >> rate.shift();
    std::int64_t earliest = unit;
    for (weir::word now = 7'000'000; now < 7'010'000; now += 7) {
        const auto charges = [&](std::int64_t after) {
            bucket b;
            b.fill({now}, burst, rate);
            EXPECT_TRUE(b.try_acquire({now}, burst, rate));
            EXPECT_TRUE(b.charge({now}, burst, rate));
            return b.charge({now + static_cast<weir::word>(after)}, 1, rate).admitted();
        };
        std::int64_t least = 0;
        std::int64_t most = 2 * unit;
        while (most - least > 1) {
            const std::int64_t middle = least + (most - least) / 2;
            (charges(middle) ? most : least) = middle;
        }
        ASSERT_GE(most, unit - granule) << now;
        earliest = std::min(earliest, most);
    }
    EXPECT_LT(earliest, unit) << "the guide says that it may be";
}

// A server that says that nothing is left forgives nothing of what is owed of a portion.
TYPED_TEST(bucket_of, owes_as_much_when_it_is_told_that_nothing_is_left) {
    portions<TypeParam> b(10, {.debt = 10});
    EXPECT_TRUE(b.charge(100, 4));
    EXPECT_EQ(b.cell().debt({100}, b.rate()), 4U);
    for (const weir::word reset : {0U, 500U, 1'500U}) {
        (void)b.cell().lower_remaining({100}, 0, static_cast<TypeParam>(reset), b.rate());
        EXPECT_GE(b.cell().debt({100}, b.rate()), 4U) << reset;
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/fixed_window.hpp>
#include <weir/cell/sliding_log.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::tick;
using weir::verdict;

constexpr std::uint64_t kilohertz = 1'000;

// Five units per second, the clock in milliseconds.
template <class Log>
class sliding_log : public testing::Test {
public:
    using word = typename Log::word_type;

    sliding_log() { log.start({0}, 5, rate); }
    [[nodiscard]] word room(weir::word now) const { return log.peek({now}, 0, rate).remaining(); }

    typename Log::rate rate =
        *Log::rate::make(quota{5, seconds(1)}, kilohertz, {.debt = 5, .guard = seconds(2)});
    Log log;
};
using logs =
    testing::Types<weir::sliding_log<5, std::uint64_t>, weir::sliding_log<5, std::uint32_t>,
                   weir::sliding_log<64, std::uint64_t>>;
TYPED_TEST_SUITE(sliding_log, logs);

TYPED_TEST(sliding_log, passes_its_units_in_any_period_where_a_window_passes_twice_as_many) {
    const auto windowed = *weir::aligned_window<>::rate::make(quota{5, seconds(1)}, kilohertz);
    weir::aligned_window<> window;
    EXPECT_TRUE(window.try_acquire({7'999}, 5, windowed));
    EXPECT_TRUE(window.try_acquire({8'000}, 5, windowed)) << "ten within a millisecond";

    EXPECT_TRUE(this->log.try_acquire({7'999}, 5, this->rate));
    EXPECT_FALSE(this->log.try_acquire({8'000}, 1, this->rate));
    EXPECT_FALSE(this->log.try_acquire({8'998}, 1, this->rate));
    EXPECT_TRUE(this->log.try_acquire({8'999}, 5, this->rate));
}

TYPED_TEST(sliding_log, tells_what_remains_at_the_decision_whatever_comes_after_it) {
    const auto first = this->log.try_acquire({1'000}, 2, this->rate);
    EXPECT_TRUE(this->log.try_acquire({1'000}, 3, this->rate));
    const auto denied = this->log.try_acquire({1'000}, 1, this->rate);
    const auto looked = this->log.peek({2'000}, 1, this->rate);
    this->log.fill({1'000}, 4, this->rate);
    EXPECT_EQ(first.remaining(), 3U);
    EXPECT_EQ(denied.remaining(), 0U);
    EXPECT_EQ(looked.remaining(), 4U);
}

TYPED_TEST(sliding_log, lets_each_unit_go_a_period_after_it_came) {
    for (const weir::word now : {1'000U, 1'100U, 1'100U, 1'500U, 1'999U}) {
        EXPECT_TRUE(this->log.try_acquire({now}, 1, this->rate));
    }
    const auto denied = this->log.try_acquire({1'999}, 1, this->rate);
    EXPECT_EQ(denied.verdict(), verdict::wait);
    EXPECT_EQ(denied.retry_after(), 1U);
    EXPECT_EQ(denied.reset_after(), 1'000U);
    EXPECT_EQ(this->room(2'000), 1U);
    EXPECT_EQ(this->room(2'099), 1U);
    EXPECT_EQ(this->room(2'100), 3U);
    EXPECT_EQ(this->room(2'500), 4U);
    EXPECT_EQ(this->room(2'998), 4U);
    EXPECT_EQ(this->room(2'999), 5U);
}

TYPED_TEST(sliding_log, takes_all_or_nothing) {
    EXPECT_TRUE(this->log.try_acquire({1'000}, 3, this->rate));
    const auto denied = this->log.try_acquire({1'200}, 3, this->rate);
    EXPECT_FALSE(denied);
    EXPECT_EQ(denied.remaining(), 2U);
    EXPECT_EQ(denied.retry_after(), 800U);
    EXPECT_TRUE(this->log.try_acquire({1'200}, 2, this->rate));
    EXPECT_TRUE(this->log.try_acquire({1'200}, 0, this->rate)) << "nothing is asked for";
    const auto never = this->log.try_acquire({9'000}, 6, this->rate);
    EXPECT_EQ(never.verdict(), verdict::never);
    EXPECT_EQ(never.retry_after(), never.forever);
    EXPECT_EQ(never.remaining(), 5U);
}

TYPED_TEST(sliding_log, goes_round_its_places_again_and_again) {
    weir::word now = 1'000;
    for (int i = 0; i < 1'000; ++i, now += 1'000) {
        ASSERT_TRUE(this->log.try_acquire({now}, 3, this->rate)) << i;
        ASSERT_EQ(this->room(now), 2U) << i;
        ASSERT_FALSE(this->log.try_acquire({now + 999}, 3, this->rate)) << i;
    }
}

TYPED_TEST(sliding_log, takes_as_many_as_there_are) {
    EXPECT_EQ(this->log.acquire_up_to({1'000}, 3, this->rate).units, 3U);
    const auto rest = this->log.acquire_up_to({1'200}, 1'000'000, this->rate);
    EXPECT_EQ(rest.units, 2U);
    EXPECT_EQ(rest.after.remaining(), 0U);
    const auto none = this->log.acquire_up_to({1'200}, 3, this->rate);
    EXPECT_EQ(none.units, 0U);
    EXPECT_EQ(none.after.retry_after(), 800U);
    EXPECT_EQ(this->log.acquire_up_to({1'200}, 0, this->rate).units, 0U);
}

// At every fill and all around the ring; with a late `now` too.
TYPED_TEST(sliding_log, peeks_at_what_taking_would_answer) {
    weir::word now = 1'000;
    for (int i = 0; i < 300; ++i, now += 170) {
        const tick at{i % 7 == 0 ? now - 400 : now};
        for (const unsigned n : {0U, 6U, 1U + static_cast<unsigned>(i) % 5}) {
            const auto peeked = this->log.peek(at, n, this->rate);
            const auto remaining = peeked.remaining();
            const auto taken = this->log.try_acquire(at, n, this->rate);
            ASSERT_EQ(peeked.verdict(), taken.verdict()) << i;
            ASSERT_EQ(peeked.reset_after(), taken.reset_after()) << i;
            ASSERT_EQ(peeked.retry_after(), taken.retry_after()) << i;
            ASSERT_EQ(remaining, taken.remaining()) << i;
            ASSERT_EQ(peeked.remaining(), taken.remaining()) << i << ": nobody else has come";
        }
    }
}

TYPED_TEST(sliding_log, records_debts_for_when_they_are_due) {
    EXPECT_TRUE(this->log.try_acquire({1'000}, 4, this->rate));
    EXPECT_TRUE(this->log.charge({1'100}, 3, this->rate)) << "due at 2000";
    EXPECT_EQ(this->room(2'000), 2U);
    EXPECT_EQ(this->room(2'999), 2U);
    EXPECT_EQ(this->room(3'000), 5U);
    const auto refused = this->log.charge({1'100}, 3, this->rate);
    EXPECT_EQ(refused.verdict(), verdict::wait);
    EXPECT_EQ(refused.retry_after(), 900U) << "due at 3000, a period ahead at most";
    EXPECT_EQ(refused.reset_after(), 1'900U);
    EXPECT_EQ(this->log.charge({1'100}, 6, this->rate).verdict(), verdict::never);
}

TYPED_TEST(sliding_log, counts_what_comes_late_as_if_it_had_come_with_the_last) {
    EXPECT_TRUE(this->log.try_acquire({5'000}, 1, this->rate));
    EXPECT_TRUE(this->log.try_acquire({4'000}, 3, this->rate));
    EXPECT_EQ(this->room(4'000), 1U);
    EXPECT_EQ(this->room(5'999), 1U);
    EXPECT_EQ(this->room(6'000), 5U);
}

TYPED_TEST(sliding_log, starts_only_once) {
    TypeParam fresh;
    fresh.start({70'000}, 3, this->rate);
    fresh.start({70'500}, 5, this->rate);
    EXPECT_EQ(fresh.peek({70'000}, 0, this->rate).remaining(), 3U);
    EXPECT_EQ(fresh.peek({70'999}, 0, this->rate).remaining(), 3U);
    EXPECT_TRUE(fresh.try_acquire({70'999}, 1, this->rate));
    TypeParam moved = std::move(fresh);
    EXPECT_EQ(moved.peek({71'000}, 0, this->rate).remaining(), 4U);
}

TYPED_TEST(sliding_log, is_filled_saved_and_restored) {
    this->log.fill({9'000}, 2, this->rate);
    EXPECT_EQ(this->room(9'000), 2U);
    EXPECT_EQ(this->room(9'999), 2U);
    EXPECT_EQ(this->room(10'000), 5U);
    const auto saved = this->log.state({9'100}, this->rate);
    EXPECT_EQ(saved, (weir::cell_state<typename TypeParam::word_type>{3, 900}));

    TypeParam other;
    ASSERT_TRUE(other.restore({50}, saved, this->rate));
    EXPECT_EQ(other.peek({50}, 0, this->rate).remaining(), 2U);
    EXPECT_EQ(other.peek({50}, 3, this->rate).retry_after(), 900U);
    EXPECT_FALSE(other.restore({50}, {6, 0}, this->rate));
    EXPECT_FALSE(other.restore({50}, {1, 2'001}, this->rate));
    EXPECT_EQ(other.peek({50}, 3, this->rate).retry_after(), 900U) << "nothing has changed";
    EXPECT_TRUE(other.restore({50}, {5, 2'000}, this->rate));
    EXPECT_EQ(other.peek({50}, 1, this->rate).retry_after(), 2'000U);
}

}  // namespace

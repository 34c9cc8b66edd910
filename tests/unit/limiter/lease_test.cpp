// SPDX-License-Identifier: MIT
#include <array>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "../../at.hpp"
#include "../../oracle/dice.hpp"

namespace {

using weir::lease;
using weir::quota;
using weir::seconds;

template <class Tag>
using limiter_of = weir::limiter<weir::gcra<>, weir::manual_clock<Tag, 1'000>>;

TEST(lease, takes_its_units_in_one_go_and_spends_them_alone) {
    limiter_of<struct in_one_go> limit{quota{10, seconds(10), 20}};
    lease mine(limit, 8);
    EXPECT_EQ(limit.peek(0).remaining(), 20U) << "nothing before it is asked";
    EXPECT_TRUE(mine.try_acquire(3));
    EXPECT_EQ(limit.peek(0).remaining(), 12U);
    EXPECT_TRUE(mine.try_acquire(5));
    EXPECT_EQ(limit.peek(0).remaining(), 12U);
    EXPECT_EQ(mine.left(), 0U);
    EXPECT_TRUE(mine.try_acquire(1));
    EXPECT_EQ(limit.peek(0).remaining(), 4U);
}

TEST(lease, takes_what_it_lacks_and_fills_up_to_its_size) {
    limiter_of<struct fills> limit{quota{10, seconds(10), 20}};
    lease mine(limit, 8);
    EXPECT_TRUE(mine.try_acquire(3));
    EXPECT_TRUE(mine.try_acquire(6));
    EXPECT_EQ(mine.left(), 2U);
    EXPECT_EQ(limit.peek(0).remaining(), 9U) << "8 and 3 are taken";
}

// There is no other time for what is left.
TEST(lease, of_a_limit_whose_times_are_given_ends_at_the_time_it_was_taken) {
    using clock = weir::given_clock<struct of_events, 1'000>;
    weir::limiter<weir::gcra<>, clock> limit{quota{10, seconds(10), 20}};
    {
        lease mine(limit, 8);
        EXPECT_TRUE(mine.try_acquire(3, at(limit, 100)));
        EXPECT_EQ(limit.peek(0, at(limit, 100)).remaining(), 12U);
    }
    EXPECT_EQ(limit.peek(0, at(limit, 100)).remaining(), 17U);
}

TEST(lease, takes_what_is_there_when_there_is_less) {
    limiter_of<struct less> limit{quota{10, seconds(10), 20}};
    (void)limit.try_acquire(15);
    lease mine(limit, 8);
    EXPECT_FALSE(mine.try_acquire(6));
    EXPECT_EQ(limit.peek(0).remaining(), 5U) << "a refusal takes nothing";
    EXPECT_TRUE(mine.try_acquire(2));
    EXPECT_EQ(mine.left(), 3U);
    EXPECT_TRUE(mine.try_acquire(3));
    EXPECT_FALSE(mine.try_acquire(1));
    EXPECT_TRUE(mine.try_acquire(0));
    EXPECT_FALSE(mine.try_acquire(21)) << "more than the burst";
}

template <class Limit>
class any_lease : public testing::Test {};
template <class Cell>
using limiter_with = weir::limiter<Cell, weir::manual_clock<Cell, 1'000>>;
using leased_limits = weir::joined<
    weir::every_cell<20, weir::word>::each<limiter_with>,
    weir::cell_list<limiter_with<weir::sliding_log<64>>,
                    weir::adjustable<weir::manual_clock<struct any_adjustable, 1'000>>>>;
TYPED_TEST_SUITE(any_lease, leased_limits::as<testing::Types>);

constexpr quota twenty{20, seconds(20)};

TYPED_TEST(any_lease, that_refuses_changes_nothing_and_never_stays_never) {
    TypeParam limit{twenty};
    lease mine(limit, 8);
    for (int i = 0; i < 100; ++i) {
        EXPECT_FALSE(mine.try_acquire(21));
        EXPECT_FALSE(mine.try_acquire(1'500));
        EXPECT_FALSE(mine.try_acquire(~weir::word{0}));
    }
    EXPECT_EQ(mine.left(), 0U);
    EXPECT_EQ(limit.peek(0).remaining(), 20U);

    EXPECT_TRUE(mine.try_acquire(1));
    EXPECT_EQ(mine.left(), 7U);
    for (const weir::word n : {20U, 21U, 27U, 28U, 1'500U}) {
        EXPECT_FALSE(mine.try_acquire(n) && n > 20) << n;
    }
}

TYPED_TEST(any_lease, that_is_refused_keeps_its_stock_and_leaves_the_rest_to_others) {
    TypeParam limit{twenty};
    lease mine(limit, 8);
    EXPECT_TRUE(mine.try_acquire(5));
    EXPECT_TRUE(limit.try_acquire(8));
    EXPECT_EQ(mine.left(), 3U);
    for (int i = 0; i < 10; ++i) {
        EXPECT_FALSE(mine.try_acquire(8)) << "3 and 4 are 7";
        EXPECT_EQ(mine.left(), 3U);
        EXPECT_EQ(limit.peek(0).remaining(), 4U);
    }
    EXPECT_TRUE(mine.try_acquire(7));
    EXPECT_EQ(mine.left(), 0U);
    EXPECT_EQ(limit.peek(0).remaining(), 0U);
    EXPECT_FALSE(mine.try_acquire(1));
}

TYPED_TEST(any_lease, never_holds_more_than_its_size_nor_than_the_burst) {
    TypeParam limit{twenty};
    lease mine(limit, 8);
    EXPECT_TRUE(mine.try_acquire(1));
    EXPECT_TRUE(mine.try_acquire(8)) << "one is missing, and there is more";
    EXPECT_EQ(mine.left(), 0U);
    EXPECT_EQ(limit.peek(0).remaining(), 11U);
    EXPECT_TRUE(mine.try_acquire(1));
    EXPECT_TRUE(mine.try_acquire(10));
    EXPECT_EQ(mine.left(), 0U) << "just what was missing";
    EXPECT_EQ(limit.peek(0).remaining(), 0U);

    TypeParam another{twenty};
    lease large(another, 1'000);
    EXPECT_TRUE(large.try_acquire(1));
    EXPECT_EQ(large.left(), 19U);
    EXPECT_FALSE(large.try_acquire(20));
    EXPECT_EQ(large.left(), 19U);
}

TEST(lease, takes_more_than_its_size_for_who_asks_for_more) {
    limiter_of<struct more> limit{quota{10, seconds(10), 20}};
    lease mine(limit, 4);
    EXPECT_TRUE(mine.try_acquire(1));
    EXPECT_TRUE(mine.try_acquire(10));
    EXPECT_EQ(mine.left(), 0U);
    EXPECT_EQ(limit.peek(0).remaining(), 9U);
}

TEST(lease, gives_back_what_is_left_when_asked_and_with_its_end) {
    limiter_of<struct back> limit{quota{10, seconds(10), 20}};
    {
        lease mine(limit, 8);
        EXPECT_TRUE(mine.try_acquire(1));
        mine.give_back();
        EXPECT_EQ(mine.left(), 0U);
        EXPECT_EQ(limit.peek(0).remaining(), 19U);
        EXPECT_TRUE(mine.try_acquire(2));
        lease moved(std::move(mine));
        EXPECT_EQ(moved.left(), 6U);
        EXPECT_EQ(mine.left(), 0U);  // NOLINT(bugprone-use-after-move): it owns nothing now
    }
    EXPECT_EQ(limit.peek(0).remaining(), 17U);
}

TEST(lease, does_not_give_back_what_has_drained) {
    limiter_of<struct drained> limit{quota{10, seconds(10), 20}};
    lease mine(limit, 8);
    EXPECT_TRUE(mine.try_acquire(1));
    mine.give_back(at(limit, 5'000));
    EXPECT_EQ(limit.peek(0, at(limit, 5'000)).reset_after(), seconds(0));
    EXPECT_FALSE(limit.try_acquire(21, at(limit, 5'000)));
}

TEST(lease, lapses_after_its_time_to_live) {
    limiter_of<struct lapses> limit{quota{10, seconds(10), 20}};
    lease mine(limit, 8, seconds(2));
    EXPECT_TRUE(mine.try_acquire(1, at(limit, 1'000)));
    EXPECT_TRUE(mine.try_acquire(1, at(limit, 3'000)));
    EXPECT_EQ(mine.left(), 6U);
    EXPECT_TRUE(mine.try_acquire(1, at(limit, 500))) << "late, but not old";
    EXPECT_EQ(mine.left(), 5U);
    (void)limit.drain(at(limit, 3'001));
    EXPECT_TRUE(mine.try_acquire(1, at(limit, 3'001))) << "out of what has just gone back";
    EXPECT_EQ(mine.left(), 4U);
}

TEST(lease, gives_back_at_a_late_time_what_has_drained_since_but_no_more_than_was_left) {
    limiter_of<struct late> limit{quota{1, seconds(1), 100}};
    (void)limit.peek(0, at(limit, 100'000));
    lease mine(limit, 9);
    EXPECT_TRUE(mine.try_acquire(1, at(limit, 100'000)));
    EXPECT_TRUE(limit.try_acquire(50, at(limit, 120'000)));
    mine.give_back(at(limit, 104'000));
    EXPECT_EQ(limit.peek(0, at(limit, 120'000)).remaining(), 50U + 5U);

    EXPECT_TRUE(mine.try_acquire(1, at(limit, 300'000)));
    EXPECT_TRUE(limit.try_acquire(50, at(limit, 320'000)));
    mine.give_back(at(limit, 300'000));
    EXPECT_EQ(limit.peek(0, at(limit, 320'000)).remaining(), 50U + 8U);
}

// Two event loops whose times are late, and others who ask at the present. All that passes goes
// through a bucket of the burst and of what the two have leased.
TEST(lease, passes_no_more_than_its_units_beyond_the_quota_however_late_its_times_are) {
    using weir::word;
    constexpr word begin = 1'000'000;
    constexpr std::int64_t burst = 100;
    for (unsigned seed = 0; seed < 2'000; ++seed) {
        oracle::dice random(seed + 1);
        const auto roll = [&](word n) { return random.roll(n); };
        limiter_of<struct however_late> limit{quota{1'000, seconds(1), burst}};
        (void)limit.peek(0, at(limit, begin));
        const word units = 1 + roll(64);
        const word late = roll(4) * roll(100);
        std::array loops{lease(limit, units, weir::milliseconds(1 + std::int64_t(roll(20)))),
                         lease(limit, units, weir::milliseconds(1 + std::int64_t(roll(20))))};
        std::int64_t level = 0;
        for (word now = begin; now < begin + 600; ++now) {
            if (level > 0) --level;
            for (auto& mine : loops) {
                const auto seen = at(limit, now - begin > late ? now - late : begin);
                if (roll(6) == 0 && mine.try_acquire(1, seen)) ++level;
            }
            if (roll(6) == 0) {
                const word most = roll(10) == 0 ? 1'000 : 1 + roll(90);
                level += std::int64_t(limit.acquire_up_to(most, at(limit, now)).units);
            }
            ASSERT_LE(level, burst + 2 * std::int64_t(units)) << "seed " << seed;
        }
    }
}

TEST(lease, of_a_cell_that_cannot_refund_loses_what_is_left) {
    weir::limiter<weir::sliding_log<10>, weir::manual_clock<struct loses, 1'000>> limit{
        quota{10, seconds(10)}};
    {
        lease mine(limit, 4);
        EXPECT_TRUE(mine.try_acquire(1));
        EXPECT_EQ(mine.left(), 3U);
    }
    EXPECT_EQ(limit.peek(0).remaining(), 6U);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_lease.hpp>
#include <weir/adapter/fleet_stock.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>

namespace {

using weir::fleet_lease;
using weir::milliseconds;
using weir::nanoseconds;
using weir::seconds;
using weir::word;
using act = weir::fleet_turn::act;

// A process whose leases are answered at once and whole, unless the test says otherwise.
class lessee {
public:
    explicit lessee(word least = 1, word most = 1'000, double share = 1)
        : rule(least, most, share, 1, 7) {}

    // Looks when it is time for it, after `spent` units were spent.
    weir::fleet_turn look(word spent = 0, word wanted = 0) {
        now = std::max(now, rule.next_look());
        stock -= spent;
        const auto turn = rule.look(now, stock, wanted);
        if (turn.what != act::nothing) calls.push_back(now);
        if (turn.what == act::lease) {
            EXPECT_LE(stock + turn.units, rule.most());
            const word got = std::min(turn.units, room);
            stock += got;
            rule.leased(now, turn.units, got, retry, stock);
        } else if (turn.what == act::give_back) {
            EXPECT_LE(turn.units, stock);
            stock -= turn.units;
            rule.gave_back(now, stock);
        }
        return turn;
    }
    void idle_for(nanoseconds time) {
        const nanoseconds end = now + time;
        while (rule.next_look() < end) (void)look();
        now = end;
    }

    fleet_lease rule;
    nanoseconds now = seconds(100);
    word stock = 0;
    word room = weir::largest<word>;
    nanoseconds retry{};
    std::vector<nanoseconds> calls;
};

TEST(a_fleet_lease, is_taken_before_anybody_asks) {
    lessee l(5, 1'000);
    EXPECT_EQ(l.look().what, act::lease);
    EXPECT_GE(l.stock, 5U);
}

TEST(a_fleet_lease, is_four_times_what_is_spent_in_a_look) {
    lessee l;
    (void)l.look();
    for (int i = 0; i < 20; ++i) (void)l.look(40);
    EXPECT_EQ(l.rule.size(), 160U);
    EXPECT_GE(l.stock, 80U) << "it asks for more when half is left";
    EXPECT_LT(l.calls.size(), 15U) << "and not at each look";
    for (int i = 0; i < 20; ++i) (void)l.look(std::min<word>(l.stock, 900));
    EXPECT_EQ(l.rule.size(), 1'000U) << "no more than the largest";
}

TEST(a_fleet_lease, doubles_when_the_stock_is_empty_and_grows_to_what_is_wanted) {
    lessee l(1, 1'000);
    l.room = 0;
    (void)l.look();
    const word first = l.rule.size();
    (void)l.look(0, 1);
    EXPECT_EQ(l.rule.size(), 2 * first);
    (void)l.look(0, 777);
    EXPECT_EQ(l.rule.size(), 777U);
    (void)l.look(0, 2'000);
    EXPECT_EQ(l.rule.size(), 1'000U);
}

// Half of its lease is there, so nothing would come for the rest if nobody said what is wanted.
TEST(a_fleet_lease, comes_for_a_request_that_is_larger_than_the_stock) {
    lessee l(1, 1'000);
    l.idle_for(seconds(3));
    ASSERT_LE(l.stock, 2U);
    EXPECT_EQ(l.look(0, 900).what, act::lease);
    EXPECT_GE(l.stock, 900U);
}

// More than half of the largest lease is there, and a larger one would not be asked for.
TEST(a_fleet_lease, comes_for_a_request_that_the_better_half_does_not_serve) {
    lessee l(1, 1'000);
    (void)l.look();
    for (int i = 0; i < 20; ++i) (void)l.look(l.stock);
    (void)l.look(400);
    ASSERT_EQ(l.stock, 600U);
    EXPECT_EQ(l.look(0, 900).what, act::lease);
    EXPECT_EQ(l.stock, 1'000U);
}

TEST(a_fleet_lease, goes_back_when_it_is_idle) {
    lessee l(3, 1'000);
    (void)l.look();
    for (int i = 0; i < 50; ++i) (void)l.look(l.stock);
    ASSERT_EQ(l.stock, 1'000U);
    l.calls.clear();
    l.idle_for(seconds(1));
    EXPECT_EQ(l.rule.size(), 3U);
    EXPECT_LE(l.stock, 6U);
    EXPECT_GE(l.stock, 3U) << "a first request passes";
    EXPECT_LE(l.calls.size(), 10U);
    l.calls.clear();
    l.idle_for(seconds(60));
    EXPECT_LE(l.calls.size(), 60U);
    EXPECT_GE(l.calls.size(), 50U) << "so it knows whether Redis is there";
}

TEST(a_fleet_lease, makes_no_more_than_250_calls_a_second) {
    std::mt19937 random(1);
    for (int round = 0; round < 50; ++round) {
        lessee l(1 + random() % 4, 10 + random() % 10'000);
        const auto kind = random() % 4;
        const nanoseconds end = l.now + seconds(3);
        while (l.now < end) {
            l.room = kind == 1 ? random() % 10 : kind == 2 ? 0 : weir::largest<word>;
            (void)l.look(l.stock == 0 ? 0 : random() % l.stock, kind == 3 ? random() % 20'000 : 0);
        }
        for (std::size_t i = 250; i < l.calls.size(); ++i)
            EXPECT_GE(l.calls[i].count() - l.calls[i - 250].count(), nanoseconds::per_second);
    }
}

TEST(a_fleet_lease, waits_as_long_as_there_is_nothing) {
    lessee l;
    l.room = 0;
    l.retry = milliseconds(300);
    (void)l.look(0, 1);
    l.calls.clear();
    const nanoseconds begin = l.now;
    while (l.calls.empty()) {
        (void)l.look(0, 1);
        EXPECT_GT(l.rule.wait(), nanoseconds{});
        EXPECT_GE(l.now + l.rule.wait(), std::min(begin + milliseconds(300), l.rule.next_look()));
    }
    EXPECT_GE(l.now, begin + milliseconds(300));
    EXPECT_LE(l.now, begin + milliseconds(310));
    l.retry = weir::hours(5);
    l.calls.clear();
    while (l.calls.empty()) (void)l.look(0, 1);
    const nanoseconds told = l.now;
    l.calls.clear();
    while (l.calls.empty()) (void)l.look(0, 1);
    EXPECT_LE(l.now, told + milliseconds(1'010)) << "others may give units back";
}

// When the limit is used up a process asks for its own share, and an eighth more.
TEST(a_fleet_lease, is_fair_when_there_is_little) {
    lessee l(1, 10'000, 1e-3);  // 1 000 in a millisecond
    l.room = 1;
    (void)l.look(0, 1);
    const nanoseconds before = l.now;
    const auto turn = l.look(1, 1);
    ASSERT_EQ(turn.what, act::lease);
    const auto came = static_cast<double>(l.now.count() - before.count()) * 1e-3;
    EXPECT_LE(static_cast<double>(turn.units), 1.125 * came + 1);
    EXPECT_GE(static_cast<double>(turn.units), std::min(1.125 * came - 1, 1'000.0));
}

// It had 500 times what comes in a millisecond before there was little.
TEST(a_fleet_lease, asks_for_less_when_it_has_had_more_than_its_share) {
    lessee l(1, 10'000, 1e-6);  // 1 in a millisecond
    for (int i = 0; i < 20; ++i) (void)l.look(l.stock);
    ASSERT_GE(l.stock, 500U);
    l.room = 1;
    (void)l.look(l.stock, 1);
    l.stock = 0;
    const nanoseconds little_since = l.now;
    while (l.now < little_since + milliseconds(80)) {
        const auto turn = l.look(l.stock);
        EXPECT_LE(turn.units, 1U) << "it has had what comes in 100 ms";
    }
}

TEST(a_fleet_stock, gives_all_or_none) {
    weir::fleet_stock s(100);
    EXPECT_EQ(s.put(150), 100U) << "no more than the most";
    EXPECT_TRUE(s.take(60, 60).passes);
    const auto denied = s.take(60, 60);
    EXPECT_FALSE(denied.passes);
    EXPECT_EQ(denied.left, 40U);
    EXPECT_EQ(s.wanted(), 60U);
    EXPECT_EQ(s.wanted(), 0U) << "said once";
    EXPECT_FALSE(s.take(101, 101).passes);
    EXPECT_EQ(s.wanted(), 0U) << "what never passes is not waited for";
    EXPECT_EQ(s.take(10, 1'000).units, 40U);
    EXPECT_TRUE(s.take(0, 0).passes);
    EXPECT_FALSE(s.take(weir::largest<word>, weir::largest<word>).passes);
}

TEST(a_fleet_stock, lets_everything_pass_and_counts_it) {
    weir::fleet_stock s(100);
    (void)s.put(1);
    s.let_pass(true);
    EXPECT_EQ(s.take(1, 1).units, 1U) << "the stock goes first";
    const auto free = s.take(7, 7);
    EXPECT_TRUE(free.passes);
    EXPECT_EQ(free.units, 0U);
    EXPECT_EQ(s.passed(), 7U);
    EXPECT_FALSE(s.take(101, 101).passes) << "never is never";
    EXPECT_TRUE(s.look(100).passes);
    EXPECT_FALSE(s.look(101).passes);
    s.let_pass(false);
    EXPECT_FALSE(s.take(1, 1).passes);
    EXPECT_EQ(s.units(), 0U);
}

}  // namespace

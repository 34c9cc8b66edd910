// SPDX-License-Identifier: MIT
// What producers are answered and told: pushes, refusals, estimates.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/limiter.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

#include "in_virtual_time.hpp"

namespace in_virtual_time {
namespace {

class producer_test : public run {};

TEST_F(producer_test, answers_each_push) {
    pacer<schedule, lanes<1, 2>> p(ten_a_second(), book_);
    auto mine = p.open();
    EXPECT_EQ(mine.try_push(make("dear"), 6).how(), pushing::never);
    EXPECT_EQ(mine.try_push(make("late"), 1, deadline(instant{999})).how(),
              pushing::would_miss_deadline);
    EXPECT_EQ(mine.try_push(make("a")).how(), pushing::pushed);
    EXPECT_EQ(mine.try_push(make("b")).how(), pushing::pushed);
    item kept = make("c");
    EXPECT_EQ(mine.try_push(std::move(kept)).how(), pushing::full);
    ASSERT_NE(kept, nullptr);
    EXPECT_EQ(mine.times_full(), 1U);
    (void)p.poll();
    EXPECT_EQ(mine.try_push(std::move(kept)).how(), pushing::pushed);
    p.close();
    EXPECT_EQ(mine.try_push(make("d")).how(), pushing::closed);
    mine.close();
    EXPECT_EQ(mine.try_push(make("e")).how(), pushing::closed);
    auto late = p.open();
    EXPECT_FALSE(late);
    EXPECT_EQ(late.try_push(make("f")).how(), pushing::closed);
    EXPECT_EQ(poll_until(p, 9'999).what, polled::done);
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_TRUE(book_.drops.empty()) << "what was not accepted is not dropped";
}

TEST_F(producer_test, says_that_a_producer_never_had_a_lane) {
    pacer<schedule, lanes<2, 16>> p(ten_a_second(), book_);
    std::vector<decltype(p)::producer_type> all;
    for (int i = 0; i < 3; ++i) all.push_back(p.open());
    EXPECT_EQ(all[0].try_push(make("a")).how(), pushing::pushed);
    EXPECT_EQ(all[1].try_push(make("b")).how(), pushing::pushed);
    item kept = make("c");
    EXPECT_EQ(all[2].try_push(std::move(kept)).how(), pushing::no_lane);
    EXPECT_NE(kept, nullptr) << "it is not moved";
    EXPECT_EQ(decltype(p)::producer_type().try_push(make("d")).how(), pushing::no_lane);
    all[2].close();
    EXPECT_EQ(all[2].try_push(make("e")).how(), pushing::no_lane);
    const auto taken = std::move(all[0]);
    EXPECT_EQ(all[0].try_push(make("f")).how(),
              pushing::closed);  // NOLINT(bugprone-use-after-move)
    pacer<schedule, lanes<1, 16>> alone(ten_a_second(), book_);
    schedule budget = ten_a_second();
    EXPECT_EQ(alone.open({.budget = &budget}).try_push(make("g")).how(), pushing::no_lane);
}

TEST_F(producer_test, estimates_when_an_item_will_go) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    EXPECT_EQ(mine.estimate(), instant{1'000});
    EXPECT_EQ(mine.try_push(make("a")).estimate(), instant{1'000});
    EXPECT_EQ(mine.try_push(make("b"), 3).estimate(), instant{1'100});
    EXPECT_EQ(mine.try_push(make("c")).estimate(), instant{1'400});
    EXPECT_EQ(mine.try_push(make("d"), 1, deadline(instant{1'499})).how(),
              pushing::would_miss_deadline);
    EXPECT_EQ(mine.try_push(make("d"), 1, deadline(instant{1'500})).estimate(), instant{1'500});
    EXPECT_EQ(mine.estimate(), instant{1'600});
    (void)poll_until(p, 9'999);
    EXPECT_EQ(book_.emitted,
              (std::vector<went>{{"a", 1'000}, {"b", 1'100}, {"c", 1'400}, {"d", 1'500}}));
}

TEST_F(producer_test, estimates_what_other_lanes_take) {
    pacer<> p(ten_a_second(), book_);
    auto urgent = p.open({.priority = weir::priority::first});
    auto heavy = p.open({.priority = 1, .weight = 3});
    auto mine = p.open({.priority = 1});
    auto last = p.open({.priority = 2});
    for (int i = 0; i < 2; ++i) (void)urgent.try_push(make("urgent"));
    for (int i = 0; i < 9; ++i) (void)heavy.try_push(make("heavy"));
    for (int i = 0; i < 2; ++i) (void)mine.try_push(make("mine"));
    for (int i = 0; i < 5; ++i) (void)last.try_push(make("last"));
    EXPECT_EQ(urgent.estimate(), instant{1'200});
    EXPECT_EQ(mine.estimate(), instant{1'000 + 100 * (2 + 6 + 2)});
    const instant expected = mine.try_push(make("this")).estimate();
    EXPECT_EQ(expected, instant{2'000});
    (void)poll_until(p, 9'999);
    for (const went& w : book_.emitted) {
        if (w.what == "this") {
            EXPECT_NEAR(static_cast<double>(w.at), 2'000, 100);
        }
    }
}

TEST_F(producer_test, says_when_a_lane_is_crowded) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open({.high_water = 2});
    (void)mine.try_push(make("a"));
    EXPECT_FALSE(mine.crowded());
    (void)mine.try_push(make("b"));
    EXPECT_TRUE(mine.crowded());
    EXPECT_EQ(mine.approx_size(), 2U);
    EXPECT_EQ(p.approx_size(), 2U);
    (void)p.poll();
    EXPECT_FALSE(mine.crowded());
}

TEST_F(producer_test, does_not_measure_a_lane_by_its_last_holders_budget) {
    pacer<schedule, lanes<2, 16>> p(ten_a_second(), book_);
    schedule small(quota{1, seconds(1'000), 1});
    schedule large(quota{1'000, seconds(1), 100});
    auto mine = p.open({.budget = &small});
    (void)mine.try_push(make("a"));
    (void)p.poll();
    mine.close();
    (void)p.poll();
    mine = p.open({.budget = &large});
    EXPECT_EQ(mine.lane(), 0U);
    EXPECT_EQ(mine.try_push(make("b"), 5).how(), pushing::pushed);
    EXPECT_EQ(mine.try_push(make("c"), 1, deadline(instant{1'500})).how(), pushing::pushed);
    (void)poll_until(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 1'000}, {"b", 1'000}, {"c", 1'005}}));
}

TEST_F(producer_test, tells_who_pushes_of_a_new_rate_of_his_budget) {
    pacer<> p(ten_a_second(), book_);
    schedule own(quota{1, seconds(1), 1}, catch_up::none());
    auto mine = p.open({.budget = &own});
    (void)p.poll();
    EXPECT_EQ(mine.try_push(make("a"), 50).how(), pushing::never);
    EXPECT_EQ(own.set_rate(quota{100, seconds(1), 100}, clock::now()), weir::pacer_error::none);
    (void)p.poll();
    EXPECT_EQ(mine.try_push(make("a"), 50).how(), pushing::pushed);
    EXPECT_EQ(mine.estimate(), instant{1'500});
}

TEST_F(producer_test, tells_all_who_share_a_budget_what_one_has_used) {
    pacer<> p(ten_a_second(), book_);
    schedule own(quota{1, seconds(1), 100}, catch_up::none());
    auto mine = p.open({.budget = &own});
    auto other = p.open({.budget = &own});
    (void)mine.try_push(make("a"), 50);
    (void)p.poll();
    EXPECT_EQ(other.estimate(), instant{51'000});
    EXPECT_EQ(other.try_push(make("b"), 1, deadline(instant{50'999})).how(),
              pushing::would_miss_deadline);
    auto third = p.open({.budget = &own});
    (void)p.poll();
    EXPECT_EQ(third.estimate(), instant{51'000}) << "also who comes later";
}

TEST_F(producer_test, accepts_what_a_delay_that_is_made_good_lets_go_in_time) {
    pacer<> p(ten_a_second(catch_up::items(4)), book_);
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    (void)p.poll();
    clock::set({61'000});
    for (const char* name : {"b", "c", "d", "e", "f"}) {
        EXPECT_EQ(mine.try_push(make(name), 1, deadline(instant{61'000})).how(), pushing::pushed);
    }
    EXPECT_EQ(mine.estimate(), instant{61'100});
    EXPECT_EQ(mine.try_push(make("g"), 1, deadline(instant{61'099})).how(), pushing::pushed)
        << "those before it may expire";
    EXPECT_EQ(mine.try_push(make("h")).estimate(), instant{61'200});
    EXPECT_EQ(poll_until(p, 61'000), (next_poll{polled::due, instant{61'100}, false}))
        << "g expires then";
    (void)poll_until(p, 99'999);
    ASSERT_EQ(book_.emitted.size(), 7U);
    EXPECT_EQ(book_.emitted[5], (went{"f", 61'000}));
    EXPECT_EQ(book_.emitted[6], (went{"h", 61'100}));
    EXPECT_EQ(book_.drops, (std::vector<drop>{{"g", dropped::expired}}));
}

TEST_F(producer_test, refuses_for_its_deadline_only_what_would_miss_it_for_certain) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    auto first = p.open();
    (void)mine.try_push(make("a"));
    (void)p.poll();
    EXPECT_EQ(mine.try_push(make("b"), 1, deadline(instant{1'099})).how(),
              pushing::would_miss_deadline)
        << "the limit lets nothing go before 1100";
    EXPECT_TRUE(mine.try_push(make("free"), 0, deadline(instant{1'099})))
        << "but what costs nothing";
    for (int i = 0; i < 5; ++i) (void)first.try_push(make("other"));
    EXPECT_TRUE(mine.try_push(make("c"), 1, deadline(instant{1'150})))
        << "others may lose their turn";
    EXPECT_TRUE(mine.try_push(make("d"), 1, deadline(instant{1'199}))) << "c may expire";
    EXPECT_TRUE(mine.try_push(make("e")));
    EXPECT_TRUE(mine.try_push(make("f"), 1, deadline(instant{1'200}))) << "e goes at 1100 then";
    EXPECT_TRUE(mine.try_push(make("g")));
    EXPECT_TRUE(mine.try_push(make("h")));
    EXPECT_EQ(mine.try_push(make("i"), 1, deadline(instant{1'299})).how(),
              pushing::would_miss_deadline)
        << "g and h do not expire";
    EXPECT_TRUE(mine.try_push(make("i"), 1, deadline(instant{1'300})));
}

TEST_F(producer_test, refuses_by_its_deadline_only_what_no_burst_could_let_go_in_time) {
    using limiter = weir::limiter<weir::gcra<>, clock>;
    pacer<limiter, lanes<2, 64>> p(limiter{quota{10, seconds(1), 10}}, book_);
    auto mine = p.open();
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(mine.try_push(make("x"), 1, deadline(instant{1'000})).how(), pushing::pushed);
    }
    (void)p.poll();
    EXPECT_EQ(book_.emitted.size(), 10U);
    for (int i = 0; i < 40; ++i) EXPECT_TRUE(mine.try_push(make("y")));
    EXPECT_EQ(mine.try_push(make("z"), 1, deadline(instant{1'500})).how(),
              pushing::would_miss_deadline);
}

TEST_F(producer_test, counts_a_pause_in_when_it_estimates) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    p.pause_until(instant{5'000});
    EXPECT_EQ(mine.estimate(), instant{5'000});
    EXPECT_EQ(mine.try_push(make("a"), 1, deadline(instant{4'999})).how(),
              pushing::would_miss_deadline);
    (void)mine.try_push(make("a"));
    EXPECT_EQ(mine.try_push(make("b"), 1, deadline(instant{5'100})).estimate(), instant{5'100});
    (void)poll_until(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 5'000}, {"b", 5'100}}));
    p.pause_until(instant{8'000});
    p.resume();
    EXPECT_EQ(mine.estimate(), instant{5'200});
}

TEST_F(producer_test, does_not_take_an_idle_time_for_a_wait_when_its_clock_wraps) {
    pacer<> p(ten_a_second(), book_);
    schedule own = ten_a_second();
    auto mine = p.open();
    auto other = p.open({.budget = &own});
    (void)mine.try_push(make("a"));
    (void)other.try_push(make("b"));
    (void)p.poll();
    for (int i = 0; i < 8; ++i) {
        clock::set({clock::now().count + UINT64_MAX / 8});
        EXPECT_EQ(p.poll().what, polled::idle);
        EXPECT_EQ(mine.estimate(), clock::now());
        EXPECT_EQ(other.estimate(), clock::now());
    }
}

}  // namespace
}  // namespace in_virtual_time

// SPDX-License-Identifier: MIT
// One poll in virtual time: whose turn it is, what goes, what is dropped, and when it wants to be
// called again.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/limiter.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

#include "in_virtual_time.hpp"

namespace in_virtual_time {
namespace {

class poller_test : public run {};

TEST_F(poller_test, emits_in_order_at_its_rate) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(mine.try_push(make(name)));
    EXPECT_EQ(poll_until(p, 9'999).what, polled::idle);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 1'000}, {"b", 1'100}, {"c", 1'200}}));
    EXPECT_TRUE(book_.times.keeps(10, 1'000, 0));
}

TEST_F(poller_test, says_when_it_wants_to_be_polled) {
    pacer<> p(ten_a_second(), book_);
    EXPECT_EQ(p.poll(), (next_poll{polled::idle, instant(), true}));
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    (void)mine.try_push(make("b"));
    EXPECT_EQ(p.poll(), (next_poll{polled::due, instant{1'100}, false}));
    EXPECT_EQ(p.poll(instant{1'099}), (next_poll{polled::due, instant{1'100}, false}))
        << "no harm is done";
    p.pause();
    EXPECT_EQ(p.poll().what, polled::paused);
    p.pause_until(instant{1'500});
    EXPECT_EQ(p.poll(), (next_poll{polled::due, instant{1'500}, false}));
    p.close();
    p.resume();
    EXPECT_EQ(poll_until(p, 9'999).what, polled::done);
    EXPECT_EQ(book_.emitted.size(), 2U);
}

TEST_F(poller_test, drops_what_has_expired_without_using_a_slot) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    (void)mine.try_push(make("late"), 1, deadline(instant{1'100}));
    (void)mine.try_push(make("b"), 1, deadline(instant{1'250}));
    (void)p.poll();
    clock::set({1'250});
    EXPECT_EQ(poll_until(p, 9'999).what, polled::idle);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 1'000}, {"b", 1'250}}));
    EXPECT_EQ(book_.drops, (std::vector<drop>{{"late", dropped::expired}}));
}

TEST_F(poller_test, drops_only_so_many_at_a_time_and_lets_others_go_meanwhile) {
    pacer<schedule, lanes<2, 32>> p(ten_a_second(), book_, {.most_drops = 4});
    auto stale = p.open();
    auto other = p.open();
    for (int i = 0; i < 10; ++i) (void)stale.try_push(make("stale"), 1, deadline(instant{2'000}));
    (void)other.try_push(make("other"));
    clock::set({5'000});
    const next_poll next = p.poll();
    EXPECT_EQ(book_.drops.size(), 4U);
    EXPECT_EQ(names(), (std::vector<std::string>{"other"}));
    EXPECT_EQ(next, (next_poll{polled::due, instant{5'000}, true})) << "at once again";
    (void)p.poll();
    EXPECT_EQ(book_.drops.size(), 8U);
    EXPECT_EQ(p.poll().what, polled::idle);
    EXPECT_EQ(book_.drops.size(), 10U);
}

TEST_F(poller_test, lets_the_first_class_go_first_and_shares_the_others_by_weight) {
    pacer<> p(ten_a_second(), book_);
    auto orders = p.open({.priority = 1, .weight = 2});
    auto quotes = p.open({.priority = 1});
    auto cancels = p.open({.priority = weir::priority::first});
    for (int i = 0; i < 4; ++i) (void)orders.try_push(make("order"));
    for (int i = 0; i < 2; ++i) (void)quotes.try_push(make("quote"));
    (void)p.poll();
    (void)cancels.try_push(make("cancel"));
    (void)poll_until(p, 9'999);
    EXPECT_EQ(names(), (std::vector<std::string>{"order", "cancel", "quote", "order", "order",
                                                 "quote", "order"}));
    EXPECT_TRUE(book_.times.keeps(10, 1'000, 0));
}

TEST_F(poller_test, lets_what_is_urgent_go_before_a_lane_that_does_not_say) {
    pacer<schedule, lanes<6, 16>> p(ten_a_second(catch_up::items(9)), book_);
    auto normal = p.open();
    auto last = p.open({.priority = weir::priority::last});
    auto behind = p.open({.priority = 5});
    auto usual = p.open({.priority = weir::priority::usual});
    auto before = p.open({.priority = 3});
    auto first = p.open({.priority = weir::priority::first});
    (void)last.try_push(make("last"));
    (void)behind.try_push(make("behind"));
    for (int i = 0; i < 2; ++i) {
        (void)normal.try_push(make("normal"));
        (void)usual.try_push(make("usual"));
        (void)before.try_push(make("before"));
        (void)first.try_push(make("first"));
    }
    (void)poll_until(p, 9'999);
    EXPECT_EQ(names(), (std::vector<std::string>{"first", "first", "before", "before", "normal",
                                                 "usual", "normal", "usual", "behind", "last"}));
}

TEST_F(poller_test, gives_a_lane_a_budget_of_its_own) {
    pacer<> p(ten_a_second(), book_);
    schedule cancels(quota{100, seconds(1), 1}, catch_up::none());
    auto fast = p.open({.priority = 0, .budget = &cancels});
    auto slow = p.open({.priority = 1});
    for (int i = 0; i < 3; ++i) {
        (void)fast.try_push(make("cancel"));
        (void)slow.try_push(make("order"));
    }
    EXPECT_EQ(p.poll(), (next_poll{polled::due, instant{1'010}, false}));
    (void)poll_until(p, 1'050);
    EXPECT_EQ(book_.emitted,
              (std::vector<went>{
                  {"cancel", 1'000}, {"order", 1'000}, {"cancel", 1'010}, {"cancel", 1'020}}));
    EXPECT_EQ(p.poll(), (next_poll{polled::due, instant{1'100}, true}))
        << "a cancel would go before that";
    EXPECT_EQ(fast.estimate(instant{1'020}), instant{1'030});
    (void)poll_until(p, 9'999);
    EXPECT_EQ(book_.emitted.back(), (went{"order", 1'200}));
    EXPECT_EQ(fast.try_push(make("dear"), 2).how(), pushing::never);
}

TEST_F(poller_test, lets_no_cheap_item_slip_by_an_urgent_one_that_waits_for_more_units) {
    using limiter = weir::limiter<weir::gcra<>, clock>;
    pacer<limiter> p(limiter{quota{10, seconds(1), 3}}, book_);
    auto urgent = p.open({.priority = weir::priority::first});
    auto other = p.open({.priority = 1});
    (void)urgent.try_push(make("a"), 2);
    (void)urgent.try_push(make("b"), 3);
    (void)other.try_push(make("cheap"));
    (void)poll_until(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 1'000}, {"b", 1'200}, {"cheap", 1'300}}));
}

TEST_F(poller_test, lets_what_costs_nothing_go_in_its_turn) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    for (int i = 0; i < 3; ++i) (void)mine.try_push(make("free"), 0);
    (void)mine.try_push(make("b"));
    EXPECT_EQ(p.poll().at, instant{1'100});
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "free", "free", "free"}));
}

TEST_F(poller_test, lets_nobody_take_all_turns_with_what_costs_nothing) {
    for (const unsigned behind : {0U, 1U}) {
        obliging sink;
        weir::pacer<int, obliging&, schedule, lanes<2, 512>> p(ten_a_second(), sink,
                                                               {.lowest_gets_one_in = 10});
        auto greedy = p.open({.priority = 0});
        auto other = p.open({.priority = behind});
        bool went = false;
        sink.does = [&](int i) {
            if (i == 0) (void)greedy.try_push(0, 0);
            went = went || i == 1;
        };
        for (int i = 0; i < 300; ++i) (void)greedy.try_push(0, 0);
        (void)other.try_push(1);
        (void)p.poll();
        EXPECT_TRUE(went) << behind;
        sink.does = [](int) {};
    }
}

TEST_F(poller_test, gives_nobody_more_turns_for_opening_his_lane_anew) {
    obliging sink;
    weir::pacer<int, obliging&, schedule, lanes<2, 512>> p(ten_a_second(), sink);
    int went[2] = {};
    sink.does = [&](int i) { ++went[i < 0 ? 0 : i]; };
    auto first = p.open();
    auto stays = p.open();
    for (int i = 0; i < 100; ++i) (void)stays.try_push(1);
    for (int i = 0; i < 100; ++i) {
        first.close();
        (void)p.poll();
        first = p.open();
        (void)first.try_push(0);
        clock::set(p.poll().at);
    }
    EXPECT_NEAR(went[0], went[1], 2);
}

// Four units of six are gone, so four more have to wait, and one has not.
TEST_F(poller_test, can_be_woken_by_what_costs_less_than_what_waits) {
    weir::limiter<weir::gcra<>, clock> limit(weir::quota{1, seconds(1), 6});
    std::vector<int> seen;
    auto to = weir::sink{[&](int&& i) { seen.push_back(i); }, [](int&&, dropped) {}};
    weir::pacer<int, decltype(to), decltype(limit)&, lanes<4, 8>> p(limit, decltype(to)(to));
    auto orders = p.open({.priority = 1});
    auto cancels = p.open({.priority = weir::priority::first});
    (void)orders.try_push(1, 4);
    (void)orders.try_push(2, 4);
    auto next = p.poll();
    EXPECT_EQ(next.what, polled::due);
    EXPECT_TRUE(next.wakes);
    (void)cancels.try_push(3);
    (void)p.poll();
    EXPECT_EQ(seen, (std::vector<int>{1, 3}));
    (void)cancels.try_push(4);
    (void)cancels.try_push(5);
    next = p.poll();
    EXPECT_EQ(seen, (std::vector<int>{1, 3, 4}));
    EXPECT_FALSE(next.wakes) << "as one waits, all do";

    // A lane that is opened meanwhile has to be looked at first.
    (void)p.sleeper().was_alerted();
    auto late = p.open();
    EXPECT_TRUE(p.sleeper().is_alerted());
}

}  // namespace
}  // namespace in_virtual_time

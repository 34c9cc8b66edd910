// SPDX-License-Identifier: MIT
// The lanes of a pacer: opened, left, opened again; and who sleeps meanwhile.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/pacer.hpp>

#include "in_virtual_time.hpp"

namespace in_virtual_time {
namespace {

class lane_set_test : public run {};

TEST_F(lane_set_test, opens_and_closes_lanes_while_it_runs) {
    pacer<schedule, lanes<2, 16>> p(ten_a_second(), book_);
    auto a = p.open();
    auto b = p.open();
    EXPECT_FALSE(p.open()) << "there are two";
    (void)a.try_push(make("a1"));
    (void)a.try_push(make("a2"));
    (void)b.try_push(make("b1"));
    a.close();
    EXPECT_FALSE(p.open()) << "a's items are still in it";
    (void)poll_until(p, 1'200);
    EXPECT_EQ(names(), (std::vector<std::string>{"a1", "b1", "a2"}));
    auto c = p.open({.priority = 7});
    ASSERT_TRUE(c);
    (void)c.try_push(make("c1"));
    (void)b.try_push(make("b2"));
    b = std::move(c);
    EXPECT_EQ(b.try_push(make("c2")).how(), pushing::pushed);
    (void)poll_until(p, 9'999);
    EXPECT_EQ(names(), (std::vector<std::string>{"a1", "b1", "a2", "b2", "c1", "c2"}));
    EXPECT_TRUE(p.open());
}

TEST_F(lane_set_test, has_up_to_64_lanes) {
    pacer<schedule, lanes<64, 4>> p(ten_a_second(), book_);
    std::vector<decltype(p)::producer_type> all;
    for (unsigned i = 0; i < 64; ++i) {
        all.push_back(p.open({.priority = i % 8}));
        ASSERT_TRUE(all.back());
        for (int k = 0; k < 4; ++k) EXPECT_TRUE(all.back().try_push(make("x")));
    }
    EXPECT_FALSE(p.open());
    EXPECT_EQ(p.approx_size(), 256U);
    EXPECT_EQ(poll_until(p, 99'999).what, polled::idle);
    EXPECT_EQ(book_.emitted.size(), 256U);
    EXPECT_TRUE(book_.times.keeps(10, 1'000, 0));
}

TEST_F(lane_set_test, opens_no_lane_with_a_budget_that_it_would_not_ask) {
    schedule own = ten_a_second();
    pacer<schedule, lanes<1, 16>> p(ten_a_second(), book_);
    EXPECT_FALSE(p.open({.budget = &own}));
    EXPECT_TRUE(p.open());
}

TEST_F(lane_set_test, wants_no_more_places_than_can_be_counted) {
    using made = pacer<schedule, lanes<2>>;
    EXPECT_THROW(made(ten_a_second(), book_, {.capacity = SIZE_MAX}), weir::refused);
}

TEST_F(lane_set_test, wants_lanes_with_places) {
    using made = pacer<schedule, lanes<2>>;
    EXPECT_THROW(made(ten_a_second(), book_, {.capacity = 0}), weir::refused);
    made p(ten_a_second(), book_, {.capacity = 3});
    auto mine = p.open();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(mine.try_push(make("x")));
    EXPECT_EQ(mine.try_push(make("x")).how(), pushing::full);
}

TEST_F(lane_set_test, wakes_who_sleeps_once_when_items_are_pushed) {
    pacer<> p(ten_a_second(), book_);
    int woken = 0;
    const auto wake = [](void* times) noexcept { ++*static_cast<int*>(times); };
    ASSERT_TRUE(p.wake_with(wake, &woken, true));
    auto mine = p.open();
    woken = 0;
    p.sleeper().lie_down(&weir::machine_fences::full);
    (void)mine.try_push(make("a"));
    EXPECT_EQ(woken, 1);
    (void)mine.try_push(make("b"));
    EXPECT_EQ(woken, 1) << "it is awake";
}

TEST_F(lane_set_test, alerts_who_sleeps_when_a_lane_is_opened) {
    pacer<> p(ten_a_second(), book_);
    schedule seldom(quota{1, seconds(1'000), 1}, catch_up::none());
    auto slow = p.open({.budget = &seldom});
    (void)slow.try_push(make("a"));
    (void)slow.try_push(make("b"));
    EXPECT_EQ(p.poll(), (next_poll{polled::due, instant{1'001'000}, false}));
    (void)p.sleeper().was_alerted();
    auto other = p.open();
    EXPECT_TRUE(p.sleeper().is_alerted()) << "what it takes waits for another limit";
    (void)other.try_push(make("c"));
    (void)p.poll();
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "c"}));
}

TEST_F(lane_set_test, gives_away_a_lane_that_was_left_while_nothing_is_due) {
    pacer<schedule, lanes<2, 16>> p(ten_a_second(), book_);
    auto mine = p.open();
    auto other = p.open();
    (void)mine.try_push(make("a"));
    (void)mine.try_push(make("b"));
    const auto left = [&] {
        (void)p.sleeper().was_alerted();
        other.close();
        EXPECT_TRUE(p.sleeper().was_alerted());
        (void)p.poll();
        other = p.open();
        EXPECT_TRUE(other);
    };
    EXPECT_FALSE(p.poll().wakes);
    left();
    p.pause();
    EXPECT_EQ(p.poll(), (next_poll{polled::paused, instant(), false}));
    left();
}

}  // namespace
}  // namespace in_virtual_time

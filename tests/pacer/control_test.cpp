// SPDX-License-Identifier: MIT
// What a pacer can be told: pause, another rate, drain, discard; and its end.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/pacer.hpp>

#include "in_virtual_time.hpp"

namespace in_virtual_time {
namespace {

class control_test : public run {};

TEST_F(control_test, pauses_and_catches_up_no_more_than_it_may) {
    pacer<> p(ten_a_second(catch_up::items(2)), book_);
    auto mine = p.open();
    for (int i = 0; i < 10; ++i) (void)mine.try_push(make("x"));
    (void)p.poll();
    p.pause();
    clock::advance(seconds(60));
    EXPECT_EQ(p.poll().what, polled::paused);
    EXPECT_EQ(book_.emitted.size(), 1U);
    p.resume();
    (void)p.poll();
    EXPECT_EQ(book_.emitted.size(), 4U) << "two and one more";
    p.throttled(seconds(2));
    p.throttled(seconds(1));
    EXPECT_TRUE(p.paused());
    EXPECT_EQ(p.poll().at, instant{63'000}) << "the longer one";
    (void)poll_until(p, 99'999);
    EXPECT_FALSE(p.paused());
    EXPECT_EQ(book_.emitted[4].at, 63'000U);
    EXPECT_TRUE(book_.times.keeps(10, 1'000, 4));
    p.pause();
    p.throttled(seconds(1));
    EXPECT_EQ(p.poll().what, polled::paused) << "until it is resumed";
}

TEST_F(control_test, changes_its_rate_in_the_middle_of_a_wait) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    for (int i = 0; i < 3; ++i) (void)mine.try_push(make("x"));
    (void)p.poll();
    clock::set({1'050});
    EXPECT_EQ(p.set_rate(quota{1, seconds(1), 1}), weir::pacer_error::none);
    EXPECT_EQ(p.poll().at, instant{1'550});
    EXPECT_EQ(p.set_rate(quota{1, seconds(4'000'000'000), 1'000'000'000}),
              weir::pacer_error::burst_too_long);
    (void)poll_until(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"x", 1'000}, {"x", 1'550}, {"x", 2'550}}));
    EXPECT_EQ(mine.try_push(make("dear"), 2).how(), pushing::never);
}

TEST_F(control_test, drops_what_a_new_rate_never_lets_pass) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("dear"), 5);
    (void)mine.try_push(make("cheap"));
    EXPECT_EQ(p.set_rate(quota{10, seconds(1), 1}), weir::pacer_error::none);
    (void)poll_until(p, 9'999);
    EXPECT_EQ(names(), (std::vector<std::string>{"cheap"}));
    EXPECT_EQ(book_.drops, (std::vector<drop>{{"dear", dropped::never}}));
}

TEST_F(control_test, drains_at_its_rate_until_a_time_and_discards_the_rest) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    for (const char* name : {"a", "b", "c", "d"}) (void)mine.try_push(make(name));
    p.drain(instant{1'150});
    EXPECT_EQ(mine.try_push(make("e")).how(), pushing::closed);
    EXPECT_EQ(poll_until(p, 9'999).what, polled::done);
    EXPECT_EQ(clock::now(), instant{1'150});
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(book_.drops,
              (std::vector<drop>{{"c", dropped::discarded}, {"d", dropped::discarded}}));
}

TEST_F(control_test, drains_while_it_is_paused_too) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    p.pause();
    p.drain(instant{2'000});
    EXPECT_EQ(p.poll(), (next_poll{polled::due, instant{2'000}, false}));
    EXPECT_EQ(poll_until(p, 9'999).what, polled::done);
    EXPECT_EQ(book_.drops, (std::vector<drop>{{"a", dropped::discarded}}));
}

TEST_F(control_test, discards_at_once) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    auto other = p.open({.priority = 3});
    (void)mine.try_push(make("a"));
    (void)other.try_push(make("b"));
    p.discard();
    EXPECT_EQ(book_.drops.size(), 2U);
    EXPECT_TRUE(book_.emitted.empty());
    EXPECT_EQ(p.poll().what, polled::done);
}

TEST_F(control_test, hands_out_what_is_left_when_it_ends) {
    {
        pacer<> p(ten_a_second(), book_);
        auto mine = p.open();
        (void)mine.try_push(make("a"));
        (void)mine.try_push(make("b"));
        (void)p.poll();
        mine.close();
    }
    EXPECT_EQ(names(), (std::vector<std::string>{"a"}));
    EXPECT_EQ(book_.drops, (std::vector<drop>{{"b", dropped::abandoned}}));
}

TEST_F(control_test, is_done_although_it_is_paused_if_it_is_closed_and_empty) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    p.pause();
    p.close();
    EXPECT_EQ(p.poll().what, polled::paused) << "there is something left";
    p.resume();
    EXPECT_EQ(p.poll().what, polled::done);
    p.pause();
    EXPECT_EQ(p.poll().what, polled::done);
    p.pause_until(instant{9'000});
    EXPECT_EQ(p.poll().what, polled::done);
}

}  // namespace
}  // namespace in_virtual_time

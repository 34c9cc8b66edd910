// SPDX-License-Identifier: MIT
// Lanes that can be steered: what waits in them is cancelled, cleared or replaced, and each item
// comes out once, with its reason.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/limiter.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/steered_lane.hpp>
#include <weir/weir.hpp>

#include "in_virtual_time.hpp"

namespace in_virtual_time {

namespace {

using weir::ticket;

// One character is what it is about, the rest is which one it is: "a1" and "a2" are of one key.
struct quote {
    std::string text;
    [[nodiscard]] char about() const { return text[0]; }
};
[[nodiscard]] std::string_view text_key(const quote& q) {
    return std::string_view(q.text).substr(0, 1);
}

using quote_book = book<quote>;

using drops = std::vector<drop>;

template <class Lanes, class Limit = schedule>
using steered_pacer = weir::pacer<quote, quote_book&, Limit, Lanes>;
using by_ticket = steered_pacer<weir::steered<lanes<3, 4>>>;
using by_key = steered_pacer<weir::steered<lanes<3, 4>, &quote::about>>;

class steered : public run {
protected:
    quote_book quotes_;
};

TEST_F(steered, cancels_one_item_and_the_others_keep_their_turns) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    push(mine, "a");
    push(mine, "b");
    const ticket c = push(mine, "c");
    push(mine, "d");
    EXPECT_EQ(mine.cancel(c), pushing::pushed);
    EXPECT_TRUE(quotes_.drops.empty()) << "obeyed by the poll";
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.emitted, (std::vector<went>{{"a", 1'000}, {"b", 1'100}, {"d", 1'200}}));
    EXPECT_EQ(quotes_.drops, (drops{{"c", dropped::cancelled}}));
    EXPECT_EQ(p.approx_size(), 0U);
}

TEST_F(steered, says_nothing_of_an_item_that_has_gone) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    const ticket a = push(mine, "a");
    (void)p.poll();
    EXPECT_EQ(mine.cancel(a), pushing::pushed);
    const ticket b = push(mine, "b");
    EXPECT_EQ(mine.cancel(b), pushing::pushed);
    EXPECT_EQ(mine.cancel(b), pushing::pushed) << "twice";
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "a ");
    EXPECT_EQ(quotes_.drops, (drops{{"b", dropped::cancelled}}));
}

TEST_F(steered, refuses_tickets_of_others) {
    by_ticket p(ten_a_second(), quotes_);
    auto one = p.open();
    auto two = p.open();
    const ticket a = push(one, "a");
    const ticket b = push(two, "b");
    EXPECT_EQ(a.number, b.number) << "or this test says little";
    EXPECT_EQ(two.cancel(a), pushing::no_ticket);
    EXPECT_EQ(two.cancel({}), pushing::no_ticket);
    by_ticket::producer_type none;
    EXPECT_EQ(none.cancel(a), pushing::no_lane);
    EXPECT_EQ(none.clear(), pushing::no_lane);
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "a b ");
    two.close();
    EXPECT_EQ(two.cancel(b), pushing::closed);
}

TEST_F(steered, gives_no_ticket_for_what_it_refuses) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    EXPECT_FALSE(mine.try_push({"dear"}, 6).ticket());
    EXPECT_TRUE(mine.try_push({"fits"}, 5).ticket());
}

TEST_F(steered, does_not_mistake_the_tickets_of_who_had_the_lane_before) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    const ticket old = push(mine, "a");
    mine.close();
    (void)poll_until(p, 1'500);
    (void)p.poll();
    mine = p.open();
    EXPECT_EQ(mine.lane(), old.lane);
    const ticket fresh = push(mine, "b");
    EXPECT_NE(old, fresh);
    EXPECT_EQ(mine.cancel(old), pushing::pushed);
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "a b ");
}

TEST_F(steered, clears_what_was_pushed_before) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    auto other = p.open();
    push(other, "o");
    push(mine, "a");
    push(mine, "b");
    EXPECT_EQ(mine.clear(), pushing::pushed);
    push(mine, "c");
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "c o ");
    EXPECT_EQ(quotes_.drops, (drops{{"a", dropped::cleared}, {"b", dropped::cleared}}));
}

TEST_F(steered, replaces_an_item_by_a_newer_one_of_its_key_in_its_place) {
    by_key p(ten_a_second(), quotes_);
    auto mine = p.open();
    push(mine, "x");
    push(mine, "a1");
    push(mine, "b1");
    const ticket first = push(mine, "a2");
    (void)first;
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "x a2 b1 ");
    EXPECT_EQ(quotes_.drops, (drops{{"a1", dropped::replaced}}));
}

TEST_F(steered, replaces_the_first_the_last_and_the_only_one) {
    by_key p(ten_a_second(), quotes_);
    auto mine = p.open();
    push(mine, "a1");
    push(mine, "a2");
    (void)p.poll();
    EXPECT_EQ(quotes_.names(), "a2 ");
    for (const char* text : {"b1", "c1", "b2", "c2"}) push(mine, text);
    (void)p.poll();
    push(mine, "d");
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "a2 b2 c2 d ");
    // What has gone cannot be replaced.
    push(mine, "d");
    (void)poll_until(p, 20'000);
    EXPECT_EQ(quotes_.names(), "a2 b2 c2 d d ");
}

TEST_F(steered, goes_by_the_terms_of_the_newer_item) {
    by_key p(ten_a_second(), quotes_);
    auto mine = p.open();
    push(mine, "x");
    push(mine, "a1", 1, deadline<clock>(instant{1'050}));
    push(mine, "a2", 3);
    push(mine, "b");
    (void)poll_until(p, 1'050);
    EXPECT_EQ(quotes_.drops, (drops{{"a1", dropped::replaced}}));
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.emitted, (std::vector<went>{{"x", 1'000}, {"a2", 1'100}, {"b", 1'400}}));
}

TEST_F(steered, cancels_the_newer_one_and_not_the_replaced) {
    by_key p(ten_a_second(), quotes_);
    auto mine = p.open();
    const ticket older = push(mine, "a1");
    const ticket newer = push(mine, "a2");
    EXPECT_EQ(mine.cancel(older), pushing::pushed);
    push(mine, "b");
    EXPECT_EQ(mine.cancel(newer), pushing::pushed);
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "b ");
    EXPECT_EQ(quotes_.drops, (drops{{"a1", dropped::replaced}, {"a2", dropped::cancelled}}));
}

TEST_F(steered, has_keys_that_a_function_tells_and_lanes_that_do_not_share_them) {
    steered_pacer<weir::steered<lanes<3, 4>, text_key>> p(ten_a_second(), quotes_);
    auto mine = p.open();
    auto other = p.open();
    push(mine, "a1");
    push(other, "a2");
    push(other, "a3");
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "a1 a3 ");
    EXPECT_EQ(quotes_.drops, (drops{{"a2", dropped::replaced}}));
}

TEST_F(steered, refuses_what_does_not_fit_and_loses_nothing) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    std::vector<ticket> all;
    for (const char* text : {"a", "b", "c", "d"}) all.push_back(push(mine, text));
    EXPECT_EQ(mine.try_push({"e"}).how(), pushing::full);
    (void)p.poll();  // "a" goes; three wait in their places
    push(mine, "f");
    EXPECT_EQ(mine.try_push({"g"}).how(), pushing::full) << "three wait elsewhere";
    EXPECT_EQ(mine.approx_size(), 4U);
    EXPECT_TRUE(mine.crowded());
    // All places are taken, and cancels fit.
    for (const ticket t : all) EXPECT_EQ(mine.cancel(t), pushing::pushed);
    EXPECT_EQ(mine.clear(), pushing::pushed);
    (void)poll_until(p, 1'050);
    EXPECT_EQ(quotes_.names(), "a ");
    EXPECT_EQ(quotes_.drops, (drops{{"b", dropped::cancelled},
                                    {"c", dropped::cancelled},
                                    {"d", dropped::cancelled},
                                    {"f", dropped::cleared}}));
    EXPECT_EQ(mine.approx_size(), 0U);
    push(mine, "h");
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "a h ");
}

TEST_F(steered, says_when_no_more_requests_fit) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    const ticket a = push(mine, "a");
    for (int i = 0; i < 7; ++i) EXPECT_EQ(mine.cancel(a), pushing::pushed);
    EXPECT_EQ(mine.cancel(a), pushing::full);
    EXPECT_EQ(mine.clear(), pushing::full);
    EXPECT_EQ(mine.try_push({"b"}).how(), pushing::full);
    (void)p.poll();
    EXPECT_EQ(mine.clear(), pushing::pushed);
}

TEST_F(steered, obeys_the_thread_that_polls_at_once) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    push(mine, "a");
    const ticket b = push(mine, "b");
    push(mine, "c");
    push(mine, "d");
    EXPECT_TRUE(p.cancel(b)) << "although it is unread";
    EXPECT_FALSE(p.cancel(b));
    EXPECT_FALSE(p.cancel({}));
    EXPECT_FALSE(p.cancel({b.number, 99}));
    (void)p.poll();
    EXPECT_EQ(quotes_.drops, (drops{{"b", dropped::cancelled}}));
    p.clear(mine.lane());
    p.clear(99);
    const auto next = p.poll();
    EXPECT_EQ(next.what, polled::idle);
    EXPECT_EQ(quotes_.names(), "a ");
    EXPECT_EQ(quotes_.drops,
              (drops{{"b", dropped::cancelled}, {"c", dropped::cleared}, {"d", dropped::cleared}}));
}

// A callback finds that the session is gone: nothing else of this lane goes, in the same poll
// either.
TEST_F(steered, obeys_a_callback_before_the_next_item) {
    for (const bool by_request : {false, true}) {
        SCOPED_TRACE(by_request);
        quotes_ = {};
        by_ticket p(ten_a_second(catch_up::items(10)), quotes_);
        auto mine = p.open();
        push(mine, "a");
        (void)p.poll();  // begins the schedule
        clock::advance(weir::seconds(1));
        for (const char* text : {"d", "e", "f", "g"}) push(mine, text);
        quotes_.does = [&](const std::string& what) {
            if (what != "e") return;
            if (by_request) {
                EXPECT_EQ(mine.clear(), pushing::pushed);
            } else {
                p.clear(mine.lane());
            }
        };
        (void)p.poll();
        EXPECT_EQ(quotes_.emitted.back().what, "e");
        EXPECT_EQ(quotes_.drops, (drops{{"f", dropped::cleared}, {"g", dropped::cleared}}));
    }
}

TEST_F(steered, hands_back_while_it_is_paused) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    const ticket a = push(mine, "a");
    p.pause();
    EXPECT_EQ(mine.cancel(a), pushing::pushed);
    EXPECT_EQ(p.poll().what, polled::paused);
    EXPECT_EQ(quotes_.drops, (drops{{"a", dropped::cancelled}}));
}

TEST_F(steered, hands_back_so_many_at_a_time_and_others_come_between) {
    by_ticket p(ten_a_second(), quotes_, {.most_drops = 2});
    auto mine = p.open();
    auto other = p.open();
    for (const char* text : {"a", "b", "c", "d"}) push(mine, text);
    push(other, "o");
    EXPECT_EQ(mine.clear(), pushing::pushed);
    p.close();
    const auto next = p.poll();
    EXPECT_EQ(quotes_.names(), "o ");
    EXPECT_EQ(quotes_.drops.size(), 4U) << "after a callback it looks again";
    (void)next;
    EXPECT_EQ(poll_until(p, 10'000).what, polled::done);
}

TEST_F(steered, comes_back_at_once_for_the_rest_and_is_not_done_before) {
    steered_pacer<weir::steered<lanes<1>>> p(ten_a_second(), quotes_,
                                             {.capacity = 600, .most_drops = 1});
    auto mine = p.open();
    for (int i = 0; i < 600; ++i) push(mine, "a");
    EXPECT_EQ(mine.clear(), pushing::pushed);
    p.close();
    p.pause();  // also then
    for (int polls = 0; polls < 2; ++polls) {
        const auto next = p.poll();
        EXPECT_EQ(next.what, polled::due);
        EXPECT_EQ(next.at, clock::now());
        EXPECT_LT(quotes_.drops.size(), 600U);
    }
    EXPECT_EQ(p.poll().what, polled::done);
    EXPECT_EQ(quotes_.drops.size(), 600U);
}

TEST_F(steered, gives_a_lane_away_only_when_all_is_handed_back) {
    steered_pacer<weir::steered<lanes<1, 4>>> p(ten_a_second(), quotes_, {.most_drops = 1});
    auto mine = p.open();
    for (const char* text : {"a", "b", "c"}) push(mine, text);
    EXPECT_EQ(mine.clear(), pushing::pushed);
    mine.close();
    std::size_t handed_back = 0;
    quotes_.does = [&](const std::string&) {
        ++handed_back;
        EXPECT_FALSE(p.open()) << "something is still in it";
    };
    while (handed_back < 3) (void)p.poll();
    quotes_.does = nullptr;
    (void)p.poll();
    EXPECT_TRUE(p.open());
}

// Under a limit that lets cheap items go before dear ones, the item behind a cancelled one may be
// due at once.
TEST_F(steered, goes_on_with_what_comes_after_a_cancelled_item) {
    using limit = weir::limiter<weir::token_bucket<>, clock>;
    limit of(quota{10, seconds(1), 10});
    steered_pacer<weir::steered<lanes<2, 4>>, limit&> p(of, quotes_);
    auto mine = p.open();
    push(mine, "first", 7);
    const ticket dear = push(mine, "dear", 9);
    push(mine, "cheap", 2);
    auto next = p.poll();
    EXPECT_EQ(next.what, polled::due);
    EXPECT_TRUE(next.wakes) << "a cancel may let the next item go";
    EXPECT_EQ(mine.cancel(dear), pushing::pushed);
    next = p.poll();
    EXPECT_EQ(quotes_.emitted, (std::vector<went>{{"first", 1'000}, {"cheap", 1'000}}));
    EXPECT_EQ(next.what, polled::idle);
}
// The same if a callback of another lane cancels it in the poll that has asked for it already.
TEST_F(steered, asks_again_when_a_callback_has_cancelled_what_was_refused) {
    using limit = weir::limiter<weir::token_bucket<>, clock>;
    limit of(quota{10, seconds(1), 10});
    limit own(quota{10, seconds(1), 10});
    steered_pacer<weir::steered<lanes<2, 4>>, limit&> p(of, quotes_);
    auto mine = p.open({.priority = 0});
    auto other = p.open({.priority = 1, .budget = &own});
    push(mine, "first", 7);
    (void)p.poll();
    const ticket dear = push(mine, "dear", 9);
    push(mine, "cheap", 2);
    push(other, "other");
    quotes_.does = [&](const std::string& what) {
        if (what == "other") {
            EXPECT_TRUE(p.cancel(dear));
        }
    };
    const auto next = p.poll();
    EXPECT_EQ(quotes_.names(), "first other cheap ");
    EXPECT_EQ(next.what, polled::idle);
}

TEST_F(steered, counts_no_unit_before_an_item_that_may_be_withdrawn) {
    by_ticket p(ten_a_second(), quotes_);
    auto mine = p.open();
    push(mine, "a");
    (void)p.poll();
    push(mine, "b");
    push(mine, "c");
    // Behind "b" and "c" it would be late, but they may be cancelled.
    EXPECT_EQ(mine.try_push({"d"}, 1, deadline<clock>(instant{1'100})).how(), pushing::pushed);
    // Before the next slot it cannot go whatever happens.
    EXPECT_EQ(mine.try_push({"e"}, 1, deadline<clock>(instant{1'099})).how(),
              pushing::would_miss_deadline);
    EXPECT_EQ(mine.estimate().count, 1'400U) << "a guess counts all";
    mine.clear();
    (void)p.poll();
    EXPECT_EQ(mine.estimate().count, 1'100U) << "and what was cleared no more";
}

TEST_F(steered, abandons_what_waits_and_hands_back_what_was_cancelled) {
    ticket b;
    {
        by_ticket p(ten_a_second(), quotes_);
        auto mine = p.open();
        push(mine, "a");
        b = push(mine, "b");
        EXPECT_EQ(mine.cancel(b), pushing::pushed);
    }
    EXPECT_EQ(quotes_.drops, (drops{{"a", dropped::abandoned}, {"b", dropped::cancelled}}));
}

TEST_F(steered, takes_places_that_are_allocated_once) {
    steered_pacer<weir::steered<lanes<2>, &quote::about>> p(ten_a_second(), quotes_,
                                                            {.capacity = 2});
    auto mine = p.open();
    push(mine, "a1");
    push(mine, "b1");
    EXPECT_EQ(mine.try_push({"c"}).how(), pushing::full);
    (void)p.poll();
    push(mine, "b2");
    (void)poll_until(p, 10'000);
    EXPECT_EQ(quotes_.names(), "a1 b2 ");
    using refused = steered_pacer<weir::steered<lanes<2>>>;
    EXPECT_ANY_THROW(refused(ten_a_second(), quotes_, {.capacity = 0}));
    EXPECT_ANY_THROW(refused(ten_a_second(), quotes_, {.capacity = SIZE_MAX}));
    EXPECT_ANY_THROW(refused(ten_a_second(), quotes_, {.capacity = SIZE_MAX / 2}));
}

TEST_F(steered, says_what_a_place_takes) {
    using queued = weir::queued_item<word, clock>;
    constexpr std::size_t plain = weir::steered_lane<queued, 0, nullptr>::bytes_per_place();
    constexpr std::size_t keyed =
        weir::steered_lane<weir::queued_item<quote, clock>, 0, &quote::about>::bytes_per_place();
    if (sizeof(word) == 8) {
        EXPECT_EQ(plain, 2 * (sizeof(queued) + 16) + sizeof(queued) + 32 + 8);
    }
    EXPECT_GT(keyed, plain);
}

}  // namespace

}  // namespace in_virtual_time

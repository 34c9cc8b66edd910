// SPDX-License-Identifier: MIT
// Keyed pacers in virtual time: limits and turns of the keys, their places, and what is handed
// back.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/all_of.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/pacer/keyed_pacer.hpp>
#include <weir/pacer/statistics.hpp>
#include <weir/weir.hpp>

#include "in_virtual_time.hpp"

namespace in_virtual_time {

namespace {

using weir::each;
using weir::ticket;

// "a1" is for the destination 'a'.
struct call {
    std::string text;
    [[nodiscard]] char account() const { return text[0]; }
    // Capitals have a quota of their own.
    [[nodiscard]] int tier() const { return text[0] < 'a' ? 1 : 0; }
};
[[nodiscard]] char subject(const call& c) { return c.text[1]; }

using call_book = book<call>;

using drops = std::vector<drop>;
using free_of_all = weir::no_limit<clock>;
using account = each<&call::account>;

// One in 100 ticks for each key.
constexpr quota ten_each{10, seconds(1), 1};

template <class Limit = free_of_all, class Each = account, class Lanes = lanes<3, 16>>
using pacer_of = weir::keyed_pacer<call, Each, call_book&, Limit, Lanes>;

class keyed : public run {
protected:
    template <class Producer>
    static void push_all(Producer& to, std::initializer_list<const char*> all) {
        for (const char* text : all) push(to, text);
    }

    call_book calls_;
};

TEST_F(keyed, lets_each_key_go_at_its_own_pace) {
    pacer_of<> p(ten_each, free_of_all{}, calls_);
    auto mine = p.open();
    push_all(mine, {"a1", "a2", "b1", "a3", "b2"});
    EXPECT_EQ(poll_until(p, 10'000).what, polled::idle);
    EXPECT_EQ(calls_.emitted,
              (std::vector<went>{
                  {"a1", 1'000}, {"b1", 1'000}, {"a2", 1'100}, {"b2", 1'100}, {"a3", 1'200}}));
}

TEST_F(keyed, lets_a_burst_go_at_once_by_turns) {
    pacer_of<> p(quota{10, seconds(1), 2}, free_of_all{}, calls_);
    auto mine = p.open();
    auto other = p.open();
    push_all(mine, {"a1", "a2", "a3"});
    push_all(other, {"b1", "b2", "b3"});
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.names(), "a1 b1 a2 b2 a3 b3 ");
    EXPECT_EQ(calls_.emitted[3].at, 1'000U);
    EXPECT_EQ(calls_.emitted[4].at, 1'100U);
}

TEST_F(keyed, goes_round_when_the_overall_limit_is_what_keeps_them) {
    pacer_of<schedule> p(quota{10, seconds(1), 10}, ten_a_second(), calls_);
    auto mine = p.open();
    push_all(mine, {"a1", "a2", "a3", "a4", "b1", "c1", "b2"});
    (void)poll_until(p, 1'250);
    push_all(mine, {"d1", "d2"});
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.names(), "a1 b1 c1 a2 b2 d1 a3 d2 a4 ");
    EXPECT_EQ(calls_.emitted.back().at, 1'800U);
}

// Costs count for both limits. A dear item that has its turn is not overtaken for ever.
TEST_F(keyed, charges_both_limits_and_starves_nobody) {
    using limit = weir::limiter<weir::token_bucket<>, clock>;
    limit overall(quota{10, seconds(1), 10});
    pacer_of<limit&> p(quota{10, seconds(1), 10}, overall, calls_);
    auto mine = p.open();
    push(mine, "a1", 6);
    push(mine, "b1", 6);
    push(mine, "c1", 1);
    auto next = p.poll();
    EXPECT_EQ(calls_.names(), "a1 ");
    EXPECT_EQ(next.at.count, 1'200U) << "'b' waits for two units more, and 'c' with it";
    EXPECT_TRUE(next.wakes) << "a cancel may let the next one go";
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.emitted, (std::vector<went>{{"a1", 1'000}, {"b1", 1'200}, {"c1", 1'300}}));
}

TEST_F(keyed, gives_each_class_its_quota) {
    pacer_of<free_of_all, each<&call::account, weir::gcra<>, &call::tier, 2>> p(
        {ten_each, quota{1, seconds(1), 1}}, free_of_all{}, calls_);
    auto mine = p.open();
    push_all(mine, {"a1", "a2", "A1", "A2"});
    (void)p.poll();
    EXPECT_TRUE(p.throttled_key('a', weir::milliseconds(50))) << "which changes nothing";
    EXPECT_FALSE(p.throttled_key('b', seconds(1))) << "its class is not known";
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.emitted,
              (std::vector<went>{{"a1", 1'000}, {"A1", 1'000}, {"a2", 1'100}, {"A2", 2'000}}));
}

TEST_F(keyed, has_limits_of_any_cell) {
    pacer_of<free_of_all, each<&call::account, weir::sliding_window<>>> p(quota{2, seconds(1)},
                                                                          free_of_all{}, calls_);
    auto mine = p.open();
    push_all(mine, {"a1", "a2", "a3", "b1"});
    (void)poll_until(p, 1'999);
    EXPECT_EQ(calls_.names(), "a1 b1 a2 ");
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.names(), "a1 b1 a2 a3 ");
}

TEST_F(keyed, gives_the_place_of_an_idle_key_to_another_one) {
    pacer_of<> p(ten_each, free_of_all{}, calls_, {.keys = 2});
    auto mine = p.open();
    push_all(mine, {"a1", "b1", "c1"});
    (void)p.poll();
    EXPECT_EQ(calls_.names(), "a1 b1 ");
    EXPECT_EQ(calls_.drops, (drops{{"c1", dropped::no_place}}));
    EXPECT_EQ(p.keys(), 2U);
    // They are idle, but not as good as new.
    clock::set({1'099});
    push(mine, "c2");
    (void)p.poll();
    EXPECT_EQ(calls_.drops.back(), (drop{"c2", dropped::no_place}));
    clock::set({1'100});
    push_all(mine, {"c3", "a2", "b2"});
    (void)p.poll();
    EXPECT_EQ(calls_.names(), "a1 b1 c3 a2 ");
    EXPECT_EQ(calls_.drops.back(), (drop{"b2", dropped::no_place}));
    EXPECT_EQ(p.approx_size(), 0U);
}

TEST_F(keyed, keeps_the_limit_of_a_key_that_comes_back) {
    pacer_of<> p(ten_each, free_of_all{}, calls_, {.keys = 1});
    auto mine = p.open();
    push(mine, "a1");
    (void)p.poll();
    clock::set({1'050});
    push(mine, "a2");
    const auto next = p.poll();
    EXPECT_EQ(next.at.count, 1'100U);
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.emitted, (std::vector<went>{{"a1", 1'000}, {"a2", 1'100}}));
}

TEST_F(keyed, hands_back_what_one_key_has_too_much) {
    pacer_of<> p(ten_each, free_of_all{}, calls_, {.items_of_a_key = 2});
    auto mine = p.open();
    push_all(mine, {"a1", "a2", "a3", "b1"});
    (void)p.poll();
    EXPECT_EQ(calls_.drops, (drops{{"a3", dropped::crowded}}));
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.names(), "a1 b1 a2 ");
}

TEST_F(keyed, tells_the_producer_when_its_places_are_taken) {
    pacer_of<free_of_all, account, lanes<2, 2>> p(ten_each, free_of_all{}, calls_);
    auto mine = p.open();
    auto other = p.open();
    push_all(mine, {"a1", "a2"});
    (void)p.poll();
    push(mine, "a3");
    EXPECT_EQ(mine.try_push({"b1"}).how(), pushing::full);
    push_all(other, {"a4", "a5"});
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.names(), "a1 a2 a3 a4 a5 ");
    EXPECT_EQ(p.open().try_push({"c"}).how(), pushing::no_lane);
}

TEST_F(keyed, drops_what_has_expired_in_time) {
    pacer_of<> p(ten_each, free_of_all{}, calls_);
    auto mine = p.open();
    push(mine, "a1");
    push(mine, "a2", 1, deadline<clock>(instant{1'050}));
    push(mine, "a3");
    auto next = p.poll();
    EXPECT_EQ(next.at.count, 1'051U);
    clock::set(next.at);
    next = p.poll();
    EXPECT_EQ(calls_.drops, (drops{{"a2", dropped::expired}}));
    EXPECT_EQ(next.at.count, 1'100U);
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.names(), "a1 a3 ");
    p.pause_until(instant{30'000});
    EXPECT_EQ(mine.try_push({"a4"}, 1, deadline<clock>(instant{20'000})).how(),
              pushing::would_miss_deadline);
}

TEST_F(keyed, drops_what_never_passes) {
    pacer_of<schedule> p(quota{10, seconds(1), 8}, ten_a_second(), calls_);
    auto mine = p.open();
    push(mine, "a1", 9);  // than its key has
    push(mine, "b1", 6);  // than the overall limit has
    push(mine, "c1", 5);
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.names(), "c1 ");
    EXPECT_EQ(calls_.drops, (drops{{"a1", dropped::never}, {"b1", dropped::never}}));
}

TEST_F(keyed, cancels_clears_and_replaces) {
    pacer_of<free_of_all, account, weir::steered<lanes<3, 16>, subject>> p(ten_each, free_of_all{},
                                                                           calls_);
    auto mine = p.open();
    auto other = p.open();
    push_all(mine, {"a1", "b1"});
    (void)p.poll();
    push_all(mine, {"ax first", "ay", "bx", "ax second"});
    const ticket z = push(mine, "az");
    push_all(other, {"ao", "co"});
    EXPECT_EQ(mine.cancel(z), pushing::pushed);
    EXPECT_EQ(other.clear(), pushing::pushed);
    (void)p.poll();
    EXPECT_EQ(calls_.drops, (drops{{"ax first", dropped::replaced},
                                   {"az", dropped::cancelled},
                                   {"ao", dropped::cleared},
                                   {"co", dropped::cleared}}));
    const ticket w = push(mine, "bw");
    EXPECT_TRUE(p.cancel(w)) << "although it is unread";
    EXPECT_FALSE(p.cancel(w));
    EXPECT_FALSE(p.cancel({w.number, 77}));
    p.clear_key('a');
    p.clear_key('q');
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.names(), "a1 b1 bx ");
    EXPECT_EQ(p.approx_size(), 0U);
    push_all(mine, {"a2", "b2"});
    p.clear(mine.lane());
    (void)poll_until(p, 20'000);
    EXPECT_EQ(calls_.drops.size(), 9U);
    EXPECT_EQ(calls_.names(), "a1 b1 bx ");
}

TEST_F(keyed, is_woken_for_another_key_unless_all_wait_for_the_overall_limit) {
    pacer_of<> alone(ten_each, free_of_all{}, calls_);
    pacer_of<schedule> together(ten_each, ten_a_second(), calls_);
    auto mine = alone.open();
    auto other = together.open();
    push_all(mine, {"a1", "a2"});
    push_all(other, {"a1", "b1"});
    auto next = alone.poll();
    EXPECT_EQ(next.at.count, 1'100U);
    EXPECT_TRUE(next.wakes);
    next = together.poll();
    EXPECT_EQ(next.at.count, 1'100U);
    EXPECT_FALSE(next.wakes);
}

TEST_F(keyed, comes_back_at_once_for_what_is_to_be_handed_back) {
    pacer_of<free_of_all, account, lanes<1>> p(ten_each, free_of_all{}, calls_,
                                               {.capacity = 600, .most_drops = 1});
    auto mine = p.open();
    for (int i = 0; i < 600; ++i) push(mine, "a");
    EXPECT_EQ(mine.clear(), pushing::pushed);
    p.close();
    p.pause();
    for (int polls = 0; polls < 2; ++polls) {
        const auto next = p.poll();
        EXPECT_EQ(next.what, polled::due);
        EXPECT_EQ(next.at, clock::now());
        EXPECT_LT(calls_.drops.size(), 600U);
    }
    EXPECT_EQ(p.poll().what, polled::done);
    EXPECT_EQ(calls_.drops.size(), 600U);
}

TEST_F(keyed, pauses_one_key_and_not_the_others) {
    pacer_of<> p(quota{10, seconds(1), 5}, free_of_all{}, calls_, {.keys = 2});
    auto mine = p.open();
    calls_.does = [&](const std::string& what) {
        if (what == "a1") {
            EXPECT_TRUE(p.throttled_key('a', seconds(2)));
        }
    };
    push_all(mine, {"a1", "a2", "b1", "b2"});
    (void)poll_until(p, 2'000);
    EXPECT_EQ(calls_.names(), "a1 b1 b2 ");
    EXPECT_TRUE(p.throttled_key('a', seconds(1))) << "does not shorten it";
    (void)poll_until(p, 10'000);
    EXPECT_EQ(calls_.emitted.back(), (went{"a2", 3'000}));
    // Also if nothing waits for it, and then it has a place.
    clock::set({20'000});
    EXPECT_TRUE(p.throttled_key('c', seconds(1)));
    EXPECT_TRUE(p.throttled_key('d', seconds(1)));
    EXPECT_FALSE(p.throttled_key('e', seconds(1))) << "there is no place left";
    push(mine, "c1");
    (void)poll_until(p, 30'000);
    EXPECT_EQ(calls_.emitted.back(), (went{"c1", 21'000}));
}

TEST_F(keyed, pauses_drains_discards_and_abandons_as_any_pacer) {
    {
        pacer_of<> p(ten_each, free_of_all{}, calls_);
        auto mine = p.open();
        push_all(mine, {"a1", "a2", "a3", "a4"});
        (void)p.poll();
        p.pause();
        EXPECT_EQ(p.poll().what, polled::paused);
        p.resume();
        p.throttled(seconds(1));
        EXPECT_EQ(p.poll().at.count, 2'000U);
        EXPECT_EQ(poll_until(p, 2'050).what, polled::due);
        EXPECT_EQ(calls_.names(), "a1 a2 ");
        p.drain(instant{2'150});
        EXPECT_EQ(mine.try_push({"a5"}).how(), pushing::closed);
        EXPECT_EQ(poll_until(p, 10'000).what, polled::done);
        EXPECT_EQ(calls_.names(), "a1 a2 a3 ");
        EXPECT_EQ(calls_.drops, (drops{{"a4", dropped::discarded}}));
    }
    calls_ = {};
    {
        pacer_of<> p(ten_each, free_of_all{}, calls_);
        auto mine = p.open();
        push_all(mine, {"a1", "a2", "b1"});
        p.discard();
        EXPECT_EQ(calls_.drops.size(), 3U);
        EXPECT_EQ(p.poll().what, polled::done);
        EXPECT_FALSE(p.open());
    }
    calls_ = {};
    {
        pacer_of<> p(ten_each, free_of_all{}, calls_);
        auto mine = p.open();
        push_all(mine, {"a1", "a2"});
        (void)p.poll();
        push(mine, "b1");
    }
    EXPECT_EQ(calls_.names(), "a1 ");
    EXPECT_EQ(calls_.drops, (drops{{"b1", dropped::abandoned}, {"a2", dropped::abandoned}}));
}

TEST_F(keyed, closes_and_gives_lanes_to_others) {
    pacer_of<free_of_all, account, lanes<1, 4>> p(ten_each, free_of_all{}, calls_);
    auto mine = p.open();
    push_all(mine, {"a1", "a2"});
    mine.close();
    (void)p.poll();
    EXPECT_FALSE(p.open()) << "something of it waits";
    (void)poll_until(p, 10'000);
    (void)p.poll();
    mine = p.open();
    EXPECT_TRUE(mine);
    push(mine, "b1");
    p.close();
    EXPECT_EQ(poll_until(p, 20'000).what, polled::done);
    EXPECT_EQ(calls_.names(), "a1 a2 b1 ");
}

struct calls_together {
    static constexpr std::size_t most_at_once = 3;
    void emit(std::span<call> all) { sizes.push_back(all.size()); }
    void drop(call&&, dropped) { ++drops; }
    std::vector<std::size_t> sizes;
    int drops = 0;
};
struct caller {
    void emit(call&& c, weir::call_token token) {
        sent += c.text + ' ';
        out.push_back(std::move(token));
    }
    void drop(call&&, dropped) {}

    std::string sent;
    std::deque<weir::call_token> out;
};
TEST_F(keyed, waits_for_the_end_of_a_call) {
    weir::limiter<weir::gcra<>, clock> rate(quota{100, seconds(1), 100});
    weir::in_flight at_once(2);
    caller sink;
    using both = weir::all_of<weir::limiter<weir::gcra<>, clock>, weir::in_flight>;
    weir::keyed_pacer<call, account, caller&, both, lanes<2, 16>> p(quota{10, seconds(1), 5},
                                                                    both(rate, at_once), sink);
    auto mine = p.open();
    push_all(mine, {"a1", "a2", "b1", "b2"});
    auto next = p.poll();
    EXPECT_EQ(sink.sent, "a1 b1 ");
    EXPECT_EQ(next.what, polled::due) << "to look again";
    EXPECT_TRUE(p.told().held);
    EXPECT_EQ(p.told().next.what, polled::idle);
    EXPECT_TRUE(p.told().next.wakes);
    sink.out.pop_front();
    (void)p.poll();
    EXPECT_EQ(sink.sent, "a1 b1 a2 ");
    sink.out.clear();
    EXPECT_EQ(p.poll().what, polled::idle);
    EXPECT_FALSE(p.told().held);
    EXPECT_EQ(sink.sent, "a1 b1 a2 b2 ");
    sink.out.clear();
    EXPECT_EQ(at_once.approx_in_use(), 0U);
}

TEST_F(keyed, hands_items_over_together) {
    calls_together sink;
    weir::keyed_pacer<call, account, calls_together&, free_of_all, lanes<2, 16>> p(
        quota{10, seconds(1), 5}, free_of_all{}, sink);
    auto mine = p.open();
    push_all(mine, {"a1", "a2", "b1", "b2"});
    push(mine, "c1", 6);
    (void)p.poll();
    EXPECT_EQ(sink.sizes, (std::vector<std::size_t>{2, 2}));
    EXPECT_EQ(sink.drops, 1);
}

TEST_F(keyed, pauses_when_its_sink_fails) {
    struct failing {
        void emit(call&&) { throw 1; }
        void drop(call&&, dropped) {}
    } sink;
    weir::keyed_pacer<call, account, failing&, free_of_all, lanes<2, 16>, weir::statistics> p(
        quota{10, seconds(1), 5}, free_of_all{}, sink, {.most_failures = 2});
    auto mine = p.open();
    push_all(mine, {"a1", "a2", "b1"});
    EXPECT_EQ(p.poll().what, polled::paused);
    EXPECT_EQ(p.observer().failed(), 2U);
    EXPECT_EQ(p.observer().emitted(), 2U);
    p.resume();
    EXPECT_EQ(p.poll().what, polled::idle);
}

TEST_F(keyed, says_why_it_is_refused) {
    const auto refusal = [&](const weir::keyed_pacer_options& o, quota q = ten_each) {
        try {
            weir::keyed_pacer<call, account, call_book&, free_of_all, lanes<8>> p(q, free_of_all{},
                                                                                  calls_, o);
        } catch (const weir::refused& r) {
            return std::string(r.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal({}), "");
    EXPECT_EQ(refusal({.keys = 0}), describe(weir::pacer_error::no_keys));
    EXPECT_EQ(refusal({.capacity = 0}), describe(weir::pacer_error::lane_without_places));
    EXPECT_EQ(refusal({.keys = std::size_t{1} << 31}),
              describe(weir::pacer_error::too_many_places));
    EXPECT_EQ(refusal({.capacity = std::size_t{1} << 29}),
              describe(weir::pacer_error::too_many_places));
    EXPECT_NE(refusal({}, quota{1'000'000'000'000, seconds(1)}), "");
}

TEST_F(keyed, says_what_it_takes) {
    struct thin {
        word account;
        word other;
    };
    using p = weir::keyed_pacer<thin, each<&thin::account>, int, free_of_all>;
    if (sizeof(word) == 8) {
        EXPECT_EQ(p::bytes_per_key(), 88U);
        EXPECT_EQ(p::bytes_per_item(), 3 * sizeof(thin) + 168);
    }
}

}  // namespace

}  // namespace in_virtual_time

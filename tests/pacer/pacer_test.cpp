// The pacer in virtual time, one thing at a time.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

#include "recorded.hpp"

namespace {

using pacing::recorded;
using weir::catch_up;
using weir::deadline;
using weir::dropped;
using weir::lanes;
using weir::pushing;
using weir::quota;
using weir::seconds;
using weir::word;
using why = weir::polled;

using clock = weir::manual_clock<struct pacer_tests, 1'000>;
using instant = weir::instant<clock>;
using next_poll = weir::next_poll<clock>;
using schedule = weir::schedule<clock>;

struct went {
    std::string what;
    word at;

    friend bool operator==(const went&, const went&) = default;
};
std::ostream& operator<<(std::ostream& out, const went& w) { return out << w.what << '@' << w.at; }

struct drop {
    std::string what;
    dropped why;

    friend bool operator==(const drop&, const drop&) = default;
};

using item = std::unique_ptr<std::string>;  // one that can only be moved

item make(const char* name) { return std::make_unique<std::string>(name); }

// Writes down what happens.
struct ledger {
    void emit(item&& i) {
        emitted.push_back({*i, clock::now().count});
        times.add(clock::now().count);
    }
    void drop(item&& i, dropped reason) { drops.push_back({*i, reason}); }

    std::vector<went> emitted;
    std::vector<::drop> drops;
    recorded times;
};

template <class Limit = schedule, class Lanes = lanes<4, 16>>
using pacer = weir::pacer<item, ledger&, Limit, Lanes>;

schedule ten_a_second(catch_up c = catch_up::none()) {
    return schedule(quota{10, seconds(1), 5}, c);
}

class pacing_test : public testing::Test {
protected:
    void SetUp() override { clock::set({1'000}); }

    // Polls whenever it is due, until then; as often as it takes at one time.
    template <class Pacer>
    static next_poll run(Pacer& p, word until) {
        for (;;) {
            const next_poll next = p.poll();
            if (next.what != why::due || next.at.count > until) return next;
            EXPECT_GE(next.at.count, clock::now().count);
            clock::set(next.at);
        }
    }

    std::vector<std::string> names() const {
        std::vector<std::string> all;
        for (const went& w : book_.emitted) all.push_back(w.what);
        return all;
    }

    ledger book_;
};

TEST_F(pacing_test, emits_in_order_at_its_rate) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    for (const char* name : {"a", "b", "c"}) EXPECT_TRUE(mine.try_push(make(name)));
    EXPECT_EQ(run(p, 9'999).what, why::idle);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 1'000}, {"b", 1'100}, {"c", 1'200}}));
    EXPECT_TRUE(book_.times.keeps(10, 1'000, 0));
}

TEST_F(pacing_test, says_when_it_wants_to_be_polled) {
    pacer<> p(ten_a_second(), book_);
    EXPECT_EQ(p.poll(), (next_poll{why::idle, instant(), true}));
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    (void)mine.try_push(make("b"));
    EXPECT_EQ(p.poll(), (next_poll{why::due, instant{1'100}, false}));
    EXPECT_EQ(p.poll(instant{1'099}), (next_poll{why::due, instant{1'100}, false}))
        << "no harm is done";
    p.pause();
    EXPECT_EQ(p.poll().what, why::paused);
    p.pause_until(instant{1'500});
    EXPECT_EQ(p.poll(), (next_poll{why::due, instant{1'500}, false}));
    p.close();
    p.resume();
    EXPECT_EQ(run(p, 9'999).what, why::done);
    EXPECT_EQ(book_.emitted.size(), 2U);
}

TEST_F(pacing_test, answers_each_push) {
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
    EXPECT_EQ(run(p, 9'999).what, why::done);
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_TRUE(book_.drops.empty()) << "what was not accepted is not dropped";
}

TEST_F(pacing_test, says_that_a_producer_never_had_a_lane) {
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

TEST_F(pacing_test, estimates_when_an_item_will_go) {
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
    (void)run(p, 9'999);
    EXPECT_EQ(book_.emitted,
              (std::vector<went>{{"a", 1'000}, {"b", 1'100}, {"c", 1'400}, {"d", 1'500}}));
}

TEST_F(pacing_test, estimates_what_other_lanes_take) {
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
    (void)run(p, 9'999);
    for (const went& w : book_.emitted) {
        if (w.what == "this") {
            EXPECT_NEAR(static_cast<double>(w.at), 2'000, 100);
        }
    }
}

TEST_F(pacing_test, drops_what_has_expired_without_using_a_slot) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    (void)mine.try_push(make("late"), 1, deadline(instant{1'100}));
    (void)mine.try_push(make("b"), 1, deadline(instant{1'250}));
    (void)p.poll();
    clock::set({1'250});
    EXPECT_EQ(run(p, 9'999).what, why::idle);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 1'000}, {"b", 1'250}}));
    EXPECT_EQ(book_.drops, (std::vector<drop>{{"late", dropped::expired}}));
}

TEST_F(pacing_test, drops_only_so_many_at_a_time_and_lets_others_go_meanwhile) {
    pacer<schedule, lanes<2, 32>> p(ten_a_second(), book_, {.most_drops = 4});
    auto stale = p.open();
    auto other = p.open();
    for (int i = 0; i < 10; ++i) (void)stale.try_push(make("stale"), 1, deadline(instant{2'000}));
    (void)other.try_push(make("other"));
    clock::set({5'000});
    const next_poll next = p.poll();
    EXPECT_EQ(book_.drops.size(), 4U);
    EXPECT_EQ(names(), (std::vector<std::string>{"other"}));
    EXPECT_EQ(next, (next_poll{why::due, instant{5'000}, true})) << "at once again";
    (void)p.poll();
    EXPECT_EQ(book_.drops.size(), 8U);
    EXPECT_EQ(p.poll().what, why::idle);
    EXPECT_EQ(book_.drops.size(), 10U);
}

TEST_F(pacing_test, lets_the_first_class_go_first_and_shares_the_others_by_weight) {
    pacer<> p(ten_a_second(), book_);
    auto orders = p.open({.priority = 1, .weight = 2});
    auto quotes = p.open({.priority = 1});
    auto cancels = p.open({.priority = weir::priority::first});
    for (int i = 0; i < 4; ++i) (void)orders.try_push(make("order"));
    for (int i = 0; i < 2; ++i) (void)quotes.try_push(make("quote"));
    (void)p.poll();
    (void)cancels.try_push(make("cancel"));
    (void)run(p, 9'999);
    EXPECT_EQ(names(), (std::vector<std::string>{"order", "cancel", "quote", "order", "order",
                                                 "quote", "order"}));
    EXPECT_TRUE(book_.times.keeps(10, 1'000, 0));
}

TEST_F(pacing_test, gives_a_lane_a_budget_of_its_own) {
    pacer<> p(ten_a_second(), book_);
    schedule cancels(quota{100, seconds(1), 1}, catch_up::none());
    auto fast = p.open({.priority = 0, .budget = &cancels});
    auto slow = p.open({.priority = 1});
    for (int i = 0; i < 3; ++i) {
        (void)fast.try_push(make("cancel"));
        (void)slow.try_push(make("order"));
    }
    EXPECT_EQ(p.poll(), (next_poll{why::due, instant{1'010}, false}));
    (void)run(p, 1'050);
    EXPECT_EQ(book_.emitted,
              (std::vector<went>{
                  {"cancel", 1'000}, {"order", 1'000}, {"cancel", 1'010}, {"cancel", 1'020}}));
    EXPECT_EQ(p.poll(), (next_poll{why::due, instant{1'100}, true}))
        << "a cancel would go before that";
    EXPECT_EQ(fast.estimate(instant{1'020}), instant{1'030});
    (void)run(p, 9'999);
    EXPECT_EQ(book_.emitted.back(), (went{"order", 1'200}));
    EXPECT_EQ(fast.try_push(make("dear"), 2).how(), pushing::never);
}

TEST_F(pacing_test, lets_no_cheap_item_slip_by_an_urgent_one_that_waits_for_more_units) {
    using limiter = weir::limiter<weir::gcra<>, clock>;
    pacer<limiter> p(limiter{quota{10, seconds(1), 3}}, book_);
    auto urgent = p.open({.priority = weir::priority::first});
    auto other = p.open({.priority = 1});
    (void)urgent.try_push(make("a"), 2);
    (void)urgent.try_push(make("b"), 3);
    (void)other.try_push(make("cheap"));
    (void)run(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 1'000}, {"b", 1'200}, {"cheap", 1'300}}));
}

TEST_F(pacing_test, takes_any_limit_of_the_library) {
    const auto pace = [&](auto& p, int items) {
        book_ = {};
        clock::set({1'000});
        auto mine = p.open();
        for (int i = 0; i < items; ++i) EXPECT_TRUE(mine.try_push(make("x")));
        EXPECT_EQ(run(p, 1'000'000).what, why::idle);
        EXPECT_EQ(book_.times.size(), static_cast<std::size_t>(items));
    };
    using many = lanes<1, 64>;
    {
        using limiter = weir::limiter<weir::gcra<>, clock>;
        limiter shared{quota{10, seconds(1), 3}};
        pacer<limiter&, many> p(shared, book_);
        pace(p, 30);
        EXPECT_TRUE(book_.times.keeps(10, 1'000, 4));
        EXPECT_EQ(clock::now(), instant{1'000 + 27 * 100});
        auto mine = p.open();
        EXPECT_FALSE(mine) << "one lane, which is not known to be free before the next poll";
    }
    {
        using log = weir::limiter<weir::sliding_log<10>, clock>;
        pacer<log, many> p(log{weir::per_second(10)}, book_);
        pace(p, 64);
        EXPECT_EQ(book_.times.most_within(1'000), 10U);
        EXPECT_EQ(clock::now(), instant{1'000 + 6 * 1'000});
    }
    {
        using fast = weir::limiter<weir::gcra<>, clock>;
        using log = weir::limiter<weir::sliding_log<20>, clock>;
        fast often{quota{10, seconds(1), 1}};
        log seldom{quota{20, seconds(60)}};
        weir::pacer<item, ledger&, weir::all_of<fast, log>, many> p(weir::all_of(often, seldom),
                                                                    book_);
        pace(p, 50);
        EXPECT_TRUE(book_.times.keeps(10, 1'000, 0));
        EXPECT_EQ(book_.times.most_within(60'000), 20U);
        EXPECT_EQ(clock::now(), instant{1'000 + 120'000 + 900});
    }
}

TEST_F(pacing_test, changes_the_rate_of_an_adjustable_that_others_use_too) {
    using limiter = weir::adjustable<clock>;
    limiter shared{quota{10, seconds(1), 1}};
    pacer<limiter&> p(shared, book_);
    auto mine = p.open();
    for (int i = 0; i < 3; ++i) (void)mine.try_push(make("x"));
    (void)p.poll();
    EXPECT_EQ(p.poll().at, instant{1'100});
    clock::set({1'050});
    EXPECT_EQ(p.set_rate(quota{1, seconds(1), 1}), weir::error::none);
    (void)run(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"x", 1'000}, {"x", 1'550}, {"x", 2'550}}));
}

TEST_F(pacing_test, pauses_and_catches_up_no_more_than_it_may) {
    pacer<> p(ten_a_second(catch_up::items(2)), book_);
    auto mine = p.open();
    for (int i = 0; i < 10; ++i) (void)mine.try_push(make("x"));
    (void)p.poll();
    p.pause();
    clock::advance(seconds(60));
    EXPECT_EQ(p.poll().what, why::paused);
    EXPECT_EQ(book_.emitted.size(), 1U);
    p.resume();
    (void)p.poll();
    EXPECT_EQ(book_.emitted.size(), 4U) << "two and one more";
    p.throttled(seconds(2));
    p.throttled(seconds(1));
    EXPECT_TRUE(p.paused());
    EXPECT_EQ(p.poll().at, instant{63'000}) << "the longer one";
    (void)run(p, 99'999);
    EXPECT_FALSE(p.paused());
    EXPECT_EQ(book_.emitted[4].at, 63'000U);
    EXPECT_TRUE(book_.times.keeps(10, 1'000, 4));
    p.pause();
    p.throttled(seconds(1));
    EXPECT_EQ(p.poll().what, why::paused) << "until it is resumed";
}

TEST_F(pacing_test, changes_its_rate_in_the_middle_of_a_wait) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    for (int i = 0; i < 3; ++i) (void)mine.try_push(make("x"));
    (void)p.poll();
    clock::set({1'050});
    EXPECT_EQ(p.set_rate(quota{1, seconds(1), 1}), weir::error::none);
    EXPECT_EQ(p.poll().at, instant{1'550});
    EXPECT_EQ(p.set_rate(quota{1, seconds(4'000'000'000), 1'000'000'000}),
              weir::error::burst_too_long);
    (void)run(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"x", 1'000}, {"x", 1'550}, {"x", 2'550}}));
    EXPECT_EQ(mine.try_push(make("dear"), 2).how(), pushing::never);
}

TEST_F(pacing_test, drops_what_a_new_rate_never_lets_pass) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("dear"), 5);
    (void)mine.try_push(make("cheap"));
    EXPECT_EQ(p.set_rate(quota{10, seconds(1), 1}), weir::error::none);
    (void)run(p, 9'999);
    EXPECT_EQ(names(), (std::vector<std::string>{"cheap"}));
    EXPECT_EQ(book_.drops, (std::vector<drop>{{"dear", dropped::never}}));
}

TEST_F(pacing_test, drains_at_its_rate_until_a_time_and_discards_the_rest) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    for (const char* name : {"a", "b", "c", "d"}) (void)mine.try_push(make(name));
    p.drain(instant{1'150});
    EXPECT_EQ(mine.try_push(make("e")).how(), pushing::closed);
    EXPECT_EQ(run(p, 9'999).what, why::done);
    EXPECT_EQ(clock::now(), instant{1'150});
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(book_.drops,
              (std::vector<drop>{{"c", dropped::discarded}, {"d", dropped::discarded}}));
}

TEST_F(pacing_test, drains_while_it_is_paused_too) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    p.pause();
    p.drain(instant{2'000});
    EXPECT_EQ(p.poll(), (next_poll{why::due, instant{2'000}, false}));
    EXPECT_EQ(run(p, 9'999).what, why::done);
    EXPECT_EQ(book_.drops, (std::vector<drop>{{"a", dropped::discarded}}));
}

TEST_F(pacing_test, discards_at_once) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    auto other = p.open({.priority = 3});
    (void)mine.try_push(make("a"));
    (void)other.try_push(make("b"));
    p.discard();
    EXPECT_EQ(book_.drops.size(), 2U);
    EXPECT_TRUE(book_.emitted.empty());
    EXPECT_EQ(p.poll().what, why::done);
}

TEST_F(pacing_test, hands_out_what_is_left_when_it_ends) {
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

TEST_F(pacing_test, opens_and_closes_lanes_while_it_runs) {
    pacer<schedule, lanes<2, 16>> p(ten_a_second(), book_);
    auto a = p.open();
    auto b = p.open();
    EXPECT_FALSE(p.open()) << "there are two";
    (void)a.try_push(make("a1"));
    (void)a.try_push(make("a2"));
    (void)b.try_push(make("b1"));
    a.close();
    EXPECT_FALSE(p.open()) << "a's items are still in it";
    (void)run(p, 1'200);
    EXPECT_EQ(names(), (std::vector<std::string>{"a1", "b1", "a2"}));
    auto c = p.open({.priority = 7});
    ASSERT_TRUE(c);
    (void)c.try_push(make("c1"));
    (void)b.try_push(make("b2"));
    b = std::move(c);
    EXPECT_EQ(b.try_push(make("c2")).how(), pushing::pushed);
    (void)run(p, 9'999);
    EXPECT_EQ(names(), (std::vector<std::string>{"a1", "b1", "a2", "b2", "c1", "c2"}));
    EXPECT_TRUE(p.open());
}

TEST_F(pacing_test, has_up_to_64_lanes) {
    pacer<schedule, lanes<64, 4>> p(ten_a_second(), book_);
    std::vector<weir::producer<decltype(p)>> all;
    for (unsigned i = 0; i < 64; ++i) {
        all.push_back(p.open({.priority = i % 8}));
        ASSERT_TRUE(all.back());
        for (int k = 0; k < 4; ++k) EXPECT_TRUE(all.back().try_push(make("x")));
    }
    EXPECT_FALSE(p.open());
    EXPECT_EQ(p.approx_size(), 256U);
    EXPECT_EQ(run(p, 99'999).what, why::idle);
    EXPECT_EQ(book_.emitted.size(), 256U);
    EXPECT_TRUE(book_.times.keeps(10, 1'000, 0));
}

TEST_F(pacing_test, lets_what_costs_nothing_go_in_its_turn) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    for (int i = 0; i < 3; ++i) (void)mine.try_push(make("free"), 0);
    (void)mine.try_push(make("b"));
    EXPECT_EQ(p.poll().at, instant{1'100});
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "free", "free", "free"}));
}

TEST_F(pacing_test, refuses_what_its_last_callbacks_push) {
    struct stubborn {
        static void emit(int&&) {}
        void drop(int&& i, dropped) {
            ++drops;
            EXPECT_EQ(mine->try_push(int(i)).how(), pushing::closed);
        }
        weir::producer<weir::pacer<int, stubborn&, schedule, lanes<1, 4>>>* mine = nullptr;
        int drops = 0;
    };
    stubborn sink;
    weir::producer<weir::pacer<int, stubborn&, schedule, lanes<1, 4>>> mine;
    sink.mine = &mine;
    {
        weir::pacer<int, stubborn&, schedule, lanes<1, 4>> p(ten_a_second(), sink);
        mine = p.open();
        (void)mine.try_push(1);
        (void)mine.try_push(2);
        p.discard();
        EXPECT_EQ(sink.drops, 2);
        mine.close();
    }
}

TEST_F(pacing_test, says_when_a_lane_is_crowded) {
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

// --- callbacks that misbehave

struct thrower {
    void emit(int&& i) {
        seen.push_back(i);
        if (i < 0) throw std::runtime_error("no");
    }
    void drop(int&& i, dropped) {
        drops.push_back(i);
        throw 1;
    }
    std::vector<int> seen;
    std::vector<int> drops;
};

TEST_F(pacing_test, survives_a_sink_that_throws_and_charges_the_slot) {
    thrower sink;
    {
        weir::pacer<int, thrower&, schedule, lanes<1, 16>> p(ten_a_second(), sink,
                                                             {.most_failures = 3});
        auto mine = p.open();
        for (const int i : {-1, 1, -2, -3, -4, 5}) (void)mine.try_push(int(i));
        clock::set({1'000});
        EXPECT_EQ(run(p, 9'999).what, why::paused);
        EXPECT_EQ(clock::now(), instant{1'400}) << "each had its slot";
        EXPECT_EQ(sink.seen, (std::vector<int>{-1, 1, -2, -3, -4})) << "each once";
        EXPECT_EQ(p.failures(), 3U);
        EXPECT_TRUE(p.paused());
        p.resume();
        EXPECT_EQ(p.failures(), 0U);
    }
    EXPECT_EQ(sink.drops, (std::vector<int>{5})) << "and the destructor does not throw";
}

struct meddler {
    using pacer = weir::pacer<int, meddler&, schedule, lanes<2, 16>>;

    void emit(int&& i) {
        seen.push_back(i);
        switch (i) {
            case 1: EXPECT_EQ(p->poll(), (next_poll{why::due, clock::now(), false})); break;
            case 2: EXPECT_TRUE(mine->try_push(100)); break;
            case 3: p->pause(); break;
            case 4: EXPECT_EQ(p->set_rate(quota{1, seconds(1), 1}), weir::error::none); break;
            case 5: *mine = p->open(); break;
            case 6: p->discard(); break;
            default: break;
        }
    }
    void drop(int&& i, dropped) {
        drops.push_back(i);
        (void)p->poll();
        p->discard();
    }
    pacer* p = nullptr;
    pacer::producer_type* mine = nullptr;
    std::vector<int> seen;
    std::vector<int> drops;
};

TEST_F(pacing_test, may_be_called_by_its_own_callbacks) {
    meddler sink;
    meddler::pacer p(ten_a_second(), sink);
    auto mine = p.open();
    auto helper = p.open();
    sink.p = &p;
    sink.mine = &helper;
    for (const int i : {1, 2, 3, 4, 5, 6, 7}) (void)mine.try_push(int(i));
    EXPECT_EQ(run(p, 9'999).what, why::paused);
    EXPECT_EQ(sink.seen, (std::vector<int>{1, 2, 100, 3}));
    p.resume();
    EXPECT_EQ(run(p, 99'999).what, why::done);
    EXPECT_EQ(sink.seen, (std::vector<int>{1, 2, 100, 3, 4, 5, 6}));
    EXPECT_EQ(sink.drops, (std::vector<int>{7}));
    EXPECT_EQ(clock::now(), instant{1'400 + 2'000});
}

// Its callbacks do what a test wants: `does` is called with what is emitted, and with the negative
// of what is dropped.
struct obliging {
    void emit(int&& i) const { does(i); }
    void drop(int&& i, dropped) const { does(-i); }
    std::function<void(int)> does;
};
struct obliging_wagon {
    static constexpr std::size_t most_at_once = 4;

    void emit(std::span<int> all) const {
        for (const int i : all) does(i);
    }
    void drop(int&& i, dropped) const { does(-i); }
    std::function<void(int)> does;
};

TEST_F(pacing_test, is_done_if_its_last_callback_has_closed_it) {
    obliging sink;
    weir::pacer<int, obliging&, schedule, lanes<2, 16>> p(ten_a_second(), sink);
    sink.does = [&](int) { p.close(); };
    auto mine = p.open();
    (void)mine.try_push(1);
    EXPECT_EQ(p.poll().what, why::done);
}

// When the next poll is due, after an urgent item went on a budget of its own while others wait for
// a quarter of an hour, and its callback did this.
template <class Deed>
instant due_after(Deed deed) {
    std::vector<int> seen;
    obliging sink;
    schedule budget = ten_a_second();
    weir::pacer<int, obliging&, schedule, lanes<2, 16>> p(schedule(quota{1, seconds(1'000)}), sink);
    auto slow = p.open({.priority = 0});
    auto urgent = p.open({.priority = 1, .budget = &budget});
    (void)slow.try_push(1);
    (void)slow.try_push(2);
    (void)urgent.try_push(3);
    sink.does = [&](int i) {
        seen.push_back(i);
        if (i == 3) deed(p, urgent);
    };
    const next_poll next = p.poll();
    EXPECT_EQ(seen, (std::vector<int>{1, 3}));
    return next.at;
}

TEST_F(pacing_test, asks_again_if_a_callback_has_changed_the_rate) {
    const auto change = [](auto& p, auto&) {
        EXPECT_EQ(p.set_rate(quota{1, seconds(1)}), weir::error::none);
    };
    EXPECT_EQ(due_after(change), instant{2'000}) << "and not a quarter of an hour later";
}

TEST_F(pacing_test, looks_again_for_what_a_callback_has_pushed_while_others_wait) {
    const auto push = [](auto&, auto& urgent) { EXPECT_TRUE(urgent.try_push(4)); };
    EXPECT_EQ(due_after(push), instant{1'100}) << "when the urgent one may go";
}

TEST_F(pacing_test, emits_nothing_while_it_ends) {
    obliging sink;
    std::vector<int> seen;
    {
        weir::pacer<int, obliging&, schedule, lanes<1, 16>> p(ten_a_second(), sink);
        sink.does = [&](int i) {
            seen.push_back(i);
            EXPECT_EQ(p.poll(), (next_poll{why::due, clock::now(), false}));
        };
        auto mine = p.open();
        for (const int i : {1, 2, 3}) (void)mine.try_push(int(i));
    }
    EXPECT_EQ(seen, (std::vector<int>{-1, -2, -3}));
}

// --- batches

TEST_F(pacing_test, is_not_idle_with_what_the_callback_of_a_batch_has_pushed) {
    obliging_wagon sink;
    weir::pacer<int, obliging_wagon&, schedule, lanes<1, 16>> p(ten_a_second(), sink);
    auto mine = p.open();
    sink.does = [&](int i) {
        if (i == 1) {
            EXPECT_TRUE(mine.try_push(2));
        }
    };
    (void)mine.try_push(1);
    EXPECT_EQ(p.poll(), (next_poll{why::due, instant{1'100}, false}));
}

TEST_F(pacing_test, keeps_no_batch_back_when_it_gives_others_a_word_in) {
    obliging_wagon sink;
    int seen = 0;
    sink.does = [&](int i) { seen += i; };
    weir::pacer<int, obliging_wagon&, schedule, lanes<1, 512>> p(ten_a_second(), sink);
    auto mine = p.open();
    (void)mine.try_push(0, 0,
                        deadline(instant{1'000}));  // so that the last batch is not a full one
    for (int i = 0; i < 500; ++i) (void)mine.try_push(1, 0);
    clock::set({1'001});
    EXPECT_EQ(p.poll().at, clock::now());
    EXPECT_EQ(static_cast<std::size_t>(seen) + p.approx_size(), 500U);
    EXPECT_EQ(run(p, 9'999).what, why::idle);
    EXPECT_EQ(seen, 500);
}

TEST_F(pacing_test, hands_over_what_is_due_before_it_drops_what_came_after_it) {
    obliging_wagon sink;
    std::vector<int> seen;
    sink.does = [&](int i) { seen.push_back(i); };
    weir::pacer<int, obliging_wagon&, schedule, lanes<1, 16>> p(ten_a_second(catch_up::items(9)),
                                                                sink);
    auto mine = p.open();
    (void)mine.try_push(1);
    (void)p.poll();
    (void)mine.try_push(2);
    (void)mine.try_push(3, 1, deadline(instant{2'000}));
    (void)mine.try_push(4);
    clock::set({3'000});
    (void)p.poll();
    EXPECT_EQ(seen, (std::vector<int>{1, 2, -3, 4}));
}

// Four units of six are gone, so four more have to wait, and one has not.
TEST_F(pacing_test, can_be_woken_by_what_costs_less_than_what_waits) {
    weir::limiter<weir::gcra<>, clock> limit(weir::quota{1, seconds(1), 6});
    std::vector<int> seen;
    auto to = weir::sink{[&](int&& i) { seen.push_back(i); }, [](int&&, dropped) {}};
    weir::pacer<int, decltype(to), decltype(limit)&, lanes<4, 8>> p(limit, decltype(to)(to));
    auto orders = p.open({.priority = 1});
    auto cancels = p.open({.priority = weir::priority::first});
    (void)orders.try_push(1, 4);
    (void)orders.try_push(2, 4);
    auto next = p.poll();
    EXPECT_EQ(next.what, weir::polled::due);
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
    (void)p.sleeper().was_called();
    auto late = p.open();
    EXPECT_TRUE(p.sleeper().is_called());
}

TEST_F(pacing_test, lets_what_is_urgent_go_before_a_lane_that_does_not_say) {
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
    (void)run(p, 9'999);
    EXPECT_EQ(names(), (std::vector<std::string>{"first", "first", "before", "before", "normal",
                                                 "usual", "normal", "usual", "behind", "last"}));
}

// --- who sleeps

TEST_F(pacing_test, wakes_who_sleeps_once_when_items_are_pushed) {
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

TEST_F(pacing_test, calls_who_sleeps_when_a_lane_is_opened) {
    pacer<> p(ten_a_second(), book_);
    schedule seldom(quota{1, seconds(1'000), 1}, catch_up::none());
    auto slow = p.open({.budget = &seldom});
    (void)slow.try_push(make("a"));
    (void)slow.try_push(make("b"));
    EXPECT_EQ(p.poll(), (next_poll{why::due, instant{1'001'000}, false}));
    (void)p.sleeper().was_called();
    auto other = p.open();
    EXPECT_TRUE(p.sleeper().is_called()) << "what it takes waits for another limit";
    (void)other.try_push(make("c"));
    (void)p.poll();
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "c"}));
}

TEST_F(pacing_test, gives_away_a_lane_that_was_left_while_nothing_is_due) {
    pacer<schedule, lanes<2, 16>> p(ten_a_second(), book_);
    auto mine = p.open();
    auto other = p.open();
    (void)mine.try_push(make("a"));
    (void)mine.try_push(make("b"));
    const auto left = [&] {
        (void)p.sleeper().was_called();
        other.close();
        EXPECT_TRUE(p.sleeper().was_called());
        (void)p.poll();
        other = p.open();
        EXPECT_TRUE(other);
    };
    EXPECT_FALSE(p.poll().wakes);
    left();
    p.pause();
    EXPECT_EQ(p.poll(), (next_poll{why::paused, instant(), false}));
    left();
}

TEST_F(pacing_test, is_done_although_it_is_paused_if_it_is_closed_and_empty) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    (void)mine.try_push(make("a"));
    p.pause();
    p.close();
    EXPECT_EQ(p.poll().what, why::paused) << "there is something left";
    p.resume();
    EXPECT_EQ(p.poll().what, why::done);
    p.pause();
    EXPECT_EQ(p.poll().what, why::done);
    p.pause_until(instant{9'000});
    EXPECT_EQ(p.poll().what, why::done);
}

TEST_F(pacing_test, is_done_if_its_last_callback_has_closed_and_paused_it) {
    obliging sink;
    weir::pacer<int, obliging&, schedule, lanes<2, 16>> p(ten_a_second(), sink);
    sink.does = [&](int) {
        p.close();
        p.pause();
    };
    auto mine = p.open();
    (void)mine.try_push(1);
    EXPECT_EQ(p.poll().what, why::done);
}

// --- what producers are told

TEST_F(pacing_test, does_not_measure_a_lane_by_its_last_holders_budget) {
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
    (void)run(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 1'000}, {"b", 1'000}, {"c", 1'005}}));
}

TEST_F(pacing_test, tells_who_pushes_of_a_new_rate_of_his_budget) {
    pacer<> p(ten_a_second(), book_);
    schedule own(quota{1, seconds(1), 1}, catch_up::none());
    auto mine = p.open({.budget = &own});
    (void)p.poll();
    EXPECT_EQ(mine.try_push(make("a"), 50).how(), pushing::never);
    EXPECT_EQ(own.set_rate(quota{100, seconds(1), 100}, clock::now()), weir::error::none);
    (void)p.poll();
    EXPECT_EQ(mine.try_push(make("a"), 50).how(), pushing::pushed);
    EXPECT_EQ(mine.estimate(), instant{1'500});
}

TEST_F(pacing_test, tells_all_who_share_a_budget_what_one_has_used) {
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

TEST_F(pacing_test, accepts_what_a_delay_that_is_made_good_lets_go_in_time) {
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
    EXPECT_EQ(run(p, 61'000), (next_poll{why::due, instant{61'100}, false})) << "g expires then";
    (void)run(p, 99'999);
    ASSERT_EQ(book_.emitted.size(), 7U);
    EXPECT_EQ(book_.emitted[5], (went{"f", 61'000}));
    EXPECT_EQ(book_.emitted[6], (went{"h", 61'100}));
    EXPECT_EQ(book_.drops, (std::vector<drop>{{"g", dropped::expired}}));
}

TEST_F(pacing_test, refuses_for_its_deadline_only_what_would_miss_it_for_certain) {
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

TEST_F(pacing_test, refuses_by_its_deadline_only_what_no_burst_could_let_go_in_time) {
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

TEST_F(pacing_test, counts_a_pause_in_when_it_estimates) {
    pacer<> p(ten_a_second(), book_);
    auto mine = p.open();
    p.pause_until(instant{5'000});
    EXPECT_EQ(mine.estimate(), instant{5'000});
    EXPECT_EQ(mine.try_push(make("a"), 1, deadline(instant{4'999})).how(),
              pushing::would_miss_deadline);
    (void)mine.try_push(make("a"));
    EXPECT_EQ(mine.try_push(make("b"), 1, deadline(instant{5'100})).estimate(), instant{5'100});
    (void)run(p, 9'999);
    EXPECT_EQ(book_.emitted, (std::vector<went>{{"a", 5'000}, {"b", 5'100}}));
    p.pause_until(instant{8'000});
    p.resume();
    EXPECT_EQ(mine.estimate(), instant{5'200});
}

TEST_F(pacing_test, does_not_take_an_idle_time_for_a_wait_when_its_clock_wraps) {
    pacer<> p(ten_a_second(), book_);
    schedule own = ten_a_second();
    auto mine = p.open();
    auto other = p.open({.budget = &own});
    (void)mine.try_push(make("a"));
    (void)other.try_push(make("b"));
    (void)p.poll();
    for (int i = 0; i < 8; ++i) {
        clock::set({clock::now().count + UINT64_MAX / 8});
        EXPECT_EQ(p.poll().what, why::idle);
        EXPECT_EQ(mine.estimate(), clock::now());
        EXPECT_EQ(other.estimate(), clock::now());
    }
}

// --- callbacks that take their time

TEST_F(pacing_test, emits_nothing_after_its_deadline_however_long_callbacks_take) {
    struct slow {
        void emit(word&& by) const {
            EXPECT_LE(clock::now().count, by);
            clock::advance(weir::milliseconds(30));
        }
        void drop(word&&, dropped reason) {
            EXPECT_EQ(reason, dropped::expired);
            ++drops;
        }
        int drops = 0;
    } sink;
    weir::pacer<word, slow&, schedule, lanes<2, 64>> p(ten_a_second(catch_up::items(50)), sink);
    auto mine = p.open();
    (void)mine.try_push(2'000);
    (void)p.poll();
    clock::set({61'000});
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(mine.try_push(61'100, 1, deadline(instant{61'100})));
    }
    EXPECT_EQ(run(p, 99'999).what, why::idle);
    EXPECT_EQ(sink.drops, 16) << "at 0, 30, 60 and 90 ms one went";
}

struct slow_wagon {
    static constexpr std::size_t most_at_once = 4;

    void emit(std::span<word> all) {
        for (const word by : all) EXPECT_LE(clock::now().count, by);
        sizes.push_back(all.size());
        clock::advance(weir::milliseconds(30));
    }
    static void drop(word&&, dropped) {}
    std::vector<std::size_t> sizes;
};

TEST_F(pacing_test, emits_no_batch_after_a_deadline_in_it) {
    slow_wagon sink;
    weir::pacer<word, slow_wagon&, schedule, lanes<2, 64>> p(ten_a_second(catch_up::items(50)),
                                                             sink);
    auto mine = p.open();
    (void)mine.try_push(2'000);
    (void)p.poll();
    clock::set({61'000});
    for (int i = 0; i < 20; ++i) (void)mine.try_push(61'050, 1, deadline(instant{61'050}));
    EXPECT_EQ(run(p, 99'999).what, why::idle);
    EXPECT_EQ(sink.sizes, (std::vector<std::size_t>{1, 4, 4}));
}

TEST_F(pacing_test, keeps_its_interval_however_long_callbacks_of_other_lanes_take) {
    std::vector<word> times;
    auto to = weir::sink{[&](int&& i) {
                             if (i == 0) clock::advance(weir::milliseconds(70));
                             if (i == 1) times.push_back(clock::now().count);
                         },
                         [](int&&, dropped) {}};
    weir::pacer<int, decltype(to), schedule, lanes<2, 16>> p(ten_a_second(catch_up::none()),
                                                             decltype(to)(to));
    schedule own = ten_a_second(catch_up::none());
    auto slow = p.open({.priority = 0});
    auto mine = p.open({.priority = 1, .budget = &own});
    (void)slow.try_push(0);
    for (int i = 0; i < 5; ++i) (void)mine.try_push(1);
    (void)run(p, 9'999);
    ASSERT_EQ(times.size(), 5U);
    for (std::size_t i = 1; i < 5; ++i) EXPECT_GE(times[i] - times[i - 1], 100U);
}

TEST_F(pacing_test, is_not_late_for_what_waits_by_the_time_that_callbacks_take) {
    auto to = weir::sink{[](int&& i) {
                             if (i == 1) clock::advance(weir::milliseconds(70));
                         },
                         [](int&&, dropped) {}};
    weir::pacer<int, decltype(to), schedule, lanes<2, 16>> p(ten_a_second(), decltype(to)(to));
    schedule own(quota{1, seconds(1), 1});
    auto first = p.open({.priority = 0});
    auto slow = p.open({.priority = 1, .budget = &own});
    (void)first.try_push(0);
    (void)first.try_push(0);
    (void)slow.try_push(1);
    EXPECT_EQ(p.poll().at, instant{1'100});
    EXPECT_EQ(clock::now(), instant{1'070});
}

TEST_F(pacing_test, lets_all_go_by_the_time_that_it_is_given) {
    std::vector<int> seen;
    auto to = weir::sink{[&](int&& i) {
                             seen.push_back(i);
                             clock::advance(seconds(60));
                         },
                         [&](int&& i, dropped) { seen.push_back(-i); }};
    weir::pacer<int, decltype(to), schedule, lanes<2, 16>> p(ten_a_second(catch_up::items(5)),
                                                             decltype(to)(to));
    auto mine = p.open();
    for (const int i : {1, 2, 3}) (void)mine.try_push(int(i), 1, deadline(instant{2'000}));
    (void)p.poll(instant{1'000});
    EXPECT_EQ(p.poll(instant{2'000}).what, why::idle);
    EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

// --- turns

TEST_F(pacing_test, lets_nobody_take_all_turns_with_what_costs_nothing) {
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

TEST_F(pacing_test, gives_nobody_more_turns_for_opening_his_lane_anew) {
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

// --- what is refused

TEST_F(pacing_test, opens_no_lane_with_a_budget_that_it_would_not_ask) {
    schedule own = ten_a_second();
    pacer<schedule, lanes<1, 16>> p(ten_a_second(), book_);
    EXPECT_FALSE(p.open({.budget = &own}));
    EXPECT_TRUE(p.open());
}

TEST_F(pacing_test, wants_no_more_places_than_can_be_counted) {
    using made = pacer<schedule, lanes<2>>;
    EXPECT_THROW(made(ten_a_second(), book_, {.capacity = SIZE_MAX}), weir::refused);
}

TEST_F(pacing_test, waits_not_a_tick_too_long_for_several_limits) {
    using slow_clock = weir::manual_clock<struct slow_ticks, 24'000'000>;
    using limiter = weir::limiter<weir::gcra<>, slow_clock>;
    limiter often{quota{1'000, seconds(1), 1}};
    limiter seldom{quota{7, seconds(1), 1}};
    auto to = weir::sink{[](int&&) {}, [](int&&, dropped) {}};
    weir::pacer<int, decltype(to), weir::all_of<limiter, limiter>, lanes<1, 16>> p(
        weir::all_of(often, seldom), decltype(to)(to));
    auto mine = p.open();
    (void)mine.try_push(1);
    (void)mine.try_push(1);
    for (word now = 1'000; now < 2'000; ++now) {
        slow_clock::set({now});
        const auto next = p.poll();
        ASSERT_EQ(next.at.count,
                  now + seldom.peek(1, weir::instant<slow_clock>{now}).ticks().retry_after());
    }
}

struct wagon {
    static constexpr std::size_t most_at_once = 4;

    void emit(std::span<item> all) {
        sizes.push_back(all.size());
        for (item& i : all) names += *i;
    }
    void drop(item&&, dropped) {}
    std::vector<std::size_t> sizes;
    std::string names;
};

TEST_F(pacing_test, hands_over_together_what_is_due_together) {
    wagon sink;
    weir::pacer<item, wagon&, schedule, lanes<1, 32>> p(ten_a_second(catch_up::items(9)), sink);
    auto mine = p.open();
    for (const char* n : {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}) {
        (void)mine.try_push(make(n));
    }
    (void)p.poll();
    clock::advance(seconds(60));
    (void)p.poll();
    EXPECT_EQ(sink.sizes, (std::vector<std::size_t>{1, 4, 4, 2}));
    (void)run(p, 99'999);
    EXPECT_EQ(sink.names, "abcdefghijkl");
    EXPECT_EQ(sink.sizes.back(), 1U);
}

TEST_F(pacing_test, wants_lanes_with_places) {
    using made = pacer<schedule, lanes<2>>;
    EXPECT_THROW(made(ten_a_second(), book_, {.capacity = 0}), weir::refused);
    made p(ten_a_second(), book_, {.capacity = 3});
    auto mine = p.open();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(mine.try_push(make("x")));
    EXPECT_EQ(mine.try_push(make("x")).how(), pushing::full);
}

TEST_F(pacing_test, lets_functions_be_its_sink) {
    std::string seen;
    auto to = weir::sink{[&](int&& i) { seen += std::to_string(i); },
                         [&](int&& i, dropped) { seen += "-" + std::to_string(i); }};
    {
        weir::pacer<int, decltype(to), schedule, lanes<1, 8>> p(ten_a_second(), decltype(to)(to));
        auto mine = p.open();
        (void)mine.try_push(1);
        (void)mine.try_push(2);
        (void)p.poll();
    }
    EXPECT_EQ(seen, "1-2");
}

}  // namespace

// SPDX-License-Identifier: MIT
// The controller against a server whose limit changes.
#include <cstdint>
#include <deque>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/pacer/adaptive.hpp>
#include <weir/pacer/pacer.hpp>

namespace {

using weir::nanoseconds;
using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct adaptive_tests, 1'000'000>;
using instant = weir::instant<clock>;
using next_poll = weir::next_poll<clock>;

struct outbox {
    static void emit(word&& id) { sent_.push_back(id); }
    static void drop(word&&, weir::dropped) {}
    static inline std::deque<word> sent_;
};
using pacer = weir::pacer<word, outbox, weir::schedule<clock>, weir::lanes<1, 4>>;

class adaptive_test : public testing::Test {
protected:
    void SetUp() override {
        clock::set({1'000'000});
        outbox::sent_.clear();
    }
    pacer p_{weir::schedule<clock>(quota{100, seconds(1), 1}), {}};
};

TEST_F(adaptive_test, does_nothing_until_the_first_throttle) {
    weir::adaptive a(p_);
    for (int i = 0; i < 1'000; ++i) a.succeeded();
    EXPECT_FALSE(a.active());
    EXPECT_EQ(p_.limit().quota(), (quota{100, seconds(1), 1}));
    a.throttled(seconds(3));
    EXPECT_TRUE(a.active());
    EXPECT_EQ(a.share(), 700U);
    EXPECT_TRUE(p_.paused());
    EXPECT_EQ(p_.poll(), (next_poll{weir::polled::due, instant{4'000'000}, false}));
}

TEST_F(adaptive_test, counts_a_volley_of_throttles_once_and_ends_at_its_floor) {
    weir::adaptive a(p_, {.floor = 100});
    for (int i = 0; i < 10; ++i) a.throttled();
    EXPECT_EQ(a.share(), 700U);
    for (int i = 0; i < 100; ++i) {
        clock::advance(seconds(1));
        a.throttled();
    }
    EXPECT_EQ(a.share(), 100U);
    for (int i = 0; i < 100 * 20; ++i) a.succeeded();
    EXPECT_EQ(a.share(), 1'000U);
    EXPECT_EQ(p_.limit().quota(), (quota{100, seconds(1), 1})) << "exactly the full rate again";
}

TEST_F(adaptive_test, takes_nonsense_for_the_nearest_sense) {
    weir::adaptive a(
        p_, {.floor = 0, .decrease = 0, .increase = 0, .patience = 0, .settle = seconds(-1)});
    a.throttled();
    EXPECT_EQ(a.share(), 1U);
    a.succeeded();
    EXPECT_EQ(a.share(), 2U);
}

// So many seconds against a server that answers 50 ms later; what it accepted and what it refused.
struct outcome {
    int accepted = 0;
    int refused = 0;
};

template <class Adaptive, class Server>
outcome simulate(pacer& p, pacer::producer_type& mine, Adaptive& a, Server& server, int time) {
    outcome o;
    const word end = clock::now().count + static_cast<word>(time) * 1'000'000;
    std::deque<std::pair<word, bool>> answers;
    word id = 0;
    while (earlier(clock::now(), instant{end})) {
        while (mine.try_push(id + 0)) ++id;
        const next_poll next = p.poll();
        for (; !outbox::sent_.empty(); outbox::sent_.pop_front()) {
            answers.push_back({clock::now().count + 50'000, server.try_acquire().admitted()});
        }
        word then = next.what == weir::polled::due ? next.at.count : end;
        if (!answers.empty() && answers.front().first < then) then = answers.front().first;
        clock::set({then > clock::now().count ? then : clock::now().count});
        while (!answers.empty() && answers.front().first <= clock::now().count) {
            if (answers.front().second) {
                ++o.accepted;
                a.succeeded();
            } else {
                ++o.refused;
                a.throttled();
            }
            answers.pop_front();
        }
    }
    return o;
}

TEST_F(adaptive_test, follows_a_server_whose_limit_changes) {
    weir::adaptive a(p_);
    auto mine = p_.open();
    for (const std::int64_t limit : {200, 40, 80, 20, 100}) {
        weir::limiter<weir::gcra<>, clock> server{quota{limit, seconds(1), 5}};
        (void)simulate(p_, mine, a, server, 60);  // until it has settled
        const outcome o = simulate(p_, mine, a, server, 240);
        const double best = 240.0 * static_cast<double>(limit < 100 ? limit : 100);
        EXPECT_GE(o.accepted, 0.75 * best) << limit;
        EXPECT_LE(o.refused, 0.03 * best) << limit;
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
// A pacer of which each access to an atomic is a place to be stopped at: while it polls others open
// lanes, push, leave and close, and while they do it polls.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/pacer/pacer.hpp>

namespace {

using weir::dropped;
using weir::quota;
using weir::seconds;

using clock = weir::manual_clock<struct stopped_pacer>;
using instant = weir::instant<clock>;
using next_poll = weir::next_poll<clock>;
using schedule = weir::schedule<clock>;

constexpr instant now{1'000};

struct scene {
    struct sink {
        void emit(int&& i) const { to->handed.push_back(i); }
        void drop(int&& i, dropped) const { to->handed.push_back(i); }
        scene* to;
    };
    using pacer = weir::pacer<int, sink, schedule, weir::lanes<2, 4>>;

    scene() {
        first = p.open();
        push(first);
    }

    void poll() {
        const next_poll next = p.poll(now);
        if (next.what != weir::polled::done) return;
        done = true;
        EXPECT_EQ(p.approx_size(), 0U) << "done, and there is more to do";
    }
    void push(pacer::producer_type& to) {
        const int item = ++items;
        if (to.try_push(int(item), 0, {}, now)) pushed.push_back(item);
    }
    void open() {
        second = p.open();
        push(second);
    }

    std::vector<int> handed;
    std::vector<int> pushed;
    int items = 0;
    bool done = false;
    pacer p{schedule(quota{1, seconds(1)}), sink{this}};
    pacer::producer_type first;
    pacer::producer_type second;
};

struct deed {
    const char* name;
    std::function<void(scene&)> act;
};
const deed for_producers[] = {
    {"push", [](scene& s) { s.push(s.first); }},
    {"push and close all", [](scene& s) { s.push(s.first), s.p.close(); }},
    {"push and leave", [](scene& s) { s.push(s.first), s.first.close(); }},
    {"leave and open", [](scene& s) { s.first.close(), s.first = s.p.open(), s.push(s.first); }},
    {"open", [](scene& s) { s.open(); }},
    {"open and close all", [](scene& s) { s.open(), s.p.close(); }},
    {"open and leave", [](scene& s) { s.open(), s.second.close(); }},
    {"close all", [](scene& s) { s.p.close(); }},
};
const deed for_the_poller[] = {
    {"poll", [](scene& s) { s.poll(); }},
    {"poll twice", [](scene& s) { s.poll(), s.poll(); }},
    {"close all and poll", [](scene& s) { s.p.close(), s.poll(); }},
    {"discard", [](scene& s) { s.p.discard(); }},
    {"discard and poll", [](scene& s) { s.p.discard(), s.poll(); }},
};

int expect_all_handed_over(const deed& one, const deed& other, bool left = false) {
    int when = 0;
    for (bool more = true; more; ++when) {
        scene s;
        if (left) s.first.close();
        const auto act = [&] { one.act(s); };
        more = stopped::stop(when, act, [&] { other.act(s); });
        s.first.close();
        s.second.close();
        s.p.close();
        s.done = false;
        for (int i = 0; i < 4; ++i) s.poll();
        EXPECT_TRUE(s.done);
        std::sort(s.handed.begin(), s.handed.end());
        std::sort(s.pushed.begin(), s.pushed.end());
        EXPECT_EQ(s.handed, s.pushed) << "each once";
        if (testing::Test::HasFailure()) {
            ADD_FAILURE() << one.name << ", and before its access " << when << " " << other.name;
            return when;
        }
    }
    return when;
}

TEST(stopped_pacer, that_polls_is_not_done_while_anything_is_left) {
    int stops = 0;
    for (const deed& one : for_the_poller) {
        for (const deed& other : for_producers) {
            stops += expect_all_handed_over(one, other);
            stops += expect_all_handed_over(one, other, true);
            ASSERT_FALSE(HasFailure());
        }
    }
    EXPECT_GT(stops, 500);
}

// A push that is stopped on its way may still succeed after all: then the next poll finds it.
TEST(stopped_pacer, loses_nothing_of_producers_that_are_stopped) {
    int stops = 0;
    for (const deed& one : for_producers) {
        for (const deed& other : for_the_poller) {
            stops += expect_all_handed_over(one, other);
            ASSERT_FALSE(HasFailure());
        }
    }
    EXPECT_GT(stops, 300);
}

}  // namespace

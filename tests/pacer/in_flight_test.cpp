// SPDX-License-Identifier: MIT
// A pacer whose limit has an in_flight: each item is a call with a token, which comes back from any
// thread. The pacer never has more calls out than the cap, sends the next one when a call ends, and
// never sleeps past that. A test that hangs has missed the end of a call; ctest ends it.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/begin.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "../stress/crowd.hpp"
#include "on_a_thread.hpp"

namespace {

using weir::call_token;
using weir::dropped;
using weir::in_flight;
using weir::milliseconds;
using weir::polled;
using weir::quota;
using weir::seconds;
using weir::word;

// --- in virtual time

using clock = weir::manual_clock<struct calls_in_virtual_time, 1'000'000>;
using limiter = weir::limiter<weir::gcra<>, clock>;
using both = weir::all_of<limiter, in_flight>;

struct caller {
    void emit(int&& item, call_token call) {
        if (item < 0) throw std::runtime_error("it fails");
        out.push_back(std::move(call));
        sent.push_back(item);
    }
    void drop(int&&, dropped) { ++drops; }

    std::deque<call_token> out;
    std::vector<int> sent;
    int drops = 0;
};

class pacer_calls : public testing::Test {
protected:
    void SetUp() override { clock::set({1'000'000}); }
};

TEST_F(pacer_calls, has_no_more_calls_out_than_the_cap) {
    limiter rate{quota{1'000, seconds(1), 10}};
    in_flight calls{2};
    caller sink;
    auto requests = weir::make_pacer<int>(weir::all_of{rate, calls}, sink);
    auto lane = requests.open();
    for (int i = 1; i <= 4; ++i) EXPECT_TRUE(lane.try_push(int{i}));
    auto next = requests.poll();
    EXPECT_EQ(sink.sent, (std::vector{1, 2}));
    EXPECT_EQ(calls.approx_in_use(), 2U);
    EXPECT_EQ(rate.peek(0).remaining(), 8U) << "what waits for a place costs no units";
    EXPECT_EQ(next.what, polled::due);
    EXPECT_EQ(next.at, clock::now() + 1'000) << "nobody knows better than to look again";
    EXPECT_TRUE(requests.told().held);
    EXPECT_EQ(requests.told().next.what, polled::idle) << "until it is told";
    clock::advance(weir::microseconds(100));
    EXPECT_EQ(requests.poll(), next) << "or who looks twice before he sleeps would not";
    sink.out.pop_front();
    next = requests.poll();
    EXPECT_EQ(sink.sent, (std::vector{1, 2, 3}));
    clock::set(next.at);
    EXPECT_EQ(requests.poll().at, clock::now() + 1'000);
    sink.out.clear();
    EXPECT_EQ(requests.poll().what, polled::idle);
    EXPECT_FALSE(requests.told().held);
    EXPECT_EQ(sink.sent, (std::vector{1, 2, 3, 4}));
    sink.out.clear();
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

TEST_F(pacer_calls, waits_for_the_rate_as_ever) {
    limiter rate{quota{10, seconds(1), 1}};
    in_flight calls{2};
    caller sink;
    auto requests = weir::make_pacer<int>(weir::all_of{rate, calls}, sink);
    auto lane = requests.open();
    for (int i = 1; i <= 3; ++i) EXPECT_TRUE(lane.try_push(int{i}));
    auto next = requests.poll();
    EXPECT_EQ(next.at, clock::now() + 100'000);
    EXPECT_FALSE(requests.told().held);
    clock::set(next.at);
    next = requests.poll();
    EXPECT_EQ(sink.sent.size(), 2U);
    EXPECT_TRUE(requests.told().held) << "and the rate too";
    sink.out.pop_front();
    next = requests.poll();
    EXPECT_FALSE(requests.told().held);
    EXPECT_EQ(next.at, clock::now() + 100'000);
    clock::set(next.at);
    EXPECT_EQ(requests.poll().what, polled::idle);
    EXPECT_EQ(sink.sent.size(), 3U);
}

TEST_F(pacer_calls, lets_lanes_with_places_of_their_own_go_on) {
    limiter rate{quota{1'000, seconds(1), 10}};
    limiter other_rate{quota{10, seconds(1), 1}};
    in_flight calls{1};
    in_flight others{3};
    both cancels{other_rate, others};
    caller sink;
    weir::pacer<int, caller&, both, weir::lanes<4, 16>> requests(both(rate, calls), sink);
    auto lane = requests.open();
    auto urgent = requests.open({.priority = weir::priority::first, .budget = &cancels});
    for (int i = 1; i <= 2; ++i) EXPECT_TRUE(lane.try_push(int{i}));
    for (int i = 11; i <= 12; ++i) EXPECT_TRUE(urgent.try_push(int{i}));
    const auto next = requests.poll();
    EXPECT_EQ(sink.sent, (std::vector{11, 1}));
    EXPECT_EQ(requests.told().next.at, clock::now() + 100'000) << "the next cancel";
    EXPECT_TRUE(requests.told().held);
    EXPECT_TRUE(requests.told().next.wakes);
    EXPECT_EQ(next.at, clock::now() + 1'000);
    std::vector<const in_flight*> all;
    requests.each_in_flight([&](std::size_t, in_flight& one) { all.push_back(&one); });
    EXPECT_EQ(all, (std::vector<const in_flight*>{&calls, &others}));
    sink.out.clear();
    clock::advance(milliseconds(100));
    (void)requests.poll();
    EXPECT_EQ(sink.sent.size(), 4U);
    requests.discard();
    sink.out.clear();
    EXPECT_EQ(calls.approx_in_use() + others.approx_in_use(), 0U);
}

TEST_F(pacer_calls, drops_what_expires_while_it_waits_for_a_place) {
    limiter rate{quota{1'000, seconds(1), 10}};
    in_flight calls{1};
    caller sink;
    auto requests = weir::make_pacer<int>(weir::all_of{rate, calls}, sink);
    auto lane = requests.open();
    EXPECT_TRUE(lane.try_push(1));
    (void)requests.poll();
    const weir::deadline<clock> soon(clock::now() + 50);
    EXPECT_TRUE(lane.try_push(2, 1, soon)) << "a call may end before that";
    const auto next = requests.poll();
    EXPECT_EQ(next.at, soon.missed_at());
    clock::set(next.at);
    EXPECT_EQ(requests.poll().what, polled::idle);
    EXPECT_EQ(sink.drops, 1);
    EXPECT_EQ(calls.approx_in_use(), 1U);
    EXPECT_TRUE(lane.try_push(3));
    requests.drain_for(milliseconds(10));
    while (requests.poll().what != polled::done) clock::advance(milliseconds(1));
    EXPECT_EQ(sink.drops, 2) << "its call never began";
    sink.out.clear();
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

#ifdef __cpp_exceptions
TEST_F(pacer_calls, gives_the_place_back_if_the_sink_throws) {
    limiter rate{quota{1'000, seconds(1), 10}};
    in_flight calls{1};
    caller sink;
    // One that throws before it has taken the token.
    auto late = weir::sink{[&](int&& item, call_token&& call) {
                               if (item == 7) throw std::runtime_error("it fails");
                               sink.emit(int{item}, std::move(call));
                           },
                           [](int&&, dropped) {}};
    auto requests = weir::make_pacer<int>(weir::all_of{rate, calls}, late);
    auto lane = requests.open();
    for (const int i : {-1, 7, -2, 1, 2}) EXPECT_TRUE(lane.try_push(int{i}));
    (void)requests.poll();
    EXPECT_EQ(sink.sent, (std::vector{1}));
    EXPECT_EQ(calls.approx_in_use(), 1U);
    sink.out.clear();
    (void)requests.poll();
    EXPECT_EQ(sink.sent, (std::vector{1, 2}));
    sink.out.clear();
    EXPECT_EQ(calls.approx_in_use(), 0U);
}
#endif

// A sink that keeps no token has one call at a time, and no end is missed.
TEST_F(pacer_calls, ends_the_call_with_emit_if_nobody_takes_the_token) {
    limiter rate{quota{1'000, seconds(1), 10}};
    in_flight calls{1};
    int sent = 0;
    auto requests = weir::make_pacer<int>(weir::all_of{rate, calls},
                                          weir::sink{[&](int&&, const call_token& call) {
                                                         EXPECT_TRUE(call);
                                                         EXPECT_EQ(calls.approx_in_use(), 1U);
                                                         ++sent;
                                                     },
                                                     [](int&&, dropped) {}});
    auto lane = requests.open();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(lane.try_push(int{i}));
    EXPECT_EQ(requests.poll().what, polled::idle);
    EXPECT_EQ(sent, 5);
}

// --- on a thread

// Calls that are out, for threads that end them.
class answers {
public:
    explicit answers(in_flight& calls) : calls_(calls) {}

    void emit(int&&, call_token call) {
        const std::lock_guard lock(mutex_);
        if (!call || ++there_ > calls_.most()) ++mistakes_;
        out_.push_back(std::move(call));
        changed_.notify_one();
    }
    void drop(int&&, dropped) { ++drops; }

    // Ends the call that began first, when there is one.
    void end_one() {
        call_token call;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return !out_.empty(); });
            call = std::move(out_.front());
            out_.pop_front();
            --there_;
        }
        call.end();
        ++ended;
    }
    [[nodiscard]] int mistakes() const { return mistakes_; }

    std::atomic<int> ended{0};
    std::atomic<int> drops{0};

private:
    in_flight& calls_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<call_token> out_;
    word there_ = 0;
    int mistakes_ = 0;
};

using steady_limiter = weir::limiter<weir::gcra<>, weir::steady_clock>;

class how_a_pacer_waits_for_calls : public testing::TestWithParam<weir::waiting> {};

TEST_P(how_a_pacer_waits_for_calls, sends_the_next_item_when_a_call_ends) {
    steady_limiter rate{quota{1'000'000, seconds(1), 1'000'000}};
    in_flight calls{2};
    answers sink(calls);
    auto requests = weir::make_pacer<int, weir::lanes<2, 1024>>(weir::all_of{rate, calls}, sink);
    weir::pacer_thread runner{requests, {.how = GetParam()}};
    ASSERT_TRUE(runner.start().runs());
    auto lane = requests.open();
    const int total = repetitions(10'000);
    std::vector<std::jthread> enders;
    enders.reserve(2);
    std::atomic<int> left{total};
    for (int t = 0; t < 2; ++t) {
        enders.emplace_back([&, d = oracle::dice(static_cast<std::uint64_t>(t))]() mutable {
            while (left.fetch_sub(1) > 0) {
                sink.end_one();
                for (std::uint64_t k = d.roll(64); k > 0; --k) weir::spin_hint();
                if (d.one_in(64)) std::this_thread::sleep_for(std::chrono::microseconds(100));
            }
        });
    }
    for (int i = 0; i < total; ++i) {
        while (!lane.try_push(int{i})) std::this_thread::yield();
    }
    enders.clear();
    EXPECT_EQ(sink.ended, total);
    EXPECT_EQ(sink.mistakes(), 0);
    lane.close();
    requests.close();
    runner.join();
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

INSTANTIATE_TEST_SUITE_P(ways, how_a_pacer_waits_for_calls,
                         testing::Values(weir::waiting::sleep, weir::waiting::hybrid,
                                         weir::waiting::spin),
                         [](const auto& how) { return std::string(describe(how.param)); });

// Nothing but the end of the call wakes it: it sleeps on its full cap.
TEST(pacer_thread_calls, wakes_from_its_sleep_when_a_call_ends) {
    steady_limiter rate{quota{1'000'000, seconds(1), 1'000'000}};
    in_flight calls{1};
    answers sink(calls);
    auto requests = weir::make_pacer<int>(weir::all_of{rate, calls}, sink);
    weir::pacer_thread runner{requests, {.how = weir::waiting::sleep}};
    const auto report = runner.start();
    ASSERT_TRUE(report.runs());
    auto lane = requests.open();
    const int rounds = repetitions(300);
    for (int i = 0; i < rounds; ++i) {
        EXPECT_TRUE(lane.try_push(1));
        EXPECT_TRUE(lane.try_push(2));
        wait_until("the first call is out", [&] { return calls.approx_in_use() == 1; });
        const auto sleeps = runner.approx_sleeps();
        wait_until("it sleeps again or has slept", [&, tries = 0]() mutable {
            return runner.approx_sleeps() != sleeps || ++tries > 100;
        });
        sink.end_one();
        sink.end_one();
    }
    EXPECT_EQ(sink.ended, 2 * rounds);
    if (report.membarrier == 0) {
        // Each push, end and item wakes it once at most.
        EXPECT_LE(runner.approx_sleeps(), static_cast<word>(rounds) * 10)
            << "it sleeps until it is told and does not look again and again";
    }
    requests.close();
    lane.close();
    runner.join();
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

// Two pacers and two threads have one cap.
TEST(pacer_thread_calls, shares_a_cap_with_other_pacers_and_threads) {
    steady_limiter rate{quota{1'000'000, seconds(1), 1'000'000}};
    in_flight calls{2};
    answers sink(calls);
    auto one = weir::make_pacer<int, weir::lanes<1, 64>>(weir::all_of{rate, calls}, sink);
    auto two = weir::make_pacer<int, weir::lanes<2, 64>>(weir::all_of{rate, calls}, sink);
    weir::pacer_thread runs_one{one};
    weir::pacer_thread runs_two{two};
    ASSERT_TRUE(runs_one.start().runs());
    ASSERT_TRUE(runs_two.start().runs());
    const int total = repetitions(3'000);
    {
        const auto push = [total](auto lane) {
            for (int i = 0; i < total; ++i) {
                while (!lane.try_push(int{i})) std::this_thread::yield();
            }
        };
        const std::jthread pushes_one([&] { push(one.open()); });
        const std::jthread pushes_two([&] { push(two.open()); });
        const std::jthread ends([&] {
            for (int i = 0; i < 2 * total; ++i) sink.end_one();
        });
        std::vector<std::jthread> others(2);
        for (auto& other : others) {
            other = std::jthread([&] {
                for (int i = 0; i < total; ++i) {
                    const auto call = weir::begin(calls);
                    EXPECT_TRUE(call);
                }
            });
        }
    }
    EXPECT_EQ(sink.ended, 2 * total);
    EXPECT_EQ(sink.mistakes(), 0);
    one.close();
    two.close();
    runs_one.join();
    runs_two.join();
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

// A thread that is gone is not woken, and calls may outlive their pacer.
TEST(pacer_thread_calls, may_outlive_the_pacer) {
    steady_limiter rate{quota{1'000'000, seconds(1), 1'000'000}};
    in_flight calls{1};
    answers sink(calls);
    {
        auto requests = weir::make_pacer<int>(weir::all_of{rate, calls}, sink);
        weir::pacer_thread runner{requests};
        ASSERT_TRUE(runner.start().runs());
        auto lane = requests.open();
        EXPECT_TRUE(lane.try_push(1));
        EXPECT_TRUE(lane.try_push(2));
        wait_until("the first call is out", [&] { return calls.approx_in_use() == 1; });
    }
    EXPECT_EQ(sink.drops, 1);
    sink.end_one();
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

}  // namespace

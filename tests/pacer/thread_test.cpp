// SPDX-License-Identifier: MIT
// A pacer on a thread of its own: what it is told, how it starts and ends.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/cached.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>

#include "../stress/crowd.hpp"
#include "on_a_thread.hpp"

namespace {

using namespace std::chrono_literals;
using weir::catch_up;
using weir::dropped;
using weir::pacer_thread;
using weir::pushing;
using weir::quota;
using weir::scheduling;
using weir::seconds;
using weir::waiting;
using weir::word;

template <class Lanes = weir::lanes<4, 64>>
using pacer = weir::pacer<int, counting&, schedule, Lanes, watched>;

TEST(pacer_thread, emits_what_is_pushed_however_it_waits) {
    for (const waiting how : {waiting::sleep, waiting::hybrid, waiting::spin}) {
        counting sink;
        pacer<> p(a_second(100'000), sink);
        pacer_thread runner(p, {.name = "test pacer", .how = how});
        ASSERT_TRUE(runner.start().well());
        {
            auto mine = p.open();
            for (int i = 1; i <= repetitions(20'000); ++i) {
                while (!mine.try_push(int(i))) std::this_thread::yield();
            }
        }
        p.close();
        runner.join();
        const long long all = repetitions(20'000);
        EXPECT_EQ(sink.emitted, all);
        EXPECT_EQ(sink.sum, all * (all + 1) / 2);
        EXPECT_EQ(sink.drops, 0);
        EXPECT_EQ(p.observer().times.size(), static_cast<std::size_t>(all));
        EXPECT_TRUE(p.observer().times.keeps(100'000, 1'000'000'000, 20));
    }
}

// It is a thread that waits by this clock, and nobody else may refresh it.
TEST(pacer_thread, refreshes_a_cached_clock) {
    struct tag {};
    using cached = weir::cached_clock<tag, weir::steady_clock>;
    counting sink;
    weir::pacer<int, counting&, weir::schedule<cached>> p(
        weir::schedule<cached>(weir::per_second(1'000)), sink);
    pacer_thread runner(p);
    ASSERT_TRUE(runner.start().runs());
    auto lane = p.open();
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(lane.try_push(int{i}));
    wait_until("all are emitted", [&] { return sink.emitted == 5; });
}

TEST(pacer_thread, is_woken_by_each_push_into_empty_lanes) {
    counting sink;
    pacer<> p(a_second(1'000'000), sink);
    pacer_thread runner(p);
    ASSERT_TRUE(runner.start().well());
    auto mine = p.open();
    for (int i = 0; i < repetitions(20'000); ++i) {
        for (int k = 0; k < i % 128; ++k) weir::order_clock();  // at each moment of its lying down
        ASSERT_TRUE(mine.try_push(1));
        wait_until("the push has woken it", [&] { return sink.emitted == i + 1; });
    }
}

TEST(pacer_thread, is_woken_by_pushes_at_any_moment) {
    counting sink;
    pacer<> p(a_second(10'000'000), sink);
    pacer_thread runner(p);
    ASSERT_TRUE(runner.start().well());
    const int rounds = repetitions(5'000);
    std::atomic<int> pushed{0};
    std::vector<std::jthread> threads;
    threads.reserve(3);
    for (int t = 0; t < 3; ++t) {
        threads.emplace_back([&, t, mine = p.open()]() mutable {
            for (int i = 0; i < rounds; ++i) {
                while (!mine.try_push(1)) std::this_thread::yield();
                ++pushed;
                for (int k = 0; k < (i * 7 + t) % 50; ++k) weir::spin_hint();
                if (i % 16 != 0) continue;
                wait_until("all pushes have woken it", [&] { return sink.emitted == pushed; });
            }
        });
    }
    threads.clear();
    EXPECT_EQ(pushed, 3 * rounds);
    wait_until("the last push has woken it", [&] { return sink.emitted == 3 * rounds; });
}

TEST(pacer_thread, sleeps_as_long_as_there_is_nothing) {
    counting sink;
    pacer<> p(a_second(1'000), sink);
    pacer_thread runner(p);
    ASSERT_TRUE(runner.start().well());
    wait_until("it sleeps", [&] { return runner.approx_sleeps() > 0; });
    std::this_thread::sleep_for(50ms);
    EXPECT_LE(runner.approx_sleeps(), 3U) << "but for a system call that came back for nothing";
}

TEST(pacer_thread, does_what_it_is_told_between_two_polls) {
    counting sink;
    pacer<> p(schedule{one_an_hour}, sink);
    pacer_thread runner(p);
    int before = 0;
    runner.run([&](auto& mine) { before = mine.paused() ? 1 : 2; });
    EXPECT_EQ(before, 2) << "also when it does not run";
    ASSERT_TRUE(runner.start().well());
    auto mine = p.open();
    for (int i = 0; i < 30; ++i) ASSERT_TRUE(mine.try_push(1));
    wait_until("the first is emitted", [&] { return sink.emitted == 1; });
    runner.run([](auto& its) { its.pause(); });
    runner.run([](auto& its) { (void)its.set_rate(quota{1'000'000, seconds(1), 10}); });
    EXPECT_EQ(sink.emitted, 1);
    std::vector<std::jthread> others(4);
    std::atomic<int> calls{0};
    for (auto& other : others) {
        other = std::jthread([&] {
            for (int i = 0; i < 100; ++i) runner.run([&](auto&) { ++calls; });
        });
    }
    others.clear();
    EXPECT_EQ(calls, 400);
    runner.run([](auto& its) { its.resume(); });
    wait_until("all are emitted", [&] { return sink.emitted == 30; });
}

// Each of four is told in turn while the pacer is closed and its thread ends.
TEST(pacer_thread, does_or_lets_do_what_it_is_told_while_it_ends) {
    for (int round = 0; round < repetitions(1'000); ++round) {
        counting sink;
        pacer<> p(a_second(1'000), sink);
        pacer_thread runner(p);
        ASSERT_TRUE(runner.start().well());
        std::atomic<int> calls{0};
        {
            std::vector<std::jthread> others(4);
            for (auto& other : others) {
                other = std::jthread([&] {
                    for (int i = 0; i < 20; ++i) {
                        runner.run([&](auto& its) {
                            if (++calls == 40) its.close();
                        });
                    }
                });
            }
        }
        EXPECT_EQ(calls, 80);
        runner.join();
    }
}

TEST(pacer_thread, can_be_told_while_others_start_and_end_it) {
    counting sink;
    pacer<> p(a_second(1'000), sink);
    pacer_thread runner(p);
    std::atomic<bool> over{false};
    int calls = 0;
    std::jthread other([&] {
        while (!over) runner.run([&](auto&) { ++calls; });
    });
    for (int i = 0; i < repetitions(500); ++i) {
        ASSERT_TRUE(runner.start().well());
        runner.run([&](auto&) { ++calls; });
        runner.stop();
    }
    over = true;
    other.join();
    EXPECT_GE(calls, repetitions(500));
}

TEST(pacer_thread, can_be_told_from_within_what_it_is_told_also_while_none_runs) {
    struct meddler : counting {
        void drop(int&& i, dropped reason) {
            within();
            counting::drop(int{i}, reason);
        }
        std::function<void()> within;
    };
    using of_meddler = weir::pacer<int, meddler&, schedule, weir::lanes<1, 4>>;
    for (const bool runs : {false, true}) {
        meddler sink;
        of_meddler p(a_second(1), sink);
        pacer_thread runner(p);
        int calls = 0;
        bool refused = false;
        sink.within = [&] {
            runner.run([&](of_meddler&) { ++calls; });
            refused = !runner.start().runs();
        };
        auto mine = p.open();
        ASSERT_TRUE(mine.try_push(1));
        if (runs) {
            runner.run([](of_meddler& its) { its.pause(); });
            ASSERT_TRUE(runner.start().well());
        }
        runner.run([&](of_meddler& its) {
            runner.run([&](of_meddler&) { ++calls; });
            its.discard();
        });
        EXPECT_EQ(calls, 2);
        EXPECT_TRUE(refused) << "a callback cannot start it";
        EXPECT_EQ(sink.drops, 1);
    }
}

TEST(pacer_thread, can_be_told_by_its_own_callbacks) {
    struct meddler {
        void emit(int&&) {
            runner->run([](auto& p) { p.close(); });
            ++emitted;
        }
        void drop(int&&, dropped) {}
        pacer_thread<weir::pacer<int, meddler&, schedule, weir::lanes<1, 4>>>* runner = nullptr;
        int emitted = 0;
    };
    meddler sink;
    weir::pacer<int, meddler&, schedule, weir::lanes<1, 4>> p(a_second(1'000), sink);
    pacer_thread runner(p);
    sink.runner = &runner;
    auto mine = p.open();
    ASSERT_TRUE(mine.try_push(1));
    ASSERT_TRUE(runner.start().well());
    runner.join();
    EXPECT_EQ(sink.emitted, 1);
}

TEST(pacer_thread, ends_and_starts_again_and_leaves_the_rest_to_the_pacer) {
    counting sink;
    {
        pacer<> p(schedule{one_an_hour}, sink);
        pacer_thread runner(p);
        auto mine = p.open();
        for (int i = 0; i < 20; ++i) ASSERT_TRUE(mine.try_push(1));
        for (int i = 0; i < 3; ++i) {
            ASSERT_TRUE(runner.start().well());
            EXPECT_FALSE(runner.start().runs());
            runner.stop();
            runner.stop();
        }
        EXPECT_LE(sink.emitted, 1);
        ASSERT_TRUE(runner.start().well());
        runner.run([](auto& its) { its.discard(); });
        runner.join();
        EXPECT_EQ(mine.try_push(1).how(), pushing::closed);
    }
    EXPECT_EQ(sink.emitted + sink.drops, 20);
}

TEST(pacer_thread, can_be_stopped_by_its_own_callbacks_and_started_again) {
    struct quitter : counting {
        void emit(int&& i) {
            runner->stop();
            runner->join();
            counting::emit(int{i});
        }
        pacer_thread<weir::pacer<int, quitter&, schedule, weir::lanes<1, 4>>>* runner = nullptr;
    };
    quitter sink;
    weir::pacer<int, quitter&, schedule, weir::lanes<1, 4>> p(
        schedule(quota{1'000, seconds(1), 1}, catch_up::none()), sink);
    pacer_thread runner(p);
    sink.runner = &runner;
    auto mine = p.open();
    for (int i = 1; i <= 2; ++i) {
        ASSERT_TRUE(mine.try_push(1));
        ASSERT_TRUE(runner.start().well());
        runner.join();
        EXPECT_EQ(sink.emitted, i);
    }
}

TEST(pacer_thread, starts_again_when_it_has_ended_by_itself) {
    counting sink;
    pacer<> p(a_second(1'000), sink);
    pacer_thread runner(p);
    auto mine = p.open();
    ASSERT_TRUE(mine.try_push(1));
    p.close();
    ASSERT_TRUE(runner.start().well());
    wait_until("it has ended and starts again", [&] { return runner.start().runs(); });
    runner.join();
    EXPECT_EQ(sink.emitted, 1);
}

TEST(pacer_thread, may_be_gone_before_its_pacer) {
    counting sink;
    pacer<> p(a_second(1'000), sink);
    weir::schedule<weir::steady_clock> other(quota{1, seconds(1), 1});
    {
        pacer_thread runner(p);
        ASSERT_TRUE(runner.start().well());
    }
    auto mine = p.open({.budget = &other});
    EXPECT_TRUE(mine.try_push(1));
    p.close();
    (void)p.poll();
    EXPECT_EQ(sink.emitted, 1);
}

TEST(pacer_thread, drains_and_ends) {
    counting sink;
    pacer<> p(schedule{one_an_hour}, sink);
    pacer_thread runner(p);
    ASSERT_TRUE(runner.start().well());
    auto mine = p.open();
    for (int i = 0; i < 20; ++i) ASSERT_TRUE(mine.try_push(1));
    runner.run([](auto& its) { its.drain(weir::steady_clock::now() + 1'000'000); });
    runner.join();
    EXPECT_EQ(sink.emitted + sink.drops, 20);
    EXPECT_GE(sink.drops, 1);
}

TEST(pacer_thread, says_what_it_was_refused) {
    counting sink;
    pacer<> p(a_second(1), sink);
    {
        pacer_thread runner(p, {.how = waiting::spin, .by = scheduling::fifo});
        const auto r = runner.start();
        EXPECT_FALSE(r.runs());
        EXPECT_NE(std::string(r.why).find("real-time"), std::string::npos);
    }
    {
        pacer_thread runner(p, {.name = "a name with more than 15 characters", .core = 9'999});
        const auto r = runner.start();
        EXPECT_TRUE(r.runs());
        EXPECT_FALSE(r.well());
        EXPECT_NE(r.name, 0);
        EXPECT_NE(r.core, 0);
    }
    pacer<> other(a_second(1), sink);
    (void)other.wake_with([](void*) noexcept {}, nullptr, false);
    auto its = other.open();
    pacer_thread late(other);
    const auto r = late.start();
    EXPECT_FALSE(r.runs());
    EXPECT_NE(std::string(r.why).find("wake_with"), std::string::npos);
}

// It is made at any moment of the pushes, and none is overlooked.
TEST(pacer_thread, may_be_made_when_lanes_are_open_and_have_items) {
    for (int round = 0; round < repetitions(2'000); ++round) {
        counting sink;
        pacer<> p(a_second(10'000'000), sink);
        std::atomic<bool> begun{false};
        auto mine = p.open();
        ASSERT_TRUE(mine.try_push(1));
        std::jthread producer([&, own = p.open()]() mutable {
            begun = true;
            for (int i = 0; i < 20; ++i) {
                while (!own.try_push(1)) std::this_thread::yield();
            }
        });
        while (!begun) std::this_thread::yield();
        for (int k = 0; k < round % 64; ++k) weir::spin_hint();
        pacer_thread runner(p);
        ASSERT_TRUE(runner.start().well());
        wait_until("all that was pushed is emitted", [&] { return sink.emitted == 21; });
        ASSERT_TRUE(mine.try_push(1));
        wait_until("the last push has woken it", [&] { return sink.emitted == 22; });
    }
}

// Without items of its own a lane is left by a call, which wakes the thread whenever it comes.
TEST(pacer_thread, hears_of_lanes_that_are_left_while_it_is_made) {
    for (int round = 0; round < repetitions(2'000); ++round) {
        counting sink;
        pacer<> p(a_second(1'000), sink);
        auto mine = p.open();
        std::atomic<bool> begun{false};
        std::jthread leaver([&] {
            begun = true;
            mine.close();
            p.close();
        });
        while (!begun) std::this_thread::yield();
        for (int k = 0; k < round % 64; ++k) weir::spin_hint();
        pacer_thread runner(p);
        ASSERT_TRUE(runner.start().well());
        runner.join();
    }
}

}  // namespace

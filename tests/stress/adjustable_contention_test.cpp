// SPDX-License-Identifier: MIT
// A quota that changes while threads acquire at full speed, wait for their units and give back.
// What is compared with the clock is how much was admitted, never how long anything took.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/lease.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"

namespace {

using namespace std::chrono_literals;
using weir::ending;
using weir::quota;
using weir::quota_error;
using weir::word;

using limiter = weir::adjustable<weir::steady_clock>;

double per_nanosecond(const quota& q) {
    return static_cast<double>(q.units()) / static_cast<double>(q.period().count());
}

// Were a thread to see the rate of one quota with the burst or the time of another, it would pass
// thousands of units that nobody allowed: these quotas are far apart.
TEST(adjustable, never_passes_more_than_its_rates_bring_while_they_change) {
    const quota quotas[] = {{1'000, 1s, 1'000'000}, {2'000'000, 1s, 10}, {50, 1s, 1},
                            {1, 1h, 500},           {300'000, 1s, 5},    {10'000, 1s, 20'000}};
    word changed = weir::steady_clock::now().count;
    limiter limit{quotas[0]};
    std::atomic<word> admitted{0};
    double highest = per_nanosecond(quotas[0]);
    double allowed = static_cast<double>(quotas[0].burst());
    const auto pass = [&](word until) {
        allowed += static_cast<double>(until - changed) * highest;
        changed = until;
    };
    const int fewest = repetitions(1'000'000);
    int changes = 0;
    {
        std::vector<std::jthread> members;
        for (unsigned thread = 0; thread < 3; ++thread) {
            members.emplace_back([&, thread](const std::stop_token& stop) {
                oracle::dice random(thread);
                while (!stop.stop_requested()) {
                    const word n = random.roll(4);
                    word mine = limit.try_acquire(n) ? n : 0;
                    mine += limit.acquire_up_to(n).units;
                    if (mine != 0) admitted.fetch_add(mine, std::memory_order_relaxed);
                }
            });
        }
        oracle::dice random(7);
        // Until they got something to speak of, at least.
        for (; changes < fewest || admitted.load(std::memory_order_relaxed) < 1'000; ++changes) {
            const quota& next = quotas[random.roll(std::size(quotas))];
            const bool at_once = random.roll(3) != 0;
            pass(weir::steady_clock::now().count);
            ASSERT_EQ(limit.set_quota(next, at_once ? 0us : 700us), quota_error::none);
            // While it changes it is between the two, and so is what comes if it turns again.
            highest = std::max(highest, per_nanosecond(next));
            pass(weir::steady_clock::now().count);
            if (at_once) highest = per_nanosecond(next);
            // Mostly in quick succession, so that a reader meets two changes at once.
            if (random.roll(256) == 0) {
                std::this_thread::sleep_for(std::chrono::microseconds(random.roll(2'000)));
            }
        }
        pass(weir::steady_clock::now().count);
    }
    pass(weir::steady_clock::now().count);
    // Each change may bring a grain.
    EXPECT_LE(static_cast<double>(admitted.load()), allowed + changes / 1024.0);
}

// Who waits for the second hour at one unit an hour is served as soon as there are a thousand a
// second, and no sooner than these bring it.
TEST(adjustable, serves_those_who_wait_at_the_rate_that_it_has_now) {
    for (int round = repetitions(20); round > 0; --round) {
        limiter limit{quota{1, 1h, 1}, {.queue = 16}};
        ASSERT_TRUE(limit.try_acquire());
        std::atomic<word> early{0};
        std::atomic<int> acquired{0};
        std::atomic<int> waiting{0};
        word changed = 0;
        {
            std::vector<std::jthread> members(16);
            for (auto& member : members) {
                member = std::jthread([&] {
                    ++waiting;
                    if (!weir::acquire(limit)) ++early;
                    const int count = ++acquired;
                    // A thousandth of a second each, less the part of the first that had come.
                    const word now = weir::steady_clock::now().count;
                    if (now - changed < static_cast<word>(count - 1) * 1'000'000) ++early;
                });
            }
            while (waiting != 16 || limit.peek().retry_after() < 15h) std::this_thread::yield();
            changed = weir::steady_clock::now().count;
            ASSERT_EQ(limit.set_quota(quota{1'000, 1s, 1}), quota_error::none);
        }
        ASSERT_EQ(acquired, 16);
        ASSERT_EQ(early, 0U);
    }
}

TEST(adjustable, lets_those_go_who_would_now_wait_longer_than_they_can) {
    limiter limit{quota{1, 1h, 1}, {.queue = 16}};
    ASSERT_TRUE(limit.try_acquire());
    std::atomic<bool> waits{false};
    weir::acquisition end{};
    {
        const std::jthread member([&] {
            waits = true;
            end = weir::acquire_for(limit, 1, 5h);
        });
        while (!waits || limit.peek().retry_after() < 61min) std::this_thread::yield();
        ASSERT_EQ(limit.set_quota(quota{1, 60h, 1}), quota_error::none);
    }
    EXPECT_EQ(end.how, ending::too_late);
    EXPECT_GT(end.wait, weir::nanoseconds(58h));
    EXPECT_LT(limit.peek().retry_after(), 61h) << "and gives its place back";
}

TEST(adjustable, wakes_those_who_wait_when_they_are_stopped) {
    limiter limit{quota{1, 1h, 1}, {.queue = 16}};
    ASSERT_TRUE(limit.try_acquire());
    std::atomic<int> stopped{0};
    std::stop_source stop;
    {
        std::vector<std::jthread> members(8);
        for (auto& member : members) {
            member = std::jthread([&] {
                if (weir::acquire(limit, 1, stop.get_token()).how == ending::stopped) ++stopped;
            });
        }
        while (limit.peek().retry_after() < 8h) std::this_thread::yield();
        stop.request_stop();
    }
    EXPECT_EQ(stopped, 8);
}

// A thread that is stopped with the old quota in its hands must not take what the new one has
// admitted for a relic: more threads than cores, and quotas whose bursts are worlds apart.
TEST(adjustable, hands_out_no_second_burst_to_threads_that_know_the_old_quota) {
    for (int round = repetitions(40); round > 0; --round) {
        limiter limit{quota{1, 1s, 1}};
        std::atomic<word> admitted{0};
        const word begin = weir::steady_clock::now().count;
        {
            std::vector<std::jthread> members(8);
            for (auto& member : members) {
                member = std::jthread([&](const std::stop_token& stop) {
                    word mine = 0;
                    while (!stop.stop_requested()) mine += limit.try_acquire() ? 1U : 0U;
                    admitted += mine;
                });
            }
            std::this_thread::sleep_for(2ms);
            ASSERT_EQ(limit.set_quota(quota{1'000'000, 1s, 100'000}), quota_error::none);
            std::this_thread::sleep_for(10ms);
        }
        const auto passed = static_cast<double>(weir::steady_clock::now().count - begin);
        // The larger burst is not there at once: it fills.
        ASSERT_LE(static_cast<double>(admitted.load()), 3 + passed / 1'000);
    }
}

TEST(adjustable, has_leases_that_always_come_back) {
    const quota quotas[] = {{1, 1s, 4}, {1'000'000, 1s, 100'000}, {1'000, 1s, 50}};
    limiter limit{quotas[0]};
    std::atomic<word> spent{0};
    {
        std::vector<std::jthread> members(4);
        for (auto& member : members) {
            member = std::jthread([&](const std::stop_token& stop) {
                weir::lease mine(limit, 64);
                while (!stop.stop_requested()) spent += mine.try_acquire() ? 1U : 0U;
            });
        }
        const int fewest = repetitions(300'000);
        for (unsigned i = 0; i < static_cast<unsigned>(fewest) || spent == 0; ++i) {
            ASSERT_EQ(limit.set_quota(quotas[i % 3]), quota_error::none);
        }
    }
}

}  // namespace

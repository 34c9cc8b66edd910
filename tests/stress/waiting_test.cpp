// SPDX-License-Identifier: MIT
// Threads that wait for their units: never early, in order, and woken by a stop. No test here asks
// how long anything took, or which thread was faster.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <stop_token>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/acquire.hpp>
#include <weir/weir.hpp>

#include "crowd.hpp"
#include "waiting.hpp"

namespace {

using namespace std::chrono_literals;
using weir::acquire;
using weir::acquire_for;
using weir::ending;
using weir::quota;
using weir::seconds;
using weir::word;

TEST(waiting, is_never_early) {
    const quota q{1'000'000, 1s, 10};
    const word begin = weir::steady_clock::now().count;
    limiter_of<weir::gcra<>> limit{q};
    std::atomic<word> acquired{0};
    std::atomic<word> early{0};
    {
        std::vector<std::jthread> members(4);
        for (auto& member : members) {
            member = std::jthread([&] {
                for (int i = repetitions(250'000); i > 0; --i) {
                    if (!acquire(limit)) ++early;
                    // Counted before the clock is read: others may come in between and are then
                    // counted without their time having been looked at, so only one may be looked
                    // at: that of the count itself.
                    const word count = ++acquired;
                    const word now = weir::steady_clock::now().count;
                    if (count > allowed(q, begin, now)) ++early;
                }
            });
        }
    }
    EXPECT_EQ(early, 0U);
}

// Who asks after another's place was granted starts after it; of places that were asked for at the
// same time either may be the first.
TEST(waiting, takes_places_in_the_order_of_the_calls) {
    struct place {
        word asked;  // tickets before and after
        word granted;
        word start;
    };
    constexpr int threads = 4;
    limiter_of<weir::leaky_bucket<>> limit{quota{1'000'000, 1s, 1}};
    std::atomic<word> tickets{0};
    std::vector<place> places[threads];
    {
        std::vector<std::jthread> members;
        members.reserve(threads);
        meeting start(threads);
        for (auto& mine : places) {
            members.emplace_back([&] {
                start.arrive_and_wait();
                for (int i = repetitions(50'000); i > 0; --i) {
                    const word asked = tickets++;
                    const auto p = limit.reserve(1);
                    mine.push_back({asked, tickets++, p.start().count});
                }
            });
        }
    }
    std::vector<place> all;
    for (const auto& some : places) all.insert(all.end(), some.begin(), some.end());
    std::vector<place> granted(all);
    std::sort(all.begin(), all.end(),
              [](const place& a, const place& b) { return a.asked < b.asked; });
    std::sort(granted.begin(), granted.end(),
              [](const place& a, const place& b) { return a.granted < b.granted; });
    word latest = 0;
    auto next = granted.begin();
    for (const place& p : all) {
        for (; next->granted < p.asked; ++next) latest = std::max(latest, next->start);
        ASSERT_LT(latest, p.start) << "at ticket " << p.asked;
    }
}

// Jain's index of what the threads got: 1 if all got the same.
double fairness_among(int threads, int total) {
    limiter_of<weir::leaky_bucket<>> limit{quota{10'000, 1s, 1}};
    std::vector<double> shares(static_cast<std::size_t>(threads));
    std::atomic<int> left{total};
    {
        std::vector<std::jthread> members;
        members.reserve(shares.size());
        meeting start(threads);
        for (double& mine : shares) {
            members.emplace_back([&] {
                start.arrive_and_wait();
                while (left.fetch_sub(1) > 0) {
                    if (acquire(limit)) ++mine;
                }
            });
        }
    }
    double sum = 0;
    double squares = 0;
    for (const double share : shares) {
        sum += share;
        squares += share * share;
    }
    EXPECT_EQ(sum, total);
    return sum * sum / (threads * squares);
}

// Printed, since a machine that has other things to do keeps some of the threads from asking. That
// whoever asks first is served first is tested above.
TEST(waiting, shows_how_evenly_units_are_shared_among_threads) {
    for (const int threads : {2, 8, 64}) {
        std::cout << threads << " threads: fairness "
                  << fairness_among(threads, repetitions(10'000)) << "\n";
    }
}

TEST(waiting, is_stopped_and_gives_back_what_it_reserved) {
    limiter_of<weir::gcra<>> limit{weir::per_hour(10)};
    (void)limit.try_acquire(10);
    const auto before = limit.peek(0).reset_after();
    std::stop_source stop;
    std::jthread stopper([&] {
        while (limit.peek(0).reset_after() <= before) std::this_thread::yield();
        stop.request_stop();
    });
    EXPECT_EQ(acquire(limit, 3, stop.get_token()).how, ending::stopped);
    EXPECT_LE(limit.peek(0).reset_after(), before);
    EXPECT_EQ(acquire(limit, 1, stop.get_token()).how, ending::stopped) << "already";
    EXPECT_LE(limit.peek(0).reset_after(), before);
}

TEST(waiting, is_not_begun_if_it_is_hopeless) {
    limiter_of<weir::gcra<>> limit{quota{1, 1h, 5}};
    EXPECT_TRUE(acquire_for(limit, 5, 0s)) << "what is there does not wait";
    const auto late = acquire_for(limit, 1, 30min);
    EXPECT_EQ(late.how, ending::too_late);
    EXPECT_GT(late.wait, weir::nanoseconds(30min));
    EXPECT_EQ(acquire_for(limit, 6, 1h).how, ending::never);
    const auto until = weir::acquire_until(limit, 1, std::chrono::system_clock::now() + 30min);
    EXPECT_EQ(until.how, ending::too_late);
    EXPECT_EQ(weir::acquire_until(limit, 1, std::chrono::steady_clock::now() - 1s).how,
              ending::too_late);
    EXPECT_EQ(limit.peek(0).remaining(), 0U);
    EXPECT_LE(limit.peek(0).reset_after(), weir::nanoseconds(5h)) << "nothing was reserved";
}

TEST(waiting, lets_no_more_wait_than_may) {
    limiter_of<weir::gcra<>> limit{quota{1, 1h, 1}, {.queue = 1}};
    ASSERT_TRUE(acquire(limit));
    std::stop_source stop;
    std::jthread second([&] { (void)acquire(limit, 1, stop.get_token()); });
    while (limit.peek(0).reset_after() < weir::nanoseconds(90min)) std::this_thread::yield();
    EXPECT_EQ(acquire(limit).how, ending::too_late);
    stop.request_stop();
}

TEST(waiting, works_without_reservations_too) {
    const quota q{100, 1ms};
    limiter_of<weir::sliding_log<100>> limit{q};
    const word begin = weir::steady_clock::now().count;
    std::atomic<word> acquired{0};
    std::atomic<word> early{0};
    {
        std::vector<std::jthread> members(4);
        for (auto& member : members) {
            member = std::jthread([&] {
                for (int i = repetitions(1'000); i > 0; --i) {
                    if (!acquire(limit)) ++early;
                    const word count = ++acquired;
                    if (count > allowed(q, begin, weir::steady_clock::now().count)) ++early;
                }
            });
        }
    }
    EXPECT_EQ(early, 0U);
    EXPECT_EQ(acquire_for(limit, 101, 1s).how, ending::never);
    (void)limit.try_acquire(100);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(acquire(limit, 100, stop.get_token()).how, ending::stopped);
}

TEST(waiting, is_hopeless_before_the_beginning_of_time_and_not_at_its_end) {
    limiter_of<weir::gcra<>> limit{quota{1'000, 1s, 1}};
    limiter_of<weir::sliding_log<1>> log{quota{1, 1ms}};
    using std::chrono::steady_clock;
    using std::chrono::system_clock;
    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(weir::acquire_until(limit, 1, std::chrono::sys_seconds::max()));
        EXPECT_TRUE(weir::acquire_until(log, 1, steady_clock::time_point::max()));
    }
    limiter_of<weir::gcra<>> spent{weir::per_hour(1)};
    EXPECT_TRUE(acquire(spent));
    EXPECT_EQ(weir::acquire_until(spent, 1, system_clock::time_point::min()).how, ending::too_late);
    EXPECT_EQ(acquire_for(spent, 1, weir::nanoseconds(INT64_MIN)).how, ending::too_late);
    limiter_of<weir::sliding_log<1>> slow{quota{1, 1h}};
    EXPECT_TRUE(acquire(slow));
    EXPECT_EQ(acquire_for(slow, 1, weir::nanoseconds(INT64_MIN)).how, ending::too_late);
    EXPECT_EQ(weir::acquire_until(slow, 1, steady_clock::time_point::min()).how, ending::too_late);
}

}  // namespace

// SPDX-License-Identifier: MIT
// The two bounds of leases: never above the shared limit in all, and in no span of time more than
// threads x units above the quota.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"

namespace {

using weir::lease;
using weir::quota;
using weir::seconds;
using weir::word;

constexpr int threads = 8;

TEST(leases, pass_together_what_the_limit_passes_while_threads_come_and_go) {
    using clock = weir::manual_clock<struct standing, 1'000'000>;
    weir::limiter<weir::gcra<>, clock> limit{quota{1'000, seconds(1), 20'000}};
    // What is leased lies ahead of these: a refund that meets another one takes its own to be
    // nearer than it is, and would give back less if it were near.
    EXPECT_TRUE(limit.try_acquire(10'000));
    std::atomic<word> spent{0};
    crowd(
        threads, repetitions(500),
        [&](int round, int thread) {
            oracle::dice random(static_cast<unsigned>(round * threads + thread));
            word mine = 0;
            for (bool more = true; more;) {
                lease some(limit, 1 + random.roll(100));  // ends with units left, most times
                more = false;
                for (auto i = random.roll(300); i > 0; --i) {
                    const word n = random.roll(4);
                    if (!some.try_acquire(n)) break;
                    mine += n;
                    more = true;
                }
            }
            spent += mine;
        },
        [&](int round) {
            // All rests have gone back, as time stands still.
            const word rest = limit.drain();
            ASSERT_EQ(spent.exchange(0) + rest, 10'000U) << "round " << round;
            clock::advance(seconds(20));
            ASSERT_TRUE(limit.try_acquire(10'000));
        });
}

TEST(leases, pass_no_more_than_threads_times_units_above_the_quota_in_any_span) {
    using clock = weir::steady_clock;
    constexpr word units = 16;
    constexpr std::int64_t per_second = 2'000'000;
    constexpr std::int64_t burst = 100;
    weir::limiter<weir::gcra<>, clock> limit{quota{per_second, seconds(1), burst}};
    std::vector<word> passed;
    std::mutex mutex;
    {
        std::vector<std::jthread> members;
        members.reserve(threads);
        for (int i = 0; i < threads; ++i) {
            members.emplace_back([&] {
                lease mine(limit, units);
                std::vector<word> times;
                const word end =
                    clock::now().count + static_cast<word>(repetitions(100)) * 1'000'000;
                for (word now = clock::now().count; now < end || times.empty();
                     now = clock::now().count) {
                    // Both before and after: the span that counts is at most the one between.
                    if (mine.try_acquire()) times.push_back(clock::now().count);
                }
                const std::lock_guard lock(mutex);
                passed.insert(passed.end(), times.begin(), times.end());
            });
        }
    }
    // A thread that is stopped between spending and the clock writes a time that is too late, so at
    // each instant up to one unit per thread may be written late; they are counted in the bound.
    std::sort(passed.begin(), passed.end());
    double least = 0;
    double most = 0;
    for (std::size_t i = 0; i < passed.size(); ++i) {
        const double allowed =
            static_cast<double>(passed[i] - passed[0]) * static_cast<double>(per_second) / 1e9;
        const double above = static_cast<double>(i) - allowed;
        least = std::min(least, above);
        most = std::max(most, above + 1 - least);
    }
    EXPECT_LE(most, static_cast<double>(burst) + threads * (static_cast<double>(units) + 1) + 1);
    EXPECT_FALSE(passed.empty());
}

}  // namespace

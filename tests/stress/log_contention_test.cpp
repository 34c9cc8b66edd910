// SPDX-License-Identifier: MIT
// What many threads get out of one sliding log: to the unit when time stands still, and in any
// interval of a period by a real clock.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/sliding_log.hpp>
#include <weir/clock/default.hpp>
#include <weir/clock/steady.hpp>

#include "../most_within.hpp"
#include "../oracle/dice.hpp"
#include "crowd.hpp"
#include "races.hpp"
#include "taking.hpp"

namespace {

using weir::quota;
using weir::seconds;
using weir::tick;
using weir::word;

constexpr std::int64_t units = 2'000;

template <class Log>
class log_contention : public testing::Test {
public:
    typename Log::rate rate = *Log::rate::make(quota{units, seconds(1)}, 1'000'000);
};
using logs = testing::Types<weir::sliding_log<units, std::uint64_t>,
                            weir::sliding_log<units, std::uint32_t>>;
TYPED_TEST_SUITE(log_contention, logs);

// Time stands still while the threads take one by one until nothing is left, then leaps: what they
// took together is what a single thread would have got, at every leap.
template <class Log>
void admits_exactly_what_one_thread_would_get(int threads, const typename Log::rate& rate) {
    Log shared;
    Log alone;
    tick now{1};
    shared.start(now, units / 2, rate);
    alone.start(now, units / 2, rate);
    std::atomic<std::uint64_t> admitted{0};
    oracle::dice random(7);
    crowd(
        threads, repetitions(2'000),
        [&](int, int) {
            std::uint64_t mine = 0;
            while (shared.try_acquire(now, 1, rate)) ++mine;
            admitted += mine;
        },
        [&](int round) {
            std::uint64_t expected = 0;
            while (alone.try_acquire(now, 1, rate)) ++expected;
            ASSERT_EQ(admitted.exchange(0), expected) << "round " << round;
            now.count += static_cast<word>(random.roll(1'200'000));
            ASSERT_EQ(shared.peek(now, 1, rate).remaining(), alone.peek(now, 1, rate).remaining());
        });
}

TYPED_TEST(log_contention, admits_exactly_what_one_thread_would_get) {
    for (const int threads : {2, 4}) {
        admits_exactly_what_one_thread_would_get<TypeParam>(threads, this->rate);
    }
}

// All of n or none, and partial grants, mixed: nothing is lost and nothing made.
template <class Log>
void conserves_units_whatever_is_asked_for(int threads, const typename Log::rate& rate) {
    Log shared;
    tick now{1};
    shared.start(now, units, rate);
    std::atomic<std::uint64_t> admitted{0};
    races_of_all lost;
    crowd(
        threads, repetitions(2'000),
        [&](int round, int thread) {
            races lost_here;
            admitted += taken_at_random(shared, now, rate, static_cast<int>(units / 10),
                                        static_cast<unsigned>(round * threads + thread), lost_here);
            lost.add(lost_here);
        },
        [&](int round) {
            const std::uint64_t left = shared.acquire_up_to(now, units, rate).units;
            ASSERT_EQ(admitted.exchange(0) + left, static_cast<std::uint64_t>(units))
                << "round " << round;
            now.count += rate.most_state().ticks;
        });
    print(lost.sum());
}

TYPED_TEST(log_contention, conserves_units_whatever_is_asked_for) {
    for (const int threads : {2, 4}) {
        conserves_units_whatever_is_asked_for<TypeParam>(threads, this->rate);
    }
}

struct admission {
    word now;
    word units;
};

// Demand never stops, and everybody remembers by his own clock when he was admitted.
template <class Clock, std::size_t Places>
void never_exceeds_its_units_in_any_period(int threads, weir::nanoseconds period) {
    using log_type = weir::sliding_log<Places>;
    const quota q{static_cast<std::int64_t>(Places), period};
    const auto rate = *log_type::rate::make(q, Clock::hertz());
    log_type log;
    const tick start = Clock::now();
    log.start(start, Places, rate);
    const auto milliseconds = static_cast<word>(repetitions(250));
    const word end = start.count + Clock::hertz() * milliseconds / 1'000;
    std::atomic<word> taken{0};
    std::vector<std::vector<admission>> admitted(static_cast<std::size_t>(threads));
    {
        std::vector<std::jthread> members;
        members.reserve(admitted.size());
        for (auto& mine : admitted) {
            members.emplace_back([&] {
                oracle::dice random(static_cast<unsigned>(1 + (&mine - admitted.data())));
                // At least until more has passed than was there at the beginning.
                const auto goes_on = [&](tick now) {
                    return weir::earlier(now, {end}) ||
                           taken.load(std::memory_order_relaxed) <= Places;
                };
                for (tick now = start; goes_on(now); now = Clock::now()) {
                    const word n = 1 + random.roll(3);
                    if (!log.try_acquire(now, n, rate)) continue;
                    mine.push_back({now.count, n});
                    taken += n;
                }
            });
        }
    }
    std::vector<admission> all;
    for (const auto& some : admitted) all.insert(all.end(), some.begin(), some.end());
    const auto nanoseconds = static_cast<word>(period.count());
    const word ticks = (nanoseconds * Clock::hertz() + 999'999'999) / 1'000'000'000;
    std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.now < b.now; });
    EXPECT_LE(most_within(ticks, all, &admission::now, &admission::units), Places)
        << threads << " threads";
}

TEST(sliding_log_in_real_time, never_exceeds_its_units_in_any_period) {
    for (const int threads : {2, 4}) {
        const auto millisecond = weir::milliseconds(1);
        never_exceeds_its_units_in_any_period<weir::default_clock, 100>(threads, millisecond);
        never_exceeds_its_units_in_any_period<weir::steady_clock, 100>(threads, millisecond);
        const auto tenth = weir::microseconds(100);
        never_exceeds_its_units_in_any_period<weir::default_clock, 7>(threads, tenth);
        never_exceeds_its_units_in_any_period<weir::steady_clock, 7>(threads, tenth);
    }
}

}  // namespace

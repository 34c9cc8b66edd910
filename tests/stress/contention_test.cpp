// SPDX-License-Identifier: MIT
// What many threads get out of one limit, to the unit.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"
#include "races.hpp"
#include "taking.hpp"

namespace {

using weir::quota;
using weir::seconds;
using weir::tick;
using weir::word;

constexpr int threads = 4;

template <class Cell>
class contention : public testing::Test {};
using cells = weir::every_cell<20'000, word, std::uint32_t>::as<testing::Types>;
TYPED_TEST_SUITE(contention, cells);

// The largest of two bursts that the cell can hold: with the larger one, what a round takes is long
// enough for threads on several cores to meet in it.
constexpr std::int64_t bursts[] = {20'000, 500};

template <class Cell>
typename Cell::rate rate_for_a_crowd() {
    for (const std::int64_t burst : bursts) {
        if (const auto r = Cell::rate::make(quota{1'000, seconds(1), burst}, 100'000)) return *r;
        // A window's burst is its units.
        const quota same_rate{burst, weir::milliseconds(burst)};
        if (const auto r = Cell::rate::make(same_rate, 100'000)) return *r;
    }
    std::abort();
}

// Time stands still while the threads take one by one until nothing is left, then leaps: what they
// took together is what a single thread would have got, at every leap.
TYPED_TEST(contention, admits_exactly_what_one_thread_would_get) {
    using word_type = typename TypeParam::word_type;
    const auto rate = rate_for_a_crowd<TypeParam>();
    TypeParam shared;
    TypeParam alone;
    tick now{1};
    shared.fill(now, rate.burst(), rate);
    alone.fill(now, rate.burst(), rate);
    std::atomic<std::uint64_t> admitted{0};
    races_of_all lost;
    oracle::dice random(7);
    crowd(
        threads, repetitions(2'000),
        [&](int, int) {
            std::uint64_t mine = 0;
            races lost_here;
            const auto takes = [&] {
                const bool some = shared.try_acquire(now, 1, rate, lost_here).admitted();
                lost_here.decided();
                return some;
            };
            while (takes()) ++mine;
            admitted += mine;
            lost.add(lost_here);
        },
        [&](int round) {
            std::uint64_t expected = 0;
            while (alone.try_acquire(now, 1, rate)) ++expected;
            ASSERT_EQ(admitted.exchange(0), expected) << "round " << round;
            now.count += static_cast<word>(random.roll(2 * 100 * rate.burst()));
            ASSERT_EQ(shared.peek(now, word_type{1}, rate).reset_after(),
                      alone.peek(now, word_type{1}, rate).reset_after());
        });
    print(lost.sum());
}

// All of n or none, and partial grants, mixed: nothing is lost and nothing made.
TYPED_TEST(contention, conserves_units_whatever_is_asked_for) {
    using word_type = typename TypeParam::word_type;
    const auto rate = rate_for_a_crowd<TypeParam>();
    const word_type burst = rate.burst();
    TypeParam shared;
    tick now{1};
    shared.fill(now, burst, rate);
    std::atomic<std::uint64_t> admitted{0};
    races_of_all lost;
    crowd(
        threads, repetitions(2'000),
        [&](int round, int thread) {
            races lost_here;
            admitted += taken_at_random(shared, now, rate, static_cast<int>(burst / 10),
                                        static_cast<unsigned>(round * threads + thread), lost_here);
            lost.add(lost_here);
        },
        [&](int round) {
            const std::uint64_t left = shared.acquire_up_to(now, burst, rate).units;
            ASSERT_EQ(admitted.exchange(0) + left, burst) << "round " << round;
            now.count += 2 * 100 * burst;  // a sliding window forgets after two periods
        });
    print(lost.sum());
}

// Real time, real clock: demand never stops. What passed is what the quota allows, to the unit.
// Only if the machine pauses for as long as a burst takes, the limit is full for a while.
template <class Cell, class Clock>
void admits_what_the_quota_allows(std::int64_t per_second) {
    const std::int64_t burst = 10 * per_second;
    const quota q{per_second, seconds(1), burst};
    const word start = Clock::now().count;
    weir::limiter<Cell, Clock> limit{q, {.start = 0}};
    EXPECT_EQ(limit.peek(0).remaining(), 0U);  // it starts with this
    const word begin = Clock::now().count;
    std::atomic<std::uint64_t> admitted{0};
    std::atomic<bool> over{false};
    {
        std::vector<std::jthread> members;
        members.reserve(threads);
        for (int i = 0; i < threads; ++i) {
            members.emplace_back([&] {
                std::uint64_t mine = 0;
                while (!over.load(std::memory_order_relaxed)) mine += limit.try_acquire() ? 1U : 0U;
                admitted += mine;
            });
        }
        const word end = start + Clock::hertz() * static_cast<word>(repetitions(300)) / 1'000;
        while (weir::earlier(Clock::now().count, end)) std::this_thread::yield();
        over = true;
    }
    const word before = Clock::now().count;
    const std::uint64_t total = admitted + limit.drain();
    const word after = Clock::now().count;
    const auto allowed = [&](word span) {
        return static_cast<double>(span) / static_cast<double>(Clock::hertz()) *
               static_cast<double>(per_second);
    };
    EXPECT_LE(static_cast<double>(total), allowed(after - start) + 1);
    const double least = std::min(allowed(before - begin) * 0.999, static_cast<double>(burst)) - 1;
    EXPECT_GE(static_cast<double>(total), least);
}

TEST(real_time, admits_what_the_quota_allows_and_never_more) {
    for (const std::int64_t per_second : {100, 100'000, 10'000'000}) {
        admits_what_the_quota_allows<weir::gcra<>, weir::default_clock>(per_second);
        admits_what_the_quota_allows<weir::gcra<>, weir::steady_clock>(per_second);
    }
    weir::only<weir::are_meters, weir::every_cell<1, word>>::for_each([]<class Cell>() {
        admits_what_the_quota_allows<Cell, weir::default_clock>(1'000'000);
        admits_what_the_quota_allows<Cell, weir::coarse_clock>(1'000'000);
    });
}

// A limit that the compiler has constructed becomes ready with its first decision, here with
// everybody there at once. Moved from before its first use, it is as untouched as before.
struct first_use {};
using standing_clock = weir::manual_clock<first_use>;
using fresh_bucket = weir::limiter<weir::token_bucket<>, standing_clock>;
using fresh_gcra = weir::limiter<weir::gcra<>, standing_clock, weir::counters>;
constinit fresh_bucket untouched_bucket{quota{1'000, seconds(1), 9}, {.start = 7}};
constinit fresh_gcra untouched_gcra{quota{1'000, seconds(1), 9}};

TEST(first_decision, is_made_once_however_many_threads_are_first) {
    // Just before the circle closes, an untouched word of 0 would look busy.
    standing_clock::set({weir::largest<word> - 10'000'000});
    std::optional<fresh_bucket> bucket(std::move(untouched_bucket));
    std::optional<fresh_gcra> gcra(std::move(untouched_gcra));
    std::atomic<std::uint64_t> tokens{0};
    std::atomic<std::uint64_t> units{0};
    crowd(
        threads, repetitions(20'000),
        [&](int, int) {
            std::uint64_t mine = 0;
            while (bucket->try_acquire()) ++mine;
            tokens += std::exchange(mine, 0);
            while (gcra->try_acquire()) ++mine;
            units += mine;
        },
        [&](int round) {
            ASSERT_EQ(tokens.exchange(0), 7U) << "round " << round;
            ASSERT_EQ(units.exchange(0), 9U) << "round " << round;
            ASSERT_EQ(gcra->observer().admitted(), 9U);
            ASSERT_EQ(gcra->observer().denied(), static_cast<word>(threads));
            bucket.emplace(std::move(untouched_bucket));
            gcra.emplace(std::move(untouched_gcra));
        });
}

}  // namespace

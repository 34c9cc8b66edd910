// SPDX-License-Identifier: MIT
// What many threads get and give back at once, to the unit.
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/weir.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"

namespace {

using weir::milliseconds;
using weir::quota;
using weir::seconds;
using weir::word;

constexpr int threads = 4;

// What refunds of this thread have given back so far, in fractions of a tick: only they exchange in
// this order, and resets, which are made between the rounds.
thread_local word given_here = 0;

template <class T>
class measured : public weir::atomic<T> {
public:
    using weir::atomic<T>::atomic;
    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        const bool done = weir::atomic<T>::try_exchange_acq_rel(expected, desired);
        if (done) given_here += (expected & ~T{7}) - (desired & ~T{7});
        return done;
    }
};

template <class Cell>
class refund_contention : public testing::Test {};
using cells = weir::only<weir::refund_units, weir::every_cell_by<measured, 1, word>>;
TYPED_TEST_SUITE(refund_contention, cells::as<testing::Types>);

// One unit is a millisecond, which is 100 ticks.
constexpr std::int64_t burst = 2'000;
constexpr word unit = 100;
template <class Cell, class Test>
using standing = weir::limiter<Cell, weir::manual_clock<Test, 100'000>>;

// Time stands still, so all that refunds give back is still to come. What was taken at first lasts
// longer than that: as long as nobody waits, which is in every second round, each refund gives all
// that it was asked for.
TYPED_TEST(refund_contention, conserves_units_as_long_as_all_is_still_to_come) {
    using limiter = standing<TypeParam, struct conserves>;
    constexpr word taken = 1'200;
    limiter limit{quota{1'000, seconds(1), burst}};
    std::atomic<word> net{taken * unit};
    std::atomic<word> asked{0};
    std::atomic<word> given{0};
    ASSERT_TRUE(limit.try_acquire(taken));
    crowd(
        threads, repetitions(3'000),
        [&](int round, int thread) {
            if (this->HasFailure()) return;
            oracle::dice random(static_cast<unsigned>(round * threads + thread));
            const auto patience = round % 2 == 0 ? milliseconds(0) : milliseconds(100);
            std::vector<typename limiter::permit_type> held;
            const word earlier = given_here;
            word units = 0;
            word back = 0;
            for (int i = 0; i < 150; ++i) {
                const word n = 1 + random.roll(9);
                if (i % 3 == 0 && limit.try_acquire(n)) units += n;
                if (i % 3 == 1) {
                    held.push_back(limit.reserve(n, patience));
                    units += held.back().units();
                }
                if (i % 3 == 2) {
                    std::swap(held[static_cast<std::size_t>(random.roll(held.size()))],
                              held.back());
                    back += std::min<word>(held.back().units(), n);
                    (void)limit.refund(std::move(held.back()), n);
                    held.pop_back();
                }
            }
            asked += back * unit;
            given += (given_here - earlier) / 8;
            net += units * unit - (given_here - earlier) / 8;
        },
        [&](int round) {
            if (this->HasFailure()) return;
            const auto now = limit.peek(0).ticks();
            ASSERT_EQ(now.reset_after(), net) << "round " << round;
            ASSERT_EQ(now.remaining(), net < burst * unit ? burst - net / unit : 0);
            ASSERT_LE(given, asked) << "round " << round;
            ASSERT_TRUE(given == asked || round % 2 == 1) << "round " << round;
            limit.reset();
            ASSERT_TRUE(limit.try_acquire(taken));
            net = taken * unit;
            asked = 0;
            given = 0;
        });
}

// Rounds of three: all reserve; later, half of it is given back while others acquire; and later
// still the other half, which has moved up. Nothing is given back while anybody reserves what will
// be given back, so it is known where everything lies; and while time stands still, how much of a
// permit is still to come does not depend on what others give back.
TYPED_TEST(refund_contention, gives_back_no_more_than_is_still_to_come) {
    using limiter = standing<TypeParam, struct comes>;
    using clock = typename limiter::clock_type;
    struct reserved {
        typename limiter::permit_type permit;
        word units;
        word end;  // in ticks, as all here
        word given;
    };
    limiter limit{quota{1'000, seconds(1), burst}};
    std::vector<reserved> held[threads];
    std::atomic<word> acquired{0};
    word before = 0;
    oracle::dice leaps(7);
    ASSERT_TRUE(limit.try_acquire(burst));
    crowd(
        threads, 3 * repetitions(5'000),
        [&](int round, int thread) {
            if (this->HasFailure()) return;
            oracle::dice random(static_cast<unsigned>(round * threads + thread));
            auto& mine = held[thread];
            for (int i = 0; round % 3 == 0 && i < 20; ++i) {
                auto p = limit.reserve(1 + random.roll(9));
                const word end = p.start().count + burst * unit;
                const word units = p.units();
                mine.push_back({std::move(p), units, end, 0});
            }
            for (std::size_t i = 0; round % 3 != 0 && i < mine.size(); ++i) {
                if (round % 3 == 1 && random.roll(2) == 0) continue;
                const word earlier = given_here;
                (void)limit.refund(std::move(mine[i].permit));
                mine[i].given += (given_here - earlier) / 8;
                const word n = 1 + random.roll(5);
                if (limit.try_acquire(n)) acquired += n * unit;
            }
        },
        [&](int round) {
            if (this->HasFailure()) return;
            const word now = clock::now().count;
            std::vector<reserved*> order;
            for (auto& mine : held) {
                for (reserved& r : mine) order.push_back(&r);
            }
            std::sort(order.begin(), order.end(),
                      [](const reserved* a, const reserved* b) { return a->end < b->end; });
            word given = 0;
            for (reserved* r : order) {
                const word still = r->end > now ? r->end - now : 0;
                ASSERT_LE(r->given, std::min(still, r->units * unit)) << "round " << round;
                r->end -= given;
                given += r->given;
                r->given = 0;
            }
            const word left = limit.peek(0).ticks().reset_after();
            if (round % 3 == 0) before = left;
            ASSERT_EQ(left, before + acquired - given) << "round " << round;
            acquired = 0;

            // First to where the reserved begins, later through it.
            const word leap = round % 3 == 0 ? burst * unit : 0;
            clock::set({now + leap + leaps.roll(30 * unit)});
            before = limit.peek(0).ticks().reset_after();
            if (round % 3 != 2) return;
            for (auto& mine : held) mine.clear();
            limit.reset();
            ASSERT_TRUE(limit.try_acquire(burst));
        });
}

// Real time, real clock: whatever is given back, what remains taken is what the quota allows. The
// test keeps its own count: a permit's span ends a burst after it starts, so what is given back at
// once is still to come as a whole, and all of it comes back if any.
TEST(real_time_refund, leaves_no_more_taken_than_the_quota_allows) {
    using limiter = weir::limiter<weir::gcra<>>;
    using clock = limiter::clock_type;
    constexpr std::int64_t per_second = 1'000'000;
    const quota q{per_second, seconds(1), per_second};
    const word start = clock::now().count;
    limiter limit{q, {.start = 0}};
    (void)limit.peek(0);
    std::atomic<word> admitted{0};
    std::atomic<word> refunded{0};
    std::atomic<bool> over{false};
    std::atomic<bool> some_refunded{false};
    {
        std::vector<std::jthread> members;
        members.reserve(threads);
        for (int i = 0; i < threads; ++i) {
            members.emplace_back([&, i] {
                oracle::dice random(static_cast<unsigned>(i));
                word in = 0;
                word out = 0;
                do {
                    in += limit.try_acquire() ? 1U : 0U;
                    auto p = limit.reserve(1 + random.roll(5), milliseconds(1));
                    in += p.units();
                    const word n = std::min<word>(p.units(), 1 + random.roll(5));
                    if (random.roll(2) == 0 && limit.refund(std::move(p), n)) {
                        out += n;
                        some_refunded.store(true, std::memory_order_relaxed);
                    }
                } while (!over.load(std::memory_order_relaxed));
                admitted += in;
                refunded += out;
            });
        }
        const word end = start + clock::hertz() * static_cast<word>(repetitions(500)) / 1'000;
        while (weir::earlier(clock::now().count, end) || !some_refunded) std::this_thread::yield();
        over = true;
    }
    // Reservations start up to a millisecond later.
    const word now = clock::now().count + clock::hertz() / 1'000;
    const word seconds_of_units = (now - start) * static_cast<word>(per_second) / clock::hertz();
    EXPECT_GT(refunded, 0U);
    EXPECT_GE(admitted, refunded);
    EXPECT_LE(admitted - refunded, seconds_of_units + 1);
    RecordProperty("units", std::to_string(admitted));
    RecordProperty("given_back", std::to_string(refunded));
}

}  // namespace

// SPDX-License-Identifier: MIT
// How an operation completes: when, in which order, with what.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <boost/asio/bind_executor.hpp>
#include <gtest/gtest.h>

#include <weir/clock/cached.hpp>
#include <weir/clock/steady.hpp>
#include <weir/limiter/adjustable.hpp>

#include "../own_limit.hpp"
#include "asio_loop.hpp"

namespace {

using namespace std::chrono_literals;
using weir::async_acquire;
using weir::async_acquire_for;
using weir::ending;
using weir::quota;

TEST(asio, completes_what_needs_no_wait_but_never_inline) {
    limiter_of<struct inline_> limit{quota{1, 1s, 5}};
    asio::io_context io;
    result one;
    result refused;
    async_acquire(limit, 5, one.handler(io));
    async_acquire(limit, 6, refused.handler(io));
    EXPECT_TRUE(one.pending() && refused.pending());
    EXPECT_EQ(limit.peek(0).remaining(), 0U) << "reserved at once";
    io.poll();
    EXPECT_TRUE(one.acquired());
    EXPECT_EQ(refused.how, ending::never);
}

TEST(asio, waits_for_a_limit_of_ones_own) {
    using clock = clock_of<struct own_by_asio>;
    own::limit<clock> limit(1, 50);
    asio::io_context io;
    result now;
    result later;
    result impatient;
    async_acquire(limit, 1, now.handler(io));
    async_acquire_for(limit, 1, weir::milliseconds(49), impatient.handler(io));
    async_acquire(limit, 1, later.handler(io));
    io.poll();
    EXPECT_TRUE(now.acquired());
    EXPECT_EQ(impatient.how, ending::too_late);
    EXPECT_TRUE(later.pending());
    clock::advance(weir::milliseconds(50));
    io.run();
    EXPECT_TRUE(later.acquired());
}

// The loop that would refresh it is the one that waits.
TEST(asio, refreshes_a_cached_clock) {
    struct tag {};
    weir::limiter<weir::gcra<>, weir::cached_clock<tag, weir::steady_clock>> limit{
        quota{1'000, 1s, 1}};
    asio::io_context io;
    result one;
    result two;
    async_acquire(limit, 1, one.handler(io));
    async_acquire(limit, 1, two.handler(io));
    io.run_for(5s);
    EXPECT_TRUE(one.acquired() && two.acquired()) << "it waits for ever";
}

// A test sets it and its frequency.
struct calibrated_clock : weir::manual_clock<struct calibrated, 1'000> {
    static weir::instant<calibrated_clock> now() noexcept {
        return weir::instant<calibrated_clock>(manual_clock::now().count);
    }
    static constexpr std::uint64_t lowest_hertz = 900;
    static constexpr std::uint64_t highest_hertz = 1'100;
    static inline std::uint64_t hertz_ = 1'000;
    static std::uint64_t hertz() noexcept { return hertz_; }
};

// After 1000 hours 1 % is ten of them.
TEST(asio, is_not_late_if_the_clock_is_calibrated_meanwhile) {
    calibrated_clock::set({3'600'000'000});
    weir::limiter<weir::gcra<>, calibrated_clock> limit{quota{1, 1s, 1}};
    ASSERT_TRUE(limit.try_acquire());
    asio::io_context io;
    result one;
    async_acquire(limit, 1, one.handler(io));
    turn(io);
    EXPECT_TRUE(one.pending());
    calibrated_clock::hertz_ = 1'010;
    calibrated_clock::advance(weir::seconds(1));
    turn(io);
    EXPECT_TRUE(one.acquired());
}

// In a second it makes between 500 and 1000 ticks.
struct unsure_clock : weir::manual_clock<struct unsure, 1'000> {
    static weir::instant<unsure_clock> now() noexcept {
        return weir::instant<unsure_clock>(manual_clock::now().count);
    }
    static constexpr std::uint64_t least_hertz() noexcept { return hertz() / 2; }
};

TEST(asio, gives_up_in_time_by_a_clock_that_is_not_sure_of_its_frequency) {
    weir::adjustable<unsure_clock> limit{quota{1, 250ms, 1}};
    ASSERT_TRUE(limit.try_acquire());
    asio::io_context io;
    result one;
    async_acquire_for(limit, 1, weir::seconds(1), one.handler(io));
    turn(io);
    EXPECT_TRUE(one.pending());
    EXPECT_EQ(limit.set_quota(quota{1, 800ms, 1}), weir::quota_error::none);
    unsure_clock::advance(weir::milliseconds(150));
    turn(io);
    EXPECT_EQ(one.how, ending::too_late) << "it might wait for 1.6 s";
}

// Nothing but the loop itself looks at the clock.
TEST(asio, comes_back_soon_after_its_clock_was_moved) {
    limiter_of<struct moved_by_hours> limit{quota{1, 30min, 1}};
    asio::io_context io;
    (void)limit.drain();
    result one;
    async_acquire(limit, 1, one.handler(io));
    std::atomic<bool> ended{false};
    std::jthread loop([&] {
        io.run();
        ended = true;
    });
    while (!ended) {
        clock_of<struct moved_by_hours>::advance(1min);
        std::this_thread::sleep_for(1ms);
    }
    loop.join();
    EXPECT_TRUE(one.acquired());
}

TEST(asio, refuses_at_once_what_is_hopeless_and_says_why) {
    limiter_of<struct hopeless> limit{quota{1, 1s, 5}, {.queue = 3}};
    asio::io_context io;
    (void)limit.drain();
    result never;
    result impatient;
    result patient;
    result crowded;
    weir::timer_of<decltype(limit)> timer(io);
    async_acquire(limit, 6, never.handler(io));
    async_acquire_for(timer, limit, 2, weir::milliseconds(1'999), impatient.handler());
    async_acquire_for(limit, 2, 2s, patient.handler(io));
    async_acquire(limit, 2, crowded.handler(io));
    io.poll();
    EXPECT_EQ(never.how, ending::never);
    EXPECT_EQ(never.how->message(), "more units than the burst");
    EXPECT_STREQ(never.how->category().name(), "weir");
    EXPECT_EQ(impatient.how, ending::too_late);
    EXPECT_EQ(impatient.how->message(), describe(ending::too_late));
    EXPECT_TRUE(patient.pending());
    EXPECT_EQ(crowded.how, ending::too_late);
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(7)) << "a refusal changes nothing";
}

TEST(asio, waits_for_the_limiters_clock_and_not_for_real_time) {
    using clock = clock_of<struct distance>;
    limiter_of<struct distance> limit{quota{1, 2ms, 1}};
    asio::io_context io;
    (void)limit.drain();
    result late;
    async_acquire(limit, 1, late.handler(io));
    for (const weir::word now : {0U, 1U}) {
        clock::set({now});
        io.run_for(10ms);
        turn(io);
        EXPECT_TRUE(late.pending()) << now;
    }
    clock::set({2});
    turn(io);
    EXPECT_TRUE(late.acquired());
}

// Four ticks are one of Asio's nanoseconds: a timer may be due before the permit's start.
TEST(asio, is_not_early_by_a_part_of_a_nanosecond) {
    using clock = weir::manual_clock<struct part, 4'000'000'000>;
    weir::limiter<weir::gcra<>, clock> limit{quota{1'000'000'000, 4s, 1}};  // 16 ticks each
    asio::io_context io;
    clock::set({2});
    (void)limit.drain();
    result late;
    async_acquire(limit, 1, late.handler(io));
    clock::set({17});
    asio::steady_timer timer(io, 0s);
    timer.async_wait([](boost::system::error_code) {});
    for (int i = 0; i < 100; ++i) io.poll_one();  // not poll(): the timer is always due
    EXPECT_TRUE(late.pending());
    clock::set({18});
    turn(io);
    EXPECT_TRUE(late.acquired());
}

TEST(asio, completes_in_the_order_of_reservation) {
    limiter_of<struct order> limit{quota{100, 1s, 10}};
    asio::io_context io;
    const int all = std::max(100, repetitions(10'000));
    std::vector<int> order;
    for (int i = 0; i < all; ++i) {
        async_acquire(limit, 1, asio::bind_executor(io.get_executor(), [i, &order](auto ec) {
                          if (!ec) order.push_back(i);
                      }));
    }
    turn(io);
    EXPECT_EQ(order.size(), 10U);
    clock_of<struct order>::advance(99ms);
    turn(io);
    EXPECT_EQ(order.size(), 19U);
    clock_of<struct order>::advance(1h);
    turn(io);
    ASSERT_EQ(order.size(), static_cast<std::size_t>(all));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(asio, is_for_every_cell_that_reserves) {
    limiter_of<struct tokens, weir::token_bucket<>> tokens{quota{1, 1s, 2}};
    limiter_of<struct bucket, weir::leaky_bucket<>> bucket{quota{1, 1s, 2}};
    asio::io_context io;
    (void)tokens.drain();
    (void)bucket.drain();
    result token;
    result drop;
    async_acquire(tokens, 1, token.handler(io));
    async_acquire(bucket, 1, drop.handler(io));
    clock_of<struct tokens>::advance(999ms);
    clock_of<struct bucket>::advance(1s);
    turn(io);
    EXPECT_TRUE(token.pending());
    EXPECT_TRUE(drop.acquired());
    clock_of<struct tokens>::advance(1ms);
    turn(io);
    EXPECT_TRUE(token.acquired());
}

TEST(asio, waits_by_the_rate_that_a_changing_limit_has_now) {
    using clock = weir::manual_clock<struct changing, 1'000>;
    weir::adjustable<clock> limit{quota{1, 1h, 1}, {.queue = 10}};
    asio::io_context io;
    (void)limit.try_acquire();
    result second;
    result third;
    result impatient;
    async_acquire(limit, 1, second.handler(io));
    async_acquire(limit, 1, third.handler(io));
    async_acquire_for(limit, 1, 4h, impatient.handler(io));
    turn(io);
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 1}), weir::quota_error::none);
    clock::advance(1s);
    turn(io);
    EXPECT_TRUE(second.acquired());
    EXPECT_TRUE(third.pending() && impatient.pending()) << "never early";
    ASSERT_EQ(limit.set_quota(quota{1, 5h, 1}), weir::quota_error::none);
    clock::advance(1s);
    turn(io);
    EXPECT_TRUE(third.pending());
    EXPECT_EQ(impatient.how, ending::too_late) << "as soon as it is hopeless";
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 1}), weir::quota_error::none);
    clock::advance(1s);
    turn(io);
    EXPECT_TRUE(third.acquired());
}

}  // namespace

// SPDX-License-Identifier: MIT
// Cancelling in one thread: by a lent timer, a cancellation slot, a stop.
#include <chrono>
#include <cstddef>
#include <stop_token>
#include <vector>

#include <boost/asio/bind_executor.hpp>
#include <gtest/gtest.h>
#if __has_include(<boost/asio/bind_cancellation_slot.hpp>)
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#endif

#include <weir/limiter/adjustable.hpp>

#include "asio_loop.hpp"

namespace {

using namespace std::chrono_literals;
using weir::async_acquire;
using weir::async_acquire_for;
using weir::quota;

TEST(asio_cancel, by_the_lent_timer_gives_back) {
    limiter_of<struct lent> limit{quota{1, 1s, 5}};
    asio::io_context io;
    weir::timer_of<decltype(limit)> timer(io);
    (void)limit.drain();
    result one;
    async_acquire(timer, limit, 3, one.handler());
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(8));
    timer.cancel();
    EXPECT_TRUE(one.pending()) << "not inline";
    turn(io);
    EXPECT_TRUE(one.aborted());
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5));
}

// The handler may at once take what the cancelled operation gave back.
TEST(asio_cancel, gives_back_before_the_handler_runs) {
    limiter_of<struct before> limit{quota{1, 1s, 5}};
    asio::io_context io;
    weir::timer_of<decltype(limit)> timer(io);
    (void)limit.drain();
    weir::nanoseconds seen;
    async_acquire(timer, limit, 3,
                  [&](boost::system::error_code) { seen = limit.peek(0).reset_after(); });
    timer.cancel();
    turn(io);
    EXPECT_EQ(seen, weir::seconds(5));
}

TEST(asio_cancel, keeps_the_charge_of_a_cell_that_cannot_refund) {
    limiter_of<struct keeps, weir::token_bucket<>> limit{quota{1, 1s, 5}};
    asio::io_context io;
    weir::timer_of<decltype(limit)> timer(io);
    (void)limit.drain();
    result one;
    async_acquire(timer, limit, 3, one.handler());
    timer.cancel();
    turn(io);
    EXPECT_TRUE(one.aborted());
    EXPECT_EQ(limit.reserve(1).wait(), weir::seconds(4));
}

TEST(asio_cancel, by_a_stop_gives_back) {
    limiter_of<struct stopped> limit{quota{1, 1s, 5}};
    limiter_of<struct stopped> other_limit{quota{1, 1s, 5}};
    asio::io_context io;
    std::stop_source stop;
    (void)limit.drain();
    (void)other_limit.drain();
    result one;
    result other;
    async_acquire(limit, 3, stop.get_token(), one.handler(io));
    async_acquire_for(other_limit, 1, 1s, stop.get_token(), other.handler(io));
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(8));
    EXPECT_EQ(other_limit.peek(0).reset_after(), weir::seconds(6));
    stop.request_stop();
    EXPECT_TRUE(one.pending() && other.pending()) << "not inline";
    turn(io);
    EXPECT_TRUE(one.aborted() && other.aborted());
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5));
    EXPECT_EQ(other_limit.peek(0).reset_after(), weir::seconds(5));
}

TEST(asio_cancel, by_a_stop_that_was_before_reserves_nothing) {
    limiter_of<struct already> limit{quota{1, 1s, 5}};
    asio::io_context io;
    std::stop_source stop;
    stop.request_stop();
    result one;
    async_acquire(limit, 3, stop.get_token(), one.handler(io));
    EXPECT_EQ(limit.peek(0).remaining(), 5U);
    EXPECT_TRUE(one.pending()) << "not inline";
    turn(io);
    EXPECT_TRUE(one.aborted());
}

TEST(asio_cancel, comes_too_late_for_what_has_its_units) {
    limiter_of<struct late> limit{quota{1, 1s, 5}};
    asio::io_context io;
    std::stop_source stop;
    result at_once;
    async_acquire(limit, 5, stop.get_token(), at_once.handler(io));
    stop.request_stop();
    turn(io);
    EXPECT_TRUE(at_once.acquired());
    EXPECT_EQ(limit.peek(0).remaining(), 0U);
}

// Those after it keep their places, and so does the limit, for all but the last (see refund).
TEST(asio_cancel, in_the_middle_leaves_the_others_their_places) {
    using clock = clock_of<struct middle>;
    limiter_of<struct middle> limit{quota{1, 1s, 1}};
    asio::io_context io;
    (void)limit.drain();
    constexpr std::size_t all = 100;
    std::vector<result> results(all);
    std::vector<std::stop_source> stops(all);
    for (std::size_t i = 0; i < all; ++i) {
        async_acquire(limit, 1, stops[i].get_token(), results[i].handler(io));
    }
    for (std::size_t i = 0; i < all; i += 3) stops[i].request_stop();
    turn(io);
    EXPECT_LE(limit.peek(0).reset_after(), weir::seconds(100)) << "the last place came back";
    for (std::size_t i = 0; i < all; ++i) {
        if (i % 3 == 0) {
            EXPECT_TRUE(results[i].aborted()) << i;
            continue;
        }
        clock::set({(i + 1) * 1'000 - 1});
        turn(io);
        EXPECT_TRUE(results[i].pending()) << i;
        clock::set({(i + 1) * 1'000});
        turn(io);
        EXPECT_TRUE(results[i].acquired()) << i;
    }
}

#ifdef WEIR_ASIO_CANCELLATION
TEST(asio_cancel, by_a_slot_gives_back) {
    limiter_of<struct slot> limit{quota{1, 1s, 5}};
    asio::io_context io;
    weir::timer_of<decltype(limit)> timer(io);
    (void)limit.drain();
    for (const auto type : {asio::cancellation_type::terminal, asio::cancellation_type::partial}) {
        asio::cancellation_signal signal;
        result own;
        async_acquire(limit, 3, asio::bind_cancellation_slot(signal.slot(), own.handler(io)));
        EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(8));
        signal.emit(type);
        EXPECT_TRUE(own.pending()) << "not inline";
        turn(io);
        EXPECT_TRUE(own.aborted());
        EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5));

        result lent;
        async_acquire(timer, limit, 3, asio::bind_cancellation_slot(signal.slot(), lent.handler()));
        EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(8));
        signal.emit(type);
        turn(io);
        EXPECT_TRUE(lent.aborted());
        EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5));
    }
}

// Those who wait for a limit that changes look now and then. Here the slot's timer is due when the
// operation's is, and comes first: nothing waits any more that it could cancel.
TEST(asio_cancel, by_a_slot_between_two_looks_gives_back) {
    using clock = weir::manual_clock<struct looks, 1'000>;
    using timer = weir::timer_of<weir::adjustable<clock>>;
    asio::io_context io;
    timer lent(io);
    timer control(io);
    for (const bool is_lent : {false, true}) {
        weir::adjustable<clock> limit{quota{1, 1s, 5}};
        ASSERT_TRUE(limit.try_acquire(5));
        asio::cancellation_signal signal;
        result one;
        if (is_lent) {
            async_acquire(lent, limit, 3,
                          asio::bind_cancellation_slot(signal.slot(), one.handler()));
        } else {
            async_acquire(limit, 3, asio::bind_cancellation_slot(signal.slot(), one.handler(io)));
        }
        bool first = false;
        control.expires_at(timer::clock_type::now());
        control.async_wait([&](boost::system::error_code) {
            first = one.pending();
            signal.emit(asio::cancellation_type::terminal);
        });
        clock::advance(weir::milliseconds(100));
        turn(io);
        ASSERT_TRUE(first);
        EXPECT_TRUE(one.aborted());
        EXPECT_LE(limit.peek(0).reset_after(), weir::seconds(5));
    }
}

// Total would be as if nothing had happened, which a refund cannot promise.
TEST(asio_cancel, by_a_slot_is_not_total) {
    limiter_of<struct partial> limit{quota{1, 1s, 5}};
    asio::io_context io;
    (void)limit.drain();
    asio::cancellation_signal signal;
    result one;
    async_acquire(limit, 3, asio::bind_cancellation_slot(signal.slot(), one.handler(io)));
    signal.emit(asio::cancellation_type::total);
    turn(io);
    EXPECT_TRUE(one.pending());
}
#else
TEST(asio_cancel, by_a_slot) { GTEST_SKIP() << "cancellation slots came with Boost 1.77"; }
#endif

}  // namespace

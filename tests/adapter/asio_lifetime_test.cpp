// SPDX-License-Identifier: MIT
// Operations that are destroyed before they complete, as when their io_context is: their handlers
// are destroyed and not called, and their units go back. (AddressSanitizer sees what leaks.)
#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include <boost/asio/bind_executor.hpp>
#include <gtest/gtest.h>

#include "asio_loop.hpp"

namespace {

using namespace std::chrono_literals;
using weir::async_acquire;
using weir::quota;

// Holds `alive` for as long as it is somewhere.
auto handler(asio::io_context& io, const std::shared_ptr<int>& alive) {
    return asio::bind_executor(io.get_executor(), [alive](boost::system::error_code) { ++*alive; });
}

TEST(asio_lifetime, ends_with_the_io_context_and_gives_back) {
    limiter_of<struct destroyed> limit{quota{1, 1s, 5}};
    const auto alive = std::make_shared<int>(0);
    const std::stop_source stop;
    for (const auto& token : {std::stop_token{}, stop.get_token()}) {
        std::optional<asio::io_context> io(std::in_place);
        (void)limit.drain();
        async_acquire(limit, 4, token, handler(*io, alive));
        EXPECT_EQ(alive.use_count(), 2);
        EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(9));
        io.reset();
        EXPECT_EQ(alive.use_count(), 1);
        EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5));
    }
    EXPECT_EQ(*alive, 0);
}

TEST(asio_lifetime, ends_before_what_was_posted_has_run_and_gives_back) {
    limiter_of<struct posted> limit{quota{1, 1s, 5}};
    const auto alive = std::make_shared<int>(0);
    {
        asio::io_context io;
        async_acquire(limit, 5, handler(io, alive));
        EXPECT_EQ(limit.peek(0).remaining(), 0U);
    }
    EXPECT_EQ(*alive, 0);
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(limit.peek(0).remaining(), 5U);
}

TEST(asio_lifetime, survives_an_io_context_that_stops_and_goes_on) {
    limiter_of<struct paused> limit{quota{1, 1s, 5}};
    const auto alive = std::make_shared<int>(0);
    {
        asio::io_context io;
        (void)limit.drain();
        async_acquire(limit, 1, handler(io, alive));
        async_acquire(limit, 1, handler(io, alive));
        turn(io);
        io.stop();
        clock_of<struct paused>::advance(1s);
        EXPECT_EQ(io.run(), 0U);
        EXPECT_EQ(*alive, 0);
        turn(io);
        EXPECT_EQ(*alive, 1);
        io.stop();
    }
    EXPECT_EQ(*alive, 1);
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5)) << "one was used and one was not";
}

TEST(asio_lifetime, of_a_lent_timer_ends_the_wait) {
    limiter_of<struct lent> limit{quota{1, 1s, 5}};
    asio::io_context io;
    (void)limit.drain();
    std::optional<weir::timer_of<decltype(limit)>> timer(io);
    result one;
    async_acquire(*timer, limit, 1, one.handler());
    timer.reset();
    turn(io);
    EXPECT_TRUE(one.aborted());
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5));
}

TEST(asio_lifetime, of_many_ends_with_the_io_context) {
    limiter_of<struct many> limit{quota{1, 1s, 5}};
    const auto alive = std::make_shared<int>(0);
    std::stop_source stop;
    {
        asio::io_context io;
        for (int i = 0; i < 100; ++i) {
            async_acquire(limit, 1, handler(io, alive));
            async_acquire(limit, 1, stop.get_token(), handler(io, alive));
        }
        async_acquire(limit, 6, handler(io, alive));
        EXPECT_EQ(alive.use_count(), 202);
    }
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(*alive, 0);
    stop.request_stop();
}

// A handler is destroyed wherever the operation is: in a posted task, too, which nobody runs.
TEST(asio_lifetime, of_what_was_cancelled_and_not_told) {
    limiter_of<struct untold> limit{quota{1, 1s, 5}};
    const auto alive = std::make_shared<int>(0);
    {
        asio::io_context io;
        std::stop_source stop;
        (void)limit.drain();
        async_acquire(limit, 4, stop.get_token(), handler(io, alive));
        stop.request_stop();
    }
    EXPECT_EQ(*alive, 0);
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5));
}

}  // namespace

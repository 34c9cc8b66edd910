// SPDX-License-Identifier: MIT
// Coroutines of C++20, for compilers with which this Boost has them: GCC does with any, Clang with
// libstdc++ from Boost 1.81 on.
#include <boost/asio/detail/config.hpp>
#include <gtest/gtest.h>

#ifdef BOOST_ASIO_HAS_CO_AWAIT

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include "asio_loop.hpp"

namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using asio::use_awaitable;
using weir::async_acquire;
using weir::async_acquire_for;
using weir::ending;
using weir::quota;
using weir::word;

template <class Limiter>
struct tally {
    Limiter& limit;
    word begin;
    word acquired = 0;
    word early = 0;
};

template <class Limiter>
awaitable<void> acquire_one(tally<Limiter>& t) {
    co_await async_acquire(t.limit, 1, use_awaitable);
    using clock = typename Limiter::clock_type;
    const word now = clock::now().count;
    if (++t.acquired > allowed(t.limit.quota(), t.begin, now, clock::hertz())) ++t.early;
}

template <class Clock>
class asio_coroutines : public testing::Test {};
using clocks = testing::Types<weir::steady_clock, weir::default_clock, weir::coarse_clock>;
TYPED_TEST_SUITE(asio_coroutines, clocks);

TYPED_TEST(asio_coroutines, are_never_early) {
    const word begin = TypeParam::now().count;
    weir::limiter<weir::gcra<>, TypeParam> limit{quota{100'000, 1s, 10}};
    tally<decltype(limit)> t{limit, begin};
    asio::io_context io;
    const int all = repetitions(10'000);
    for (int i = 0; i < all; ++i) asio::co_spawn(io, acquire_one(t), asio::detached);
    io.run();
    EXPECT_EQ(t.acquired, static_cast<word>(all));
    EXPECT_EQ(t.early, 0U);
}

template <class Limiter>
awaitable<void> acquire_in_order(Limiter& limit, int number, std::vector<int>& order) {
    co_await async_acquire(limit, 1, use_awaitable);
    order.push_back(number);
}

TEST(asio_coroutine, passes_in_the_order_of_reservation) {
    limiter_of<struct order> limit{quota{100, 1s, 10}};
    asio::io_context io;
    const int all = repetitions(10'000);
    std::vector<int> order;
    for (int i = 0; i < all; ++i) {
        asio::co_spawn(io, acquire_in_order(limit, i, order), asio::detached);
    }
    turn(io);
    decltype(limit)::clock_type::advance(1h);
    turn(io);
    EXPECT_EQ(order.size(), static_cast<std::size_t>(all));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(asio_coroutine, is_told_of_errors_by_exceptions_or_as_it_likes) {
    limiter_of<struct errors> limit{quota{1, 1s, 5}};
    asio::io_context io;
    int told = 0;
    const auto coroutine = [&]() -> awaitable<void> {
        boost::system::error_code ec;
        co_await async_acquire(limit, 5, use_awaitable);
        co_await async_acquire_for(limit, 1, 999ms, asio::redirect_error(use_awaitable, ec));
        if (ec == ending::too_late) ++told;
        try {
            co_await async_acquire(limit, 6, use_awaitable);
        } catch (const boost::system::system_error& e) {
            if (e.code() == ending::never) ++told;
        }
    };
    asio::co_spawn(io, coroutine, asio::detached);
    io.run();
    EXPECT_EQ(told, 2);
}

TEST(asio_coroutine, is_stopped) {
    limiter_of<struct stopped> limit{quota{1, 1s, 5}};
    asio::io_context io;
    std::stop_source stop;
    boost::system::error_code ec;
    const auto coroutine = [&]() -> awaitable<void> {
        co_await async_acquire(limit, 5, stop.get_token(), use_awaitable);
        co_await async_acquire(limit, 5, stop.get_token(), asio::redirect_error(use_awaitable, ec));
    };
    asio::co_spawn(io, coroutine, asio::detached);
    turn(io);
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(10));
    stop.request_stop();
    turn(io);
    EXPECT_EQ(ec, asio::error::operation_aborted);
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5));
}

TEST(asio_coroutine, that_is_never_awaited_reserves_nothing) {
    limiter_of<struct lazy> limit{quota{1, 1s, 5}};
    { const auto unawaited = async_acquire(limit, 5, use_awaitable); }
    EXPECT_EQ(limit.peek(0).remaining(), 5U);
}

TEST(asio_coroutine, is_destroyed_with_its_io_context_and_gives_back) {
    limiter_of<struct destroyed> limit{quota{1, 1s, 5}};
    const auto alive = std::make_shared<int>(0);
    {
        const auto coroutine = [&limit](std::shared_ptr<int> mine) -> awaitable<void> {
            co_await async_acquire(limit, 5, use_awaitable);
            co_await async_acquire(limit, 4, use_awaitable);
            ++*mine;
        };
        asio::io_context io;
        asio::co_spawn(io, coroutine(alive), asio::detached);
        turn(io);
        EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(9));
    }
    EXPECT_EQ(alive.use_count(), 1);
    EXPECT_EQ(*alive, 0);
    EXPECT_EQ(limit.peek(0).reset_after(), weir::seconds(5)) << "the first five were used";
}

}  // namespace

#else

TEST(asio_coroutine, passes_in_the_order_of_reservation) {
    GTEST_SKIP() << "with this compiler this Boost.Asio has no coroutines";
}

#endif

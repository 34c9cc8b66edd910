// SPDX-License-Identifier: MIT
// Whom an operation tells: any handler or token, on its executor, with its memory.
#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <thread>
#include <type_traits>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include "asio_loop.hpp"

namespace {

using namespace std::chrono_literals;
using weir::async_acquire;
using weir::async_acquire_for;
using weir::ending;
using weir::quota;

TEST(asio_handler, completes_on_the_executor_of_the_handler) {
    limiter_of<struct executor> limit{quota{1, 1s, 1}};
    asio::io_context timers;
    asio::io_context handlers;
    weir::timer_of<decltype(limit)> timer(timers);
    result at_once;
    result late;
    async_acquire(timer, limit, 1, at_once.handler(handlers));
    async_acquire(timer, limit, 1, late.handler(handlers));
    clock_of<struct executor>::advance(1s);
    turn(timers);
    EXPECT_TRUE(at_once.pending() && late.pending());
    turn(handlers);
    EXPECT_TRUE(at_once.acquired() && late.acquired());

    result on_the_timers;
    async_acquire(timer, limit, 1, on_the_timers.handler());
    clock_of<struct executor>::advance(1s);
    turn(timers);
    EXPECT_TRUE(on_the_timers.acquired());
}

TEST(asio_handler, takes_handlers_that_can_only_be_moved) {
    limiter_of<struct movable> limit{quota{1, 1s, 1}};
    asio::io_context io;
    weir::timer_of<decltype(limit)> timer(io);
    int sum = 0;
    const auto handler = [&](int summand) {
        return [&sum, own = std::make_unique<int>(summand)](boost::system::error_code ec) {
            if (!ec) sum += *own;
        };
    };
    static_assert(!std::is_copy_constructible_v<decltype(handler(1))>);
    async_acquire(limit, 1, asio::bind_executor(io.get_executor(), handler(1)));
    async_acquire(limit, 1, asio::bind_executor(io.get_executor(), handler(10)));
    async_acquire(timer, limit, 1, handler(100));
    async_acquire_for(limit, 1, 3s, std::stop_token{},
                      asio::bind_executor(io.get_executor(), handler(1'000)));
    clock_of<struct movable>::advance(3s);
    turn(io);
    EXPECT_EQ(sum, 1'111);
}

TEST(asio_handler, fulfils_a_future) {
    weir::limiter<> limit{quota{1, 1ms, 1}};
    asio::io_context io;
    weir::timer_of<decltype(limit)> timer(io);
    (void)limit.drain();
    auto late = async_acquire(timer, limit, 1, asio::use_future);
    std::jthread runner([&] { io.run(); });
    EXPECT_NO_THROW(late.get());
    runner.join();
    auto never = async_acquire(timer, limit, 2, asio::use_future);
    io.restart();
    io.run();
    try {
        never.get();
        FAIL() << "two of a burst of one";
    } catch (const boost::system::system_error& e) {
        EXPECT_EQ(e.code(), ending::never);
    }
}

struct books {
    int allocations = 0;
    int live = 0;
};

template <class T>
struct counting {
    using value_type = T;

    books* in;

    explicit counting(books& b) : in(&b) {}
    template <class U>
    counting(const counting<U>& other) : in(other.in) {}  // NOLINT(google-explicit-constructor)

    T* allocate(std::size_t n) {
        ++in->allocations;
        ++in->live;
        return std::allocator<T>().allocate(n);
    }
    void deallocate(T* memory, std::size_t n) {
        --in->live;
        std::allocator<T>().deallocate(memory, n);
    }
    template <class U>
    friend bool operator==(const counting& a, const counting<U>& b) {
        return a.in == b.in;
    }
};

struct counted {
    using allocator_type = counting<void*>;
    using executor_type = asio::io_context::executor_type;

    books* in;
    executor_type executor;

    [[nodiscard]] allocator_type get_allocator() const { return allocator_type(*in); }
    [[nodiscard]] executor_type get_executor() const { return executor; }
    void operator()(boost::system::error_code ec) const {
        EXPECT_FALSE(ec);
        EXPECT_EQ(in->live, 0) << "the handler may have its memory again";
    }
};

TEST(asio_handler, allocates_with_the_handlers_allocator_and_only_a_timer_of_its_own) {
    using clock = clock_of<struct memory>;
    limiter_of<struct memory> limit{quota{1, 1s, 1}};
    asio::io_context io;
    (void)limit.drain();
    books own;
    books lent;
    async_acquire(limit, 1, counted{&own, io.get_executor()});
    EXPECT_EQ(own.live, 2);
    clock::advance(1s);
    turn(io);
    weir::timer_of<decltype(limit), asio::io_context::executor_type> timer(io);
    async_acquire(timer, limit, 1, counted{&lent, io.get_executor()});
    EXPECT_EQ(lent.live, 1);
    clock::advance(1s);
    turn(io);
    EXPECT_EQ(own.live + lent.live, 0);
    EXPECT_EQ(own.allocations, lent.allocations + 1);
}

}  // namespace

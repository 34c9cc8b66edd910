// SPDX-License-Identifier: MIT
// Several threads: they run the io_context, and stop operations that others wait in. No test here
// asks how long anything took.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <gtest/gtest.h>

#include "asio_loop.hpp"

namespace {

using namespace std::chrono_literals;
using weir::async_acquire;
using weir::quota;
using weir::word;

class runners {
public:
    explicit runners(int threads) {
        for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { io.run(); });
    }
    void join() {
        work_.reset();
        threads_.clear();
    }

    asio::io_context io;

private:
    asio::executor_work_guard<asio::io_context::executor_type> work_{io.get_executor()};
    std::vector<std::jthread> threads_;
};

TEST(asio_threads, two_run_the_context_and_nobody_is_early) {
    const quota q{100'000, 1s, 10};
    const word begin = weir::steady_clock::now().count;
    weir::limiter<weir::gcra<>, weir::steady_clock> limit{q};
    std::atomic<word> acquired{0};
    std::atomic<word> early{0};
    const int all = repetitions(10'000);
    runners both(2);
    for (int i = 0; i < all; ++i) {
        async_acquire(
            limit, 1,
            asio::bind_executor(both.io.get_executor(), [&](boost::system::error_code ec) {
                if (ec) return;
                // Counted before the clock is read: see tests/stress/waiting_test.cpp.
                const word count = ++acquired;
                const word now = weir::steady_clock::now().count;
                if (count > allowed(q, begin, now)) ++early;
            }));
    }
    both.join();
    EXPECT_EQ(acquired, static_cast<word>(all));
    EXPECT_EQ(early, 0U);
}

// A stop from outside while timers are being set, cancelled and destroyed: every operation
// completes once, and gives all back.
TEST(asio_threads, are_stopped_from_outside) {
    using limiter = weir::limiter<weir::gcra<>, weir::steady_clock>;
    std::vector<std::unique_ptr<limiter>> limits;
    for (int i = 0; i < 8; ++i) {
        limits.push_back(std::make_unique<limiter>(quota{20, weir::seconds(60), 1'000}));
        (void)limits.back()->drain();
    }
    const auto spent = limits[0]->peek(0).reset_after();
    std::atomic<std::size_t> aborted{0};
    std::atomic<std::size_t> wrong{0};
    const auto handler = [&](boost::system::error_code ec) {
        ++(ec == asio::error::operation_aborted ? aborted : wrong);
    };
    const auto rounds = static_cast<std::size_t>(repetitions(2'000));
    runners both(2);
    for (std::size_t round = 0; round < rounds; ++round) {
        std::stop_source stop;
        std::jthread stopper;
        for (std::size_t i = 0; i < limits.size(); ++i) {
            if (i == round % limits.size()) {
                stopper = std::jthread([&] { stop.request_stop(); });
            }
            // A thousand units take 50 minutes, longer than this test on any machine.
            async_acquire(*limits[i], 1'000, stop.get_token(),
                          asio::bind_executor(both.io.get_executor(), handler));
        }
        // One operation waits for each limit, or a refund could not give back all.
        while (aborted + wrong < (round + 1) * limits.size()) std::this_thread::yield();
    }
    both.join();
    EXPECT_EQ(aborted, rounds * limits.size());
    for (const auto& limit : limits) EXPECT_LE(limit->peek(0).reset_after(), spent);
}

// The same where units come in the same moments: who was not stopped has acquired.
TEST(asio_threads, stop_what_is_about_to_complete) {
    const quota q{20'000, 1s, 1};
    const word begin = weir::steady_clock::now().count;
    weir::limiter<weir::gcra<>, weir::steady_clock> limit{q};
    std::atomic<word> acquired{0};
    std::atomic<int> aborted{0};
    std::atomic<int> wrong{0};
    const int rounds = repetitions(4'000);
    runners both(2);
    for (int i = 0; i < rounds; ++i) {
        std::stop_source stop;
        for (int j = 0; j < 4; ++j) {
            async_acquire(
                limit, 1, stop.get_token(),
                asio::bind_executor(both.io.get_executor(), [&](boost::system::error_code ec) {
                    if (!ec) {
                        const word count = ++acquired;
                        const word now = weir::steady_clock::now().count;
                        if (count > allowed(q, begin, now)) ++wrong;
                    } else if (ec == asio::error::operation_aborted) {
                        ++aborted;
                    } else {
                        ++wrong;
                    }
                }));
        }
        const auto until = std::chrono::steady_clock::now() + i % 150 * 1us;
        while (std::chrono::steady_clock::now() < until) {
        }
        stop.request_stop();
    }
    both.join();
    EXPECT_EQ(acquired + static_cast<word>(aborted), static_cast<word>(rounds) * 4);
    EXPECT_EQ(wrong, 0);
}

}  // namespace

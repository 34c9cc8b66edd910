// SPDX-License-Identifier: MIT
// Threads that wait for their units while signals interrupt them.
#include <atomic>
#include <chrono>
#include <csignal>
#include <pthread.h>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include <weir/limiter/acquire.hpp>
#include <weir/weir.hpp>

#include "waiting.hpp"

namespace {

using namespace std::chrono_literals;

// A signal interrupts the system's sleep, again and again.
TEST(waiting, goes_on_when_signals_interrupt_it) {
    struct sigaction ignored {};
    struct sigaction before {};
    ignored.sa_handler = [](int) {};  // and not SIG_IGN, which would interrupt nothing
    ASSERT_EQ(sigaction(SIGUSR1, &ignored, &before), 0);
    const weir::quota q{1'000, 1s, 1};
    for (const bool can_be_stopped : {false, true}) {
        const weir::word begin = weir::steady_clock::now().count;
        limiter_of<weir::gcra<>> limit{q};
        const std::stop_source stop;
        const std::stop_token token = can_be_stopped ? stop.get_token() : std::stop_token();
        std::atomic<bool> ended{false};
        std::jthread waiter([&] {
            for (weir::word i = 1; i <= 100; ++i) {
                EXPECT_TRUE(weir::acquire(limit, 1, weir::waiting::sleep, token));
                EXPECT_LE(i, allowed(q, begin, weir::steady_clock::now().count));
            }
            ended = true;
        });
        while (!ended) {
            pthread_kill(waiter.native_handle(), SIGUSR1);
            std::this_thread::sleep_for(20us);
        }
    }
    sigaction(SIGUSR1, &before, nullptr);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/armv7_counter.hpp>
#include <weir/limiter/limiter.hpp>

#if defined(__linux__) && defined(__arm__) && __ARM_ARCH >= 7

namespace {

using weir::armv7_clock;

static_assert(weir::clock<armv7_clock>);

volatile std::sig_atomic_t seen = 0;

// A signal that an instruction raises while it is blocked ends the program.
TEST(armv7_clock, looks_for_the_counter_also_where_the_signal_is_blocked) {
    const auto looks = [] {
        sigset_t illegal;
        sigemptyset(&illegal);
        sigaddset(&illegal, SIGILL);
        if (pthread_sigmask(SIG_BLOCK, &illegal, nullptr) != 0) std::_Exit(1);
        (void)armv7_clock::facts();
        sigset_t after;
        if (pthread_sigmask(SIG_BLOCK, nullptr, &after) != 0) std::_Exit(2);
        std::_Exit(sigismember(&after, SIGILL) == 1 ? 0 : 3);
    };
    EXPECT_EXIT(looks(), testing::ExitedWithCode(0), "");
}

// qemu-user hides the counter, most kernels do not; neither may end the program.
TEST(armv7_clock, reads_the_counter_or_falls_back_and_leaves_the_handler_of_the_signal_alone) {
    const auto handler = +[](int) { seen = seen + 1; };
    const auto before = std::signal(SIGILL, handler);
    std::vector<std::string_view> sources(4);
    {
        std::vector<std::jthread> threads;
        threads.reserve(sources.size());
        for (auto& source : sources) {
            threads.emplace_back([&source] { source = armv7_clock::facts().source; });
        }
    }
    for (const auto source : sources) EXPECT_EQ(source, sources.front());
    EXPECT_TRUE(sources.front() == "CNTVCT" || sources.front() == "CLOCK_MONOTONIC");
#ifdef WEIR_COUNTER_IS_HIDDEN
    EXPECT_EQ(sources.front(), "CLOCK_MONOTONIC");
#endif
    EXPECT_EQ(seen, 0);
    EXPECT_EQ(std::signal(SIGILL, before), handler);
}

TEST(armv7_clock, keeps_pace_with_the_system_clock) {
    struct reading {
        weir::word before = weir::steady_clock::now().count;
        weir::word ticks = armv7_clock::now().count;
        weir::word after = weir::steady_clock::now().count;
    };
    const reading first;
    while (weir::steady_clock::now().count - first.after < 20'000'000) {
    }
    const reading last;
    const auto counted = static_cast<double>(last.ticks - first.ticks) /
                         static_cast<double>(armv7_clock::hertz()) * 1e9;
    // However long this thread was kept from running in between.
    EXPECT_GE(counted, static_cast<double>(last.before - first.after) * 0.98);
    EXPECT_LE(counted, static_cast<double>(last.after - first.before) * 1.02);
}

TEST(armv7_clock, is_a_limiter_s_clock) {
    weir::limiter<weir::gcra<>, armv7_clock> limit{weir::quota{3, weir::seconds(3'600)}};
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(limit.try_acquire());
    EXPECT_FALSE(limit.try_acquire());
}

}  // namespace

#endif

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/machine.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/cycle.hpp>
#include <weir/clock/steady.hpp>

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

using weir::cycle_clock;

static_assert(weir::clock<cycle_clock>);

constexpr const char* slow = "the system's clock is slow to read";

TEST(cycle_clock, gives_all_first_threads_one_frequency) {
    std::vector<std::uint64_t> seen(4);
    {
        std::vector<std::jthread> threads;
        threads.reserve(seen.size());
        for (auto& hertz : seen) threads.emplace_back([&hertz] { hertz = cycle_clock::hertz(); });
    }
    for (const auto hertz : seen) {
        if (hertz == 0) GTEST_SKIP() << slow;
        EXPECT_EQ(hertz, seen.front());
    }
    EXPECT_EQ(cycle_clock::facts().hertz, seen.front());
    EXPECT_GT(cycle_clock::facts().granularity.count(), 0);
}

TEST(cycle_clock, moves_forward_on_one_thread) {
    auto last = cycle_clock::now();
    for (int i = 0; i < 100'000; ++i) {
        const auto now = cycle_clock::now();
        ASSERT_FALSE(weir::earlier(now, last));
        last = now;
    }
}

// The counter was read before and after the system's clock, so that clock was read in between:
// whatever takes the core away makes this wider and never wrong.
struct bracket {
    std::uint64_t before;
    std::uint64_t time;
    std::uint64_t after;

    [[nodiscard]] double width() const { return static_cast<double>(after - before); }
};

bracket read_both() {
    constexpr int tries = 32;
    bracket best{0, 0, UINT64_MAX};
    for (int i = 0; i < tries; ++i) {
        weir::order_clock();
        const auto before = cycle_clock::now().count;
        weir::order_clock();
        const auto time = weir::steady_clock::now().count;
        weir::order_clock();
        const auto after = cycle_clock::now().count;
        if (after - before < best.after - best.before) best = {before, time, after};
    }
    return best;
}

// What the counter's frequency is between two brackets, to a tick of either clock.
struct frequency {
    double least;
    double most;

    frequency(const bracket& a, const bracket& b) {
        const auto time = static_cast<double>(b.time - a.time);
        least = (static_cast<double>(b.before) - static_cast<double>(a.after) - 1) / (time + 1);
        most = (static_cast<double>(b.after) - static_cast<double>(a.before) + 1) / (time - 1);
        least *= 1e9;
        most *= 1e9;
    }
    [[nodiscard]] double width() const { return most / least - 1; }
};

// What the header and the guide of the clocks say.
constexpr double stated = 20e-6;

#ifdef __x86_64__
TEST(cycle_clock, has_bounds_that_are_as_far_apart_as_is_stated) {
    const auto most = static_cast<double>(cycle_clock::hertz());
    if (most == 0) GTEST_SKIP() << slow;
    const auto least = static_cast<double>(cycle_clock::least_hertz());
    EXPECT_NEAR(1 - least / most, stated, stated / 1000);
}
#endif

TEST(cycle_clock, has_the_frequency_that_was_measured_last) {
    const std::uint64_t measured = cycle_clock::calibrate();
    if (measured == 0) GTEST_SKIP() << slow;
    EXPECT_EQ(cycle_clock::hertz(), measured);
    EXPECT_EQ(cycle_clock::facts().hertz, measured);
}

#if defined(__x86_64__) && defined(__linux__)
TEST(cycle_clock, is_invariant_if_the_system_says_so) {
    std::ifstream file("/proc/cpuinfo");
    const std::string all{std::istreambuf_iterator<char>(file), {}};
    if (all.find("\nflags") == std::string::npos) GTEST_SKIP() << "it does not say";
    EXPECT_EQ(cycle_clock::invariant(), all.find(" nonstop_tsc") != std::string::npos);
}
#endif

// The middle of the bounds is right. A machine that takes the core away at the worst moment of a
// calibration may spoil it. So this goes on until most calibrations have been right; were they
// wrong by more than is stated, it would not end.
TEST(cycle_clock, calibrates_to_the_system_clock_within_what_is_stated_and_can_do_so_again) {
    constexpr std::size_t fewest = 9;
    struct result {
        double least;
        double most;
    };
    const bracket start = read_both();
    std::vector<result> measured;
    for (std::size_t right = 0; measured.size() < fewest || 2 * right <= measured.size();) {
        const auto most = cycle_clock::calibrate();
        if (most == 0) GTEST_SKIP() << slow;
        measured.push_back(
            {static_cast<double>(cycle_clock::least_hertz()), static_cast<double>(most)});
        bracket end = read_both();
        frequency found(start, end);
        // What is much wider than what is compared with it would say nothing.
        while (end.time - start.time < 100'000'000 || found.width() >= 20 * stated) {
            end = read_both();
            found = frequency(start, end);
        }
        right = static_cast<std::size_t>(
            std::count_if(measured.begin(), measured.end(), [&](const result& r) {
                // A frequency out of a register does not follow what NTP corrects.
                const double off = r.least < r.most ? stated / 4 : stated;
                const double middle = (r.least + r.most) / 2;
                return middle >= found.least * (1 - off) && middle <= found.most * (1 + off);
            }));
        std::cout << "calibrated to " << std::fixed << measured.back().least << " .. "
                  << measured.back().most << " Hz, found " << found.least << " .. " << found.most
                  << ", right: " << right << " of " << measured.size() << "\n";
    }
}

}  // namespace

#endif

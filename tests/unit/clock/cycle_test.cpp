#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
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

TEST(cycle_clock, gives_all_first_threads_one_frequency) {
    std::vector<std::uint64_t> seen(4);
    {
        std::vector<std::jthread> threads;
        threads.reserve(seen.size());
        for (auto& hertz : seen) threads.emplace_back([&hertz] { hertz = cycle_clock::hertz(); });
    }
    for (const auto hertz : seen) EXPECT_EQ(hertz, seen.front());
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

// What the header and the README say, where the system's clock is read in 100 ns.
constexpr double stated = 20e-6;

// A machine that takes the core away in the midst of a calibration spoils it. So this goes on until
// most calibrations have been right; were they wrong by more than is stated, it would not end.
TEST(cycle_clock, calibrates_to_the_system_clock_within_what_is_stated_and_can_do_so_again) {
    constexpr std::size_t fewest = 9;
    const bracket start = read_both();
    std::vector<std::uint64_t> measured;
    for (std::size_t right = 0; measured.size() < fewest || 2 * right <= measured.size();) {
        measured.push_back(cycle_clock::calibrate());
        bracket end = read_both();
        frequency found(start, end);
        // A calibration may be no measurement at all but a register. And what is so much wider than
        // what is compared with it would say nothing.
        while (end.time - start.time < 100'000'000 || found.width() >= 20 * stated) {
            end = read_both();
            found = frequency(start, end);
        }
        // A calibration takes two such brackets itself, 8 ms apart or more.
        const double apart = found.most * 8e-3;
        const double middle = (start.width() + end.width()) / 2;
        const double error = std::max(stated, middle / apart);
        const auto is_right = [&](std::uint64_t hertz) {
            const auto h = static_cast<double>(hertz);
            return h >= found.least * (1 - error) && h <= found.most * (1 + error);
        };
        right = static_cast<std::size_t>(std::count_if(measured.begin(), measured.end(), is_right));
        std::cout << "calibrated to " << measured.back() << " Hz, found " << std::fixed
                  << found.least << " .. " << found.most << ", right: " << right << " of "
                  << measured.size() << "\n";
    }
}

}  // namespace

#endif

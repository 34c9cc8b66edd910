// SPDX-License-Identifier: MIT
// An anchor that is moved back and forth while others take units: no window passes more than its
// units, whichever anchor a thread went by.
#include <atomic>
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/cell/fixed_window.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>

#include "crowd.hpp"

namespace {

TEST(window_anchor_stress, opens_no_window_twice_while_it_moves) {
    using clock = weir::manual_clock<struct moved_by_all>;
    using time = weir::instant<clock>;
    constexpr std::int64_t units = 50;
    constexpr std::int64_t period = 8'000;
    constexpr std::int64_t begin = 1'000 * period;
    constexpr int threads = 3;
    clock::set(time(begin));
    weir::limiter<weir::aligned_window<>, clock> limit{
        weir::quota{units, weir::nanoseconds(period)}};
    std::atomic<std::int64_t> passed{0};
    crowd(
        threads, 1,
        [&](int, int thread) {
            std::int64_t mine = 0;
            for (int i = repetitions(20'000); i > 0; --i) {
                clock::advance(weir::nanoseconds(period / 8));
                // The anchors are a quarter of a period apart.
                if (thread == 0) limit.set_anchor(time(i % 2 == 0 ? period / 4 : 0));
                while (limit.try_acquire()) ++mine;
            }
            passed += mine;
        },
        [](int) {});
    const auto end = static_cast<std::int64_t>(clock::now().count);
    const std::int64_t first = (begin - period / 4) / period;
    EXPECT_LE(passed.load(), units * (end / period - first + 1));
    EXPECT_GE(passed.load(), units);
}

}  // namespace

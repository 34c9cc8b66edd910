// SPDX-License-Identifier: MIT
// Threads that decide, reserve and give back while one of them is told what a server says is left:
// whoever begins after that gets no more than was told, to the unit.
#include <atomic>
#include <cstdint>
#include <iostream>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"

namespace {

using weir::milliseconds;
using weir::quota;
using weir::seconds;
using weir::word;

constexpr int threads = 4;
constexpr std::int64_t burst = 2'000;

template <class Cell>
class told_by_one : public testing::Test {};
using cells = weir::only<weir::are_told, weir::every_cell<burst, word>>;
TYPED_TEST_SUITE(told_by_one, cells::as<testing::Types>);

// Time stands still.
TYPED_TEST(told_by_one, lets_no_more_pass_to_those_who_come_after) {
    using limiter = weir::limiter<TypeParam, weir::manual_clock<struct standing, 100'000>>;
    limiter limit{quota{burst, seconds(1)}};
    (void)limit.peek();
    std::atomic<bool> told{false};
    std::atomic<word> before{0};
    std::atomic<word> after{0};
    word left = 0;
    word reached = 0;
    crowd(
        threads, repetitions(weir::log_cell<TypeParam> ? 300 : 3'000),
        [&](int round, int thread) {
            oracle::dice random(static_cast<unsigned>(round * threads + thread));
            if (thread == 0) {
                for (word some = random.roll(200); before.load() < some;) {
                }
                left = random.roll(100);
                const auto a = limit.lower_remaining(left, seconds(round % 2));
                EXPECT_TRUE(a);
                EXPECT_LE(a.remaining(), left);
                told = true;
                return;
            }
            for (int i = 0; i < 600; ++i) {
                const bool late = told.load();
                word units = 0;
                const word n = 1 + random.roll(3);
                if constexpr (weir::refunding_cell<TypeParam>) {
                    auto place = limit.reserve(n, milliseconds(0));
                    units = place.units();
                    if (i % 2 == 0) units -= limit.refund(std::move(place)).units();
                } else {
                    units =
                        i % 2 == 0 ? limit.acquire_up_to(n).units : (limit.try_acquire(n) ? n : 0);
                }
                (late ? after : before) += units;
            }
        },
        [&](int round) {
            ASSERT_LE(after.load(), left) << "round " << round;
            reached += after.load() == left ? 1U : 0U;
            before = 0;
            after = 0;
            told = false;
            limit.reset();
        });
    std::cout << "in " << reached << " rounds all that was left passed\n";
}

}  // namespace

// SPDX-License-Identifier: MIT
// The stock of a leased limit: each unit that is put there is taken once, whoever takes, gives back
// and fills at the same moment.
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_stock.hpp>
#include <weir/base/word.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"

namespace {

using weir::word;

TEST(a_stock_of_a_fleet, loses_no_unit_and_gives_none_twice) {
    constexpr int threads = 6;
    constexpr word most = 50;
    weir::fleet_stock stock(most);
    std::atomic<word> put{0};
    std::atomic<word> taken{0};
    std::atomic<word> passed{0};
    std::atomic<bool> too_many{false};
    crowd(
        threads, repetitions(300),
        [&](int round, int thread) {
            oracle::dice random(static_cast<unsigned>(round * threads + thread));
            for (int i = 0; i < 200; ++i) {
                const word n = 1 + random.roll(7);
                if (thread == 0) {  // the supplier
                    put += stock.put(n);
                    if (stock.units() > most) too_many = true;
                    if (i % 50 == 0) stock.let_pass(round % 3 == 0);
                    if (i % 10 == 0) {
                        const auto t = stock.take(1, n);
                        taken += t.units;
                        if (t.passes && t.units == 0) passed += 1;
                    }
                    (void)stock.wanted();
                } else {
                    const auto t = stock.take(n, n + 2);
                    if (t.passes && t.units == 0) passed += n;
                    const word back = t.units / 2;
                    taken += t.units - stock.put(back);
                }
            }
        },
        [&](int round) {
            stock.let_pass(false);
            ASSERT_EQ(put.load(), taken.load() + stock.units()) << "round " << round;
            ASSERT_EQ(passed.load(), stock.passed()) << "and one for each that took what passes";
            ASSERT_FALSE(too_many.load());
        });
}

}  // namespace

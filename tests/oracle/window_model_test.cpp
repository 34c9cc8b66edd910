// SPDX-License-Identifier: MIT
// The models of the cells that count windows, on examples that a person has worked out.
#include <gtest/gtest.h>

#include "answer.hpp"
#include "sliding_model.hpp"
#include "window_model.hpp"

namespace {

using namespace oracle;

constexpr outcome ok = outcome::admitted;
constexpr outcome wait = outcome::wait;
constexpr outcome never = outcome::never;

// 3 units in 16 ticks, and 2 of debt; a grid of 8.
[[nodiscard]] window_model fixed_of_three() {
    window_model m({16, 0, 3, 2, window_model::opens::with_first_action});
    m.fill(0, 3);
    return m;
}

TEST(window_model, opens_a_window_with_the_first_action_and_rounds_its_start_up) {
    window_model m = fixed_of_three();
    EXPECT_EQ(m.try_acquire(3, 1), (answer{ok, 2, 21, 0}));  // from 8 to 24
    EXPECT_EQ(m.try_acquire(5, 2), (answer{ok, 0, 19, 0}));
    EXPECT_EQ(m.try_acquire(23, 1), (answer{wait, 0, 1, 1}));
    EXPECT_EQ(m.try_acquire(24, 0), (answer{ok, 3, 0, 0}));
    EXPECT_EQ(m.try_acquire(30, 1), (answer{ok, 2, 18, 0}));  // from 32 to 48
    EXPECT_EQ(m.try_acquire(30, 4), (answer{never, 2, 18, 0}));
    EXPECT_EQ(m.acquire_up_to(31, 9).units, 2);
    EXPECT_EQ(m.acquire_up_to(31, 9).after, (answer{wait, 0, 17, 17}));
    EXPECT_EQ(m.acquire_up_to(31, 0).after, (answer{ok, 0, 17, 0}));
}

TEST(window_model, lets_the_windows_after_it_pay_for_a_debt) {
    window_model m = fixed_of_three();
    EXPECT_EQ(m.try_acquire(24, 1), (answer{ok, 2, 16, 0}));
    EXPECT_EQ(m.charge(25, 4), (answer{ok, 0, 31, 0}));
    EXPECT_EQ(m.charge(25, 6), (answer{never, 0, 31, 0}));
    EXPECT_EQ(m.charge(25, 1), (answer{wait, 0, 31, 15}));
    EXPECT_EQ(m.try_acquire(25, 1), (answer{wait, 0, 31, 15}));
    EXPECT_EQ(m.try_acquire(25, 3), (answer{wait, 0, 31, 31}));
    EXPECT_EQ(m.try_acquire(25, 0), (answer{ok, 0, 31, 0}));
    EXPECT_EQ(m.try_acquire(40, 1), (answer{ok, 0, 16, 0}));
}

TEST(window_model, saves_what_was_used_and_how_long_its_window_lasts) {
    window_model m = fixed_of_three();
    EXPECT_EQ(m.try_acquire(40, 3), (answer{ok, 0, 16, 0}));
    EXPECT_EQ(m.save(41), (saved_state{3, 15}));
    EXPECT_EQ(m.save(0), (saved_state{3, 39}));  // late; the longest there is
    EXPECT_EQ(m.save(1000), (saved_state{0, 16}));
    EXPECT_EQ(m.save(1001), (saved_state{0, 23}));  // it would open at 1008
    m.restore(100, {2, 5});
    EXPECT_EQ(m.peek(100, 2), (answer{wait, 1, 12, 12}));  // from 96
}

TEST(window_model, keeps_to_the_windows_of_the_clock) {
    window_model m({10, 0, 2, 3, window_model::opens::with_clock});
    m.fill(7, 2);
    EXPECT_EQ(m.try_acquire(7, 2), (answer{ok, 0, 3, 0}));
    EXPECT_EQ(m.try_acquire(9, 1), (answer{wait, 0, 1, 1}));
    EXPECT_EQ(m.try_acquire(10, 2), (answer{ok, 0, 10, 0}));
    EXPECT_EQ(m.charge(11, 3), (answer{ok, 0, 29, 0}));
    EXPECT_EQ(m.charge(11, 1), (answer{wait, 0, 29, 9}));
    EXPECT_EQ(m.peek(5, 1), (answer{wait, 0, 35, 25}));  // late
    EXPECT_EQ(m.try_acquire(20, 1), (answer{wait, 0, 20, 10}));
    EXPECT_EQ(m.save(20), (saved_state{3, 0}));
    m.restore(39, {3, 0});
    EXPECT_EQ(m.peek(39, 1), (answer{wait, 0, 11, 1}));
}

TEST(sliding_model, counts_the_share_of_the_window_before_that_a_period_still_covers) {
    sliding_model m({10, 1, 4, 1});  // 10 steps of 2 ticks
    m.fill(0, 4);
    EXPECT_EQ(m.try_acquire(19, 4), (answer{ok, 0, 21, 0}));
    EXPECT_EQ(m.try_acquire(20, 1), (answer{wait, 0, 20, 6}));
    EXPECT_EQ(m.try_acquire(25, 1), (answer{wait, 0, 15, 1}));
    EXPECT_EQ(m.try_acquire(26, 1), (answer{ok, 0, 34, 0}));  // 1 + 4 * 7/10
    EXPECT_EQ(m.charge(26, 1), (answer{ok, 0, 34, 0}));
    EXPECT_EQ(m.charge(26, 6), (answer{never, 0, 34, 0}));
    EXPECT_EQ(m.try_acquire(26, 4), (answer{wait, 0, 34, 34}));
    EXPECT_EQ(m.peek(10, 0), (answer{ok, 0, 50, 0}));  // late: as at 20
    EXPECT_EQ(m.peek(10, 1), (answer{wait, 0, 50, 26}));
    EXPECT_EQ(m.save(26), (saved_state{5, 0}));
    EXPECT_EQ(m.save(10), (saved_state{5, 0}));  // 6, which is more than there can be
    m.restore(41, {3, 0});
    EXPECT_EQ(m.peek(41, 2), (answer{wait, 1, 39, 27}));  // 3 * (10 - t)/10 <= 2 from t = 4 on
}

}  // namespace

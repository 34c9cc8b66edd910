// SPDX-License-Identifier: MIT
// The models themselves, on examples that a person has worked out.
#include <gtest/gtest.h>

#include "answer.hpp"
#include "bucket_model.hpp"
#include "meter_model.hpp"

namespace {

using namespace oracle;

constexpr outcome ok = outcome::admitted;
constexpr outcome wait = outcome::wait;
constexpr outcome never = outcome::never;

TEST(meter_model, gives_the_answers_of_the_reference_example) {
    // One unit per second, burst 5, ticks of a millisecond; 1 tick = 2 fractions.
    meter_model m({2000, 1, 5, 5});
    EXPECT_EQ(m.try_acquire(0, 6), (answer{never, 5, 0, 0}));
    for (int i = 1; i <= 5; ++i) {
        EXPECT_EQ(m.try_acquire(0, 1), (answer{ok, 5 - i, integer{1000} * i, 0}));
    }
    EXPECT_EQ(m.try_acquire(0, 1), (answer{wait, 0, 5000, 1000}));
    EXPECT_EQ(m.try_acquire(3000, 1), (answer{ok, 2, 3000, 0}));
    EXPECT_EQ(m.try_acquire(3100, 1), (answer{ok, 1, 3900, 0}));
    EXPECT_EQ(m.try_acquire(4000, 1), (answer{ok, 1, 4000, 0}));
    EXPECT_EQ(m.try_acquire(8000, 1), (answer{ok, 4, 1000, 0}));
    EXPECT_EQ(m.try_acquire(9500, 1), (answer{ok, 4, 1000, 0}));
    EXPECT_EQ(m.try_acquire(9500, 0), (answer{ok, 4, 1000, 0}));
    EXPECT_EQ(m.try_acquire(9500, 2), (answer{ok, 2, 3000, 0}));
    EXPECT_EQ(m.try_acquire(9500, 5), (answer{wait, 2, 3000, 3000}));
    EXPECT_EQ(m.try_acquire(15000, 6), (answer{never, 5, 0, 0}));
}

TEST(meter_model, goes_into_debt_as_far_as_allowed) {
    meter_model m({10, 0, 2, 3});
    EXPECT_EQ(m.charge(0, 6), (answer{never, 2, 0, 0}));
    EXPECT_EQ(m.charge(0, 5), (answer{ok, 0, 50, 0}));
    EXPECT_EQ(m.charge(1, 1), (answer{wait, 0, 49, 9}));
    EXPECT_EQ(m.try_acquire(1, 0), (answer{ok, 0, 49, 0}));
    EXPECT_EQ(m.acquire_up_to(1, 0).after, (answer{ok, 0, 49, 0}));
    EXPECT_EQ(m.try_acquire(10, 1), (answer{wait, 0, 40, 30}));
    EXPECT_EQ(m.level(10), 4);
    EXPECT_EQ(m.acquire_up_to(45, 9).units, 1);
}

TEST(meter_model, rounds_waits_up_and_room_down) {
    meter_model m({3, 2, 2, 0});  // 3/4 of a tick per unit
    EXPECT_EQ(m.try_acquire(0, 1), (answer{ok, 1, 1, 0}));
    EXPECT_EQ(m.try_acquire(0, 2), (answer{wait, 1, 1, 1}));
    EXPECT_EQ(m.try_acquire(0, 1), (answer{ok, 0, 2, 0}));
    EXPECT_EQ(m.try_acquire(1, 2), (answer{wait, 1, 1, 1}));
}

TEST(bucket_model, refills_in_portions_and_keeps_the_remainder) {
    bucket_model m({10, 0, 3, 7, 0});  // 3 tokens every 10 ticks, 7 fit; grid of 16 fractions
    m.fill(0, 7);
    EXPECT_EQ(m.try_acquire(0, 7), (answer{ok, 0, 30, 0}));
    EXPECT_EQ(m.try_acquire(9, 1), (answer{wait, 0, 21, 1}));
    EXPECT_EQ(m.try_acquire(19, 1), (answer{ok, 2, 11, 0}));
    EXPECT_EQ(m.try_acquire(20, 5), (answer{ok, 0, 30, 0}));
    EXPECT_EQ(m.try_acquire(20, 8), (answer{never, 0, 30, 0}));
    EXPECT_EQ(m.peek(50, 7), (answer{ok, 0, 44, 0}));  // full at 50: counts from 64 on the grid
}

// Grids of 16 and of 8 fractions: by less than that a debt and a wait may be longer.
TEST(bucket_model, owes_units_and_is_paid_in_portions) {
    bucket_model m({1'600, 0, 2, 7, 4});
    m.fill(0, 1);
    EXPECT_EQ(m.charge(0, 12), (answer{never, 1, 4'800, 0}));
    EXPECT_EQ(m.charge(0, 11), (answer{wait, 1, 4'800, 4'785}));
    EXPECT_EQ(m.charge(0, 4), (answer{ok, 0, 8'000, 0}));  // 3 owed: paid at 3200, one is left
    EXPECT_EQ(m.save(0), (saved_state{8, 3'200}));
    EXPECT_EQ(m.try_acquire(0, 1), (answer{wait, 0, 8'000, 3'200}));
    EXPECT_EQ(m.try_acquire(0, 2), (answer{wait, 0, 8'000, 4'800}));
    EXPECT_EQ(m.charge(0, 2), (answer{wait, 0, 8'000, 1'585}));
    EXPECT_EQ(m.charge(0, 1), (answer{ok, 0, 9'600, 0}));
    EXPECT_EQ(m.acquire_up_to(4'799, 7).units, 0);
    EXPECT_EQ(m.acquire_up_to(4'800, 7).units, 2);
}

TEST(bucket_model, reserves_in_order_and_no_more_than_may_wait) {
    bucket_model m({1'600, 0, 4, 4, 0, 100'000, 6});
    m.fill(0, 0);
    EXPECT_EQ(m.reserve(0, 3, 1'599), (answer{wait, 0, 1'600, 1'600}));
    EXPECT_EQ(m.reserve(0, 3, 1'600), (answer{ok, 0, 3'200, 1'600}));
    EXPECT_EQ(m.reserve(0, 1, 9'900), (answer{ok, 0, 3'200, 1'600}));
    EXPECT_EQ(m.reserve(0, 3, 9'900), (answer{wait, 0, 3'200, 3'200}));
    EXPECT_EQ(m.reserve(0, 2, 9'900), (answer{ok, 0, 4'800, 3'200}));
    EXPECT_EQ(m.reserve(1'592, 1, 9'900), (answer{wait, 0, 3'208, 1'608}));
    EXPECT_EQ(m.peek(1'600, 0), (answer{ok, 0, 3'200, 0}));
    EXPECT_EQ(m.peek(3'200, 0), (answer{ok, 2, 1'600, 0}));
}

}  // namespace

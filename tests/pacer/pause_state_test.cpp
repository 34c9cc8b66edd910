// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/pacer/pause_state.hpp>

namespace {

using clock = weir::manual_clock<struct pauses>;
using instant = weir::instant<clock>;
using pause = weir::pause_state<clock>;

TEST(pause_state, tells_producers_of_a_time_only_while_it_has_one) {
    pause p;
    EXPECT_FALSE(p.paused());
    EXPECT_EQ(p.after(instant{10}), instant{10});
    p.begin(instant{50});
    EXPECT_TRUE(p.paused());
    EXPECT_EQ(p.after(instant{10}), instant{50});
    EXPECT_EQ(p.after(instant{60}), instant{60}) << "it is over, and nobody has polled";
    p.begin();
    EXPECT_TRUE(p.paused());
    EXPECT_EQ(p.after(instant{10}), instant{10}) << "nobody knows when it ends";
    p.begin(instant{50});
    p.end();
    EXPECT_FALSE(p.paused());
    EXPECT_EQ(p.after(instant{10}), instant{10});
}

TEST(pause_state, is_over_at_its_time_and_never_without_one) {
    pause p;
    EXPECT_FALSE(p.is_over(instant{10}));
    p.begin(instant{50});
    EXPECT_FALSE(p.is_over(instant{49}));
    EXPECT_TRUE(p.is_over(instant{50}));
    p.begin();
    EXPECT_FALSE(p.is_over(instant{50}));
}

TEST(pause_state, outlasts_what_ends_before_it) {
    pause p;
    EXPECT_FALSE(p.outlasts(instant{10}));
    p.begin(instant{50});
    EXPECT_TRUE(p.outlasts(instant{49}));
    EXPECT_FALSE(p.outlasts(instant{50}));
    p.begin();
    EXPECT_TRUE(p.outlasts(instant{1'000'000}));
}

}  // namespace

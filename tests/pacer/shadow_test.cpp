// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/limiter/shadow.hpp>
#include <weir/pacer/pacer.hpp>

namespace {

TEST(a_shadow, lets_a_pacer_go_as_fast_as_it_is_polled) {
    using clock = weir::manual_clock<struct of_a_shadow>;
    weir::limiter<weir::gcra<>, clock> venue{weir::quota{1, weir::seconds(1), 1}};
    weir::shadow trial(venue);
    int sent = 0;
    auto orders = weir::make_pacer<int>(
        trial, weir::sink{[&](int&&) { ++sent; }, [](int&&, weir::dropped) {}});
    auto lane = orders.open();
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(lane.try_push(int{i}));
    (void)orders.poll();
    EXPECT_EQ(sent, 5);
    EXPECT_EQ(trial.observer().denied(), 4U);
}

}  // namespace

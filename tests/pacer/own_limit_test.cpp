// SPDX-License-Identifier: MIT
// A pacer on a limit of one's own.
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/pacer/pacer.hpp>

#include "../own_limit.hpp"

namespace {

using clock = weir::manual_clock<struct own_paced, 1'000>;

TEST(pacer_on_own_limit, emits_at_its_pace) {
    clock::set({1'000'000});
    std::vector<int> sent;
    own::limit<clock> pace(2, 100);
    auto p = weir::make_pacer<int>(
        pace, weir::sink{[&](int&& i) { sent.push_back(i); }, [](int&&, weir::dropped) {}});
    auto lane = p.open();
    for (int i = 0; i < 4; ++i) ASSERT_TRUE(lane.try_push(int{i}));
    const weir::next_poll then = p.poll();
    EXPECT_EQ(sent.size(), 2U);
    EXPECT_EQ(then.what, weir::polled::due);
    EXPECT_EQ(then.at, weir::instant<clock>{1'000'100});
    (void)p.poll(weir::instant<clock>{1'000'100});
    EXPECT_EQ(sent, (std::vector{0, 1, 2}));
}

}  // namespace

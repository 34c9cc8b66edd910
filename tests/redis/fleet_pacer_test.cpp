// SPDX-License-Identifier: MIT
// A pacer on a limit that machines share.
#include <gtest/gtest.h>

#include <weir/adapter/fleet_limiter.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

#include "server.hpp"

namespace {

TEST(a_pacer_of_a_fleet, sends_what_the_fleet_may) {
    const redis_server server;
    weir::fleet_limiter limit(server.options(), "paced", weir::per_hour(1'000), {.processes = 4});
    int sent = 0;
    int dropped = 0;
    auto p = weir::make_pacer<int>(
        limit, weir::sink{[&](int&&) { ++sent; }, [&](int&&, weir::dropped) { ++dropped; }},
        {.capacity = 100});
    auto lane = p.open();
    for (int i = 0; i < 60; ++i) EXPECT_TRUE(lane.try_push(1));
    // There are 31 units at first, and the thread fetches more as the pacer is refused some.
    while (sent + dropped < 60) (void)p.poll();
    EXPECT_EQ(sent, 60);
}

}  // namespace

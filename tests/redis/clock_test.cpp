// SPDX-License-Identifier: MIT
// Redis's clock is set, forward and back, while limits are in use.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/weir.hpp>

#include "redis_clock.hpp"
#include "server.hpp"

namespace {

using weir::per_hour;
using weir::remote_rule;

class clock_of_redis : public testing::TestWithParam<remote_rule> {
protected:
    static constexpr std::chrono::seconds day = std::chrono::hours(24);
    void set(std::chrono::seconds more) const { clock_.set(more); }

    redis_clock clock_;
    redis_server server_{redis_server::words{}, clock_.environment()};
    weir::redis_connection redis_{server_.options()};
};

// Units come back that early, once: in all that is one burst more, and no more when the clock goes
// back and comes to that time again.
TEST_P(clock_of_redis, goes_forward) {
    weir::remote_limiter limit(redis_, "limit", {10, weir::hours(240)}, GetParam());
    EXPECT_EQ(limit.acquire_up_to("a", 100).units(), 10U);
    EXPECT_EQ(limit.acquire_up_to("a", 100).units(), 0U);
    set(30 * day);
    EXPECT_EQ(limit.acquire_up_to("a", 100).units(), 10U);
    EXPECT_EQ(limit.acquire_up_to("a", 100).units(), 0U);
    set({});
    EXPECT_EQ(limit.acquire_up_to("a", 100).units(), 0U);
    set(day);
    EXPECT_LE(limit.acquire_up_to("a", 100).units(), GetParam() == remote_rule::gcra ? 1U : 0U);
}

// What was used counts from then on: a limit denies for two periods at most, and not until the
// clock has come to where it was.
TEST_P(clock_of_redis, goes_back) {
    weir::remote_limiter limit(redis_, "limit", {10, weir::hours(240)}, GetParam());
    EXPECT_EQ(limit.acquire_up_to("a", 100).units(), 10U);
    set(-300 * day);
    auto d = limit.try_acquire("a");
    EXPECT_FALSE(d);
    EXPECT_FALSE(d.failed()) << d;
    EXPECT_LE(d.retry_after(), weir::hours(480));
    EXPECT_LE(d.reset_after(), weir::hours(480));
    set(-279 * day);
    EXPECT_EQ(limit.acquire_up_to("a", 100).units(), 10U);
}

INSTANTIATE_TEST_SUITE_P(each, clock_of_redis,
                         testing::Values(remote_rule::gcra, remote_rule::fixed_window,
                                         remote_rule::sliding_window, remote_rule::sliding_log),
                         [](const auto& which) { return std::string(describe(which.param)); });

}  // namespace

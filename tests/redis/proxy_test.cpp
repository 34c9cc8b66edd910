// SPDX-License-Identifier: MIT
// A network between: answers that come late, and connections that are cut at every byte.
#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/weir.hpp>

#include "proxy.hpp"
#include "server.hpp"

namespace {

using weir::redis_error;

class network : public testing::Test {
protected:
    [[nodiscard]] weir::redis_options options() const {
        weir::redis_options o = server_.options();
        o.socket = between_.socket();
        return o;
    }
    // None comes back while a test runs.
    [[nodiscard]] static weir::remote_limiter limit(weir::redis_connection& redis) {
        return {redis, "limit", {1'000'000, weir::hours(240)}, weir::remote_rule::fixed_window};
    }
    // Units that Redis has given away.
    [[nodiscard]] std::uint64_t taken(const std::string& key) {
        weir::redis_connection direct(server_.options());
        return 1'000'000 - limit(direct).peek(key, 0).remaining();
    }

    redis_server server_;
    proxy between_{server_};
};

TEST_F(network, late_answers_are_waited_for_and_those_too_late_are_nobodys) {
    weir::redis_options o = options();
    weir::redis_connection patient(o);
    weir::remote_limiter its = limit(patient);
    between_.delay(std::chrono::milliseconds(20));
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(its.try_acquire("a"));
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(20));

    o.answer_within = weir::milliseconds(5);
    weir::redis_connection hasty(o);
    weir::remote_limiter other = limit(hasty);
    for (int i = 0; i < 5; ++i) {
        const auto d = other.try_acquire("b");
        EXPECT_TRUE(d.error() == redis_error::too_slow || d.error() == redis_error::cut_off ||
                    d.error() == redis_error::down)
            << d;
    }
    between_.delay({});
    // Of five units, those that Redis has heard of are taken, and none twice.
    EXPECT_LE(taken("b"), 5U);
}

// Whatever byte of the answers is the last that comes: what was told as admitted has been taken,
// once, and what nobody knows is at most taken.
TEST_F(network, cut_at_every_byte) {
    std::uint64_t cuts = 0;
    for (long bytes = 0; bytes < 200; bytes += 3) {
        const std::string key = std::to_string(bytes);
        weir::redis_connection redis(options());
        weir::remote_limiter its = limit(redis);
        ASSERT_TRUE(its.try_acquire(key));
        between_.cut_after(bytes);
        std::uint64_t admitted = 1;
        std::uint64_t unknown = 0;
        for (int i = 0; i < 3; ++i) {
            const auto d = its.try_acquire_each(std::vector<weir::remote_request>(3, {key}));
            for (const auto& one : d) {
                admitted += one.admitted() ? 1U : 0U;
                unknown += one.error() == redis_error::cut_off ? 1U : 0U;
            }
        }
        cuts += unknown;
        const std::uint64_t used = taken(key);
        EXPECT_GE(used, admitted) << bytes;
        EXPECT_LE(used, admitted + unknown) << bytes;
    }
    EXPECT_GT(cuts, 20U);
}

}  // namespace

// SPDX-License-Identifier: MIT
// Processes that share a limit: together they have one quota.
#include <csignal>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/weir.hpp>

#include "family.hpp"
#include "server.hpp"

namespace {

constexpr int processes = 6;

struct report {
    std::uint64_t admitted;
    std::uint64_t asked;
    std::uint64_t failed;
};

using all_processes = family<report, processes>;

TEST(processes_and_redis, have_one_quota) {
    const redis_server server;
    for (const weir::remote_rule rule :
         {weir::remote_rule::gcra, weir::remote_rule::fixed_window,
          weir::remote_rule::sliding_window, weir::remote_rule::sliding_log}) {
        SCOPED_TRACE(describe(rule));
        const all_processes all([&](int which, report& mine) {
            weir::redis_connection redis(server.options());
            // So slow that nothing comes back while the test runs: the bound is the burst. (The
            // windows of the clock begin anew once in ten days.)
            weir::remote_limiter limit(redis, describe(rule), {1000, weir::hours(240)}, rule);
            bool is_there = true;
            while (is_there || mine.asked < 300) {
                const auto d = which % 2 == 0 ? limit.try_acquire("all", 1 + mine.asked % 3)
                                              : limit.acquire_up_to("all", 3);
                ++mine.asked;
                mine.admitted += d.units();
                mine.failed += d.failed() ? 1U : 0U;
                is_there = d.admitted() || (d.remaining() > 0 && !d.failed());
            }
        });
        EXPECT_EQ(all.wait(), 0);
        std::uint64_t admitted = 0;
        for (int which = 0; which < processes; ++which) {
            admitted += all.reports()[which].admitted;
            EXPECT_EQ(all.reports()[which].failed, 0U);
        }
        if (rule == weir::remote_rule::gcra || rule == weir::remote_rule::sliding_log ||
            rule == weir::remote_rule::fixed_window) {
            // A gcra has one unit in 864 s.
            EXPECT_GE(admitted, 1000U);
            EXPECT_LE(admitted, rule == weir::remote_rule::gcra ? 1001U : 1000U);
        } else {
            EXPECT_GE(admitted, 1000U);
            EXPECT_LE(admitted, 2000U);
        }
    }
}

// What Redis says the time is, in microseconds. Two integers as text.
long long time_of(const redis_server& server) {
    redisContext* const to = redisConnectUnix(server.socket().c_str());
    auto* const answer = static_cast<redisReply*>(redisCommand(to, "TIME"));
    const long long now =
        std::stoll(answer->element[0]->str) * 1'000'000 + std::stoll(answer->element[1]->str);
    freeReplyObject(answer);
    redisFree(to);
    return now;
}

// Units come back meanwhile: all of them together stay below burst + rate x time, by Redis's time.
TEST(processes_and_redis, take_no_more_than_comes_back) {
    const redis_server server;
    const long long begin = time_of(server);
    const all_processes all([&](int which, report& mine) {
        weir::redis_connection redis(server.options());
        weir::remote_limiter limit(redis, "limit", weir::per_second(3'000).with_burst(20));
        // One of them is killed in the middle of it.
        while (mine.asked < 1'500) {
            const auto d = limit.acquire_up_to("all", 2);
            ++mine.asked;
            mine.admitted += d.units();
            if (which == 0 && mine.asked == 700) raise(SIGKILL);
        }
    });
    EXPECT_EQ(all.wait(), 1);
    const long long end = time_of(server);
    std::uint64_t admitted = 0;
    for (int which = 0; which < processes; ++which) admitted += all.reports()[which].admitted;
    EXPECT_GE(admitted, 20U);
    EXPECT_LE(admitted, 20 + static_cast<std::uint64_t>(end - begin) * 3'000 / 1'000'000);
}

}  // namespace

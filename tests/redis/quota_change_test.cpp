// SPDX-License-Identifier: MIT
// Two quotas for one name, as while a new version of a service is rolled out: both together admit
// no more than the larger one alone may.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/redis_connection.hpp>
#include <weir/adapter/redis_script.hpp>

#include "../oracle/dice.hpp"
#include "../oracle/effort.hpp"
#include "server.hpp"

namespace {

struct quota {
    std::uint64_t units;
    std::uint64_t period;
    std::uint64_t burst;
};

struct passed {
    std::uint64_t now;
    std::uint64_t units;
};

class two_quotas : public testing::TestWithParam<const char*> {};

TEST_P(two_quotas, never_add_up) {
    const redis_server server;
    weir::redis_connection redis(server.options());
    ASSERT_NE(server.ask({"SCRIPT", "LOAD", weir::detail::redis_script}), "");
    const bool is_gcra = std::string(GetParam()) == "gcra";
    const std::uint64_t histories = oracle::scaled(60);
    for (std::uint64_t h = 0; h < histories; ++h) {
        oracle::dice chaos(h);
        quota quotas[2];
        for (quota& q : quotas) {
            q.units = 1 + chaos.roll(20);
            q.period = 10 + chaos.roll(1000);
            q.burst = is_gcra ? 1 + chaos.roll(20) : q.units;
        }
        const std::string key = std::to_string(h);
        std::uint64_t now = 1'000'000 + chaos.roll(1'000'000);
        weir::detail::redis_commands commands;
        std::vector<std::uint64_t> times;
        for (int i = 0; i < 400; ++i) {
            const quota& q = quotas[chaos.roll(2)];
            now += chaos.roll(1 + q.period / 4);
            times.push_back(now);
            commands.add({"EVALSHA", weir::detail::redis_script_sha1, "1", key, GetParam(), "up_to",
                          std::to_string(1 + chaos.roll(q.burst)), std::to_string(q.units),
                          std::to_string(q.period), std::to_string(q.burst), "",
                          std::to_string(now)});
        }
        std::vector<passed> all;
        const auto failed = redis.call(commands, [&](std::size_t i, const redisReply& told) {
            ASSERT_EQ(told.type, REDIS_REPLY_ARRAY) << told.str;
            const auto units = static_cast<std::uint64_t>(told.element[1]->integer);
            if (units > 0) all.push_back({times[i], units});
        });
        ASSERT_EQ(failed, weir::redis_error::none);
        ASSERT_GT(all.size(), 5U);

        const std::uint64_t burst = std::max(quotas[0].burst, quotas[1].burst);
        const std::uint64_t shortest = std::min(quotas[0].period, quotas[1].period);
        const double rate =
            std::max(static_cast<double>(quotas[0].units) / static_cast<double>(quotas[0].period),
                     static_cast<double>(quotas[1].units) / static_cast<double>(quotas[1].period));
        const bool is_log = std::string(GetParam()) == "sliding_log";
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::uint64_t sum = 0;
            for (std::size_t j = i; j < all.size(); ++j) {
                sum += all[j].units;
                const std::uint64_t length = all[j].now - all[i].now;
                if (is_gcra) {
                    ASSERT_LE(static_cast<double>(sum), static_cast<double>(burst) +
                                                            rate * static_cast<double>(length) +
                                                            1e-6)
                        << "history " << h;
                } else if (length < shortest) {
                    // Of windows, what the larger quota lets pass in its worst period.
                    ASSERT_LE(sum, is_log ? burst : 2 * burst) << "history " << h;
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(each, two_quotas,
                         testing::Values("gcra", "fixed_window", "sliding_window", "sliding_log"),
                         [](const auto& which) { return std::string(which.param); });

}  // namespace

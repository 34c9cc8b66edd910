// SPDX-License-Identifier: MIT
// What tests of leased limits stand on: a Redis, and a limit in it for which nothing comes back
// while a test runs, so that each unit can be counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/weir.hpp>

#include "server.hpp"

class slow_limit : public testing::Test {
protected:
    // Four processes lease 125 each at most.
    static constexpr weir::quota thousand{1'000, weir::hours(240)};

    // What Redis has left of the limit "slow", which is that of a remote_limiter. One without keys
    // is that of the empty key.
    [[nodiscard]] std::uint64_t left_in_redis(const std::string& key = {}) const {
        weir::redis_connection redis(server_.options());
        return weir::remote_limiter(redis, "slow", thousand).peek(key, 0).remaining();
    }

    [[nodiscard]] static std::ptrdiff_t threads_of_this_process() {
        using files = std::filesystem::directory_iterator;
        return std::distance(files("/proc/self/task"), files());
    }
    // However long that takes: the system counts a thread that has been joined a little longer.
    static void wait_for_threads(std::ptrdiff_t count) {
        while (threads_of_this_process() != count) usleep(1'000);
    }

    redis_server server_;
};

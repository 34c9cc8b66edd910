// SPDX-License-Identifier: MIT
// Redis's clock is set, forward and back, while limits are in use.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/weir.hpp>

#include "server.hpp"

namespace {

using weir::per_hour;
using weir::remote_rule;

class clock_of_redis : public testing::TestWithParam<remote_rule> {
protected:
    // To that of the machine and so much more.
    void set(std::chrono::seconds more) const {
        const std::string part = file_ + ".new";
        const std::int64_t number = more.count();
        std::ofstream(part).write(reinterpret_cast<const char*>(&number), sizeof number);
        std::filesystem::rename(part, file_);
    }
    static constexpr std::chrono::seconds day = std::chrono::hours(24);

    void SetUp() override {
        folder_ = (std::filesystem::temp_directory_path() / "weir_clock_XXXXXX").string();
        ASSERT_NE(mkdtemp(folder_.data()), nullptr);
        file_ = folder_ + "/time";
        set({});
        server_.emplace(redis_server::words{},
                        redis_server::words{"LD_PRELOAD=" WEIR_SET_CLOCK, "WEIR_CLOCK=" + file_});
        redis_.emplace(server_->options());
    }
    void TearDown() override {
        redis_.reset();
        server_.reset();
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    std::string folder_;
    std::string file_;
    std::optional<redis_server> server_;
    std::optional<weir::redis_connection> redis_;
};

// Units come back that early, once: in all that is one burst more, and no more when the clock goes
// back and comes to that time again.
TEST_P(clock_of_redis, goes_forward) {
    weir::remote_limiter limit(*redis_, "limit", {10, weir::hours(240)}, GetParam());
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
    weir::remote_limiter limit(*redis_, "limit", {10, weir::hours(240)}, GetParam());
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

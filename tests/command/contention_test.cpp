// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "command/demo/contention.hpp"
#include "command/demo/report.hpp"
#include "command/style.hpp"

namespace {

using namespace weir::command;

TEST(contend, admits_something_and_never_more_than_is_exact) {
    for (const weir::quota& q : contended_quotas()) {
        for (const unsigned threads : {1U, 3U}) {
            const contention c = contend(q, threads, std::chrono::milliseconds(20));
            EXPECT_EQ(c.threads, threads);
            EXPECT_GT(c.admitted, 0U);
            EXPECT_LE(c.admitted, c.exact);
            EXPECT_EQ(c.started_with, static_cast<std::uint64_t>(q.burst() / 2));
            EXPECT_GE(c.exact, c.started_with);
        }
    }
}

contention with(std::uint64_t admitted, std::uint64_t denied) {
    return {.asked = weir::per_second(1'000),
            .threads = 2,
            .seconds = 1,
            .started_with = 500,
            .exact = 1'500,
            .admitted = admitted,
            .denied = denied,
            .nanoseconds_per_decision = 50};
}

TEST(contention, that_asks_for_less_than_is_there_has_no_ratio) {
    const style out{.width = 200};
    const std::string text = contention_text({with(100, 0)}, out);
    EXPECT_NE(text.find("not saturated"), std::string::npos) << text;
    EXPECT_NE(text.find("nothing was denied"), std::string::npos) << text;
    EXPECT_EQ(text.find("0.066666"), std::string::npos) << text;
    findings f{};
    f.where = this_machine();
    f.contended = {with(100, 0), with(1'500, 7)};
    const std::string json = json_text(f);
    EXPECT_NE(json.find("\"saturated\":false,\"ratio\":null,\"denied\":0"), std::string::npos);
    EXPECT_NE(json.find("\"saturated\":true,\"ratio\":1,\"denied\":7"), std::string::npos);
}

TEST(contention, that_asks_for_more_has_a_ratio) {
    const style out{.width = 200};
    const std::string text = contention_text({with(1'500, 7)}, out);
    EXPECT_EQ(text.find("aturated"), std::string::npos) << text;
    EXPECT_NE(text.find("1.000000"), std::string::npos) << text;
}

}  // namespace

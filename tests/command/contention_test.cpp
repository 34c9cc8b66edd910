#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

#include "command/demo/contention.hpp"

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

}  // namespace

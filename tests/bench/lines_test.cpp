// SPDX-License-Identifier: MIT
// The bench's model of shared cache lines: what can be told by hand, and that it is the same in
// each run.
#include <cstddef>

#include <gtest/gtest.h>

#include "lines/lines.hpp"

namespace {

using bench::lines::costs;
using bench::lines::ns_a_decision;
using bench::lines::subject;

constexpr costs some{8'000, 20'000, 21'000};
constexpr std::size_t many = std::size_t{1} << 18U;

TEST(model_of_lines, one_core_pays_for_no_transfer_but_the_first) {
    EXPECT_NEAR(ns_a_decision(subject::limiter, 1, some, 1, 1), 8 + 21 / 2000.0, 1e-9);
}

// The line is always under way: each decision waits for as many transfers as there are cores.
TEST(model_of_lines, cores_on_one_limiter_wait_for_each_other) {
    for (const std::size_t cores : {2U, 8U, 32U, 128U}) {
        const double all = 21.0 * static_cast<double>(cores);
        EXPECT_NEAR(ns_a_decision(subject::limiter, cores, some, 1, 1), all, all / 20);
    }
}

TEST(model_of_lines, a_lease_shares_the_transfers_of_all_decisions) {
    // 255 decisions of 8 ns, and one of 20 and a transfer that nobody else wants.
    EXPECT_NEAR(ns_a_decision(subject::leased, 2, some, 256, 1), 8 + 33 / 256.0, 0.05);
    // With so many cores the shared line is under way all the time again.
    EXPECT_NEAR(ns_a_decision(subject::leased, 128, some, 64, 1), 21.0 * 128 / 64, 3);
}

TEST(model_of_lines, keys_cost_a_transfer_however_many_cores_there_are) {
    EXPECT_NEAR(ns_a_decision(subject::keyed, 2, some, 1, many), 29, 1);
    EXPECT_NEAR(ns_a_decision(subject::keyed, 128, some, 1, many), 29, 1);
    // On one line they are a limiter.
    EXPECT_NEAR(ns_a_decision(subject::keyed, 8, some, 1, 1), 168, 9);
}

TEST(model_of_lines, is_the_same_in_each_run) {
    EXPECT_EQ(ns_a_decision(subject::keyed, 8, some, 1, 100),
              ns_a_decision(subject::keyed, 8, some, 1, 100));
}

}  // namespace

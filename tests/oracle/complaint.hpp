// SPDX-License-Identifier: MIT
// How a random history that failed is told: in one line to repeat it by, and then its story.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace oracle {

inline void expect_no(const std::optional<std::string>& story, std::uint64_t seed,
                      const char* program = "oracle_tests") {
    if (!story) return;
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    ADD_FAILURE() << "WEIR_TEST_SEED=" << seed << " " << program
                  << " --gtest_filter=" << test->test_suite_name() << "." << test->name() << "\n"
                  << *story;
}

}  // namespace oracle

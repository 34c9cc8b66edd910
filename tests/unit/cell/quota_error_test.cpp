// SPDX-License-Identifier: MIT
#include <string>

#include <gtest/gtest.h>

#include <weir/cell/quota_error.hpp>

namespace {

using weir::quota_error;

TEST(quota_error, has_a_sentence_of_its_own_for_each_value) {
    const auto last = static_cast<int>(quota_error::change_too_long);
    for (int i = 0; i <= last; ++i) {
        const std::string sentence = weir::describe(static_cast<quota_error>(i));
        EXPECT_NE(sentence, "unknown error") << i;
        for (int k = 0; k < i; ++k)
            EXPECT_NE(sentence, weir::describe(static_cast<quota_error>(k)));
    }
    EXPECT_STREQ(weir::describe(static_cast<quota_error>(last + 1)), "unknown error");
}

}  // namespace

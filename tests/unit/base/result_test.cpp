#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/result.hpp>

namespace {

TEST(result, holds_a_value_or_a_reason) {
    const weir::result<int> good = 7;
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, 7);
    EXPECT_EQ(good.error(), weir::error::none);

    const weir::result<int> bad = weir::error::burst_too_long;
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.error(), weir::error::burst_too_long);
}

TEST(result, throws_its_reason_where_exceptions_are_on) {
    try {
        (void)weir::result<int>(weir::error::rate_too_fine).value();
        FAIL() << "nothing was thrown";
    } catch (const weir::refused& e) {
        EXPECT_EQ(e.reason(), weir::error::rate_too_fine);
        EXPECT_STREQ(e.what(), weir::describe(weir::error::rate_too_fine));
    }
}

TEST(describe, has_a_sentence_of_its_own_for_each_error) {
    const auto last = static_cast<int>(weir::error::period_unit_unknown);
    for (int i = 0; i <= last; ++i) {
        const std::string sentence = weir::describe(static_cast<weir::error>(i));
        EXPECT_NE(sentence, "unknown error") << i;
        for (int k = 0; k < i; ++k)
            EXPECT_NE(sentence, weir::describe(static_cast<weir::error>(k)));
    }
    EXPECT_STREQ(weir::describe(static_cast<weir::error>(last + 1)), "unknown error");
}

}  // namespace

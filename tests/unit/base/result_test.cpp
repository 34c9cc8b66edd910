#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <weir/base/end_program.hpp>
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

struct pair {
    int first;
    int second;
};

TEST(result, ends_the_program_with_the_reason_if_an_error_is_asked_for_its_value) {
    weir::result<pair> bad = weir::error::rate_too_fine;
    const weir::result<pair>& same = bad;
    const std::string reason = "^weir: .*: this cell cannot hold the rate within 1 %\n";
    EXPECT_DEATH(std::printf("%d", (*bad).first), reason);
    EXPECT_DEATH(std::printf("%d", (*same).first), reason);
    EXPECT_DEATH(std::printf("%d", (*std::move(bad)).first), reason);
    EXPECT_DEATH(std::printf("%d", bad->second), reason);
    EXPECT_DEATH(std::printf("%d", same->second), reason);
}

TEST(result, ends_the_program_if_it_is_made_of_no_error) {
    weir::error none = weir::error::none;
    EXPECT_DEATH(std::printf("%d", weir::result<int>(none) ? 1 : 0),
                 "^weir: a result is a value or an error, and error::none is neither\n");
}

TEST(end_program, prints_one_line_and_no_more_than_fits_into_it) {
    const std::string end = "\n(qemu: [^\n]*\n)?$";  // an emulator adds a line of its own
    EXPECT_DEATH(weir::detail::end_program("this must not happen"),
                 "^weir: this must not happen" + end);
    const std::string longest(1'000, 'x');
    EXPECT_DEATH(weir::detail::end_program("so long", longest.c_str()),
                 "^weir: so long: x{240}" + end);
}

template <weir::error Reason>
concept is_a_constant = requires {
    typename std::bool_constant<(*weir::result<int>(Reason) + 1 > 0)>;
};
static_assert(!is_a_constant<weir::error::rate_too_fine>);
template <weir::error Reason>
concept has_a_constant_member = requires {
    typename std::bool_constant<(weir::result<pair>(Reason)->first > 0)>;
};
static_assert(!has_a_constant_member<weir::error::burst_too_long>);
template <weir::error Reason>
concept is_a_constant_without_a_value = requires {
    typename std::bool_constant<!weir::result<int>(Reason)>;
};
static_assert(is_a_constant_without_a_value<weir::error::rate_too_fine>);
static_assert(!is_a_constant_without_a_value<weir::error::none>);
static_assert(*weir::result<int>(7) == 7 && weir::result<pair>(pair{1, 2})->second == 2);

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

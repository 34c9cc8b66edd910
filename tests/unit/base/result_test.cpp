// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <weir/base/end_program.hpp>
#include <weir/base/result.hpp>

// Errors of somebody else's: all that `result` knows of them is found by their type.
namespace elsewhere {

enum class mistake : std::uint8_t { none, too_heavy, too_late };

[[nodiscard]] constexpr const char* describe(mistake m) noexcept {
    switch (m) {
        case mistake::none: return "no mistake";
        case mistake::too_heavy: return "this is too heavy to carry";
        case mistake::too_late: return "this comes too late";
    }
    return "unknown mistake";
}

inline void it_is_too_heavy_or_too_late() {}
constexpr void must_not_compile(mistake m) {
    if (m != mistake::none) it_is_too_heavy_or_too_late();
}

}  // namespace elsewhere

namespace {

using elsewhere::mistake;
template <class T>
using result = weir::result<T, mistake>;

TEST(result, holds_a_value_or_a_reason) {
    const result<int> good = 7;
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, 7);
    EXPECT_EQ(good.error(), mistake::none);

    const result<int> bad = mistake::too_late;
    EXPECT_FALSE(bad);
    EXPECT_EQ(bad.error(), mistake::too_late);
}

TEST(result, throws_the_sentence_of_its_reason_where_exceptions_are_on) {
    try {
        (void)result<int>(mistake::too_heavy).value();
        FAIL() << "nothing was thrown";
    } catch (const weir::refused& e) {
        EXPECT_STREQ(e.what(), "this is too heavy to carry");
    }
}

struct pair {
    int first;
    int second;
};

TEST(result, ends_the_program_with_the_reason_if_an_error_is_asked_for_its_value) {
    result<pair> bad = mistake::too_heavy;
    const result<pair>& same = bad;
    const std::string reason = "^weir: .*: this is too heavy to carry\n";
    EXPECT_DEATH(std::printf("%d", (*bad).first), reason);
    EXPECT_DEATH(std::printf("%d", (*same).first), reason);
    EXPECT_DEATH(std::printf("%d", (*result<pair>(bad)).first), reason);
    EXPECT_DEATH(std::printf("%d", bad->second), reason);
    EXPECT_DEATH(std::printf("%d", same->second), reason);
}

TEST(result, ends_the_program_if_it_is_made_of_no_error) {
    mistake none = mistake::none;
    EXPECT_DEATH(std::printf("%d", result<int>(none) ? 1 : 0),
                 "^weir: a result is a value or an error, and the error none is neither\n");
}

#if GTEST_USES_POSIX_RE  // Windows has no regular expressions for this
TEST(end_program, prints_one_line_and_no_more_than_fits_into_it) {
    const std::string end = "\n(qemu: [^\n]*\n)?$";  // an emulator adds a line of its own
    EXPECT_DEATH(weir::detail::end_program("this must not happen"),
                 "^weir: this must not happen" + end);
    const std::string longest(1'000, 'x');
    EXPECT_DEATH(weir::detail::end_program("so long", longest.c_str()),
                 "^weir: so long: x{240}" + end);
}
#endif

template <mistake Reason>
concept is_a_constant = requires {
    typename std::bool_constant<(*result<int>(Reason) + 1 > 0)>;
};
static_assert(!is_a_constant<mistake::too_heavy>);
template <mistake Reason>
concept has_a_constant_member = requires {
    typename std::bool_constant<(result<pair>(Reason)->first > 0)>;
};
static_assert(!has_a_constant_member<mistake::too_late>);
template <mistake Reason>
concept is_a_constant_without_a_value = requires {
    typename std::bool_constant<!result<int>(Reason)>;
};
static_assert(is_a_constant_without_a_value<mistake::too_heavy>);
static_assert(!is_a_constant_without_a_value<mistake::none>);
static_assert(*result<int>(7) == 7 && result<pair>(pair{1, 2})->second == 2);

enum class nothing_to_say : std::uint8_t { none };
static_assert(weir::error_code<mistake> && !weir::error_code<nothing_to_say>);

// What has to be closed.
class closed {
public:
    closed() { ++made_; }
    closed(closed&&) noexcept { ++made_; }
    ~closed() { ++ended_; }

    static inline int made_ = 0;
    static inline int ended_ = 0;
};

TEST(result, ends_its_value_once_and_only_if_it_has_one) {
    using opened = weir::result<closed, mistake>;
    {
        opened first = closed();
        const opened moved = std::move(first);
        EXPECT_TRUE(moved);
        const closed kept = opened(closed()).value();
        EXPECT_GT(closed::made_, closed::ended_);
    }
    EXPECT_EQ(closed::made_, closed::ended_);
    {
        opened error = mistake::too_heavy;
        const opened moved = std::move(error);
        EXPECT_EQ(moved.error(), mistake::too_heavy);
    }
    EXPECT_EQ(closed::made_, closed::ended_);
}

}  // namespace

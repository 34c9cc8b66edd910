// SPDX-License-Identifier: MIT
#include <atomic>
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/base/word.hpp>

namespace {

TEST(word, is_the_widest_that_is_always_lock_free) {
    EXPECT_EQ(sizeof(weir::word) == 8, std::atomic<std::uint64_t>::is_always_lock_free);
    EXPECT_TRUE(std::atomic<weir::word>::is_always_lock_free);
}

static_assert(weir::bits_of<std::uint64_t> == 64 && weir::bits_of<std::uint8_t> == 8);
static_assert(weir::largest<std::uint64_t> == UINT64_MAX);
static_assert(weir::largest<std::uint8_t> == UINT8_MAX);

TEST(tick, is_0_if_nobody_says_which) { EXPECT_EQ(weir::tick{}.count, 0U); }

TEST(earlier, orders_instants_across_the_wrap) {
    constexpr auto last = weir::largest<std::uint32_t>;
    EXPECT_TRUE(weir::earlier<std::uint32_t>(1, 2));
    EXPECT_FALSE(weir::earlier<std::uint32_t>(2, 1));
    EXPECT_FALSE(weir::earlier<std::uint32_t>(7, 7));
    EXPECT_TRUE(weir::earlier<std::uint32_t>(last, 0));
    EXPECT_FALSE(weir::earlier<std::uint32_t>(0, last));
    EXPECT_TRUE(weir::earlier<std::uint32_t>(last - 5, last / 2 - 10));
    EXPECT_FALSE(weir::earlier<std::uint32_t>(last / 2, 0)) << "just below half the circle";
    EXPECT_TRUE(weir::earlier<std::uint32_t>(last / 2 + 1, 0));
    EXPECT_TRUE(weir::earlier(weir::tick{weir::largest<weir::word>}, weir::tick{3}));
}

}  // namespace

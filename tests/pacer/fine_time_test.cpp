// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/pacer/fine_time.hpp>

namespace {

using weir::wide;

template <class Word>
using fine = weir::fine_time<Word>;

TEST(fine_time, is_rounded_up_at_its_last_bit_and_nowhere_else) {
    const auto third = fine<std::uint64_t>::from({0, 1}, {0, 3});
    EXPECT_EQ(third.ticks, 0U);
    EXPECT_EQ(third.parts, UINT64_MAX / 3 + 1);
    EXPECT_EQ(third * 3, (fine<std::uint64_t>{1, 2})) << "never less than a tick";
    const auto sixth = fine<std::uint32_t>::from({0, 7}, {0, 6});
    EXPECT_EQ(sixth.ticks, 1U);
    EXPECT_EQ(sixth.parts, UINT32_MAX / 6 + 1);
    EXPECT_EQ(fine<std::uint64_t>::from({0, 7}, {0, 2}), (fine<std::uint64_t>{3, 1ULL << 63}));
    EXPECT_EQ(fine<std::uint32_t>::from({0, UINT64_MAX}, {0, 6}).ticks, UINT32_MAX) << "too long";
    constexpr wide almost_one{1, 0};  // 2^64 / (2^64 + 1)
    EXPECT_EQ(fine<std::uint64_t>::from(almost_one, {1, 1}).rounded_up(), 1U);
}

TEST(fine_time, carries) {
    using time = fine<std::uint32_t>;
    constexpr time a{1, 0x8000'0000};
    EXPECT_EQ(a + a, (time{3, 0}));
    EXPECT_EQ(a * 5, (time{7, 0x8000'0000}));
    EXPECT_EQ(a.half(), (time{0, 0xC000'0000}));
    EXPECT_EQ((time{3, 0}).half(), (time{1, 0x8000'0000}));
    EXPECT_EQ(a.rounded_up(), 2U);
    EXPECT_EQ((time{2, 0}).rounded_up(), 2U);
    EXPECT_EQ(a.exact(), (wide{1, 1ULL << 63}));
}

TEST(fine_time, is_compared_on_a_circle) {
    using time = fine<std::uint32_t>;
    EXPECT_TRUE((time{1, 4}).earlier_than({1, 5}));
    EXPECT_FALSE((time{1, 5}).earlier_than({1, 5}));
    EXPECT_TRUE((time{UINT32_MAX, 9}).earlier_than({0, 1}));
    EXPECT_FALSE((time{0, 1}).earlier_than({UINT32_MAX, 9}));
}

}  // namespace

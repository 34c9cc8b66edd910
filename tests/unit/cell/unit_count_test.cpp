// SPDX-License-Identifier: MIT
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <gtest/gtest.h>

#include <weir/base/word.hpp>
#include <weir/cell/unit_count.hpp>

namespace {

using weir::unit_count;
using weir::word;

static_assert(std::is_trivially_copyable_v<unit_count>);
static_assert(sizeof(unit_count) == sizeof(word));
static_assert(unit_count(7) == 7U && unit_count(std::uint8_t{7}) == 7U && unit_count(7LL) == 7U);

// Only the compiler can know that -1 is none, and that 1 is one.
template <auto N>
concept counts = requires {
    typename std::integral_constant<word, unit_count(N)>;
};
static_assert(counts<0> && counts<1> && counts<std::numeric_limits<int>::max()>);
static_assert(!counts<-1> && !counts<std::numeric_limits<std::int64_t>::min()>);

TEST(unit_count, takes_any_unsigned_number_at_run_time) {
    const auto of = [](std::unsigned_integral auto n) { return word{unit_count(n)}; };
    EXPECT_EQ(of(std::uint8_t{200}), 200U);
    EXPECT_EQ(of(std::uint16_t{60'000}), 60'000U);
    EXPECT_EQ(of(std::uint32_t{4'000'000'000}), 4'000'000'000U);
    EXPECT_EQ(of(std::numeric_limits<word>::max()), weir::largest<word>);
}

// On a machine of 32 bits the low bits alone would be a few units.
TEST(unit_count, of_more_than_a_word_holds_is_as_many_as_it_can) {
    const auto many = [](std::uint64_t n) { return word{unit_count(n)}; };
    constexpr std::uint64_t above = (std::uint64_t{1} << 32) + 3;
    EXPECT_EQ(many(above), sizeof(word) == 8 ? static_cast<word>(above) : weir::largest<word>);
    EXPECT_EQ(many(std::numeric_limits<std::uint64_t>::max()), weir::largest<word>);
}

}  // namespace

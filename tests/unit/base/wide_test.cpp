// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/base/divisor.hpp>
#include <weir/base/wide.hpp>

#include "../../oracle/dice.hpp"

namespace {

// Numbers of all lengths, and those next to powers of two.
std::uint64_t any_number(oracle::dice& random) {
    const std::uint64_t power = std::uint64_t{1} << random.roll(64);
    switch (random.roll(3)) {
        case 0: return power - random.roll(2);
        case 1: return power + random.roll(2);
        default: return random.next() & (power | (power - 1));
    }
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 u128;  // NOLINT(modernize-use-using)

u128 native(weir::wide w) { return static_cast<u128>(w.high) << 64 | w.low; }

TEST(wide, adds_subtracts_shifts_and_compares_like_the_native_type) {
    oracle::dice random(1);
    for (int i = 0; i < 100'000; ++i) {
        const weir::wide a{any_number(random), any_number(random)};
        const weir::wide b{any_number(random), any_number(random)};
        const auto by = static_cast<unsigned>(random.roll(128));
        ASSERT_EQ(native(a + b), native(a) + native(b));
        ASSERT_EQ(native(a - b), native(a) - native(b));
        ASSERT_EQ(native(a << by), native(a) << by);
        ASSERT_EQ(a < b, native(a) < native(b));
        ASSERT_EQ(a == b, native(a) == native(b));
    }
}

TEST(wide, multiplies_and_divides_like_the_native_type) {
    oracle::dice random(2);
    for (int i = 0; i < 100'000; ++i) {
        const std::uint64_t x = any_number(random);
        const std::uint64_t y = any_number(random);
        ASSERT_EQ(native(weir::multiply(x, y)), static_cast<u128>(x) * y);
        ASSERT_EQ(weir::mul_high(x, y), static_cast<u128>(x) * y >> 64);

        const weir::wide numerator{any_number(random), any_number(random)};
        const weir::wide by{any_number(random) >> (1 + random.roll(63)), any_number(random) | 1};
        const weir::division d = weir::divide(numerator, by);
        ASSERT_EQ(native(d.quotient), native(numerator) / native(by));
        ASSERT_EQ(native(d.remainder), native(numerator) % native(by));
        const weir::division slow = weir::detail::divide_by_bits(numerator, by);
        ASSERT_EQ(native(slow.quotient), native(d.quotient));
        ASSERT_EQ(native(slow.remainder), native(d.remainder));
        const u128 up = (native(numerator) - 1) / native(by) + 1;
        ASSERT_EQ(native(weir::divide_up(numerator, by)), native(numerator) == 0 ? 0 : up);
    }
}

#endif

// What machines without such a type compile is checked against sums of shifted numbers.
TEST(wide, multiplies_as_by_shifting_and_adding_and_divides_as_it_multiplies) {
    const auto product = [](weir::wide x, std::uint64_t y) {
        weir::wide sum;
        for (unsigned bit = 0; bit < 64; ++bit) {
            if ((y >> bit & 1U) != 0) sum = sum + (x << bit);
        }
        return sum;
    };
    oracle::dice random(3);
    for (int i = 0; i < 20'000; ++i) {
        const std::uint64_t x = any_number(random);
        const std::uint64_t y = any_number(random) | 1;
        const weir::wide both = product({0, x}, y);
        ASSERT_EQ(weir::multiply(x, y), both);
        ASSERT_EQ(weir::mul_high(x, y), both.high);

        const weir::wide numerator{any_number(random), any_number(random)};
        const weir::division d = weir::divide(numerator, {0, y});
        ASSERT_EQ(product(d.quotient, y) + d.remainder, numerator);
        ASSERT_LT(d.remainder, (weir::wide{0, y}));
    }
}

TEST(wide, fits_only_below_the_bound) {
    EXPECT_TRUE((weir::wide{0, 7}.fits(7)));
    EXPECT_FALSE((weir::wide{0, 8}.fits(7)));
    EXPECT_FALSE((weir::wide{1, 0}.fits(7)));
}

template <class Word>
void divides_exactly(std::uint64_t seed) {
    oracle::dice random(seed);
    for (int i = 0; i < 200'000; ++i) {
        const auto value = static_cast<Word>(any_number(random));
        const auto x = static_cast<Word>(any_number(random));
        if (value == 0) continue;
        const weir::divisor<Word> by(value);
        ASSERT_EQ(by.value(), value);
        ASSERT_EQ(by.quotient(x), x / value) << x << " / " << value;
        if (x <= weir::largest<Word> - value) {
            ASSERT_EQ(by.quotient_up(x), x / value + (x % value != 0 ? 1 : 0))
                << x << " / " << value;
        }
    }
}

TEST(divisor, divides_exactly_without_dividing) {
    divides_exactly<std::uint32_t>(3);
    divides_exactly<std::uint64_t>(4);
}

}  // namespace

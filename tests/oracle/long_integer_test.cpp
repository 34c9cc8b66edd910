// SPDX-License-Identifier: MIT
// The integers of the models on 32-bit machines, against those that the compiler has on others.
#include <cstdint>

#include <gtest/gtest.h>

#include "dice.hpp"
#include "long_integer.hpp"

#ifdef __SIZEOF_INT128__

namespace {

using oracle::integer;
using oracle::long_integer;

integer native(long_integer x) {
    return integer{static_cast<std::int64_t>(x >> 64U)} << 64U |
           integer{static_cast<std::uint64_t>(x)};
}

// Of any length and sign, and what is next to a power of two.
long_integer any(oracle::dice& chaos) {
    const auto bits = static_cast<unsigned>(chaos.roll(126));
    const long_integer power = long_integer{1} << bits;
    const long_integer both = long_integer{chaos.next()} << 63U | long_integer{chaos.next() >> 1U};
    const long_integer size =
        chaos.chance(30) ? power - static_cast<int>(chaos.roll(3)) : both % power;
    return chaos.chance(50) ? size : -size;
}

TEST(long_integer, computes_as_the_native_type_does) {
    oracle::dice chaos(1);
    for (int i = 0; i < 200'000; ++i) {
        const long_integer a = any(chaos);
        const long_integer b = any(chaos);
        const auto by = static_cast<unsigned>(chaos.roll(128));
        // Half of each, so that no sum is too long for the native type.
        ASSERT_EQ(native((a >> 1U) + (b >> 1U)), (native(a) >> 1) + (native(b) >> 1));
        ASSERT_EQ(native((a >> 1U) - (b >> 1U)), (native(a) >> 1) - (native(b) >> 1));
        ASSERT_EQ(native((a >> 64U) * (b >> 64U)), (native(a) >> 64) * (native(b) >> 64));
        ASSERT_EQ(native(a << by >> by), native(a) << by >> by);
        ASSERT_EQ(native(a >> by), native(a) >> by);
        ASSERT_EQ(native(a | b), native(a) | native(b));
        ASSERT_EQ(native(-a), -native(a));
        ASSERT_EQ(a < b, native(a) < native(b));
        ASSERT_EQ(a == b, native(a) == native(b));
        ASSERT_DOUBLE_EQ(static_cast<double>(a), static_cast<double>(native(a)));
        if (b == 0) continue;
        ASSERT_EQ(native(a / b), native(a) / native(b));
        ASSERT_EQ(native(a % b), native(a) % native(b));
    }
}

}  // namespace

#endif

// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <weir/adapter/random_seed.hpp>

namespace {

TEST(random_seed, is_another_one_each_time) {
    EXPECT_NE(weir::random_seed().value, weir::random_seed().value);
    EXPECT_NE(weir::random_seed().value >> 32U, weir::random_seed().value & 0xFFFF'FFFFU);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/cell/gcra.hpp>
#include <weir/cell/obeyed.hpp>

namespace {

using weir::obeyed;

TEST(obeyed, looks_as_far_ahead_as_half_the_words_circle) {
    EXPECT_EQ(weir::furthest_reset<std::uint64_t>(0), UINT64_MAX / 2);
    EXPECT_EQ(weir::furthest_reset<std::uint64_t>(3), UINT64_MAX / 16);
    EXPECT_EQ(weir::furthest_reset<std::uint32_t>(1), UINT32_MAX / 4);
}

// All units that there can be are left: whenever the reset comes, no more would pass.
TEST(obeyed, is_in_part_what_is_further_away_than_that) {
    using cell = weir::gcra<std::uint64_t>;
    const auto r = cell::rate::make({1, weir::seconds(1), 5}, 1'000).value();
    const auto furthest = r.furthest_reset();
    EXPECT_EQ(weir::lowered_by(r, std::uint64_t{0}, {1'000}, UINT64_MAX, furthest, false).how,
              obeyed::needless);
    EXPECT_EQ(weir::lowered_by(r, std::uint64_t{0}, {1'000}, UINT64_MAX, furthest + 1, false).how,
              obeyed::in_part);
}

}  // namespace

// SPDX-License-Identifier: MIT
// Random histories of keyed pacers, from seeds.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <memory>

#include <gtest/gtest.h>

#include "../oracle/dice.hpp"
#include "../oracle/effort.hpp"
#include "../oracle/seeds.hpp"
#include "keyed_history.hpp"

namespace {

template <class Subject>
class keyed_history : public testing::Test {};
using subjects =
    testing::Types<keyed::free_of_all, keyed::all_together, keyed::in_batches, keyed::replacing>;
TYPED_TEST_SUITE(keyed_history, subjects);

TYPED_TEST(keyed_history, does_what_a_model_does) {
    keyed::tally sum;
    const std::uint64_t enough = oracle::only_seed() ? 1 : oracle::scaled(3'000);
    for (std::uint64_t i = 0; i < enough; ++i) {
        const std::uint64_t seed = oracle::only_seed().value_or((oracle::series() << 32U) + i);
        oracle::dice dice(seed);
        ASSERT_EQ(std::make_unique<keyed::world<TypeParam>>(dice, sum)->play(), "")
            << "seed " << seed;
    }
    std::cout << sum.events << " events: " << sum.emitted << " emitted";
    for (std::size_t i = 0; i < weir::drop_reasons; ++i) {
        std::cout << ", " << sum.of[i] << " " << describe(static_cast<weir::dropped>(i));
    }
    std::cout << "; " << sum.full << " times full, " << sum.deeds << " callbacks did something\n";
    if (oracle::only_seed()) return;
    EXPECT_GT(sum.emitted, sum.events / 10);
    using weir::dropped;
    for (const dropped often : {dropped::expired, dropped::never, dropped::cancelled,
                                dropped::cleared, dropped::no_place, dropped::crowded}) {
        EXPECT_GT(sum.of[static_cast<std::size_t>(often)], enough) << describe(often);
    }
    EXPECT_GT(sum.full, enough / 2);
    EXPECT_EQ(sum.most_before, 1U) << "or nothing was learned of turns";
}

}  // namespace

// SPDX-License-Identifier: MIT
// Cells against their models, on random histories.
#include <cstdint>
#include <iostream>

#include <gtest/gtest.h>

#include "cells.hpp"
#include "complaint.hpp"
#include "effort.hpp"
#include "history.hpp"
#include "seeds.hpp"

namespace {

using namespace oracle;

template <class Cell>
class cell_oracle : public testing::Test {
protected:
    static void expect_agreement(std::uint64_t seed, tally& sum) {
        expect_no(disagreement<Cell>(dice(seed), sum), seed);
    }
};

TYPED_TEST_SUITE(cell_oracle, all_cells, cell_names);

TYPED_TEST(cell_oracle, agrees_with_the_exact_model_on_random_histories) {
    tally sum;
    if (const auto seed = only_seed()) return this->expect_agreement(*seed, sum);
    for (const std::uint64_t seed : kept_seeds) this->expect_agreement(seed, sum);

    const std::uint64_t enough = scaled(4'000'000);
    for (std::uint64_t i = 0; sum.events < enough && !this->HasFailure(); ++i) {
        this->expect_agreement(series() << 32U | i, sum);
    }
    if (this->HasFailure()) return;

    // Histories in which little happens would agree as well.
    EXPECT_GT(sum.admitted, sum.events / 4);
    EXPECT_GT(sum.waits, sum.events / 10);
    EXPECT_GT(sum.nevers, sum.events / 100);
    EXPECT_GT(sum.late, sum.events / 100);
    EXPECT_GT(sum.histories, sum.events / 1000);
    // The clock ends before most of the windows' numbers wrap.
    EXPECT_GT(sum.wraps, sum.histories / (follows_clock<TypeParam> ? 10 : 2));
    EXPECT_LT(sum.refused, sum.histories * 100);
    this->RecordProperty("events", std::to_string(sum.events));
    std::cout << sum.events << " events in " << sum.histories << " histories: " << sum.admitted
              << " admitted, " << sum.waits << " to wait, " << sum.nevers << " never, " << sum.late
              << " late; " << sum.wraps << " histories wrap; " << sum.refused
              << " quotas refused\n";
}

}  // namespace

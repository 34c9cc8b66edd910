// SPDX-License-Identifier: MIT
// Cells that are told what a server says is left, on random histories: never above what the server
// said, and never above the quota.
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <weir/base/atomic.hpp>
#include <weir/cell/backlog.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/cell/one_word.hpp>

#include "cells.hpp"
#include "dice.hpp"
#include "effort.hpp"
#include "told_history.hpp"

namespace {

using namespace oracle;

template <class Cell>
class told_cell : public testing::Test {};

// As the keys of a table count: in granules that are longer than a tick.
class coarse_gcra : public weir::one_word<weir::backlog_rate<std::uint64_t, 24>, weir::atomic> {};

using told_cells = weir::joined<weir::only<weir::are_told, every_cell<0>>,
                                weir::cell_list<coarse_gcra>>::as<testing::Types>;

struct told_names {
    template <class Cell>
    static std::string GetName(int /*index*/) {  // NOLINT(readability-identifier-naming): gtest's
        if (std::is_same_v<Cell, coarse_gcra>) return "coarse_gcra64";
        return name_of<Cell, 0>();
    }
};
TYPED_TEST_SUITE(told_cell, told_cells, told_names);

TYPED_TEST(told_cell, lets_no_more_pass_than_the_server_says_or_the_quota_allows) {
    told_tally sum;
    const std::uint64_t enough = scaled(300'000);
    for (std::uint64_t i = 0; sum.events < enough; ++i) {
        const std::uint64_t seed = only_seed().value_or(series() << 32U | i);
        dice chaos(seed);
        const auto start = told_subject<TypeParam>::any(chaos);
        told_history<TypeParam> history(start, sum);
        ++sum.histories;
        for (std::uint64_t steps = 20 + chaos.roll(300); steps > 0; --steps) {
            const std::optional<std::string> wrong = history.step(chaos);
            ASSERT_FALSE(wrong) << *wrong << "; seed " << seed << ", " << text_of(start.about)
                                << history.story();
        }
        if (only_seed()) return;
    }
    // Histories in which little happens would show nothing.
    EXPECT_GT(sum.admitted, sum.events / 20);
    EXPECT_GT(sum.denied, sum.events / 20);
    EXPECT_GT(sum.obeying, sum.events / 100);
    for (const std::uint64_t outcome : sum.outcomes) EXPECT_GT(outcome, sum.events / 200);
    std::cout << sum.events << " events in " << sum.histories << " histories: " << sum.admitted
              << " admitted, " << sum.obeying << " of them obeying, " << sum.denied << " denied, "
              << sum.late << " late; told " << sum.outcomes[0] << " whole, " << sum.outcomes[1]
              << " needless, " << sum.outcomes[2] << " in part\n";
}

}  // namespace

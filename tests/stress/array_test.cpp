// SPDX-License-Identifier: MIT
// An array of limits that many threads meet at once: each entry passes its burst to the unit, and
// it does not matter which of them made the array's first decision.
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/clock/manual.hpp>
#include <weir/table/array.hpp>

#include "crowd.hpp"

namespace {

constexpr int threads = 4;
constexpr std::size_t entries = 8;
constexpr std::int64_t units = 64;

template <class Cell>
using standing_clock = weir::manual_clock<Cell>;

template <class Cell>
class array_stress : public testing::Test {
protected:
    using array = weir::limiter_array<entries, Cell, standing_clock<Cell>,
                                      weir::array_layout{.refunds = weir::refunding_cell<Cell>}>;

    // A fresh array each round.
    void passes(weir::word at_the_beginning, const weir::options& o) {
        standing_clock<Cell>::set(weir::tick{1'000'000'000});
        const weir::quota q{units, weir::seconds(1)};
        auto all = std::make_unique<array>(q, o);
        std::array<std::atomic<weir::word>, entries> passed{};
        crowd(
            threads, repetitions(400),
            [&](int round, int thread) {
                const auto first = static_cast<std::size_t>(round + thread * 3);
                for (std::size_t i = first; i < first + entries; ++i) {
                    auto entry = (*all)[i % entries];
                    weir::word mine = 0;
                    while (entry.try_acquire()) ++mine;
                    passed.at(i % entries) += mine;
                }
            },
            [&](int round) {
                for (std::size_t i = 0; i < entries; ++i)
                    ASSERT_EQ(passed.at(i).exchange(0), at_the_beginning)
                        << "entry " << i << " in round " << round;
                all = std::make_unique<array>(q, o);
            });
    }
};
using every = weir::every_cell<static_cast<std::size_t>(units), weir::word>::as<testing::Types>;
TYPED_TEST_SUITE(array_stress, every);

TYPED_TEST(array_stress, of_first_decisions_lets_each_entry_pass_its_burst) {
    this->passes(static_cast<weir::word>(units), {});
}

TYPED_TEST(array_stress, of_first_decisions_finds_no_unit_where_none_is_to_be) {
    this->passes(0, {.start = 0});
}

}  // namespace

// SPDX-License-Identifier: MIT
// An array of limits whose first decision is stopped before each access, while another thread takes
// all that it can of each entry: each passes its burst and no more, or nothing where it starts with
// nothing.
#include <cstddef>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/clock/manual.hpp>
#include <weir/table/array.hpp>

namespace {

using weir::word;

constexpr std::size_t entries = 3;
constexpr std::size_t units = 4;

template <class Cell>
void begins_with(word at_the_beginning, const weir::options& o) {
    using clock = weir::manual_clock<Cell>;
    using array = weir::limiter_array<entries, Cell, clock,
                                      weir::array_layout{.refunds = weir::refunding_cell<Cell>}>;
    clock::set(weir::tick{1'000'000'000});
    for (std::size_t first = 0; first < entries; ++first) {
        for (int when = 0;; ++when) {
            array all{weir::quota{units, weir::seconds(1)}, o};
            word passed[entries] = {};
            const auto take = [&](std::size_t i) {
                while (all[i].try_acquire()) ++passed[i];
            };
            const auto take_all = [&] {
                for (std::size_t i = 0; i < entries; ++i) take(i);
            };
            if (!stopped::stop(
                    when, [&] { take(first); }, take_all))
                break;
            take_all();
            for (std::size_t i = 0; i < entries; ++i) {
                ASSERT_EQ(passed[i], at_the_beginning)
                    << "entry " << i << ", stopped at " << when << " in entry " << first;
            }
        }
    }
}

TEST(stopped_array, passes_of_each_entry_what_is_there_at_the_beginning) {
    weir::every_cell<units, word>::for_each([]<class Cell>() {
        begins_with<Cell>(units, {});
        begins_with<Cell>(0, {.start = 0});
    });
}

}  // namespace

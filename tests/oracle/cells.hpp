// SPDX-License-Identifier: MIT
// Every cell in all its widths, for typed tests against models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>

#include "shape.hpp"

namespace oracle {

// A log with so many places; `log_duel` has its model, and `duel` those of all others.
template <std::size_t Places>
using every_cell = weir::every_cell<Places, std::uint64_t, std::uint32_t>;

using cells_of_one_word = weir::only<weir::are_one_word, every_cell<1>>;
using all_cells = cells_of_one_word::as<testing::Types>;

// Their units come one by one or in portions, and a demand that never ends gets them all.
using refilled_cells = weir::only<weir::are_meters, cells_of_one_word>::as<testing::Types>;

// Each window pays for its units and the windows before it.
struct are_paying {
    template <class Cell>
    static constexpr bool has = pays_for_windows<Cell>;
};
using paying_cells = weir::only<are_paying, cells_of_one_word>::as<testing::Types>;

// Such as "gcra64"; a log has so many places.
template <class Cell, std::size_t Places>
[[nodiscard]] std::string name_of() {
    using word = typename Cell::word_type;
    std::string name;
    weir::for_each_kind<word>([&](auto kind) {
        using one = typename decltype(kind)::template cell<Places, word>;
        if (std::is_same_v<Cell, one>) name = kind.name;
    });
    return name + (sizeof(word) == 8 ? "64" : "32");
}
struct cell_names {
    template <class Cell>
    static std::string GetName(int /*index*/) {  // NOLINT(readability-identifier-naming): gtest's
        return name_of<Cell, 1>();
    }
};

}  // namespace oracle

// Every cell that a model exists for, in all its widths, for typed tests.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <weir/cell/fixed_window.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/leaky_bucket.hpp>
#include <weir/cell/sliding_window.hpp>
#include <weir/cell/token_bucket.hpp>

namespace oracle {

using all_cells =
    testing::Types<weir::gcra<std::uint64_t>, weir::gcra<std::uint32_t>,
                   weir::leaky_bucket<std::uint64_t>, weir::leaky_bucket<std::uint32_t>,
                   weir::token_bucket<std::uint64_t>, weir::token_bucket<std::uint32_t>,
                   weir::fixed_window<std::uint64_t>, weir::fixed_window<std::uint32_t>,
                   weir::aligned_window<std::uint64_t>, weir::sliding_window<std::uint64_t>>;

// Their units come one by one or in portions, and a demand that never ends gets them all.
using refilled_cells =
    testing::Types<weir::gcra<std::uint64_t>, weir::gcra<std::uint32_t>,
                   weir::leaky_bucket<std::uint64_t>, weir::leaky_bucket<std::uint32_t>,
                   weir::token_bucket<std::uint64_t>, weir::token_bucket<std::uint32_t>>;

// Each window pays for its units and the windows before it.
using paying_cells =
    testing::Types<weir::fixed_window<std::uint64_t>, weir::fixed_window<std::uint32_t>,
                   weir::aligned_window<std::uint64_t>>;

struct cell_names {
    template <class Cell>
    static std::string GetName(int /*index*/) {  // NOLINT(readability-identifier-naming): gtest's
        using word = typename Cell::word_type;
        return name<Cell>() + (sizeof(word) == 8 ? "64" : "32");
    }

private:
    template <class Cell>
    static std::string name() {
        using word = typename Cell::word_type;
        if (std::is_same_v<Cell, weir::gcra<word>>) return "gcra";
        if (std::is_same_v<Cell, weir::leaky_bucket<word>>) return "leaky";
        if (std::is_same_v<Cell, weir::token_bucket<word>>) return "bucket";
        if (std::is_same_v<Cell, weir::fixed_window<word>>) return "fixed";
        return requires(typename Cell::rate r) { r.coarseness(); }
        ? "sliding" : "aligned";
    }
};

}  // namespace oracle

// Every cell that a model exists for, in both widths, for typed tests.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <weir/cell/gcra.hpp>
#include <weir/cell/leaky_bucket.hpp>
#include <weir/cell/token_bucket.hpp>

namespace oracle {

using all_cells =
    testing::Types<weir::gcra<std::uint64_t>, weir::gcra<std::uint32_t>,
                   weir::leaky_bucket<std::uint64_t>, weir::leaky_bucket<std::uint32_t>,
                   weir::token_bucket<std::uint64_t>, weir::token_bucket<std::uint32_t>>;

struct cell_names {
    template <class Cell>
    static std::string GetName(int /*index*/) {  // NOLINT(readability-identifier-naming): gtest's
        using word = typename Cell::word_type;
        const char* const width = sizeof(word) == 8 ? "64" : "32";
        if (std::is_same_v<Cell, weir::gcra<word>>) return std::string("gcra") + width;
        if (std::is_same_v<Cell, weir::leaky_bucket<word>>) return std::string("leaky") + width;
        return std::string("bucket") + width;
    }
};

}  // namespace oracle

// SPDX-License-Identifier: MIT
// The layouts of a keyed table, for typed tests.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/table/key_hash.hpp>
#include <weir/table/key_layout.hpp>
#include <weir/table/keyed.hpp>

struct compact_table {
    static constexpr weir::keyed_layout layout{};
    [[nodiscard]] static std::uint64_t key(std::size_t i) { return i; }
};

struct exact_table {
    static constexpr weir::keyed_layout layout{.exact = true};
    [[nodiscard]] static std::uint64_t key(std::size_t i) { return i; }
};

template <class Subject>
struct with_two_classes : Subject {
    static constexpr weir::keyed_layout layout{.exact = Subject::layout.exact, .classes = 2};
};

// With `weir::seed(1)`, keys that an exact table tells apart by their ids alone.
struct exact_table_of_equal_tags {
    static constexpr weir::keyed_layout layout{.exact = true};
    [[nodiscard]] static std::uint64_t key(std::size_t i) {
        static const auto all = [] {
            const weir::key_hash hash(weir::seed(1));
            const auto tag = [&](std::uint64_t key) {
                return weir::exact_keys<>::key_of(hash(key)).tag;
            };
            std::array<std::uint64_t, 100> equal{};
            std::uint64_t next = 0;
            for (std::uint64_t& key : equal) {
                while (tag(next) != tag(0)) ++next;
                key = next++;
            }
            return equal;
        }();
        return all.at(i);
    }
};

using keyed_layouts = testing::Types<compact_table, exact_table, exact_table_of_equal_tags>;

// SPDX-License-Identifier: MIT
// place_index against a map, with hashes that meet often.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/place_index.hpp>

#include "../oracle/dice.hpp"

namespace {

template <class Index>
void agrees(Index& index, std::size_t places, std::uint64_t kinds, std::uint64_t seed) {
    oracle::dice dice(seed);
    std::vector<std::uint64_t> hashes(places);
    std::vector<bool> is_in(places);
    const auto hash_of = [&](weir::place_number p) { return hashes[p]; };
    for (int i = 0; i < 20'000; ++i) {
        const auto p = static_cast<weir::place_number>(dice.roll(places));
        if (is_in[p]) {
            index.remove(hashes[p], p, hash_of);
        } else {
            // Around the end of the slots too.
            hashes[p] = dice.roll(kinds) - kinds / 2;
            index.add(hashes[p], p);
        }
        is_in[p] = !is_in[p];
        const auto other = static_cast<weir::place_number>(dice.roll(places));
        const auto found =
            index.find(hashes[other], [&](weir::place_number q) { return q == other; });
        ASSERT_EQ(found, is_in[other] ? other : weir::nowhere);
    }
    for (weir::place_number p = 0; p < places; ++p) {
        const auto found = index.find(hashes[p], [&](weir::place_number q) { return q == p; });
        EXPECT_EQ(found, is_in[p] ? p : weir::nowhere);
    }
}

TEST(place_index, finds_what_is_in_it_and_nothing_else) {
    for (const std::uint64_t kinds : {1U, 2U, 7U, 40U, 1'000'000U}) {
        weir::place_index<24> fixed(24);
        agrees(fixed, 24, kinds, kinds);
        weir::place_index<0> given(100);
        agrees(given, 100, kinds, kinds + 1);
        weir::place_index<1> one(1);
        agrees(one, 1, kinds, kinds + 2);
    }
}

TEST(place_index, says_what_it_takes) {
    EXPECT_EQ(weir::place_index<0>::bytes_for(8), 64U);
    EXPECT_EQ(weir::place_index<0>::bytes_for(9), 128U);
    EXPECT_EQ(sizeof(weir::place_index<8>), 64U);
}

}  // namespace

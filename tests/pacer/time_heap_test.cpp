// SPDX-License-Identifier: MIT
// time_heap against an ordered set.
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/time_heap.hpp>

#include "../oracle/dice.hpp"

namespace {

struct entries {
    [[nodiscard]] bool before(std::uint32_t a, std::uint32_t b) const {
        return std::pair(times[a], a) < std::pair(times[b], b);
    }
    [[nodiscard]] std::uint32_t& place(std::uint32_t n) { return places[n]; }

    std::vector<std::uint64_t> times;
    std::vector<std::uint32_t> places;
};

TEST(time_heap, has_the_earliest_first_whatever_is_moved_and_removed) {
    for (const std::uint32_t most : {1U, 2U, 3U, 30U, 200U}) {
        oracle::dice dice(most);
        entries all{std::vector<std::uint64_t>(most), std::vector<std::uint32_t>(most)};
        weir::time_heap heap(most);
        std::set<std::pair<std::uint64_t, std::uint32_t>> exact;
        EXPECT_TRUE(heap.is_empty());
        for (int i = 0; i < 20'000; ++i) {
            const auto n = static_cast<std::uint32_t>(dice.roll(most));
            const bool is_in = exact.erase({all.times[n], n}) != 0;
            if (is_in && dice.roll(3) == 0) {
                heap.remove(all, n);
            } else {
                all.times[n] = dice.roll(1 + most / 2);
                exact.insert({all.times[n], n});
                if (is_in) {
                    heap.moved(all, n);
                } else {
                    heap.add(all, n);
                }
            }
            ASSERT_EQ(heap.size(), exact.size());
            ASSERT_EQ(heap.is_empty(), exact.empty());
            if (!exact.empty()) {
                ASSERT_EQ(heap.first(), exact.begin()->second);
            }
        }
    }
}

}  // namespace

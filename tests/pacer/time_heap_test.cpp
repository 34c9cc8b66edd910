// SPDX-License-Identifier: MIT
// time_heap against an ordered set.
#include <algorithm>
#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/pacer/time_heap.hpp>

#include "../oracle/dice.hpp"

namespace {

using clock = weir::manual_clock<struct heaps>;
using instant = weir::instant<clock>;

struct entries {
    [[nodiscard]] std::uint32_t& place(std::uint32_t n) { return places[n]; }
    std::vector<std::uint32_t> places;
};

// Time, turn, number. They lie around the end of the clock's circle.
using exact_entry = std::tuple<std::int64_t, std::int32_t, std::uint32_t>;

TEST(time_heap, has_the_earliest_first_whatever_is_moved_and_removed) {
    for (const std::uint32_t most : {1U, 2U, 3U, 5U, 30U, 200U}) {
        oracle::dice dice(most);
        entries all{std::vector<std::uint32_t>(most)};
        std::vector<exact_entry> last(most);
        weir::time_heap<clock> heap(most);
        std::set<exact_entry> exact;
        EXPECT_TRUE(heap.is_empty());
        for (int i = 0; i < 20'000; ++i) {
            const auto n = static_cast<std::uint32_t>(dice.roll(most));
            const bool is_in = exact.erase(last[n]) != 0;
            if (is_in && dice.roll(3) == 0) {
                heap.remove(all, n);
            } else {
                const std::int64_t time =
                    static_cast<std::int64_t>(dice.roll(1 + most / 2)) - most / 4;
                const auto turn = static_cast<std::int32_t>(dice.roll(1'000'000)) - 500'000;
                last[n] = {time, turn, n};
                // No two have the same turn, of which the heap would not know the first.
                while (std::any_of(exact.begin(), exact.end(), [&](const exact_entry& e) {
                    return std::get<1>(e) == std::get<1>(last[n]);
                })) {
                    ++std::get<1>(last[n]);
                }
                exact.insert(last[n]);
                const instant at{static_cast<weir::word>(time)};
                const auto its_turn = static_cast<std::uint32_t>(std::get<1>(last[n]));
                if (is_in) {
                    heap.move(all, n, at, its_turn);
                } else {
                    heap.add(all, n, at, its_turn);
                }
            }
            ASSERT_EQ(heap.size(), exact.size());
            ASSERT_EQ(heap.is_empty(), exact.empty());
            if (exact.empty()) continue;
            const auto& [time, turn, first] = *exact.begin();
            ASSERT_EQ(heap.first(), first);
            ASSERT_EQ(heap.first_time(), instant{static_cast<weir::word>(time)});
            const auto& [its_time, its_turn, number] = *exact.rbegin();
            ASSERT_EQ(heap.time_at(all.place(number)), instant{static_cast<weir::word>(its_time)});
        }
    }
}

}  // namespace

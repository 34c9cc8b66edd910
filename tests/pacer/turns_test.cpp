// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/turns.hpp>

#include "../oracle/dice.hpp"

namespace {

using weir::word;
using four = weir::turns<4>;

// So many turns for lanes that always have something; the units that each lane got.
template <class Turns>
std::vector<word> serve(Turns& turns, typename Turns::mask ready, int times,
                        const std::vector<word>& cost) {
    std::vector<word> got(cost.size());
    for (int i = 0; i < times; ++i) {
        const std::size_t lane = turns.pick(ready);
        if (lane < cost.size()) got[lane] += cost[lane];
        turns.served(lane, cost.at(lane));
    }
    return got;
}

TEST(turns, are_nobodys_if_nothing_is_ready) {
    four t;
    t.enter(1, 0, 1);
    EXPECT_EQ(t.pick(0), four::nobody);
    EXPECT_EQ(t.pick(0b1), four::nobody) << "nobody entered that lane";
    EXPECT_EQ(t.pick(0b10), 1U);
    t.leave(1);
    EXPECT_EQ(t.pick(0b10), four::nobody);
}

TEST(turns, go_to_the_first_class_as_long_as_it_has_anything) {
    four t;
    t.enter(0, 5, 1);
    t.enter(1, 0, 1);
    t.enter(2, 5, 100);
    EXPECT_EQ(serve(t, 0b111, 50, {1, 1, 1}), (std::vector<word>{0, 50, 0}));
    EXPECT_EQ(t.pick(0b101), 0U);
    t.enter(3, 77, 1);
    EXPECT_EQ(t.pick(0b1001), 0U) << "what is behind the last class is the last";
}

TEST(turns, alternate_between_equal_lanes) {
    four t;
    for (std::size_t i = 0; i < 3; ++i) t.enter(i, 0, 1);
    std::vector<std::size_t> order;
    for (int i = 0; i < 6; ++i) {
        order.push_back(t.pick(0b111));
        t.served(order.back(), 1);
    }
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2}));
}

TEST(turns, share_by_weight_and_cost) {
    four t;
    t.enter(0, 0, 1);
    t.enter(1, 0, 2);
    t.enter(2, 0, 7);
    EXPECT_EQ(serve(t, 0b111, 1'000, {1, 1, 1}), (std::vector<word>{100, 200, 700}));
    t.enter(2, 0, 1);
    t.enter(1, 0, 1);
    t.enter(0, 0, 1);
    const auto got = serve(t, 0b111, 700, {1, 2, 4});
    EXPECT_EQ(got, (std::vector<word>{400, 400, 400}));
}

TEST(turns, differ_by_no_more_than_one_item_each_at_any_moment) {
    oracle::dice dice(3);
    for (int round = 0; round < 200; ++round) {
        weir::turns<8> t;
        std::array<double, 8> weight{};
        std::array<double, 8> got{};
        std::array<double, 8> largest{};
        for (std::size_t i = 0; i < 8; ++i) {
            const auto w = static_cast<unsigned>(1 + dice.roll(9));
            weight[i] = w;
            t.enter(i, 2, w);
        }
        for (int i = 0; i < 500; ++i) {
            const std::size_t lane = t.pick(0xFF);
            const word cost = 1 + dice.roll(50);
            t.served(lane, cost);
            got[lane] += static_cast<double>(cost) / weight[lane];
            largest[lane] = std::max(largest[lane], static_cast<double>(cost) / weight[lane]);
            for (std::size_t a = 0; a < 8; ++a) {
                for (std::size_t b = 0; b < 8; ++b) {
                    ASSERT_LE(got[a] - got[b], largest[a] + largest[b] + 0.01);
                }
            }
        }
    }
}

TEST(turns, are_not_saved_up_while_idling) {
    four t;
    t.enter(0, 0, 1);
    t.enter(1, 0, 1);
    EXPECT_EQ(serve(t, 0b01, 1'000, {1, 1}), (std::vector<word>{1'000, 0}));
    EXPECT_NEAR(static_cast<double>(serve(t, 0b11, 10, {1, 1})[0]), 5, 1);
    EXPECT_EQ(serve(t, 0b10, 1'000, {1, 1}), (std::vector<word>{0, 1'000}));
    EXPECT_NEAR(static_cast<double>(serve(t, 0b11, 10, {1, 1})[0]), 5, 1);
}

// A lane whose items cost a hundred times as much is opened anew after each of them.
TEST(turns, are_not_won_by_leaving_and_coming_back) {
    for (const unsigned elsewhere : {0U, 1U}) {
        four t;
        t.enter(0, 0, 1);
        t.enter(1, 0, 1);
        word got[2] = {};
        for (int i = 0; i < 10'000; ++i) {
            const std::size_t lane = t.pick(0b11);
            const word cost = lane == 0 ? 100 : 1;
            t.served(lane, cost);
            got[lane] += cost;
            if (lane != 0) continue;
            t.leave(0);
            t.enter(0, elsewhere, 1);
            t.enter(0, 0, 1);
        }
        EXPECT_NEAR(static_cast<double>(got[0]), static_cast<double>(got[1]), 100);
    }
}

TEST(turns, are_not_lost_by_being_away_when_times_begin_anew) {
    four t;
    t.enter(0, 0, 1);
    t.enter(1, 0, 1);
    constexpr word much = word{1} << 33;
    (void)serve(t, 0b11, 200, {much, much});
    t.leave(0);
    (void)serve(t, 0b10, 1'000, {much, much});
    t.enter(0, 0, 1);
    EXPECT_LE(serve(t, 0b11, 10, {much, much})[0], 6 * much);
    EXPECT_LE(serve(t, 0b11, 10, {much, much})[1], 6 * much);
}

TEST(turns, keep_to_large_weights_too) {
    four t;
    t.enter(0, 0, 65'535);
    t.enter(1, 0, 50'000);
    const auto got = serve(t, 0b11, 115'535, {1, 1});
    EXPECT_NEAR(static_cast<double>(got[0]), 65'535, 65'535 / 4'000.0);
}

TEST(turns, of_the_last_class_come_however_seldom) {
    four t;
    t.lowest_gets_one_in(UINT32_MAX);
    t.enter(0, 0, 1);
    t.enter(1, 1, 1);
    constexpr word much = word{1} << 29;
    EXPECT_GT(serve(t, 0b11, 1'000, {much, much})[1], 0U);
}

TEST(turns, of_the_last_class_come_at_least_one_in_so_many_units) {
    four t;
    t.lowest_gets_one_in(10);
    t.enter(0, 0, 1);
    t.enter(1, 3, 1);
    t.enter(2, 7, 1);
    EXPECT_EQ(serve(t, 0b111, 1'000, {1, 1, 1}), (std::vector<word>{900, 0, 100}));
    EXPECT_EQ(serve(t, 0b011, 1'000, {1, 1, 1}), (std::vector<word>{900, 100, 0}));
    EXPECT_EQ(serve(t, 0b110, 10, {1, 1, 1}), (std::vector<word>{0, 9, 1}));
    EXPECT_EQ(serve(t, 0b100, 10, {1, 1, 1}), (std::vector<word>{0, 0, 10}));
    (void)serve(t, 0b101, 8, {1, 1, 1});
    (void)serve(t, 0b001, 1'000, {1, 1, 1});
    EXPECT_EQ(serve(t, 0b101, 9, {1, 1, 1}), (std::vector<word>{9, 0, 0})) << "nothing is saved up";
    const auto got = serve(t, 0b101, 1'100, {1, 1, 5});
    EXPECT_NEAR(static_cast<double>(got[0]), 9.0 * static_cast<double>(got[2]), 45)
        << "by units, not by items";
}

TEST(turns, go_on_when_their_times_begin_anew) {
    four t;
    t.enter(0, 0, 1);
    t.enter(1, 0, 3);
    constexpr word much = word{1} << 33;
    const auto got = serve(t, 0b11, 4'000, {much, much});
    EXPECT_EQ(got, (std::vector<word>{1'000 * much, 3'000 * much}));
    EXPECT_EQ(serve(t, 0b11, 4, {UINT64_MAX, UINT64_MAX}).size(), 2U) << "and nothing overflows";
}

TEST(turns, take_weights_that_make_no_sense_for_the_nearest_that_do) {
    four t;
    t.enter(0, 0, 0);
    t.enter(1, 0, UINT32_MAX);
    EXPECT_EQ(serve(t, 0b11, 10, {1, 1})[0], 1U);
}

TEST(turns, of_64_lanes_come_to_each) {
    weir::turns<64> t;
    for (std::size_t i = 0; i < 64; ++i) t.enter(i, i % 2 == 0 ? 0 : 1, 1);
    const auto got = serve(t, ~std::uint64_t{0}, 320, std::vector<word>(64, 1));
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(got[i], i % 2 == 0 ? 10U : 0U);
}

// Lanes 0 and 1 share a limit; lane 2 has another one, which lets much more pass.
TEST(turns, do_not_depend_on_what_goes_on_another_limit) {
    const int other = 0;
    for (const unsigned lowest : {0U, 4U}) {
        four t;
        t.lowest_gets_one_in(lowest);
        t.enter(0, 0, 1);
        t.enter(1, lowest == 0 ? 0 : 7, 3);
        t.enter(2, 0, 1, &other);
        EXPECT_EQ(t.sharing(0), 0b11U);
        EXPECT_EQ(t.sharing(2), 0b100U);
        word got[3] = {};
        for (int i = 0; i < 400; ++i) {
            const std::size_t lane = t.pick(0b11);
            t.served(lane, 1);
            ++got[lane];
            for (int k = 0; k < 10; ++k) {
                ASSERT_EQ(t.pick(0b100), 2U) << "its own limit has refused the others";
                t.served(2, 100);
            }
        }
        EXPECT_EQ(got[0], lowest == 0 ? 100U : 300U);
        EXPECT_EQ(got[1], lowest == 0 ? 300U : 100U);
    }
}

TEST(turns, go_round_between_limits) {
    const int second = 0;
    const int third = 0;
    four t;
    t.enter(0, 0, 1);
    t.enter(1, 0, 1, &second);
    t.enter(2, 0, 9, &third);
    t.enter(3, 0, 1, &second);
    EXPECT_EQ(serve(t, 0b1111, 300, {1, 9, 2, 9}), (std::vector<word>{75, 675, 150, 675}));
    t.enter(0, 1, 1);
    EXPECT_EQ(serve(t, 0b0101, 10, {1, 1, 1, 1})[0], 0U) << "the first class goes first";
    t.lowest_gets_one_in(10);
    EXPECT_EQ(serve(t, 0b0101, 10, {1, 1, 1, 1})[0], 5U) << "but none starves";
}

TEST(turns, of_a_limit_begin_anew_where_another_one_was) {
    const int limits[6] = {};
    four t;
    for (const int& limit : limits) {
        t.enter(0, 0, 1, &limit);
        t.enter(1, 0, 1, &limit);
        EXPECT_EQ(serve(t, 0b11, 10, {5, 5}), (std::vector<word>{25, 25}));
        EXPECT_EQ(serve(t, 0b01, 10, {500, 1})[0], 5'000U);
        t.leave(0);
        t.leave(1);
    }
    for (std::size_t i = 0; i < 4; ++i) t.enter(i, 0, 1, &limits[i]);
    EXPECT_EQ(serve(t, 0b1111, 400, {1, 1, 1, 1}), (std::vector<word>{100, 100, 100, 100}));
}

}  // namespace

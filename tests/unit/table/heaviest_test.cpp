// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/table/heaviest.hpp>
#include <weir/table/key_hash.hpp>

#include "../../oracle/dice.hpp"

namespace {

using weir::heaviest;
using weir::seed;

TEST(heaviest, tells_who_was_refused_most_often_the_highest_first) {
    heaviest<> all(seed(1));
    EXPECT_EQ(all.top<3>().size(), 0U);
    for (std::uint64_t key = 1; key <= 5; ++key) {
        for (std::uint64_t i = 0; i < 10 * key; ++i) all.note(key);
    }
    const auto top = all.top<3>();
    ASSERT_EQ(top.size(), 3U);
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(top[i].key, 5 - i);
        EXPECT_EQ(top[i].most, 10 * (5 - i));
        EXPECT_EQ(top[i].least, top[i].most);
    }
    EXPECT_EQ(all.top<10>().size(), 5U);
    EXPECT_EQ(all.missed(), 0U);
}

TEST(heaviest, keys_may_be_bytes) {
    using address = std::array<std::uint8_t, 20>;
    heaviest<address> all(seed(1));
    address one{};
    address other{};
    other[19] = 1;
    all.note(one);
    all.note(other);
    all.note(other);
    const auto top = all.top<2>();
    ASSERT_EQ(top.size(), 2U);
    EXPECT_EQ(top[0].key, other);
    EXPECT_EQ(top[0].most, 2U);
    EXPECT_EQ(top[1].key, one);
}

// The bounds that it states, beside a map that counts exactly.
void keeps_its_bounds(std::uint64_t from, unsigned skew) {
    constexpr std::uint64_t refusals = 20'000;
    oracle::dice d(from);
    heaviest<std::uint32_t, 1> all{seed(from)};
    std::map<std::uint32_t, std::uint64_t> exact;
    for (std::uint64_t i = 0; i < refusals; ++i) {
        std::uint64_t key = d.roll(1'000);
        for (unsigned s = 0; s < skew; ++s) key = d.roll(key + 1);
        ++exact[static_cast<std::uint32_t>(key)];
        all.note(static_cast<std::uint32_t>(key));
    }
    const auto top = all.top<8>();
    std::uint64_t in_all = 0;
    for (const auto& k : top) {
        in_all += k.most;
        EXPECT_GE(exact[k.key], k.least) << k.key;
        EXPECT_LE(exact[k.key], k.most) << k.key;
        EXPECT_LE(k.most - k.least, refusals / 8);
    }
    EXPECT_EQ(in_all, refusals);
    for (const auto& [key, count] : exact) {
        if (count <= refusals / 8) continue;
        EXPECT_TRUE(std::any_of(top.begin(), top.end(), [k = key](const auto& t) {
            return t.key == k;
        })) << key;
    }
}

TEST(heaviest, keeps_its_bounds_whoever_is_refused) {
    for (std::uint64_t from = 1; from <= 20; ++from) {
        for (const unsigned skew : {0U, 1U, 3U, 8U}) keeps_its_bounds(from, skew);
    }
}

TEST(heaviest, finds_those_who_hammer_among_a_hundred_thousand_who_come_once) {
    heaviest<std::uint64_t> all(seed(1));
    for (std::uint64_t i = 0; i < 100'000; ++i) {
        all.note(1'000'000 + i);
        if (i % 5 == 0) all.note(i / 5 % 10);
    }
    const auto top = all.top<10>();
    ASSERT_EQ(top.size(), 10U);
    for (const auto& k : top) {
        EXPECT_LT(k.key, 10U);
        EXPECT_GE(k.most, 2'000U);
        EXPECT_LE(k.least, 2'000U);
    }
}

// Each refusal counts once or is missed, and a key that is there loses none.
TEST(heaviest, threads_count_together) {
    constexpr std::uint64_t refusals = 50'000;
    constexpr unsigned many = 4;
    heaviest<std::uint64_t, 1> all(seed(1));
    for (std::uint64_t i = 0; i < refusals; ++i) all.note(0);
    {
        std::vector<std::jthread> threads;
        for (unsigned t = 0; t < many; ++t) {
            threads.emplace_back([&all, t] {
                for (std::uint64_t i = 0; i < refusals; ++i)
                    all.note(i % 4 == 0 ? 0 : i * many + t);
            });
        }
    }
    const auto top = all.top<8>();
    std::uint64_t in_all = all.missed();
    for (const auto& k : top) in_all += k.most;
    EXPECT_EQ(in_all, refusals + many * refusals);
    EXPECT_EQ(top[0].key, 0U);
    EXPECT_EQ(top[0].least, refusals + many * refusals / 4);
}

}  // namespace

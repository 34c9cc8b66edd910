// SPDX-License-Identifier: MIT
// The keys of a fleet: threads take units of more keys than there are places, while the supplier
// gives, lets keys rest and takes them out. Each unit is given once and spent once.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_key_table.hpp>
#include <weir/base/word.hpp>
#include <weir/table/key_hash.hpp>

#include "../fleet_key_books.hpp"
#include "../oracle/dice.hpp"
#include "crowd.hpp"

namespace {

using table = weir::fleet_key_table<>;

class fleet_keys_stress : public testing::TestWithParam<int> {};

TEST_P(fleet_keys_stress, lose_no_unit_and_spend_none_twice) {
    std::unique_ptr<table> keys;
    std::unique_ptr<fleet_key_books> books;
    std::map<std::string, std::uint64_t> spent;
    std::mutex spending;
    const auto begin = [&](int round) {
        spent.clear();
        keys = std::make_unique<table>(4, 8, 2, weir::seed(static_cast<std::uint64_t>(round)));
        keys->meet_newcomers(table::newcomers::credited, static_cast<std::uint32_t>(round));
        books = std::make_unique<fleet_key_books>(*keys);
    };
    begin(0);
    std::uint64_t all = 0;
    crowd(
        GetParam(), repetitions(1'500),
        [&](int round, int thread) {
            oracle::dice d(static_cast<std::uint64_t>(round * 8 + thread));
            if (thread == 0) {
                for (int i = 0; i < 300; ++i) {
                    if (i % 4 == 0) books->listen();
                    books->act(d.roll(1 << 20));
                    if (d.one_in(64)) std::this_thread::yield();
                }
                return;
            }
            std::map<std::string, std::uint64_t> mine;
            for (int i = 0; i < 300; ++i) {
                const std::string key = std::to_string(d.one_in(2) ? 0 : d.index(24));
                const weir::word n = 1 + d.roll(3);
                if (keys->take(key, n).passes) mine[key] += n;
                if (d.one_in(64)) std::this_thread::yield();
            }
            const std::lock_guard turn(spending);
            for (const auto& [key, units] : mine) spent[key] += units;
        },
        [&](int round) {
            books->add_up(spent);
            for (const auto& [key, units] : spent) all += units;
            begin(round + 1);
        });
    EXPECT_GT(all, 0U);
}
INSTANTIATE_TEST_SUITE_P(by, fleet_keys_stress, testing::Values(2, 4), [](const auto& threads) {
    return std::to_string(threads.param) + "_threads";
});

}  // namespace

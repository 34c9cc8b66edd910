// SPDX-License-Identifier: MIT
// The keys of a fleet: one who is stopped at any access, while others take units and the supplier
// gives them, lets keys rest and takes them out, makes no unit and loses none, and nobody tells of
// a key twice. Nor does the supplier, stopped at any access while others take units.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_key_table.hpp>
#include <weir/base/word.hpp>
#include <weir/table/key_hash.hpp>

#include "../fleet_key_books.hpp"
#include "../oracle/dice.hpp"
#include "twice.hpp"

namespace {

using table = weir::fleet_key_table<>;
using weir::word;

struct action {
    bool supplies = false;
    std::uint64_t dice = 0;
};
std::vector<action> some(oracle::dice& d, std::size_t most, bool supplies) {
    std::vector<action> all(d.index(most + 1));
    for (action& a : all) a = {supplies && !d.one_in(3), d.roll(1 << 20)};
    return all;
}

class history {
public:
    explicit history(std::uint32_t time) : table_(2, 8, 2, weir::seed(1)), books_(table_) {
        table_.meet_newcomers(table::newcomers::credited, time);
    }
    // Mostly about few keys, so that they meet. There are places for a dozen.
    void take(std::uint64_t dice) {
        const std::string key = std::to_string(dice % 2 == 0 ? 0 : dice / 2 % 14);
        const word n = 1 + dice / 32 % 3;
        if (table_.take(key, n).passes) spent_[key] += n;
    }
    void act(const std::vector<action>& all) {
        for (const action& a : all) {
            if (!a.supplies)
                take(a.dice);
            else if (a.dice % 4 == 0)
                books_.listen();
            else
                books_.act(a.dice / 4);
        }
    }
    void fits() { books_.add_up(spent_); }

private:
    table table_;
    fleet_key_books books_;
    std::map<std::string, std::uint64_t> spent_;
};

// `supplies`: the one who is stopped does.
void stop_everywhere(bool supplies, std::uint64_t seeds) {
    int stops = 0;
    for (std::uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
        oracle::dice d(seed);
        const auto before = some(d, 20, true);
        std::vector<action> mine{{supplies, d.roll(1 << 20)}};
        if (supplies) mine.insert(mine.begin(), {true, 0});
        const auto first = some(d, 10, !supplies);
        const auto second = some(d, 10, !supplies);
        stops += stopped::stop_twice(
            seed, [&] { return history(static_cast<std::uint32_t>(seed)); },
            [&](history& h) { h.act(before); }, [&](history& h) { h.act(mine); },
            [&](history& h) { h.act(first); }, [&](history& h) { h.act(second); }, 40,
            [](int later) { return later + 1 + later / 4; });
    }
    EXPECT_GT(stops, 10'000);
}

TEST(stopped_fleet_keys, keep_their_units_whoever_asks_is_stopped) { stop_everywhere(false, 300); }
TEST(stopped_fleet_keys, keep_their_units_when_the_supplier_is_stopped) {
    stop_everywhere(true, 300);
}

}  // namespace

// SPDX-License-Identifier: MIT
// Plays the supplier of a fleet_key_table at random, and keeps books of it: which key it was told
// of in which place, and how many units it has given to whom.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_key_table.hpp>
#include <weir/base/word.hpp>

class fleet_key_books {
public:
    using table = weir::fleet_key_table<>;

    explicit fleet_key_books(table& of) : table_(&of), at_(of.size()) {}

    // What it is told of. No place is told of twice, and each by the text of its key.
    void listen() {
        table_->each_told([&](std::uint32_t place) {
            entry& e = at_.at(place);
            EXPECT_FALSE(e.is_active) << "told of twice: " << e.key;
            if (!e.is_known) {
                e.key = std::string(table_->beside(place).text());
                e.is_known = true;
                given_[e.key] += table_->beside(place).credit();
                for (const entry& other : at_)
                    EXPECT_FALSE(&other != &e && other.is_known && other.key == e.key)
                        << "in two places: " << e.key;
            }
            EXPECT_EQ(table_->beside(place).text(), e.key);
            e.is_active = true;
        });
    }
    // Something about a key that it knows: `dice` chooses which, and what.
    void act(std::uint64_t dice) {
        std::vector<std::uint32_t> known;
        for (std::uint32_t i = 0; i < at_.size(); ++i)
            if (at_[i].is_known) known.push_back(i);
        if (known.empty()) return;
        const std::uint32_t place = known[dice / 8 % known.size()];
        entry& e = at_[place];
        const weir::word units = table_->units(place);
        switch (dice % 8) {
            case 0:
            case 1: given_[e.key] += table_->put(place, 1 + dice / 64 % 4, 4); break;
            case 2: given_[e.key] -= table_->take_out(place, 2); break;
            case 3:
            case 4:
                if (e.is_active && table_->rest(place, units)) e.is_active = false;
                break;
            default:
                if (e.is_active || !table_->forget(place, units)) break;
                given_[e.key] -= units;
                e = {};
                break;
        }
    }

    // When nobody else does anything: each key has what it was given and has not spent.
    void add_up(const std::map<std::string, std::uint64_t>& spent) {
        listen();
        for (std::uint32_t i = 0; i < at_.size(); ++i) {
            const entry& e = at_[i];
            if (e.is_known) {
                given_[e.key] -= table_->units(i);
            } else {
                EXPECT_EQ(table_->units(i), 0U);
            }
        }
        for (const auto& [key, units] : given_) {
            const auto its = spent.find(key);
            EXPECT_EQ(units, its == spent.end() ? 0U : its->second) << key;
        }
        for (const auto& [key, units] : spent) {
            if (units != 0) {
                EXPECT_TRUE(given_.contains(key)) << key;
            }
        }
    }

private:
    struct entry {
        std::string key{};
        bool is_known = false;
        bool is_active = false;  // told of, and not taken back
    };

    table* table_;
    std::vector<entry> at_;
    std::map<std::string, std::uint64_t> given_;
};

// SPDX-License-Identifier: MIT
// Threads that are stopped at any access while they take leased units, give them back or fill the
// stock, and others who act then: no unit is lost, none is taken twice, and nobody is held up.
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_stock.hpp>
#include <weir/base/word.hpp>

namespace {

using weir::word;

struct scene {
    scene() { put(6); }

    void put(word n) { in += stock.put(n); }
    void take(word least, word greatest) {
        const auto t = stock.take(least, greatest);
        got += t.units;
        passed += t.passes && t.units == 0 ? least : 0;
    }
    void take_and_give_back(word n) {
        const auto t = stock.take(n, n);
        passed += t.passes && t.units == 0 ? n : 0;
        got += t.units - stock.put(t.units);
    }

    weir::fleet_stock stock{10};
    word in = 0;
    word got = 0;
    word passed = 0;
};

struct deed {
    std::string name;
    std::function<void(scene&)> act;
};

const std::vector<deed>& deeds() {
    static const std::vector<deed> all{
        {"take one", [](scene& s) { s.take(1, 1); }},
        {"take all", [](scene& s) { s.take(1, 10); }},
        {"take in vain", [](scene& s) { s.take(9, 9), s.take(11, 11); }},
        {"give back", [](scene& s) { s.take_and_give_back(4); }},
        {"fill", [](scene& s) { s.put(3); }},
        {"fill to the brim", [](scene& s) { s.put(20); }},
        {"let everything pass", [](scene& s) { s.stock.let_pass(true); }},
        {"let nothing pass", [](scene& s) { s.stock.let_pass(true), s.stock.let_pass(false); }},
        {"hear what is wanted", [](scene& s) { (void)s.stock.wanted(); }},
    };
    return all;
}

TEST(a_stopped_stock_of_a_fleet, loses_nothing_and_gives_nothing_twice) {
    for (const deed& one : deeds()) {
        for (const deed& other : deeds()) {
            for (const deed& third : deeds()) {
                for (int when = 0;; ++when) {
                    scene s;
                    if (!stopped::stop(
                            when, [&] { one.act(s); }, [&] { other.act(s), third.act(s); }))
                        break;
                    SCOPED_TRACE(one.name + ", stopped at " + std::to_string(when) + " by " +
                                 other.name + " and " + third.name);
                    ASSERT_EQ(s.in, s.got + s.stock.units());
                    ASSERT_EQ(s.passed, s.stock.passed());
                    ASSERT_LE(s.stock.units(), 10U);
                }
            }
        }
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
// What a simulated limit lets pass is what the exact models of the cells let pass, by key; and the
// worst window is the one that is found by looking at all of them.
#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>

#include "../most_within.hpp"
#include "../oracle/dice.hpp"
#include "../oracle/duel.hpp"
#include "../oracle/log_duel.hpp"
#include "../oracle/scenario.hpp"
#include "command/sim/subject.hpp"

namespace {

using namespace weir::command;
using oracle::integer;

constexpr std::uint64_t hertz = 1'000'000'000;
constexpr std::uint32_t keys = 5;

oracle::scenario scenario_of(const weir::quota& q) {
    oracle::scenario s;
    s.units = q.units();
    s.period = q.period().count();
    s.burst = q.burst();
    s.hertz = hertz;
    return s;
}

template <class Cell>
auto exact_model(const weir::quota& q) {
    const oracle::scenario s = scenario_of(q);
    const auto r = *Cell::rate::make(q, hertz, {});
    if constexpr (weir::log_cell<Cell>) {
        const oracle::log_scale scale(r);
        return oracle::log_model(
            {s.burst, scale.period, scale.coarseness, scale.debt, integer{r.most_state().ticks}});
    } else {
        return oracle::model_of(r, s);
    }
}

// Bursts, pauses and single requests, of some keys; now and then one that is larger than the burst.
std::vector<arrival> any_arrivals(oracle::dice& chaos, const weir::quota& q, std::uint64_t begin) {
    std::vector<arrival> all;
    std::uint64_t time = begin;
    const auto unit = static_cast<std::uint64_t>(q.period().count() / q.units());
    const auto burst = static_cast<std::uint64_t>(q.burst());
    for (int i = 0; i < 600; ++i) {
        if (!chaos.chance(40)) time += chaos.magnitude(1, 4 * unit);
        if (chaos.chance(2)) time += 2 * static_cast<std::uint64_t>(q.period().count());
        const std::uint64_t cost = chaos.chance(80) ? 1 : chaos.magnitude(1, burst + 1);
        all.push_back(
            {time, static_cast<std::uint32_t>(chaos.roll(keys)), static_cast<std::uint32_t>(cost)});
    }
    // Keys have their numbers in the order in which they come.
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (arrival& a : all) {
        a.key = numbers.emplace(a.key, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    return all;
}

struct passed {
    weir::word at;
    weir::word units;
};

template <class Kind>
void compare(const weir::quota& q, std::uint64_t seed) {
    using cell = typename Kind::template cell<0>;
    SCOPED_TRACE(std::string(Kind::name) + ", seed " + std::to_string(seed));
    std::string why;
    const auto simulated = find_limit(Kind::name)->make({q, weir::seconds(3'600), false}, why);
    ASSERT_NE(simulated, nullptr) << why;
    oracle::dice chaos(seed);
    const std::uint64_t begin = chaos.chance(50) ? 0 : 1'777'593'600'000'000'000;
    std::map<std::uint32_t, decltype(exact_model<cell>(q))> models;
    std::map<std::uint32_t, std::vector<passed>> histories;
    for (const arrival& a : any_arrivals(chaos, q, begin)) {
        const auto [model, is_new] = models.try_emplace(a.key, exact_model<cell>(q));
        if (is_new) model->second.fill(integer{a.time}, integer{q.burst()});
        const bool should = model->second.try_acquire(integer{a.time}, integer{a.cost}).verdict ==
                            oracle::outcome::admitted;
        const std::uint64_t before = simulated->so_far().admitted;
        simulated->take(std::span(&a, 1));
        ASSERT_EQ(simulated->so_far().admitted - before, should ? 1U : 0U)
            << "key " << a.key << " at " << a.time << " for " << a.cost;
        if (should) histories[a.key].push_back({a.time, a.cost});
    }
    simulated->end();
    weir::word worst = 0;
    for (const auto& [key, history] : histories) {
        worst = std::max(worst, most_within(static_cast<weir::word>(q.period().count()), history,
                                            &passed::at, &passed::units));
    }
    EXPECT_EQ(simulated->so_far().worst.most(), worst);
    EXPECT_FALSE(simulated->so_far().worst.is_least());
}

TEST(simulated_cells, decide_as_their_exact_models_do) {
    const weir::quota quotas[] = {weir::per_second(10), weir::per_minute(7),
                                  weir::quota(3, weir::milliseconds(20)), weir::per_second(2'000)};
    std::uint64_t seed = 0;
    for (const weir::quota& q : quotas) {
        for (int i = 0; i < 5; ++i) {
            ++seed;
            weir::for_each_kind([&](auto kind) { compare<decltype(kind)>(q, seed); });
        }
    }
}

TEST(simulated_cells, decide_so_with_another_burst) {
    const auto q = weir::per_second(10).with_burst(3);
    int kinds = 0;
    weir::for_each_kind([&](auto kind) {
        if (weir::period_cell<typename decltype(kind)::template cell<0>>) return;
        ++kinds;
        for (std::uint64_t seed = 1; seed < 6; ++seed) compare<decltype(kind)>(q, seed);
    });
    EXPECT_GE(kinds, 3);
}

TEST(simulated_queue, lets_wait_as_the_exact_model_does) {
    for (std::uint64_t seed = 1; seed < 10; ++seed) {
        SCOPED_TRACE(seed);
        oracle::dice chaos(seed);
        // The second one's units come at no whole nanosecond.
        const weir::quota q = chaos.chance(50) ? weir::per_second(10).with_burst(4)
                                               : weir::quota(3'000'001, weir::seconds(1), 4);
        const weir::nanoseconds longest = weir::milliseconds(chaos.chance(50) ? 700 : 60'000);
        std::string why;
        const auto simulated = find_limit("queue")->make({q, longest, false}, why);
        ASSERT_NE(simulated, nullptr) << why;
        const auto r = *weir::gcra<>::rate::make(q, hertz, {});
        auto model = oracle::model_of(r, scenario_of(q));
        std::uint64_t last = 0;
        bool first = true;
        for (arrival a : any_arrivals(chaos, q, 0)) {
            a.key = 0;
            if (first) model.fill(integer{a.time}, integer{q.burst()});
            first = false;
            const auto should =
                model.reserve(integer{a.time}, integer{a.cost}, integer{longest.count()});
            const std::uint64_t before = simulated->so_far().admitted;
            simulated->take(std::span(&a, 1));
            const bool passes = should.verdict == oracle::outcome::admitted;
            ASSERT_EQ(simulated->so_far().admitted - before, passes ? 1U : 0U) << "at " << a.time;
            if (!passes) continue;
            const auto wait = static_cast<std::uint64_t>(should.retry_after);
            last = std::max(last, a.time + wait);
            ASSERT_EQ(simulated->so_far().last, last) << "at " << a.time;
            EXPECT_LE(wait, static_cast<std::uint64_t>(longest.count()));
        }
    }
}

// An item may go at r >= T; then T = max(T, r - half an interval) + an interval for each unit.
TEST(simulated_pacer, spaces_items_as_a_schedule_is_defined) {
    constexpr std::int64_t interval = 100'000'000;
    const auto q = weir::per_second(10).with_burst(4);
    for (std::uint64_t seed = 1; seed < 10; ++seed) {
        SCOPED_TRACE(seed);
        oracle::dice chaos(seed);
        const std::int64_t longest = chaos.chance(50) ? 700'000'000 : 60'000'000'000;
        std::string why;
        const auto simulated =
            find_limit("pacer")->make({q, weir::nanoseconds(longest), false}, why);
        ASSERT_NE(simulated, nullptr) << why;
        std::optional<std::int64_t> next;
        std::int64_t last = 0;
        for (arrival a : any_arrivals(chaos, q, 1'000'000'000)) {
            a.key = 0;
            const std::uint64_t before = simulated->so_far().admitted;
            simulated->take(std::span(&a, 1));
            const bool passed_one = simulated->so_far().admitted != before;
            const auto came = static_cast<std::int64_t>(a.time);
            if (!next) next = came;
            const std::int64_t goes = std::max({came, last, *next});
            const bool passes = a.cost <= 4 && goes - came <= longest;
            ASSERT_EQ(passed_one, passes) << "at " << a.time;
            if (!passes) continue;
            ASSERT_EQ(simulated->so_far().last, static_cast<std::uint64_t>(goes));
            last = goes;
            next = std::max(*next, goes - interval / 2) + interval * a.cost;
        }
    }
}

}  // namespace

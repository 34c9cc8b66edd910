// SPDX-License-Identifier: MIT
// bench_fleet_keys          what a decision of a leased key costs in the process, beside a keyed
//                           table's and a limiter's; no Redis is needed
// bench_fleet_keys fleets   fleets with a limit for each of many keys in virtual time, with the
// code
//                           that ships, and a Redis that takes 15 us for each key of a call
//
// The rows of the first take turns, so that all of them meet the same weather; each figure is the
// lowest of all rounds.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <weir/adapter/fleet_key_supply.hpp>
#include <weir/adapter/fleet_key_table.hpp>
#include <weir/table/keyed.hpp>
#include <weir/weir.hpp>

#include "../../tests/unit/adapter/fleet_key_model.hpp"

namespace {

// --- in virtual time

// A tenth of the requests are for one key, four tenths for a hundred, and the others for all keys.
struct story {
    unsigned processes;
    std::size_t keys;
    std::size_t room;  // for keys, in each process
    double each;       // requests a second of a process
    std::int64_t burst;
};

struct tally {
    std::uint64_t asked = 0;
    std::uint64_t passed = 0;
    void add(bool passes) {
        ++asked;
        passed += passes ? 1U : 0U;
    }
    [[nodiscard]] double share() const {
        return static_cast<double>(passed) / static_cast<double>(asked);
    }
};

void print_story(const story& s) {
    const weir::quota q = weir::per_second(1'000).with_burst(s.burst);
    weir::fleet_options o;
    o.processes = s.processes;
    fleet_model::key_fleet f(q, o, s.room, s.processes);
    f.its.each_takes = weir::microseconds(15);
    std::mt19937_64 random(1);
    std::vector<double> due(s.processes);
    for (double& d : due) d = static_cast<double>(random() % 1'000) / 1'000;
    std::vector<std::uint64_t> hot(s.processes);
    tally of_hot;
    tally of_warm;
    tally of_others;
    const double step = s.each * 1e-9 * static_cast<double>(fleet_model::key_fleet::step.count());
    const auto demand = [&](std::size_t i) {
        for (due[i] += step; due[i] >= 1; due[i] -= 1) {
            const std::uint64_t kind = random() % 10;
            if (kind == 0) {
                const bool passes = f.take(i, "hot");
                hot[i] += passes ? 1U : 0U;
                of_hot.add(passes);
            } else if (kind < 5) {
                of_warm.add(f.take(i, "warm " + std::to_string(random() % 100)));
            } else {
                of_others.add(f.take(i, std::to_string(random() % s.keys)));
            }
        }
    };
    f.run(weir::seconds(3), demand);
    for (auto& p : f.all) {
        p.link.calls.clear();
        p.link.asked = 0;
    }
    std::fill(hot.begin(), hot.end(), 0);
    of_hot = of_warm = of_others = {};
    f.its.most_wait = {};
    constexpr int length = 5;
    f.run(weir::seconds(length), demand);
    std::uint64_t asks = 0;
    std::size_t calls = 0;
    weir::word keys = 0;
    for (auto& p : f.all) {
        asks += p.link.asked;
        calls = std::max(calls, p.link.calls.size());
        keys = std::max(keys, p.supply.counts().keys);
    }
    const auto [least, most] = std::minmax_element(hot.begin(), hot.end());
    const double even = static_cast<double>(of_hot.passed) / s.processes;
    std::printf("| %u | %zu | %.0f | %.2f | %.3f | %.3f | %.0f of %.0f | %zu | %.0f | %.0f | %d | "
                "%.2f to %.2f |\n",
                s.processes, s.keys, s.each * s.processes,
                static_cast<double>(of_hot.passed) / (1'000.0 * length), of_warm.share(),
                of_others.share(), f.most_in_a_window(), f.bound(o), calls / length,
                static_cast<double>(asks) / length,
                static_cast<double>(f.its.most_wait.count()) * 1e-6, static_cast<int>(keys),
                static_cast<double>(*least) / even, static_cast<double>(*most) / even);
}

void print_stories() {
    std::puts(
        "| processes | keys | requests a second | hot key, of its rate | a hundred keys, of what "
        "was asked | other keys | most beyond rate x time, of the bound | calls a second | keys "
        "asked for a second, by all | longest call, ms | keys in a process | shares of the hot key "
        "|");
    std::puts("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
              "---: |");
    for (const story& s :
         {story{4, 1'000'000, 20'000, 5'000, 1'000}, story{16, 1'000'000, 10'000, 1'500, 1'000},
          story{100, 1'000'000, 2'000, 250, 1'000}, story{100, 1'000'000, 4'000, 1'000, 1'000},
          story{1'000, 1'000'000, 300, 25, 4'000}})
        print_story(s);
}

// --- what a decision costs

struct row {
    std::string name;
    std::function<std::uint64_t(std::size_t)> decide;  // so often; how many were admitted
    double least = 1e300;
};

// Each key in an order that nothing foresees.
int print_costs() {
    const weir::quota all = weir::per_second(1'000'000'000).with_burst(1'000'000'000);
    weir::limiter<> limiter(all);
    std::vector<row> rows;
    const auto now = weir::default_clock::now();
    rows.push_back({"limiter, given now", [&](std::size_t count) {
                        std::uint64_t admitted = 0;
                        for (std::size_t i = 0; i < count; ++i)
                            admitted += limiter.try_acquire(1, now) ? 1U : 0U;
                        return admitted;
                    }});
    std::mt19937 random(1);
    std::vector<std::vector<std::string>> texts;
    using table = weir::fleet_key_table<>;
    using exact =
        weir::keyed_limits<weir::any_size, weir::default_clock, weir::keyed_layout{.exact = true}>;
    std::vector<std::unique_ptr<table>> leased;
    std::vector<std::unique_ptr<exact>> keyed;
    texts.reserve(3);
    for (const std::size_t keys : {1'000U, 10'000U, 100'000U}) {
        std::vector<std::string>& its = texts.emplace_back();
        for (std::size_t i = 0; i < keys; ++i) its.push_back("user:" + std::to_string(i));
        table& t = *leased.emplace_back(
            std::make_unique<table>(keys, weir::word{16'000'000}, weir::word{1}, weir::seed(1)));
        t.meet_newcomers(table::newcomers::credited, 0);
        for (const std::string& key : its) (void)t.take(key, 1);
        t.each_told([&](std::uint32_t place) { (void)t.put(place, 16'000'000, 4); });
        exact& k = *keyed.emplace_back(
            std::make_unique<exact>(2 * keys, weir::per_second(1'000'000).with_burst(1'000'000),
                                    weir::when_full::deny, weir::seed(1)));
        for (std::string& key : its) (void)k[std::string_view(key)].try_acquire(1, now);
        std::shuffle(its.begin(), its.end(), random);
        const std::string name = std::to_string(keys) + " keys";
        rows.push_back({"keyed table, exact, given now, " + name, [&its, &k, now](std::size_t n) {
                            std::uint64_t admitted = 0;
                            for (std::size_t i = 0; i < n; ++i)
                                admitted +=
                                    k[std::string_view(its[i % its.size()])].try_acquire(1, now)
                                        ? 1U
                                        : 0U;
                            return admitted;
                        }});
        rows.push_back({"fleet_keyed_limits, " + name, [&its, &t](std::size_t n) {
                            std::uint64_t admitted = 0;
                            for (std::size_t i = 0; i < n; ++i)
                                admitted += t.take(its[i % its.size()], 1).passes ? 1U : 0U;
                            return admitted;
                        }});
    }
    constexpr std::size_t calls = 100'000;
    std::uint64_t refused = 0;
    for (int round = 0; round < 40; ++round) {
        for (row& r : rows) {
            const auto begin = std::chrono::steady_clock::now();
            const std::uint64_t admitted = r.decide(calls);
            const std::chrono::duration<double, std::nano> took =
                std::chrono::steady_clock::now() - begin;
            r.least = std::min(r.least, took.count() / calls);
            refused += calls - admitted;
        }
    }
    std::puts("| a decision, admitted | ns | x limiter, given now | x keyed table |");
    std::puts("| --- | ---: | ---: | ---: |");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const row& beside = rows[i == 0 ? 0 : i - (i % 2 == 0 ? 1 : 0)];
        std::printf("| %s | %.2f | %.2f | %s |\n", rows[i].name.c_str(), rows[i].least,
                    rows[i].least / rows[0].least,
                    i == 0 ? ""
                           : std::to_string(rows[i].least / beside.least).substr(0, 4).c_str());
    }
    // A few of so many keys find no place.
    if (refused * 1'000 < std::uint64_t{40} * calls) return 0;
    std::printf("%d were refused, so this says little\n", static_cast<int>(refused));
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 1) return print_costs();
    if (count == 2 && std::string_view(arguments[1]) == "fleets") {
        print_stories();
        return 0;
    }
    std::puts("bench_fleet_keys [fleets]");
    return 2;
}

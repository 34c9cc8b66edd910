// SPDX-License-Identifier: MIT
// bench_fleet_keys          what a decision of a leased key costs in the process, beside a keyed
//                           table's and a limiter's; no Redis is needed
// bench_fleet_keys fleets [--svg=PATH]
//                           fleets with a limit for each of many keys in virtual time, with the
//                           code that ships, and a Redis that takes 15 us for each key of a call.
//                           The picture is of a thousand processes
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <weir/adapter/fleet_key_table.hpp>
#include <weir/table/keyed.hpp>
#include <weir/weir.hpp>

#include "../harness/results.hpp"
#include "fleet_picture.hpp"
#include "key_story.hpp"
#include "rows.hpp"

namespace {

// --- in virtual time

void print_story(const bench::key_story& s) {
    bench::told_keys told(s);
    told.run(weir::seconds(3));
    told.forget();
    constexpr int length = 5;
    told.run(weir::seconds(length));
    std::size_t calls = 0;
    weir::word keys = 0;
    for (auto& p : told.fleet.all) {
        calls = std::max(calls, p.link.calls.size());
        keys = std::max(keys, p.supply.counts().keys);
    }
    const auto [least, most] = std::minmax_element(told.hot.begin(), told.hot.end());
    const double even = static_cast<double>(told.of_hot.passed) / s.processes;
    std::printf("| %u | %zu | %.0f | %.2f | %.3f | %.3f | %.0f of %.0f | %zu | %.0f | %.0f | %d | "
                "%.2f to %.2f |\n",
                s.processes, s.keys, s.each * s.processes,
                static_cast<double>(told.of_hot.passed) / (bench::told_keys::rate * length),
                told.of_warm.share(), told.of_others.share(), told.fleet.most_in_a_window(),
                told.fleet.bound(bench::told_keys::options(s)), calls / length,
                static_cast<double>(told.asks()) / length,
                static_cast<double>(told.fleet.its.most_wait.count()) * 1e-6,
                static_cast<int>(keys), static_cast<double>(*least) / even,
                static_cast<double>(*most) / even);
}

void print_stories() {
    std::puts(
        "| processes | keys | requests a second | hot key, of its rate | a hundred keys, of what "
        "was asked | other keys | most beyond rate x time, of the bound | calls a second | keys "
        "asked for a second, by all | longest call, ms | keys in a process | shares of the hot key "
        "|");
    std::puts("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | "
              "---: |");
    for (const bench::key_story& s : {bench::key_story{4, 1'000'000, 20'000, 5'000, 1'000},
                                      bench::key_story{16, 1'000'000, 10'000, 1'500, 1'000},
                                      bench::key_story{100, 1'000'000, 2'000, 250, 1'000},
                                      bench::key_story{100, 1'000'000, 4'000, 1'000, 1'000},
                                      bench::key_story{1'000, 1'000'000, 300, 25, 4'000}})
        print_story(s);
}

// The path is where the picture goes.
bool draw_stories(const std::string& path) {
    return bench::write_file(path, bench::fleet_picture());
}

// --- what a decision costs

// Each key in an order that nothing foresees.
int print_costs() {
    const weir::quota all = weir::per_second(1'000'000'000).with_burst(1'000'000'000);
    weir::limiter<> limiter(all);
    std::vector<bench::timed_row> rows;
    const auto now = weir::default_clock::now();
    rows.push_back(bench::row_of("limiter, given now", std::nullopt, [&](std::size_t) {
        return limiter.try_acquire(1, now).admitted();
    }));
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
        const std::size_t of_table = rows.size();
        rows.push_back(bench::row_of(
            "keyed table, exact, given now, " + name, of_table, [&its, &k, now](std::size_t i) {
                return k[std::string_view(its[i % its.size()])].try_acquire(1, now).admitted();
            }));
        rows.push_back(
            bench::row_of("fleet_keyed_limits, " + name, of_table, [&its, &t](std::size_t i) {
                return t.take(its[i % its.size()], 1).passes;
            }));
    }
    return bench::print_costs_of(rows, "keyed table") ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 1) return print_costs();
    const std::string_view what = arguments[1];
    const std::string_view more = count > 2 ? arguments[2] : "";
    constexpr std::string_view svg = "--svg=";
    if (what == "fleets" && (count == 2 || (count == 3 && more.starts_with(svg) && more != svg))) {
        print_stories();
        return count == 2 || draw_stories(std::string(more.substr(svg.size()))) ? 0 : 1;
    }
    std::puts("bench_fleet_keys [fleets [--svg=PATH]]");
    return what == "--help" ? 0 : 2;
}

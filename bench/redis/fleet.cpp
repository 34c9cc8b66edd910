// SPDX-License-Identifier: MIT
// bench_fleet            fleets in virtual time, with the code that ships: what passes, the bound,
//                        the calls and the shares
// bench_fleet <socket>   what a decision of a leased limit costs, beside a limiter and `striped`. A
//                        Redis answers at that socket. Makes the key weir:11:bench_fleet:
//
// The rows of the second take turns, so that all of them meet the same weather; each figure is the
// lowest of all rounds.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <weir/adapter/fleet_limiter.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

#include "../../tests/unit/adapter/fleet_model.hpp"

namespace {

// --- in virtual time

struct story {
    const char* name;
    unsigned processes;
    unsigned busy;  // of those
    double load;    // of the quota, by all together
};

void print_story(const story& s, const weir::quota& q) {
    weir::fleet_options o;
    o.processes = s.processes;
    const auto burst = static_cast<weir::word>(q.burst());
    const weir::word most = burst / 2 / s.processes;
    fleet_model::fleet f(q, o, most, s.processes);
    const double each = s.load * static_cast<double>(q.units()) / 1'000 / s.busy;
    const auto demand = [&](std::size_t i, weir::nanoseconds) { return i < s.busy ? each : 0.0; };
    f.run(weir::seconds(2), demand);
    std::vector<std::uint64_t> before;
    for (auto& p : f.all) {
        before.push_back(p.admitted);
        p.link.calls.clear();
    }
    const int length = 5;
    f.run(weir::seconds(length), demand);
    double all = 0;
    double least = 1e300;
    double largest = 0;
    std::size_t most_calls = 0;
    std::size_t idle_calls = 0;
    for (std::size_t i = 0; i < f.all.size(); ++i) {
        const double units = static_cast<double>(f.all[i].admitted - before[i]);
        std::size_t& calls = i < s.busy ? most_calls : idle_calls;
        calls = std::max(calls, f.all[i].link.calls.size());
        if (i >= s.busy) continue;
        all += units;
        least = std::min(least, units);
        largest = std::max(largest, units);
    }
    const double offered = std::min(s.load, 1.0) * static_cast<double>(q.units()) * length;
    const std::string idle = s.busy == s.processes ? "" : std::to_string(idle_calls / length);
    std::printf("| %s | %u | %.3f | %.0f of %.0f | %zu | %s | %.2f to %.2f |\n", s.name,
                s.processes, all / offered, f.passed.most(),
                static_cast<double>(burst + s.processes * most), most_calls / length, idle.c_str(),
                least * s.busy / all, largest * s.busy / all);
}

void print_stories() {
    const weir::quota q = weir::per_second(100'000).with_burst(100'000);
    std::puts(
        "| 100 000 a second, burst 100 000 | processes | passed, of what could | beyond rate x "
        "time, of the bound | calls a second, busy | idle | shares |");
    std::puts("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (const story& s :
         {story{"half of it is asked for", 4, 4, 0.5}, story{"2.4 x", 4, 4, 2.4},
          story{"2.4 x", 16, 16, 2.4}, story{"2.4 x, a quarter of them busy", 16, 4, 2.4},
          story{"half of it is asked for", 1'000, 1'000, 0.5}, story{"2.4 x", 1'000, 1'000, 2.4},
          story{"2.4 x, a tenth of them busy", 1'000, 100, 2.4}})
        print_story(s, q);
}

// --- what a decision costs

struct row {
    const char* name;
    std::function<std::uint64_t(int)> decide;  // so often; how many were admitted
    double least = 1e300;
};

constexpr int calls = 200'000;

int print_costs(const char* socket) {
    // So much that leases never end.
    const weir::quota all = weir::per_second(1'000'000'000).with_burst(1'000'000'000);
    weir::redis_options to;
    to.socket = socket;
    auto leased = weir::fleet_limiter::make(to, "bench_fleet", all, {.processes = 1});
    if (!leased || leased->state().mode != weir::fleet_mode::leased) {
        std::puts("there is no Redis");
        return 1;
    }
    weir::fleet_limiter& fleet = *leased;
    weir::limiter<> limiter(all);
    const weir::quota striped_quota = weir::per_second(4'000'000'000).with_burst(1'000'000'000);
    weir::limiter<> below(striped_quota);
    weir::striped stripes(below);
    weir::striped before_fleet(fleet);
    const auto time_of = [] { return weir::default_clock::now(); };
    std::vector<row> rows;
    const auto add = [&](const char* name, auto one) {
        rows.push_back({name, [one](int count) {
                            std::uint64_t admitted = 0;
                            for (int i = 0; i < count; ++i) admitted += one(i) ? 1U : 0U;
                            return admitted;
                        }});
    };
    // The given time goes on by 5 ns, so that as much comes back as is taken.
    auto now = time_of();
    add("limiter, given now", [&](int) {
        now = now + 20;
        return limiter.try_acquire(1, now).admitted();
    });
    add("limiter", [&](int) { return limiter.try_acquire().admitted(); });
    add("fleet_limiter", [&](int) { return fleet.try_acquire().admitted(); });
    add("striped", [&](int) { return stripes.try_acquire().admitted(); });
    add("striped before a fleet_limiter",
        [&](int) { return before_fleet.try_acquire().admitted(); });
    std::uint64_t refused = 0;
    std::uint64_t asked = 0;
    for (int round = 0; round < 60; ++round) {
        for (row& r : rows) {
            if (&r == &rows[1]) limiter.reset();
            const auto begin = std::chrono::steady_clock::now();
            const std::uint64_t admitted = r.decide(calls);
            const std::chrono::duration<double, std::nano> took =
                std::chrono::steady_clock::now() - begin;
            r.least = std::min(r.least, took.count() / calls);
            refused += calls - admitted;
            asked += calls;
            now = time_of();
            limiter.reset();
        }
    }
    std::puts("| a decision, admitted | ns | x limiter, given now | x striped |");
    std::puts("| --- | ---: | ---: | ---: |");
    for (const row& r : rows)
        std::printf("| %s | %.2f | %.2f | %.2f |\n", r.name, r.least, r.least / rows[0].least,
                    r.least / rows[3].least);
    if (refused * 1'000 > asked) {
        std::printf("%.2f %% were refused, so this says little\n",
                    100.0 * static_cast<double>(refused) / static_cast<double>(asked));
        return 1;
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count > 2) {
        std::puts("bench_fleet [path of Redis's Unix socket]");
        return 2;
    }
    if (count == 2) return print_costs(arguments[1]);
    print_stories();
}

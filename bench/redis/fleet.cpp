// SPDX-License-Identifier: MIT
// bench_fleet            fleets in virtual time, with the code that ships: what passes, the bound,
//                        the calls and the shares
// bench_fleet <socket>   what a decision of a leased limit costs, beside a limiter and `striped`. A
//                        Redis answers at that socket. Makes the key weir:11:bench_fleet:
// bench_fleet outage [redis-server]
//                        how long the slowest decisions take while Redis stands still or is killed:
//                        starts a Redis of its own
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <weir/adapter/fleet_limiter.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

#include "../../tests/unit/adapter/fleet_model.hpp"
#include "outage.hpp"
#include "rows.hpp"

namespace {

// --- in virtual time

struct story {
    const char* name;
    unsigned processes;
    unsigned busy;  // of those
    double load;    // of the quota, by all together
    int burst = 100'000;
};

void print_story(const story& s) {
    const weir::quota q = weir::per_second(100'000).with_burst(s.burst);
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
    std::puts(
        "| 100 000 a second, burst 100 000 | processes | passed, of what could | beyond rate x "
        "time, of the bound | calls a second, busy | idle | shares |");
    std::puts("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (const story& s :
         {story{"half of it is asked for", 4, 4, 0.5}, story{"2.4 x", 4, 4, 2.4},
          story{"2.4 x", 16, 16, 2.4}, story{"2.4 x, a quarter of them busy", 16, 4, 2.4},
          story{"half of it is asked for", 1'000, 1'000, 0.5}, story{"2.4 x", 1'000, 1'000, 2.4},
          story{"2.4 x, a burst of 20 000", 1'000, 1'000, 2.4, 20'000},
          story{"2.4 x, a tenth of them busy", 1'000, 100, 2.4}})
        print_story(s);
}

// --- what a decision costs

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
    auto now = weir::default_clock::now();
    constexpr std::size_t striped_row = 3;
    std::vector<bench::timed_row> rows;
    // The given time goes on by 5 ns, so that as much comes back as is taken.
    rows.push_back(bench::row_of("limiter, given now", striped_row, [&](std::size_t) {
        now = now + 20;
        return limiter.try_acquire(1, now).admitted();
    }));
    rows.back().prepare = [&] {
        now = weir::default_clock::now();
        limiter.reset();
    };
    rows.push_back(bench::row_of("limiter", striped_row,
                                 [&](std::size_t) { return limiter.try_acquire().admitted(); }));
    rows.back().prepare = [&] { limiter.reset(); };
    rows.push_back(bench::row_of("fleet_limiter", striped_row,
                                 [&](std::size_t) { return fleet.try_acquire().admitted(); }));
    rows.push_back(bench::row_of("striped", striped_row,
                                 [&](std::size_t) { return stripes.try_acquire().admitted(); }));
    rows.push_back(bench::row_of("striped before a fleet_limiter", striped_row, [&](std::size_t) {
        return before_fleet.try_acquire().admitted();
    }));
    return bench::print_costs_of(rows, "striped") ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    const std::string_view what = count > 1 ? arguments[1] : "";
    if (count == 1) {
        print_stories();
        return 0;
    }
    if (what == "outage" && count <= 3)
        return bench::print_tails(count == 3 ? arguments[2] : "redis-server");
    if (count == 2 && what != "--help") return print_costs(arguments[1]);
    std::puts("bench_fleet [path of Redis's Unix socket | outage [path of redis-server]]");
    return what == "--help" ? 0 : 2;
}

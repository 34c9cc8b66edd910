// SPDX-License-Identifier: MIT
// Processes with a leased limit: the bound holds in every window of all that they let pass.
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_limiter.hpp>
#include <weir/weir.hpp>

#include "family.hpp"
#include "passages.hpp"
#include "server.hpp"

namespace {

constexpr int processes = 4;
constexpr std::int64_t length = 1'000'000'000;

struct report {
    std::uint64_t made;
    std::uint64_t count;
    std::uint64_t calls;
    std::int64_t begun;
    std::int64_t passed[100'000];
};
using fleet = family<report, processes>;

const weir::quota quota = weir::per_second(20'000).with_burst(4'000);

// Asks for 0.6 of the quota, so that all of them ask for 2.4 x as much as there is.
void use(const redis_server& server, report& mine, std::int64_t time) {
    auto limit =
        weir::fleet_limiter::make(server.options(), "all", quota, {.processes = processes});
    if (!limit) return;
    mine.made = 1;
    mine.begun = time_now();
    std::uint64_t asked = 0;
    for (std::int64_t now = mine.begun; now < mine.begun + time; now = time_now()) {
        const auto due = static_cast<std::uint64_t>(now - mine.begun) * 12'000 / 1'000'000'000;
        for (; asked < due; ++asked) {
            if (limit->try_acquire() && mine.count < std::size(mine.passed))
                mine.passed[mine.count++] = time_now();
        }
        usleep(500);
    }
    mine.calls = limit->counts().calls;
}

void expect_the_bound(const fleet& all) {
    std::vector<std::int64_t> passed;
    for (int which = 0; which < processes; ++which) {
        const report& its = all.reports()[which];
        EXPECT_EQ(its.made, 1U);
        EXPECT_GE(its.count, 1U) << "a first request passes";
        passed.insert(passed.end(), its.passed, its.passed + its.count);
    }
    const double beyond = most_beyond(passed, quota);
    EXPECT_LE(beyond, 4'000 + 4 * 500 + processes);
    // How much of the rate passed, and how it was shared, depends on the machine.
    std::printf("passed beyond rate x time: %.0f of 6000 at most; units:", beyond);
    for (int which = 0; which < processes; ++which) {
        const report& its = all.reports()[which];
        std::printf(" %d in %d calls", static_cast<int>(its.count), static_cast<int>(its.calls));
    }
    std::printf("\n");
}

TEST(a_real_fleet, keeps_the_bound_in_every_window) {
    const redis_server server;
    const fleet all([&](int, report& mine) { use(server, mine, length); });
    EXPECT_EQ(all.wait(), 0);
    expect_the_bound(all);
}

// One begins late, one leaves, and one is killed and takes its units along.
TEST(a_real_fleet, keeps_the_bound_while_processes_come_and_go) {
    const redis_server server;
    const fleet all([&](int which, report& mine) {
        if (which == 0) usleep(300'000);
        use(server, mine, which == 1 ? length / 3 : length);
        if (which == 2) raise(SIGKILL);
    });
    EXPECT_EQ(all.wait(), 1);
    expect_the_bound(all);
}

}  // namespace

// SPDX-License-Identifier: MIT
// Processes that share a limit for each of many keys: the bound of each key holds in every window
// of all that they let pass, while keys come and go, and while Redis fails.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <sys/types.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_keyed.hpp>
#include <weir/weir.hpp>

#include "family.hpp"
#include "passages.hpp"
#include "server.hpp"

namespace {

using weir::when_away;

constexpr int processes = 4;
constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t length = 1'200 * millisecond;

struct passage {
    std::int64_t time;
    std::int64_t key;
};
struct report {
    std::uint64_t made;
    std::uint64_t count;
    std::uint64_t calls;
    std::uint64_t minted;  // of all keys
    std::uint64_t failures;
    std::uint64_t answers;
    std::uint64_t entered;
    std::uint64_t may_end;  // says the parent
    passage passed[100'000];
};
using fleet = family<report, processes>;

void tell(std::uint64_t& other_process, std::uint64_t what) {
    __atomic_store_n(&other_process, what, __ATOMIC_RELEASE);
}
std::uint64_t told(const std::uint64_t& other_process) {
    return __atomic_load_n(&other_process, __ATOMIC_ACQUIRE);
}
// Until each process has told more of that than before.
void wait_for_more(const fleet& all, std::uint64_t report::*of) {
    for (int which = 0; which < processes; ++which) {
        const std::uint64_t& its = all.reports()[which].*of;
        for (const std::uint64_t before = told(its); told(its) == before;) usleep(1'000);
    }
}
int end(const fleet& all) {
    for (int which = 0; which < processes; ++which) tell(all.reports()[which].may_end, 1);
    return all.wait();
}

// A process holds 20 units of a key at most, and is credited with one.
const weir::quota quota = weir::per_second(1'000).with_burst(160);
constexpr double bound = 160 + processes * (20 + 1);

// All together ask for 2.4 x the quota of twenty keys that are always there, and about as often for
// keys that come for 5 ms.
void use(const weir::redis_options& to, report& mine, std::int64_t time, when_away policy) {
    auto limits = weir::fleet_keyed_limits::make(to, "all", quota, 2'000,
                                                 {.processes = processes, .away = policy});
    if (!limits) return;
    tell(mine.made, 1);
    const std::int64_t begun = time_now();
    std::uint64_t asked = 0;
    for (std::int64_t now = begun; now < begun + time || told(mine.may_end) == 0;
         now = time_now()) {
        const auto due = static_cast<std::uint64_t>(now - begun) * 24 / millisecond;
        for (; asked < due; ++asked) {
            const bool comes_and_goes = asked % 2 == 0;
            const std::int64_t key = comes_and_goes ? 100 + now / (5 * millisecond) * 3 +
                                                          static_cast<std::int64_t>(asked / 2 % 3)
                                                    : static_cast<std::int64_t>(asked / 2 % 20);
            if (mine.count < std::size(mine.passed) && limits->try_acquire(std::to_string(key)))
                mine.passed[mine.count++] = {time_now(), key};
        }
        usleep(500);
        const auto c = limits->counts();
        mine.calls = c.calls;
        mine.minted = c.minted;
        mine.entered = c.entered;
        tell(mine.failures, c.failures);
        tell(mine.answers, c.calls - c.failures);
    }
}

[[nodiscard]] double most_beyond_of_a_key(const fleet& all) {
    std::map<std::int64_t, std::vector<std::int64_t>> passed;
    for (int which = 0; which < processes; ++which) {
        const report& its = all.reports()[which];
        EXPECT_EQ(its.made, 1U);
        EXPECT_GE(its.count, 1U) << "a first request passes";
        for (std::size_t i = 0; i < its.count; ++i)
            passed[its.passed[i].key].push_back(its.passed[i].time);
    }
    EXPECT_GE(passed.size(), 20U);
    double most = 0;
    for (const auto& [key, times] : passed) most = std::max(most, most_beyond(times, quota));
    std::printf("%zu keys; the most beyond rate x time: %.0f of %.0f; units:", passed.size(), most,
                bound);
    for (int which = 0; which < processes; ++which) {
        const report& its = all.reports()[which];
        std::printf(" %d in %d calls", static_cast<int>(its.count), static_cast<int>(its.calls));
    }
    std::printf("\n");
    return most;
}

TEST(a_real_keyed_fleet, keeps_the_bound_of_each_key_in_every_window) {
    const redis_server server;
    const fleet all(
        [&](int, report& mine) { use(server.options(), mine, length, when_away::closed); });
    EXPECT_EQ(end(all), 0);
    EXPECT_LE(most_beyond_of_a_key(all), bound + processes);
    for (int which = 0; which < processes; ++which)
        EXPECT_GE(all.reports()[which].entered, 20U) << "keys come and go";
}

// One begins late, one leaves, and one is killed and takes its units along.
TEST(a_real_keyed_fleet, keeps_the_bounds_while_processes_come_and_go) {
    const redis_server server;
    const fleet all([&](int which, report& mine) {
        if (which == 0) usleep(300'000);
        use(server.options(), mine, which == 1 ? length / 3 : length, when_away::closed);
        if (which == 2) raise(SIGKILL);
    });
    EXPECT_EQ(end(all), 1);
    EXPECT_LE(most_beyond_of_a_key(all), bound + processes);
}

// What a policy adds: of a key, the shares of all processes for the time of the outage.
double added(const fleet& all, double seconds) {
    double most = 0;
    for (int which = 0; which < processes; ++which) {
        const report& its = all.reports()[which];
        EXPECT_LE(static_cast<double>(its.minted),
                  static_cast<double>(its.entered) * (250 * seconds + 1));
        most += std::min(static_cast<double>(its.minted), 250 * seconds + 1);
    }
    return most;
}

template <class Break, class Mend>
void fails(when_away policy, bool loses_state, Break breaks, Mend mends) {
    redis_server server;
    weir::redis_options hasty = server.options();
    hasty.answer_within = weir::milliseconds(100);
    hasty.connect_within = weir::milliseconds(100);
    const std::int64_t begun = time_now();
    const fleet all([&](int, report& mine) { use(hasty, mine, length, policy); });
    wait_for_more(all, &report::answers);
    usleep(200'000);
    breaks(server);
    wait_for_more(all, &report::failures);
    usleep(100'000);
    mends(server);
    wait_for_more(all, &report::answers);
    EXPECT_EQ(end(all), 0);
    const double time = static_cast<double>(time_now() - begun) * 1e-9;
    double most = bound + processes + added(all, time);
    if (loses_state) most += 160;
    EXPECT_LE(most_beyond_of_a_key(all), most);
    for (int which = 0; which < processes; ++which) {
        if (policy == when_away::closed) {
            EXPECT_EQ(all.reports()[which].minted, 0U);
        }
    }
}

TEST(a_real_keyed_fleet, keeps_its_bounds_when_redis_is_killed_and_started_empty) {
    for (const when_away policy : {when_away::local_share, when_away::closed}) {
        fails(
            policy, true, [](redis_server& s) { s.kill(); }, [](redis_server& s) { s.start(); });
    }
}

TEST(a_real_keyed_fleet, keeps_its_bounds_when_redis_stands_still) {
    for (const when_away policy : {when_away::local_share, when_away::closed}) {
        fails(
            policy, false, [](redis_server& s) { s.hold_up(); },
            [](redis_server& s) { s.go_on(); });
    }
}

// It answers, but refuses each script that writes.
TEST(a_real_keyed_fleet, keeps_its_bounds_when_redis_has_no_memory) {
    const auto set = [](redis_server& s, const char* bytes) {
        EXPECT_EQ(s.ask({"CONFIG", "SET", "maxmemory", bytes}), "OK");
    };
    fails(
        when_away::closed, false, [&](redis_server& s) { set(s, "1"); },
        [&](redis_server& s) { set(s, "0"); });
}

TEST(a_real_keyed_fleet, keeps_its_bounds_when_connections_are_cut_and_scripts_forgotten) {
    redis_server server;
    const fleet all(
        [&](int, report& mine) { use(server.options(), mine, length, when_away::closed); });
    for (int i = 0; i < 10; ++i) {
        wait_for_more(all, &report::answers);
        EXPECT_NE(server.ask({"CLIENT", "KILL", "TYPE", "normal"}), "");
        EXPECT_NE(server.ask({"SCRIPT", "FLUSH"}), "");
    }
    EXPECT_EQ(end(all), 0);
    EXPECT_LE(most_beyond_of_a_key(all), bound + processes);
}

// One key lies there as something else: it is denied, and the others go on.
TEST(a_real_keyed_fleet, denies_one_key_that_is_of_another_type) {
    const redis_server server;
    EXPECT_NE(server.ask({"RPUSH", "weir:3:all:7", "x"}), "");
    const fleet all(
        [&](int, report& mine) { use(server.options(), mine, length, when_away::closed); });
    EXPECT_EQ(end(all), 0);
    EXPECT_LE(most_beyond_of_a_key(all), bound + processes);
    for (int which = 0; which < processes; ++which) {
        const report& its = all.reports()[which];
        const auto of_7 = std::count_if(its.passed, its.passed + its.count,
                                        [](const passage& p) { return p.key == 7; });
        EXPECT_EQ(of_7, 1) << "the credit";
        EXPECT_GE(its.count, 40U);
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
// Fleets in virtual time: the bound, the calls, the shares, and what an outage adds.
#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_supply.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>

#include "fleet_model.hpp"

namespace {

using fleet_model::fleet;
using weir::fleet_mode;
using weir::milliseconds;
using weir::nanoseconds;
using weir::redis_error;
using weir::seconds;
using weir::when_away;
using weir::word;

const weir::quota quota = weir::per_second(100'000).with_burst(10'000);

weir::fleet_options options(unsigned processes, when_away policy = when_away::local_share) {
    weir::fleet_options o;
    o.processes = processes;
    o.away = policy;
    o.least_lease = 1;
    return o;
}
word largest_lease(unsigned processes) { return 10'000 / 2 / processes; }

double bound(unsigned processes) {
    return 10'000.0 + static_cast<double>(processes * largest_lease(processes));
}

auto evenly(double in_a_millisecond) {
    return [=](std::size_t, nanoseconds) { return in_a_millisecond; };
}

// Units that were minted or passed without Redis by all.
double without_redis(const fleet& f) {
    double sum = 0;
    for (const auto& p : f.all)
        sum += static_cast<double>(p.supply.counts().minted + p.stock.passed());
    return sum;
}

TEST(a_fleet, keeps_the_bound_and_shares_the_rate) {
    for (const unsigned processes : {1U, 4U, 16U}) {
        SCOPED_TRACE(processes);
        fleet f(quota, options(processes), largest_lease(processes), processes);
        const auto demand = evenly(240.0 / processes);
        f.run(seconds(1), demand);
        std::vector<std::uint64_t> before;
        for (auto& p : f.all) {
            before.push_back(p.admitted);
            p.link.calls.clear();
        }
        f.run(seconds(5), demand);
        double all = 0;
        for (std::size_t i = 0; i < processes; ++i)
            all += static_cast<double>(f.all[i].admitted - before[i]);
        EXPECT_GE(all, 0.99 * 500'000);
        EXPECT_LE(f.passed.most(), bound(processes));
        for (std::size_t i = 0; i < processes; ++i) {
            const double share =
                static_cast<double>(f.all[i].admitted - before[i]) * processes / all;
            EXPECT_NEAR(share, 1, 0.02);
            EXPECT_LE(f.all[i].link.calls.size(), 5U * 250);
        }
    }
}

TEST(a_fleet, passes_all_that_is_asked_for_below_the_quota) {
    fleet f(quota, options(8), largest_lease(8), 8);
    f.run(seconds(1), evenly(12));
    const auto before = f.admitted();
    f.run(seconds(2), evenly(12));
    EXPECT_EQ(f.admitted() - before, 8U * 2 * 12'000);
}

TEST(a_fleet, is_quiet_when_it_is_idle) {
    fleet f(quota, options(4), largest_lease(4), 4);
    f.run(seconds(1), evenly(60));
    f.run(seconds(1), evenly(0));
    for (auto& p : f.all) {
        EXPECT_LE(p.stock.units(), 2U) << "it has given units back";
        EXPECT_GE(p.stock.units(), 1U) << "a first request passes";
        p.link.calls.clear();
    }
    f.run(seconds(30), evenly(0));
    for (auto& p : f.all) EXPECT_LE(p.link.calls.size(), 30U);
}

// A quarter of a largest lease, if nothing else is said: 312 of 1250.
TEST(a_fleet, keeps_enough_for_first_requests) {
    weir::fleet_options usual = options(4);
    usual.least_lease.reset();
    fleet f(quota, usual, largest_lease(4), 4);
    f.run(seconds(3), evenly(0));
    for (const auto& p : f.all) EXPECT_GE(p.stock.units(), 312U);
    const auto before = f.admitted();
    f.run(milliseconds(3), evenly(100));
    EXPECT_EQ(f.admitted() - before, 4U * 300);
    f.run(seconds(3), evenly(0));
    for (const auto& p : f.all) {
        EXPECT_GE(p.stock.units(), 312U);
        EXPECT_LE(p.stock.units(), 624U);
    }
}

// Many processes spare Redis when the limit is used up: together they make 50 000 calls a second.
TEST(a_fleet, of_many_processes_makes_fewer_calls) {
    const unsigned processes = 500;
    fleet f(quota, options(processes), largest_lease(processes), processes);
    f.run(seconds(1), evenly(240.0 / processes));
    for (auto& p : f.all) p.link.calls.clear();
    const auto before = f.admitted();
    f.run(seconds(1), evenly(240.0 / processes));
    EXPECT_GE(f.admitted() - before, 98'000U);
    EXPECT_LE(f.passed.most(), bound(processes));
    for (auto& p : f.all) EXPECT_LE(p.link.calls.size(), 101U) << "10 ms apart";
}

// They hold as much as they ever do, and then all spend it and what Redis has.
TEST(a_fleet, keeps_the_bound_when_held_units_are_spent_at_once) {
    for (const unsigned processes : {4U, 50U}) {
        fleet f(quota, options(processes), largest_lease(processes), processes);
        for (int round = 0; round < 20; ++round) {
            f.run(milliseconds(100), evenly(900.0 / processes));
            f.run(milliseconds(12 * (round + 1)), evenly(0));
        }
        EXPECT_LE(f.passed.most(), bound(processes));
        EXPECT_GE(f.passed.most(), 5'000);
    }
}

TEST(a_fleet, shares_anew_when_a_process_joins_or_leaves) {
    fleet f(quota, options(4), largest_lease(4), 4);
    f.all[3].runs = false;
    const auto demand = evenly(60);
    f.run(seconds(2), demand);
    f.all[3].runs = true;
    f.run(seconds(1), demand);
    std::vector<std::uint64_t> before;
    for (const auto& p : f.all) before.push_back(p.admitted);
    f.run(seconds(4), demand);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(static_cast<double>(f.all[i].admitted - before[i]), 100'000, 10'000);
    // One leaves without giving anything back: the others have the rate.
    f.all[0].runs = false;
    f.run(seconds(1), demand);
    const auto three = f.admitted();
    f.run(seconds(2), demand);
    EXPECT_GE(f.admitted() - three, 190'000U);
    EXPECT_LE(f.passed.most(), bound(4));
}

// Any quota that is not refused, requests of any size, and processes that end or are killed while
// others begin.
TEST(a_fleet, keeps_the_bound_while_processes_come_and_go) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const auto any = [&](std::int64_t least, std::int64_t values) {
            return least + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(values));
        };
        weir::fleet_options o;
        o.processes = static_cast<unsigned>(any(1, 12));
        const std::int64_t units = any(1, 100'000);
        const std::int64_t burst = any(std::max(std::int64_t{2} * o.processes, units / 50), units);
        const auto most = static_cast<word>(burst) / 2 / o.processes;
        if (random() % 2 == 0) o.least_lease = 1 + random() % most;
        fleet f(weir::per_second(units).with_burst(burst), o, most, o.processes);
        for (int part = 0; part < 60; ++part) {
            const double rate = static_cast<double>(any(-2, 6)) * static_cast<double>(units) * 1e-3;
            const auto large = static_cast<word>(1 + random() % most);
            f.run(milliseconds(any(1, 60)), [&](std::size_t i, nanoseconds) {
                auto& p = f.all[i];
                if (random() % 64 == 0 && p.stock.take(large, large).passes)
                    f.passed.pass(f.now, large);
                return std::max(rate, 0.0) / o.processes;
            });
            if (random() % 2 == 0) f.replace(f.all[random() % o.processes], random() % 2 == 0);
        }
        EXPECT_LE(f.passed.most(),
                  static_cast<double>(burst) + static_cast<double>(o.processes * most));
    }
}

// --- outages

void cut(fleet& f, redis_error reason) {
    for (auto& p : f.all) p.link.away = reason;
}

TEST(an_outage, adds_nothing_where_the_limit_is_closed) {
    fleet f(quota, options(4, when_away::closed), largest_lease(4), 4);
    f.run(seconds(1), evenly(60));
    cut(f, redis_error::down);
    f.run(milliseconds(20), evenly(60));
    const auto before = f.admitted();
    f.run(seconds(2), evenly(60));
    EXPECT_EQ(f.admitted(), before);
    EXPECT_EQ(f.all[0].supply.state().mode, fleet_mode::degraded);
    EXPECT_EQ(f.all[0].supply.state().error, redis_error::down);
    cut(f, redis_error::none);
    f.run(seconds(2), evenly(60));
    EXPECT_GE(f.admitted() - before, 190'000U);
    EXPECT_LE(f.passed.most(), bound(4));
    EXPECT_EQ(f.all[0].supply.state().mode, fleet_mode::leased);
    EXPECT_EQ(f.all[0].supply.state().error, redis_error::none);
}

TEST(an_outage, leaves_each_process_its_share) {
    fleet f(quota, options(4), largest_lease(4), 4);
    f.run(seconds(1), evenly(60));
    cut(f, redis_error::down);
    const auto began = f.admitted();
    f.run(seconds(2), evenly(60));
    const auto passed = f.admitted() - began;
    EXPECT_GE(passed, 190'000U);
    EXPECT_LE(passed, 200'000U + 4 * largest_lease(4) + 4);
    std::uint64_t beyond = 0;
    for (const auto& p : f.all) {
        EXPECT_LE(p.supply.counts().minted, 50'000U + 1);
        EXPECT_EQ(p.supply.state().beyond, p.supply.counts().minted);
        beyond += p.supply.state().beyond;
    }
    // Redis has a whole burst by now; but the first leases charge what has passed.
    cut(f, redis_error::none);
    f.run(seconds(2), evenly(60));
    EXPECT_LE(f.passed.most(), bound(4)) << "though " << beyond << " units passed without Redis";
    EXPECT_GE(f.all[0].supply.counts().charged, 1U);
    EXPECT_EQ(f.all[0].supply.state().beyond, 0U);
}

TEST(an_outage, closes_a_process_that_has_never_seen_redis) {
    for (const when_away policy : {when_away::local_share, when_away::closed}) {
        fleet f(quota, options(4, policy), largest_lease(4), 4);
        cut(f, redis_error::down);
        f.run(seconds(2), evenly(60));
        EXPECT_EQ(f.admitted(), 0U);
        EXPECT_EQ(f.all[0].supply.state().mode, fleet_mode::not_leased_yet);
        EXPECT_EQ(f.all[0].supply.state().error, redis_error::down);
        cut(f, redis_error::none);
        f.run(seconds(1), evenly(60));
        EXPECT_GE(f.admitted(), 90'000U);
    }
}

TEST(an_outage, lets_everything_pass_where_the_limit_is_open_and_charges_it) {
    fleet f(quota, options(4, when_away::open), largest_lease(4), 4);
    f.run(seconds(1), evenly(60));
    cut(f, redis_error::down);
    f.run(milliseconds(10), evenly(60));
    const auto began = f.admitted();
    f.run(seconds(1), evenly(60));
    EXPECT_EQ(f.admitted() - began, 240'000U);
    EXPECT_GE(f.all[0].supply.state().beyond, 60'000U);
    cut(f, redis_error::none);
    f.run(milliseconds(200), evenly(60));
    EXPECT_FALSE(f.all[0].stock.is_open());
    EXPECT_GE(f.all[0].supply.counts().charged, 1U);
    EXPECT_LE(f.passed.most(), bound(4) + without_redis(f));
}

// The answer is lost, and Redis has counted the units: nobody spends them, here or later.
TEST(an_outage, loses_a_lease_whose_answer_does_not_come) {
    fleet f(quota, options(4, when_away::closed), largest_lease(4), 4);
    f.run(seconds(1), evenly(60));
    for (auto& p : f.all) p.link.takes_effect = true;
    cut(f, redis_error::too_slow);
    f.run(milliseconds(300), evenly(60));
    cut(f, redis_error::none);
    f.run(seconds(1), evenly(60));
    for (const auto& p : f.all) {
        EXPECT_GE(p.supply.counts().lost, 1U);
        EXPECT_LE(p.supply.counts().lost, largest_lease(4) + p.supply.counts().failures)
            << "one lease, and then a unit with each try";
        EXPECT_EQ(p.admitted + p.stock.units() + p.supply.counts().given_back,
                  p.supply.counts().leased);
    }
    EXPECT_LE(f.passed.most(), bound(4));
}

// It was restarted without its data while all were using it up: the floor keeps it from giving
// another burst. (Without floors this one passes up to twice as much.)
TEST(an_outage, gives_no_other_burst_when_redis_has_forgotten) {
    fleet f(quota, options(4, when_away::closed), largest_lease(4), 4);
    f.run(seconds(1), evenly(60));
    for (int i = 0; i < 5; ++i) {
        const auto before = f.admitted();
        f.its.forget();
        for (auto& p : f.all) p.link.is_new = true;
        f.run(milliseconds(100), evenly(60));
        EXPECT_LE(f.admitted() - before, 10'000U + 4 * largest_lease(4));
        EXPECT_LE(f.passed.most(), bound(4));
    }
}

TEST(an_outage, tries_again_within_100_ms) {
    fleet f(quota, options(4), largest_lease(4), 4);
    f.run(seconds(1), evenly(60));
    cut(f, redis_error::down);
    f.run(seconds(5), evenly(60));
    for (auto& p : f.all) {
        const auto& calls = p.link.calls;
        for (std::size_t i = 1; i < calls.size(); ++i)
            EXPECT_LE(calls[i].count() - calls[i - 1].count(), 105'000'000);
        const auto late = std::count_if(calls.begin(), calls.end(), [&](nanoseconds at) {
            return at.count() > f.now.count() - seconds(4).count();
        });
        EXPECT_LE(late, 4 * 22) << "and no earlier than after 50 ms";
    }
}

// Whatever is asked for, and however Redis fails, nothing is spent twice and no bound is broken.
TEST(an_outage, keeps_its_bound_in_random_histories) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const auto policy = static_cast<when_away>(seed % 3);
        const auto processes = static_cast<unsigned>(1 + random() % 9);
        fleet f(quota, options(processes, policy), largest_lease(processes), processes);
        nanoseconds away{};
        for (int part = 0; part < 30; ++part) {
            const nanoseconds length = milliseconds(static_cast<int>(1 + random() % 120));
            constexpr redis_error reasons[] = {redis_error::none,     redis_error::none,
                                               redis_error::none,     redis_error::down,
                                               redis_error::too_slow, redis_error::out_of_memory};
            const redis_error reason = reasons[random() % 6];
            cut(f, reason);
            if (reason != redis_error::none) away = away + length;
            for (auto& p : f.all) {
                p.link.takes_effect = reason == redis_error::too_slow && random() % 2 == 0;
                p.link.call_takes = milliseconds(reason == redis_error::too_slow ? 10 : 0);
            }
            const double rate = static_cast<double>(random() % 4) * 100.0 / processes;
            const auto busy = static_cast<std::size_t>(random() % (processes + 1));
            f.run(length, [&](std::size_t i, nanoseconds) { return i <= busy ? rate : 0; });
            for (auto& p : f.all) {
                const auto& c = p.supply.counts();
                ASSERT_LE(p.stock.units(), largest_lease(processes));
                ASSERT_LE(p.admitted + p.stock.units() + c.given_back,
                          c.leased + c.minted + p.stock.passed());
            }
        }
        EXPECT_LE(f.passed.most(), bound(processes) + without_redis(f));
        if (policy == when_away::closed) {
            EXPECT_EQ(without_redis(f), 0);
        }
        if (policy == when_away::local_share) {
            // A call that fails is still under way for 10 ms after each end of an outage.
            const double share = 100'000.0 / processes;
            const double time = static_cast<double>(away.count()) * 1e-9 + 30 * 0.15;
            for (const auto& p : f.all)
                EXPECT_LE(static_cast<double>(p.supply.counts().minted), share * time + 1);
        }
    }
}

}  // namespace

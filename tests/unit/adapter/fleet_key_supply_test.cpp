// SPDX-License-Identifier: MIT
// Fleets with a limit for each key, in virtual time: the bound of each key, the calls, the shares,
// keys that come and go, and what an outage adds.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_key_supply.hpp>
#include <weir/adapter/fleet_key_table.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>

#include "fleet_key_model.hpp"

namespace {

using fleet_model::key_fleet;
using weir::fleet_mode;
using weir::milliseconds;
using weir::nanoseconds;
using weir::redis_error;
using weir::seconds;
using weir::when_away;
using weir::word;

const weir::quota quota = weir::per_second(1'000).with_burst(200);

weir::fleet_options options(unsigned processes, when_away policy = when_away::local_share) {
    weir::fleet_options o;
    o.processes = processes;
    o.away = policy;
    return o;
}
// Of a table that is idle.
constexpr nanoseconds a_look = milliseconds(21);

std::string key(std::size_t i) { return "user-" + std::to_string(i); }

// Requests for single units of these keys at random: so many in a millisecond by each process.
class demand {
public:
    demand(key_fleet& f, std::size_t keys, double in_a_millisecond)
        : fleet_(&f), keys_(keys), due_(f.all.size()), more_(in_a_millisecond * 0.1) {}

    void operator()(std::size_t i) {
        for (due_[i] += more_; due_[i] >= 1; due_[i] -= 1)
            (void)fleet_->take(i, key(random_() % keys_));
    }

private:
    key_fleet* fleet_;
    std::size_t keys_;
    std::vector<double> due_;
    double more_;
    std::mt19937 random_{7};
};

// No unit was spent twice, or came from nowhere: of each process what it was given is at least what
// it spent, holds, gave back and was charged for.
void adds_up(key_fleet& f, const weir::fleet_options& o) {
    for (auto& p : f.all) {
        const auto& c = p.supply.counts();
        std::uint64_t held = 0;
        for (std::uint32_t i = 0; i < p.keys.size(); ++i) held += p.keys.units(i);
        const std::uint64_t credits = c.entered * weir::fleet_key_supply::credit(o);
        // Keys that the supplier has not looked at yet were credited too.
        const std::uint64_t not_seen = p.keys.size() * weir::fleet_key_supply::credit(o);
        EXPECT_LE(p.admitted + held + c.given_back,
                  c.leased + c.passed + c.charged + p.supply.state().beyond + not_seen);
        EXPECT_LE(c.charged + p.supply.state().beyond, credits + c.minted);
    }
}

TEST(a_keyed_fleet, passes_a_first_request_and_charges_it) {
    key_fleet f(quota, options(4), 1'000, 4);
    f.run(milliseconds(10));
    EXPECT_TRUE(f.take(0, "a"));
    EXPECT_FALSE(f.take(0, "a")) << "it has not been leased yet";
    EXPECT_TRUE(f.take(1, "a"));
    EXPECT_TRUE(f.take(0, "b"));
    f.run(a_look);
    EXPECT_TRUE(f.take(0, "a")) << "it has been leased";
    f.run(seconds(5));
    for (const auto& p : f.all) {
        EXPECT_EQ(p.supply.counts().keys, 0U) << "nobody asks any more";
        EXPECT_EQ(p.supply.state().beyond, 0U);
        const auto& c = p.supply.counts();
        EXPECT_EQ(c.leased + c.charged - c.given_back, p.admitted);
    }
    EXPECT_EQ(f.all[0].supply.counts().entered, 2U);
    EXPECT_EQ(f.all[0].supply.counts().forgotten, 2U);
}

TEST(a_keyed_fleet, keeps_the_bound_of_each_key_and_shares_its_rate) {
    for (const unsigned processes : {1U, 4U, 16U}) {
        SCOPED_TRACE(processes);
        const auto o = options(processes);
        key_fleet f(quota, o, 100, processes);
        demand d(f, 10, 24.0 / processes);
        f.run(seconds(2), d);
        std::vector<std::uint64_t> before;
        for (auto& p : f.all) {
            before.push_back(p.admitted);
            p.link.calls.clear();
        }
        const auto began = f.admitted();
        f.run(seconds(4), d);
        const auto all = static_cast<double>(f.admitted() - began);
        EXPECT_GE(all, 0.97 * 40'000);
        EXPECT_LE(f.most_in_a_window(), f.bound(o));
        for (std::size_t i = 0; i < processes; ++i) {
            const auto mine = static_cast<double>(f.all[i].admitted - before[i]);
            EXPECT_NEAR(mine * processes / all, 1, 0.1);
            EXPECT_LE(f.all[i].link.calls.size(), 4U * 250);
        }
        adds_up(f, o);
    }
}

TEST(a_keyed_fleet, passes_what_is_asked_for_below_the_quotas) {
    key_fleet f(quota, options(8), 1'000, 8);
    demand d(f, 100, 5);
    f.run(seconds(1), d);
    const auto before = f.admitted();
    std::uint64_t denied = 0;
    for (const auto& p : f.all) denied += p.denied;
    f.run(seconds(2), d);
    std::uint64_t denied_then = 0;
    for (const auto& p : f.all) denied_then += p.denied;
    const auto passed = static_cast<double>(f.admitted() - before);
    EXPECT_GE(passed / (passed + static_cast<double>(denied_then - denied)), 0.99);
}

TEST(a_keyed_fleet, is_quiet_when_it_is_idle) {
    key_fleet f(quota, options(4), 2'000, 4);
    f.run(seconds(1), demand(f, 1'000, 20));
    f.run(seconds(3));
    for (auto& p : f.all) {
        EXPECT_EQ(p.supply.counts().keys, 0U);
        p.link.calls.clear();
    }
    f.run(seconds(30));
    for (auto& p : f.all) {
        EXPECT_LE(p.link.calls.size(), 31U);
        EXPECT_GE(p.link.calls.size(), 29U) << "it sees whether Redis is there";
    }
}

// They hold as much as they ever do, and then all spend it and what Redis has.
TEST(a_keyed_fleet, keeps_the_bound_when_held_units_are_spent_at_once) {
    for (const std::uint64_t least : {1U, 5U}) {
        auto o = options(10);
        o.least_lease = least;
        key_fleet f(quota, o, 100, 10);
        for (int round = 0; round < 20; ++round) {
            f.run(milliseconds(100), demand(f, 3, 40));
            f.run(milliseconds(std::int64_t{130} * (round + 1)));
        }
        EXPECT_LE(f.most_in_a_window(), f.bound(o));
        EXPECT_GE(f.most_in_a_window(), 200);
        adds_up(f, o);
    }
}

TEST(a_keyed_fleet, asks_for_256_keys_in_a_call_and_for_the_others_later) {
    key_fleet f(quota, options(1), 5'000, 1);
    f.run(milliseconds(10));
    f.all[0].link.calls.clear();
    for (std::size_t i = 0; i < 3'000; ++i) EXPECT_TRUE(f.take(0, key(i))) << i;
    f.run(milliseconds(100));
    EXPECT_EQ(f.all[0].link.most_asked, 256U);
    EXPECT_LE(f.all[0].link.calls.size(), 25U);
    for (std::size_t i = 0; i < 3'000; ++i) EXPECT_TRUE(f.take(0, key(i))) << i;
    for (std::size_t i = 0; i < 3'000; ++i) EXPECT_EQ(f.units[key(i)], 2U);
}

// A call that takes long is for fewer keys, until calls are quick again.
TEST(a_keyed_fleet, asks_for_less_where_redis_is_slow) {
    key_fleet f(quota, options(1), 5'000, 1);
    f.run(milliseconds(10));
    auto& link = f.all[0].link;
    demand d(f, 2'000, 100);
    f.run(seconds(1), d);
    EXPECT_EQ(link.most_asked, 256U);
    link.call_takes = milliseconds(30);
    f.run(seconds(1), d);
    link.most_asked = 0;
    link.calls.clear();
    f.run(seconds(1), d);
    EXPECT_LE(link.most_asked, 5U);
    EXPECT_LE(link.calls.size(), 18U) << "and it rests as long as a call takes";
    link.call_takes = {};
    f.run(seconds(1), d);
    EXPECT_GE(link.most_asked, 100U);
}

// Fifty processes ask for twenty times what Redis can answer: each is answered in time.
TEST(a_keyed_fleet, leaves_redis_time_for_all_processes) {
    const auto o = options(50);
    key_fleet f(quota, o, 2'000, 50);
    f.its.each_takes = weir::microseconds(20);
    demand d(f, 1'000, 20);
    f.run(seconds(2), d);
    f.its.most_wait = {};
    f.run(seconds(2), d);
    EXPECT_LE(f.its.most_wait.count(), milliseconds(60).count());
    EXPECT_LE(f.most_in_a_window(), f.bound(o));
}

// Each key comes once. All of them together are more than the table holds, but not at one time.
TEST(a_keyed_fleet, lets_keys_come_and_go) {
    const auto o = options(2);
    key_fleet f(quota, o, 12'000, 2);
    std::size_t next = 0;
    std::size_t passed = 0;
    f.run(seconds(10), [&](std::size_t i) {
        if (i != 0) return;
        if (f.take(0, key(next))) ++passed;
        (void)f.take(1, key(next));
        ++next;
    });
    EXPECT_EQ(next, 100'000U);
    EXPECT_GE(passed, next * 99 / 100);
    f.run(seconds(5));
    for (const auto& p : f.all) {
        const auto& c = p.supply.counts();
        EXPECT_EQ(c.keys, 0U);
        EXPECT_EQ(c.entered, c.forgotten);
        EXPECT_EQ(p.supply.state().beyond, 0U);
        EXPECT_EQ(c.leased + c.charged - c.given_back, p.admitted);
    }
    EXPECT_LE(f.most_in_a_window(), f.bound(o));
}

TEST(a_keyed_fleet, refuses_new_keys_when_it_is_full_and_counts_them) {
    key_fleet f(quota, options(1), 100, 1);
    f.run(milliseconds(10));
    std::uint64_t refused = 0;
    for (std::size_t i = 0; i < 1'000; ++i) refused += f.take(0, key(i)) ? 0U : 1U;
    EXPECT_GE(refused, 1'000U - f.all[0].keys.size());
    EXPECT_EQ(f.all[0].keys.without_place(), refused);
    EXPECT_EQ(f.all[0].supply.counts().without_place, refused);
    f.run(seconds(3));
    EXPECT_TRUE(f.take(0, key(5'000))) << "the others have gone";
}

TEST(a_keyed_fleet, says_when_to_come_back_to_a_key_that_is_used_up) {
    const auto slow = weir::per_second(1).with_burst(4);
    key_fleet f(slow, options(1), 100, 1);
    f.run(milliseconds(10));
    f.run(milliseconds(500), [&](std::size_t) { (void)f.take(0, "a"); });
    EXPECT_EQ(f.units["a"], 4U);
    EXPECT_GE(f.all[0].keys.look("a", 1).wait, 300'000U);
    EXPECT_LE(f.all[0].keys.look("a", 1).wait, 1'000'000U);
}

// One process gives back while the other goes on, which has not heard of it.
TEST(a_keyed_fleet, leaves_others_what_they_have_given_back) {
    const weir::quota slow(100, weir::hours(2'400));
    key_fleet f(slow, options(2), 100, 2);
    f.run(a_look);
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 8; ++i) {
            (void)f.take(1, "a");
            f.run(milliseconds(5));
        }
        for (int i = 0; i < 10; ++i) {
            (void)f.take(0, "a");
            f.run(milliseconds(300));
        }
    }
    f.run(seconds(5));
    ASSERT_EQ(f.all[0].supply.counts().keys + f.all[1].supply.counts().keys, 0U);
    EXPECT_LT(f.admitted(), 90U);
    EXPECT_EQ(f.its.of("a").lease(f.now, 100, 0).units, 100U - f.admitted());
}

// One that ends before it has paid, since it is killed or Redis has nothing left, leaves behind
// what it owes: a key's credit.
TEST(a_keyed_fleet, keeps_the_bounds_while_processes_come_and_go) {
    bool is_beyond = false;
    for (unsigned seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        auto o = options(1 + static_cast<unsigned>(random() % 6));
        o.least_lease = 1 + random() % (200 / 2 / o.processes);
        key_fleet f(quota, o, 100, o.processes);
        int ended = 0;
        for (int part = 0; part < 60; ++part) {
            const double rate = static_cast<double>(random() % 5) * 3 / o.processes;
            f.run(milliseconds(1 + static_cast<std::int64_t>(random() % 60)), demand(f, 2, rate));
            if (random() % 2 == 0) continue;
            f.replace(f.all[random() % o.processes], random() % 2 == 0);
            ++ended;
        }
        const double most = f.most_in_a_window();
        EXPECT_LE(most, f.bound(o) + ended * static_cast<double>(*o.least_lease));
        is_beyond = is_beyond || most > f.bound(o);
    }
    EXPECT_TRUE(is_beyond) << "the guide need not tell of those that end";
}

// --- what is no key

TEST(a_keyed_fleet, takes_keys_of_64_bytes_and_no_longer_ones) {
    key_fleet f(quota, options(1), 100, 1);
    f.run(milliseconds(10));
    EXPECT_TRUE(f.take(0, std::string(64, 'x')));
    EXPECT_FALSE(f.take(0, std::string(65, 'x')));
    EXPECT_TRUE(f.take(0, ""));
    EXPECT_TRUE(f.take(0, std::string(64, '\0')));
    EXPECT_FALSE(f.take(0, "a", f.most() + 1)) << "more than it ever holds";
    EXPECT_TRUE(f.take(0, "b", 0)) << "nothing always passes";
    f.run(a_look);
    EXPECT_EQ(f.its.all.count(std::string(64, 'x')), 1U);
    EXPECT_EQ(f.its.all.count(std::string(64, '\0')), 1U);
    EXPECT_EQ(f.its.all.count("a"), 0U);
    EXPECT_EQ(f.its.all.count("b"), 0U);
    EXPECT_EQ(f.all[0].supply.counts().entered, 3U);
}

// Something else lies there in Redis. The others go on.
TEST(a_keyed_fleet, denies_one_key_that_redis_refuses_and_no_other) {
    key_fleet f(quota, options(1), 100, 1);
    f.its.foreign.insert(key(0));
    f.run(seconds(1), demand(f, 2, 10));
    EXPECT_EQ(f.units[key(0)], 1U) << "the credit";
    EXPECT_GE(f.units[key(1)], 950U);
    EXPECT_EQ(f.all[0].supply.state().mode, fleet_mode::leased);
    EXPECT_EQ(f.all[0].supply.counts().failures, 0U);
    EXPECT_LE(f.all[0].link.asked, 300U) << "it does not try in each turn";
}

// --- outages

TEST(a_keyed_outage, adds_nothing_where_the_limits_are_closed) {
    const auto o = options(4, when_away::closed);
    key_fleet f(quota, o, 1'000, 4);
    demand d(f, 10, 6);
    f.run(seconds(1), d);
    f.cut(redis_error::down);
    f.run(milliseconds(20), d);
    const auto before = f.admitted();
    f.run(seconds(2), demand(f, 20, 6));
    EXPECT_EQ(f.admitted(), before) << "known keys and new ones";
    EXPECT_EQ(f.all[0].supply.state().mode, fleet_mode::degraded);
    EXPECT_EQ(f.all[0].supply.state().error, redis_error::down);
    f.cut(redis_error::none);
    f.run(seconds(2), d);
    EXPECT_GE(f.admitted() - before, 19'000U);
    EXPECT_LE(f.most_in_a_window(), f.bound(o));
    EXPECT_EQ(f.all[0].supply.state().mode, fleet_mode::leased);
    adds_up(f, o);
}

TEST(a_keyed_outage, leaves_each_process_its_share_of_each_key) {
    const auto o = options(4);
    key_fleet f(quota, o, 1'000, 4);
    demand d(f, 10, 6);
    f.run(seconds(1), d);
    f.cut(redis_error::down);
    const auto began = f.admitted();
    f.run(seconds(2), d);
    const auto passed = f.admitted() - began;
    EXPECT_GE(passed, 19'000U);
    EXPECT_LE(passed, 10 * (2'000U + 4 * (f.most() + 2)));
    std::uint64_t beyond = 0;
    for (const auto& p : f.all) {
        EXPECT_LE(p.supply.counts().minted, 10 * (500U + 1));
        EXPECT_GE(p.supply.state().beyond, 1U);
        beyond += p.supply.state().beyond;
    }
    // Redis has whole bursts by now; but the first leases charge what has passed.
    f.cut(redis_error::none);
    f.run(seconds(2), d);
    EXPECT_LE(f.most_in_a_window(), f.bound(o)) << "though " << beyond << " passed without Redis";
    adds_up(f, o);
}

// A key that comes in an outage has an empty bucket, and fills the table no longer than others.
TEST(a_keyed_outage, meets_new_keys_with_their_share_and_lets_them_go) {
    const auto o = options(4);
    key_fleet f(quota, o, 1'000, 1);
    f.run(milliseconds(10));
    f.cut(redis_error::down);
    f.run(milliseconds(20));
    f.take(0, "to see that it is away");
    f.run(seconds(2));
    ASSERT_EQ(f.all[0].supply.state().mode, fleet_mode::degraded);
    EXPECT_FALSE(f.take(0, "new"));
    f.run(a_look);
    EXPECT_TRUE(f.take(0, "new"));
    for (std::size_t i = 0; i < 900; ++i) EXPECT_FALSE(f.take(0, key(i)));
    f.run(seconds(3));
    EXPECT_LE(f.all[0].supply.counts().keys, 2U) << "those that owe something";
    f.cut(redis_error::none);
    f.run(seconds(3));
    EXPECT_EQ(f.all[0].supply.counts().keys, 0U);
    EXPECT_EQ(f.all[0].supply.state().beyond, 0U);
}

TEST(a_keyed_outage, closes_a_process_that_has_never_seen_redis) {
    for (const when_away policy : {when_away::local_share, when_away::closed}) {
        key_fleet f(quota, options(4, policy), 100, 4);
        f.cut(redis_error::down);
        demand d(f, 10, 6);
        f.run(seconds(2), d);
        EXPECT_EQ(f.admitted(), 0U);
        EXPECT_EQ(f.all[0].supply.state().mode, fleet_mode::not_leased_yet);
        f.cut(redis_error::none);
        f.run(seconds(1), d);
        EXPECT_GE(f.admitted(), 9'000U);
    }
}

TEST(a_keyed_outage, lets_everything_pass_where_the_limits_are_open) {
    const auto o = options(4, when_away::open);
    key_fleet f(quota, o, 100, 4);
    demand d(f, 10, 6);
    f.run(seconds(1), d);
    f.cut(redis_error::down);
    f.run(milliseconds(10), d);
    const auto began = f.admitted();
    f.run(seconds(1), d);
    EXPECT_EQ(f.admitted() - began, 24'000U);
    EXPECT_GE(f.all[0].supply.counts().passed, 5'000U);
    f.cut(redis_error::none);
    f.run(milliseconds(200), d);
    EXPECT_EQ(f.all[0].supply.state().mode, fleet_mode::leased);
    const auto after = f.admitted();
    f.run(seconds(1), d);
    EXPECT_LE(f.admitted() - after, 10 * (1'000U + 200));
}

// It answers, but takes no writes.
TEST(a_keyed_outage, is_not_over_while_redis_takes_no_writes) {
    const auto o = options(4, when_away::closed);
    key_fleet f(quota, o, 1'000, 4);
    demand d(f, 10, 6);
    f.run(seconds(1), d);
    for (auto& p : f.all) p.link.away = redis_error::out_of_memory;
    f.run(milliseconds(50), d);
    const auto before = f.admitted();
    for (auto& p : f.all) p.link.calls.clear();
    f.run(seconds(2), demand(f, 20, 6));
    EXPECT_EQ(f.admitted(), before);
    for (auto& p : f.all) {
        EXPECT_EQ(p.supply.state().mode, fleet_mode::degraded);
        EXPECT_LE(p.link.calls.size(), 60U);
    }
    f.cut(redis_error::none);
    f.run(seconds(1), d);
    EXPECT_GE(f.admitted() - before, 9'000U);
}

// The answer is lost, and Redis has counted the units: nobody spends them, here or later.
TEST(a_keyed_outage, loses_a_lease_whose_answer_does_not_come) {
    const auto o = options(4, when_away::closed);
    key_fleet f(quota, o, 100, 4);
    demand d(f, 10, 6);
    f.run(seconds(1), d);
    for (auto& p : f.all) p.link.takes_effect = true;
    for (auto& p : f.all) p.link.away = redis_error::too_slow;
    f.run(milliseconds(300), d);
    f.cut(redis_error::none);
    f.run(seconds(1), d);
    for (const auto& p : f.all) EXPECT_GE(p.supply.counts().lost, 1U);
    EXPECT_LE(f.most_in_a_window(), f.bound(o));
    adds_up(f, o);
}

// It was restarted without its data while all keys were used up: the floors keep it from giving
// another burst.
TEST(a_keyed_outage, gives_no_other_burst_when_redis_has_forgotten) {
    const auto o = options(4, when_away::closed);
    key_fleet f(quota, o, 100, 4);
    demand d(f, 10, 6);
    f.run(seconds(1), d);
    for (int i = 0; i < 5; ++i) {
        f.forget();
        f.cut_connections();
        f.run(milliseconds(100), d);
        EXPECT_LE(f.most_in_a_window(), f.bound(o));
    }
}

// Whatever is asked for, and however Redis fails, no bound is broken.
TEST(a_keyed_outage, keeps_its_bounds_in_random_histories) {
    for (unsigned seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 random(seed);
        const auto policy = static_cast<when_away>(seed % 2);  // open has no bound
        const auto processes = static_cast<unsigned>(1 + random() % 9);
        auto o = options(processes, policy);
        o.least_lease = 1 + random() % 5;
        key_fleet f(quota, o, 40, processes);
        nanoseconds away{};
        for (int part = 0; part < 30; ++part) {
            const nanoseconds length = milliseconds(static_cast<int>(1 + random() % 400));
            constexpr redis_error reasons[] = {redis_error::none,     redis_error::none,
                                               redis_error::none,     redis_error::down,
                                               redis_error::too_slow, redis_error::out_of_memory};
            const redis_error reason = reasons[random() % 6];
            f.cut(redis_error::none);
            if (random() % 2 == 0) f.cut(reason);
            if (reason != redis_error::none) away = away + length;
            for (auto& p : f.all) {
                p.link.away = reason;
                p.link.takes_effect = reason == redis_error::too_slow && random() % 2 == 0;
                p.link.call_takes = milliseconds(reason == redis_error::too_slow ? 10 : 0);
            }
            const std::size_t keys = 1 + random() % 60;
            f.run(length, demand(f, keys, static_cast<double>(random() % 4) * 10 / processes));
            for (auto& p : f.all) {
                for (std::uint32_t i = 0; i < p.keys.size(); ++i)
                    ASSERT_LE(p.keys.units(i), f.most());
            }
        }
        adds_up(f, o);
        double minted = 0;
        if (policy == when_away::local_share)
            minted = (static_cast<double>(away.count()) * 1e-9 + 30 * 0.15) * 1'000 + processes;
        EXPECT_LE(f.most_in_a_window(), f.bound(o) + minted);
        if (policy == when_away::closed) {
            for (const auto& p : f.all) EXPECT_EQ(p.supply.counts().minted, 0U);
        }
    }
}

// --- the table alone

TEST(keys_of_a_fleet, tell_when_they_have_few_units_and_once) {
    using table = weir::fleet_key_table<>;
    table t(10, 100, 3, weir::seed(1));
    const auto told = [&] {
        std::vector<std::uint32_t> all;
        t.each_told([&](std::uint32_t place) { all.push_back(place); });
        return all;
    };
    EXPECT_FALSE(t.take("a", 1).passes) << "newcomers are refused at first";
    t.meet_newcomers(table::newcomers::credited, 0);
    EXPECT_TRUE(t.take("a", 1).passes);
    EXPECT_TRUE(t.take("a", 1).passes);
    const auto first = told();
    ASSERT_EQ(first.size(), 1U);
    const std::uint32_t a = first[0];
    EXPECT_EQ(t.beside(a).text(), "a");
    EXPECT_EQ(t.beside(a).credit(), 3U);
    EXPECT_EQ(t.units(a), 1U);
    EXPECT_EQ(t.put(a, 15, 16), 15U);
    EXPECT_EQ(t.put(a, 100, 16), 84U) << "no more than 100";
    EXPECT_EQ(t.take_out(a, 84), 84U);
    EXPECT_FALSE(t.rest(a, 15)) << "it has 16";
    EXPECT_FALSE(t.forget(a, 16)) << "it does not rest";
    EXPECT_TRUE(t.rest(a, 16));
    EXPECT_TRUE(t.take("a", 7).passes);
    EXPECT_EQ(told().size(), 0U) << "there are 9";
    EXPECT_EQ(t.take("a", 1).left, 8U);
    EXPECT_EQ(told(), first);
    EXPECT_FALSE(t.take("a", 9).passes);
    EXPECT_EQ(told().size(), 0U) << "it has been told of";
    EXPECT_EQ(t.beside(a).wanted(), 9U);
    EXPECT_EQ(t.beside(a).wanted(), 0U);
    EXPECT_TRUE(t.rest(a, 8));
    EXPECT_FALSE(t.take("a", 9).passes);
    EXPECT_EQ(told(), first) << "a denial tells too";
    EXPECT_TRUE(t.rest(a, 8));
    EXPECT_FALSE(t.forget(a, 7));
    EXPECT_TRUE(t.forget(a, 8));
    EXPECT_EQ(t.look("a", 3).left, 3U) << "it would be new";
    EXPECT_FALSE(t.look("a", 4).passes);
    EXPECT_EQ(t.look("a", 1).wait, 0U);
}

TEST(keys_of_a_fleet, are_told_of_in_their_order) {
    weir::fleet_key_table<> t(100, 100, 1, weir::seed(1));
    t.meet_newcomers(weir::fleet_key_table<>::newcomers::credited, 0);
    for (std::size_t i = 0; i < 50; ++i) EXPECT_TRUE(t.take(key(i), 1).passes);
    std::size_t next = 0;
    t.each_told([&](std::uint32_t place) { EXPECT_EQ(t.beside(place).text(), key(next++)); });
    EXPECT_EQ(next, 50U);
}

// --- memory

TEST(keys_of_a_fleet, take_640_bytes_each_at_most) {
    using table = weir::fleet_key_table<>;
    constexpr std::size_t keys = 100'000;
    constexpr std::size_t bytes =
        table::places_for(keys) *
        (table::bytes_a_place() + weir::fleet_key_supply::bytes_a_place());
    static_assert(bytes <= 64'000'000);
    const table t(keys, 100, 1, weir::seed(1));
    EXPECT_EQ(t.size(), table::places_for(keys));
}

// 100 000 keys that are there at one time.
TEST(keys_of_a_fleet, find_a_place_as_good_as_always) {
    weir::fleet_key_table<> t(100'000, 100, 1, weir::seed(1));
    t.meet_newcomers(weir::fleet_key_table<>::newcomers::credited, 0);
    std::size_t without = 0;
    for (std::size_t i = 0; i < 100'000; ++i) without += t.take(key(i), 1).passes ? 0U : 1U;
    EXPECT_LE(without, 100U);
    std::size_t told = 0;
    t.each_told([&](std::uint32_t) { ++told; });
    EXPECT_EQ(told, 100'000 - without);
}

}  // namespace

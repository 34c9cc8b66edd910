// SPDX-License-Identifier: MIT
// Several quotas for one name, as while a new version of a service is rolled out: all together
// pass what the script says, in every window of random histories, and never the sum of them.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/redis_connection.hpp>
#include <weir/adapter/redis_script.hpp>

#include "../oracle/dice.hpp"
#include "../oracle/effort.hpp"
#include "server.hpp"

namespace {

struct quota {
    std::uint64_t units;
    std::uint64_t period;
    std::uint64_t burst;
};

struct passed {
    std::uint64_t now;
    std::uint64_t units;
};

// What the script answers.
struct told {
    std::int64_t numbers[6] = {};
    explicit told(const redisReply& its) {
        EXPECT_EQ(its.type, REDIS_REPLY_ARRAY) << (its.str != nullptr ? its.str : "");
        for (std::size_t i = 0; i < its.elements && i < 6; ++i)
            numbers[i] = its.element[i]->integer;
    }
    [[nodiscard]] bool waits() const { return numbers[0] == 1; }
    [[nodiscard]] std::uint64_t units() const { return static_cast<std::uint64_t>(numbers[1]); }
    [[nodiscard]] std::uint64_t retry() const { return static_cast<std::uint64_t>(numbers[3]); }
    [[nodiscard]] std::uint64_t reset() const { return static_cast<std::uint64_t>(numbers[4]); }
};

void add(weir::detail::redis_commands& to, std::string_view key, std::string_view rule,
         std::string_view what, std::uint64_t n, const quota& q, std::uint64_t now) {
    const auto text = [](std::uint64_t number) { return std::to_string(number); };
    to.add({"EVALSHA", weir::detail::redis_script_sha1, "1", key, rule, what, text(n),
            text(q.units), text(q.period), text(q.burst), "", text(now)});
}

// One key, whoever asks it, and when.
struct history {
    oracle::dice chaos;
    std::string key;
    std::vector<quota> quotas;
    std::uint64_t now;
    std::uint64_t gone_at = 0;  // when the key expires: half of the histories have that
    bool expires = false;
    quota asks{};
    bool all_or_none = false;
    std::uint64_t n = 0;
    std::vector<passed> all;

    history(std::uint64_t seed, bool is_gcra) : chaos(seed), key(std::to_string(seed)) {
        const std::uint64_t period = 10 + chaos.roll(1000);
        for (int i = 0; i < 3; ++i) {
            quota q{1 + chaos.roll(20), 10 + chaos.roll(1000), 0};
            if (chaos.roll(3) == 0) q.period = period;
            if (chaos.roll(3) == 0) q.period *= 20;
            q.burst = is_gcra ? 1 + chaos.roll(20) : q.units;
            quotas.push_back(q);
        }
        now = 1'000'000 + chaos.roll(1'000'000);
        expires = chaos.roll(2) == 0;
    }

    void next() {
        asks = quotas[chaos.roll(quotas.size())];
        now += chaos.roll(1 + asks.period / (chaos.roll(4) == 0 ? 1 : 10));
        n = 1 + chaos.roll(asks.burst);
        all_or_none = chaos.roll(2) == 0;
    }
};

class several_quotas : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        ASSERT_NE(server_.ask({"SCRIPT", "LOAD", weir::detail::redis_script}), "");
    }
    std::vector<told> answers(const weir::detail::redis_commands& to) {
        std::vector<told> all;
        EXPECT_EQ(redis_.call(to,
                              [&](std::size_t, const redisReply& its) {
                                  if (its.type != REDIS_REPLY_INTEGER) all.emplace_back(its);
                              }),
                  weir::redis_error::none);
        return all;
    }
    told ask(const char* what, std::uint64_t n, const quota& q, std::uint64_t now) {
        weir::detail::redis_commands one;
        add(one, "key", GetParam(), what, n, q, now);
        return answers(one).front();
    }

    redis_server server_;
    weir::redis_connection redis_{server_.options()};
};

// The bounds that the script and its guide tell: two quotas of windows may meet, and what is beyond
// comes at the higher rate. In less than each period that is nothing, but of a gcra.
void holds(const history& h, const std::string& rule) {
    const std::uint64_t quotas_at_once = rule == "gcra" || rule == "sliding_log" ? 1 : 2;
    std::uint64_t most = 0;
    std::uint64_t shortest = ~std::uint64_t{};
    quota fastest{0, 1, 0};
    for (const quota& q : h.quotas) {
        most = std::max(most, quotas_at_once * q.burst);
        shortest = std::min(shortest, q.period);
        if (q.units * fastest.period > fastest.units * q.period) fastest = q;
    }
    for (std::size_t i = 0; i < h.all.size(); ++i) {
        std::uint64_t sum = 0;
        for (std::size_t j = i; j < h.all.size(); ++j) {
            sum += h.all[j].units;
            if (sum <= most) continue;
            const std::uint64_t length = h.all[j].now - h.all[i].now;
            ASSERT_LE((sum - most) * fastest.period, fastest.units * length)
                << "history " << h.key << ": " << sum << " in " << length;
            ASSERT_TRUE(rule == "gcra" || length >= shortest)
                << "history " << h.key << ": " << sum << " in " << length;
        }
    }
}

TEST_P(several_quotas, never_add_up) {
    const std::string rule = GetParam();
    std::vector<history> all;
    for (std::uint64_t h = 0; h < oracle::scaled(200); ++h)
        all.emplace_back(oracle::series() << 32U | h, rule == "gcra");
    for (int step = 0; step < 300; ++step) {
        weir::detail::redis_commands asked;
        for (history& h : all) {
            h.next();
            if (h.expires && h.now >= h.gone_at) asked.add({"DEL", h.key});
            add(asked, h.key, rule, h.all_or_none ? "take" : "up_to", h.n, h.asks, h.now);
        }
        const std::vector<told> answered = answers(asked);
        ASSERT_EQ(answered.size(), all.size());
        weir::detail::redis_commands again;
        std::vector<const history*> whose;
        for (std::size_t i = 0; i < all.size(); ++i) {
            history& h = all[i];
            if (answered[i].units() > 0) {
                h.all.push_back({h.now, answered[i].units()});
                h.gone_at = h.now + answered[i].reset();
            }
            if (!answered[i].waits()) continue;
            // It passes when it is told to, and not earlier.
            ASSERT_GT(answered[i].retry(), 0U);
            const std::uint64_t n = h.all_or_none ? h.n : 1;
            const std::uint64_t passes = h.now + answered[i].retry();
            add(again, h.key, rule, "peek", n, h.asks, passes - 1);
            add(again, h.key, rule, "peek", n, h.asks, passes);
            whose.push_back(&h);
        }
        const std::vector<told> later = answers(again);
        ASSERT_EQ(later.size(), 2 * whose.size());
        for (std::size_t i = 0; i < whose.size(); ++i) {
            const history& h = *whose[i];
            ASSERT_EQ(later[2 * i].numbers[0], 1) << h.key << " at " << h.now << ": too early";
            ASSERT_EQ(later[2 * i + 1].numbers[0], 0) << h.key << " at " << h.now << ": too late";
        }
    }
    for (const history& h : all) {
        ASSERT_GT(h.all.size(), 5U);
        holds(h, rule);
    }
}

using periods_of_quotas = several_quotas;

// Ten a second and a hundred a minute: whoever takes of the longer one makes all units last.
TEST_P(periods_of_quotas, do_not_refill_each_other) {
    constexpr std::uint64_t second = 1'000'000;
    const quota ten{10, second, 10};
    const quota hundred{100, 60 * second, 100};
    std::uint64_t sum = 0;
    std::uint64_t now = 6'000 * second;
    for (int i = 0; i < 60; ++i) {
        sum += ask("up_to", 10, ten, now).units();
        sum += ask("up_to", 100, hundred, now).units();
        now += second;
    }
    EXPECT_LE(sum, 110U);
}

INSTANTIATE_TEST_SUITE_P(each, periods_of_quotas,
                         testing::Values("fixed_window", "sliding_window", "sliding_log"),
                         [](const auto& which) { return std::string(which.param); });

using windows_of_quotas = several_quotas;

// Whoever has a longer period counts both windows of the shorter one.
TEST_P(windows_of_quotas, are_joined) {
    const quota ten{10, 100, 10};
    const quota thirty{30, 1'000, 30};
    EXPECT_EQ(ask("up_to", 10, ten, 1'000'000).units(), 10U);
    EXPECT_EQ(ask("up_to", 10, ten, 1'000'150).units(), 5U);
    EXPECT_EQ(ask("up_to", 30, thirty, 1'000'150).units(), 15U);
    EXPECT_EQ(ask("up_to", 30, thirty, 1'000'999).units(), 0U);
}

INSTANTIATE_TEST_SUITE_P(each, windows_of_quotas, testing::Values("sliding_window"),
                         [](const auto& which) { return std::string(which.param); });

using gcra_quotas = several_quotas;

// The same quota, told as another fraction, is the same: nothing is rounded on the way.
TEST_P(gcra_quotas, told_as_other_fractions_are_one) {
    const quota as_told[] = {{10, 1'000'000, 7}, {1, 100'000, 7}, {30, 3'000'000, 7}};
    oracle::dice chaos(oracle::series());
    std::uint64_t now = 1'000'000;
    for (int i = 0; i < 300; ++i) {
        now += chaos.roll(300'000);
        const std::uint64_t n = 1 + chaos.roll(3);
        weir::detail::redis_commands both;
        add(both, "one", "gcra", "take", n, as_told[0], now);
        add(both, "all", "gcra", "take", n, as_told[chaos.roll(3)], now);
        const std::vector<told> told = answers(both);
        for (int k = 0; k < 6; ++k) ASSERT_EQ(told[0].numbers[k], told[1].numbers[k]) << "at " << i;
    }
}

// A backlog of so many units that the other quota cannot count them is not forgotten.
TEST_P(gcra_quotas, forget_no_backlog_that_one_cannot_count) {
    const quota many{1, 1, std::uint64_t{1} << 50};
    const quota slow{1, std::uint64_t{1} << 50, 1};
    const std::uint64_t now = 1'000'000;
    EXPECT_EQ(ask("take", many.burst, many, now).numbers[0], 0);
    EXPECT_TRUE(ask("take", 1, slow, now + 1).waits());
    EXPECT_TRUE(ask("take", 1, slow, (std::uint64_t{1} << 52) - 1).waits());
    EXPECT_TRUE(ask("take", 1, slow, now - 1).waits());
    EXPECT_TRUE(ask("take", 2, many, now + 1).waits());
    EXPECT_EQ(ask("take", 1, many, now + 1).numbers[0], 0);
}

INSTANTIATE_TEST_SUITE_P(each, several_quotas,
                         testing::Values("gcra", "fixed_window", "sliding_window", "sliding_log"),
                         [](const auto& which) { return std::string(which.param); });
INSTANTIATE_TEST_SUITE_P(each, gcra_quotas, testing::Values("gcra"),
                         [](const auto& which) { return std::string(which.param); });

}  // namespace

// SPDX-License-Identifier: MIT
// remote_limiter: what it answers, how it waits, what it refuses, and what bytes in keys do.
#include <algorithm>
#include <atomic>
#include <sstream>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/weir.hpp>

#include "server.hpp"

namespace {

using weir::ending;
using weir::per_hour;
using weir::redis_error;
using weir::remote_rule;
using weir::verdict;

class remote : public testing::Test {
protected:
    redis_server server_;
    weir::redis_connection redis_{server_.options()};
};

constexpr remote_rule rules[] = {remote_rule::gcra, remote_rule::fixed_window,
                                 remote_rule::sliding_window, remote_rule::sliding_log};

TEST_F(remote, admits_what_the_quota_says) {
    for (const remote_rule rule : rules) {
        SCOPED_TRACE(describe(rule));
        weir::remote_limiter limit(redis_, describe(rule), per_hour(10), rule);
        EXPECT_EQ(limit.peek("a", 10).remaining(), 0U);  // as after it
        const auto first = limit.try_acquire("a", 4);
        EXPECT_TRUE(first);
        EXPECT_EQ(first.units(), 4U);
        EXPECT_EQ(first.remaining(), 6U);
        EXPECT_EQ(first.retry_after(), weir::nanoseconds{});
        EXPECT_GT(first.reset_after(), weir::nanoseconds{});
        EXPECT_EQ(limit.acquire_up_to("a", 100).units(), 6U);
        const auto denied = limit.try_acquire("a");
        EXPECT_FALSE(denied);
        EXPECT_FALSE(denied.failed());
        EXPECT_EQ(denied.verdict(), verdict::wait);
        EXPECT_GT(denied.retry_after(), weir::nanoseconds{});
        EXPECT_LE(denied.retry_after(), weir::hours(2));
        EXPECT_EQ(limit.try_acquire("a", 11).verdict(), verdict::never);
        EXPECT_EQ(limit.try_acquire("a", ~0U).verdict(), verdict::never);
        EXPECT_EQ(limit.try_acquire("a", weir::largest<weir::word>).verdict(), verdict::never);
        EXPECT_TRUE(limit.try_acquire("b", 10)) << "another key is another limit";
        EXPECT_EQ(limit.reset("a"), redis_error::none);
        EXPECT_TRUE(limit.try_acquire("a", 10));
    }
}

TEST_F(remote, has_texts) {
    weir::remote_limiter limit(redis_, "x", per_hour(2));
    EXPECT_STREQ(to_text(limit.try_acquire("a")).c_str(), "admitted, 1 remaining");
    EXPECT_STREQ(to_text(limit.try_acquire("a", 3)).c_str(), "never");
    EXPECT_TRUE(limit.try_acquire("a"));
    EXPECT_EQ(std::string(to_text(limit.try_acquire("a")).c_str()).substr(0, 5), "wait ");
    std::ostringstream out;
    out << weir::remote_decision(redis_error::read_only);
    EXPECT_EQ(out.str(), describe(redis_error::read_only));
}

TEST_F(remote, expires_each_key_when_it_is_as_good_as_new) {
    for (const remote_rule rule : rules) {
        SCOPED_TRACE(describe(rule));
        weir::remote_limiter limit(redis_, describe(rule), per_hour(10), rule);
        const auto d = limit.try_acquire("a");
        const long long left = std::stoll(server_.ask({"PTTL", limit.redis_key("a")}));
        EXPECT_GT(left, 0);
        // Rounded up, and no more than two milliseconds longer.
        EXPECT_LE(left, d.reset_after().count() / 1'000'000 + 2);
    }
    // A unit that is back after a microsecond has a key for a millisecond at least.
    weir::remote_limiter fast(redis_, "fast", weir::per_second(1'000'000));
    EXPECT_TRUE(fast.try_acquire("a"));
    weir::remote_limiter slow(redis_, "slow", per_hour(1));
    (void)slow.peek("a");
    EXPECT_EQ(server_.ask({"EXISTS", slow.redis_key("a")}), "0") << "a peek makes no key";
}

TEST_F(remote, asks_for_many_at_once) {
    weir::remote_limiter limit(redis_, "many", per_hour(300));
    std::vector<weir::remote_request> requests(1000, {"a"});
    requests[10].n = 200;
    requests[20].n = 1000;
    const std::string long_key(limit.longest_key + 1, 'x');
    requests[30].key = long_key;
    requests[40].key = "b";
    const auto answers = limit.try_acquire_each(requests);
    ASSERT_EQ(answers.size(), requests.size());
    std::uint64_t units = 0;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (i != 40 && answers[i]) units += answers[i].units();
    }
    EXPECT_EQ(units, 300U);
    EXPECT_TRUE(answers[10]);
    EXPECT_EQ(answers[20].verdict(), verdict::never);
    EXPECT_EQ(answers[30].error(), redis_error::key_too_long);
    EXPECT_TRUE(answers[40]);
    EXPECT_FALSE(answers[999]);
    EXPECT_FALSE(answers[999].failed());
    EXPECT_TRUE(limit.try_acquire_each({}).empty());
    // Redis was sent the script once.
    EXPECT_EQ(server_.ask({"INFO", "commandstats"}).find("cmdstat_eval:calls=1,") !=
                  std::string::npos,
              true);
}

TEST_F(remote, waits_for_its_units) {
    weir::remote_limiter limit(redis_, "wait", weir::per_second(1000).with_burst(1));
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(limit.acquire("a"));
    const auto d = limit.peek("a", 1);
    EXPECT_LE(d.retry_after(), weir::milliseconds(1));

    weir::remote_limiter slow(redis_, "slow", per_hour(1));
    EXPECT_TRUE(slow.acquire_for("a", 1, weir::nanoseconds(-1)));
    const auto late = slow.acquire_for("a", 1, weir::minutes(10));
    EXPECT_EQ(late.how, ending::too_late);
    EXPECT_GT(late.wait, weir::minutes(10));
    EXPECT_EQ(slow.acquire("a", 2).how, ending::never);
    std::stop_source stop;
    std::jthread stops([&] { stop.request_stop(); });
    EXPECT_EQ(slow.acquire("a", 1, stop.get_token()).how, ending::stopped);
}

TEST_F(remote, keeps_keys_apart_whatever_their_bytes) {
    const std::string zero("\0", 1);
    const std::vector<std::string> names{"a", "a:", "1:a", ":", zero, "a" + zero, "*3\r\n", "{a}"};
    const std::vector<std::string> keys{"",        "a",
                                        ":a",      "a:",
                                        "1:a:a",   zero,
                                        "\r\n",    "*",
                                        "$-1\r\n", "\r\nFLUSHALL\r\n",
                                        "{b}c",    "\xff\xfe",
                                        "\" \\ '", std::string(1024, 'k')};
    for (const std::string& name : names) {
        weir::remote_limiter limit(redis_, name, per_hour(1));
        for (const std::string& key : keys) {
            EXPECT_TRUE(limit.try_acquire(key)) << name << " and " << key << " are another's";
        }
    }
    EXPECT_EQ(server_.ask({"DBSIZE"}), std::to_string(names.size() * keys.size()));
    EXPECT_EQ(server_.ask({"KEYS", "weir:*"}),
              std::to_string(names.size() * keys.size()) + " elements");
}

TEST_F(remote, refuses_what_a_script_cannot_count) {
    const auto refusal = [](const weir::quota& q, remote_rule rule = remote_rule::gcra) {
        return weir::remote_limiter::refusal("x", q, rule);
    };
    const std::string long_name(201, 'x');
    EXPECT_EQ(weir::remote_limiter::refusal("", per_hour(1)), redis_error::name_refused);
    EXPECT_EQ(weir::remote_limiter::refusal(long_name, per_hour(1)), redis_error::name_refused);
    for (const remote_rule rule : rules)
        EXPECT_EQ(refusal(per_hour(1000), rule), redis_error::none);
    EXPECT_EQ(refusal({1'000'000, weir::hours(24)}), redis_error::none);
    EXPECT_EQ(refusal({3, weir::nanoseconds(1'001)}), redis_error::none);
    EXPECT_EQ(refusal({1'000'003, weir::hours(24)}), redis_error::numbers_too_large);
    EXPECT_EQ(refusal({INT64_MAX, weir::seconds(1)}), redis_error::numbers_too_large);
    EXPECT_EQ(refusal({1, weir::hours(8760)}), redis_error::none);
    EXPECT_EQ(refusal({1, weir::nanoseconds(INT64_MAX - 1)}), redis_error::numbers_too_large);
    const auto sliding = remote_rule::sliding_window;
    EXPECT_EQ(refusal({1'000'000, weir::hours(24)}, sliding), redis_error::numbers_too_large);
    EXPECT_EQ(refusal({1'000'000, weir::hours(24)}, remote_rule::fixed_window), redis_error::none);
    EXPECT_EQ(refusal(per_hour(10).with_burst(5), sliding), redis_error::burst_not_the_window);
    EXPECT_EQ(refusal({1, weir::nanoseconds(1'500)}, sliding), redis_error::period_not_whole);
    EXPECT_EQ(refusal(per_hour(100'001), remote_rule::sliding_log), redis_error::log_too_long);
    EXPECT_EQ(weir::remote_limiter::make(redis_, "x", per_hour(10).with_burst(5), sliding).error(),
              redis_error::burst_not_the_window);
    EXPECT_THROW(weir::remote_limiter(redis_, "", per_hour(1)), weir::refused);
}

// What the limiter lets through, the script takes: the bounds of both agree.
TEST_F(remote, has_the_bounds_of_the_script) {
    const std::int64_t most = (std::int64_t{1} << 52) - 1;
    const weir::quota largest[] = {weir::quota{most, weir::microseconds(1)},
                                   weir::quota{1, weir::microseconds(most / 2), 2},
                                   weir::quota{1, weir::microseconds(1), most}};
    for (const weir::quota& q : largest) {
        weir::remote_limiter limit(redis_, "largest", q);
        const auto d = limit.try_acquire(std::string(to_text(q).c_str()));
        EXPECT_TRUE(d) << to_text(q).c_str() << ": " << d;
        EXPECT_EQ(d.remaining(), static_cast<std::uint64_t>(q.burst()) - 1);
    }
    for (const remote_rule rule : {remote_rule::fixed_window, remote_rule::sliding_window}) {
        weir::remote_limiter limit(redis_, describe(rule), {most, weir::microseconds(1)}, rule);
        EXPECT_TRUE(limit.try_acquire("x"));
    }
}

}  // namespace

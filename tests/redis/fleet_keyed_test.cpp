// SPDX-License-Identifier: MIT
// fleet_keyed_limits: made and refused, asked, shared with a remote_limiter, in a child, and at its
// end.
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_keyed.hpp>
#include <weir/weir.hpp>

#include "../hot_path/quiet.hpp"
#include "page.hpp"
#include "slow_limit.hpp"

namespace {

using weir::fleet_keyed_limits;
using weir::fleet_mode;
using weir::fleet_options;
using weir::nanoseconds;
using weir::per_hour;
using weir::per_second;
using weir::redis_error;
using weir::verdict;
using weir::word;

static_assert(!std::copy_constructible<fleet_keyed_limits>);
static_assert(fleet_keyed_limits::bytes_for(100'000) <= 64'000'000);

class keyed_fleet_limits : public slow_limit {
protected:
    [[nodiscard]] fleet_keyed_limits slow(std::size_t keys = 1'000,
                                          const fleet_options& o = {.processes = 4}) const {
        return {server_.options(), "slow", thousand, keys, o};
    }
    // Fails where Redis refuses for good, and does not wait for ever.
    static void take(fleet_keyed_limits& limits, const std::string& key, int units) {
        while (units != 0) {
            const redis_error e = limits.state().error;
            ASSERT_TRUE(e == redis_error::none || weir::detail::may_pass_later(e)) << describe(e);
            if (limits.try_acquire(key))
                --units;
            else
                usleep(1'000);
        }
    }
};

TEST_F(keyed_fleet_limits, pass_the_first_request_of_each_key_at_once) {
    fleet_keyed_limits limits = slow();
    EXPECT_EQ(limits.state().mode, fleet_mode::leased);
    EXPECT_EQ(limits.burst(), 125U);
    server_.hold_up();
    for (int i = 0; i < 1'000; ++i) {
        const std::string key = "user " + std::to_string(i);
        EXPECT_TRUE(limits.peek(key));
        EXPECT_TRUE(limits.try_acquire(key));
        const auto d = limits.try_acquire(key);
        EXPECT_EQ(d.verdict(), verdict::wait);
        EXPECT_GT(d.retry_after(), nanoseconds{});
        EXPECT_FALSE(limits.peek(key));
    }
    server_.go_on();
    for (int i = 0; i < 1'000; ++i) take(limits, "user " + std::to_string(i), 1);
}

// With every key, what has passed is what Redis lacks.
TEST_F(keyed_fleet_limits, give_back_what_is_left) {
    const std::string longest(64, '\n');
    {
        fleet_keyed_limits limits = slow();
        take(limits, "a", 100);
        take(limits, longest, 3);
        take(limits, "", 1);
        EXPECT_FALSE(limits.try_acquire("a", 126));
    }
    EXPECT_EQ(left_in_redis("a"), 900U);
    EXPECT_EQ(left_in_redis(longest), 997U);
    EXPECT_EQ(left_in_redis(""), 999U);
    EXPECT_EQ(left_in_redis("b"), 1'000U);
}

// A key goes away when nobody asks for it, and is charged for its last unit.
TEST_F(keyed_fleet_limits, forget_keys_that_nobody_asks_for) {
    fleet_keyed_limits limits = slow();
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(limits.try_acquire("once " + std::to_string(i)));
    while (limits.counts().entered != 500 || limits.counts().keys != 0) usleep(10'000);
    EXPECT_EQ(limits.state().beyond, 0U);
    const auto c = limits.counts();
    EXPECT_EQ(c.leased + c.charged - c.given_back, 500U);
    for (int i = 0; i < 500; i += 50) EXPECT_EQ(left_in_redis("once " + std::to_string(i)), 999U);
}

TEST_F(keyed_fleet_limits, are_those_of_a_remote_limiter_of_that_name) {
    weir::redis_connection redis(server_.options());
    weir::remote_limiter remote(redis, "slow", thousand);
    EXPECT_TRUE(remote.try_acquire("a", 996));
    std::uint64_t passed = 0;
    {
        fleet_keyed_limits limits = slow();
        while (passed < 4) passed += limits.try_acquire("a") ? 1U : 0U;
        for (int i = 0; i < 50; ++i) {
            EXPECT_FALSE(limits.try_acquire("a"));
            usleep(1'000);
        }
    }
    EXPECT_FALSE(remote.try_acquire("a"));
}

TEST_F(keyed_fleet_limits, are_refused_with_a_sentence) {
    const auto reason = [&](std::size_t keys, const fleet_options& o) {
        const redis_error its = fleet_keyed_limits::refusal("name", per_second(100), keys, o);
        EXPECT_EQ(
            fleet_keyed_limits::make(server_.options(), "name", per_second(100), keys, o).error(),
            its);
        return its;
    };
    EXPECT_EQ(reason(0, {.processes = 4}), redis_error::keys_refused);
    EXPECT_EQ(reason(100'000'001, {.processes = 4}), redis_error::keys_refused);
    EXPECT_EQ(reason(1, {.processes = 4}), redis_error::none);
    EXPECT_EQ(reason(100, {}), redis_error::processes_not_said);
    EXPECT_EQ(reason(100, {.processes = 51}), redis_error::burst_too_small_for_leases);
    EXPECT_EQ(reason(100, {.processes = 4, .least_lease = 13}), redis_error::least_lease_too_large);
    // A place counts 2^24 - 1 units.
    EXPECT_EQ(fleet_keyed_limits::refusal("name", per_second(1'000'000'000), 10,
                                          {.processes = 1, .least_lease = std::uint64_t{1} << 24U}),
              redis_error::least_lease_too_large);
    EXPECT_STREQ(describe(redis_error::keys_refused),
                 "say for how many keys there is to be room: 1 to 100 million");
#ifdef __cpp_exceptions
    EXPECT_THROW(fleet_keyed_limits(server_.options(), "name", per_second(100), 10, {}),
                 weir::refused);
#endif
    weir::redis_options to = server_.options();
    to.password = "a wrong one";
    EXPECT_EQ(fleet_keyed_limits::make(to, "name", per_second(100), 10, {.processes = 4}).error(),
              redis_error::not_signed_in);
}

TEST_F(keyed_fleet_limits, say_never_to_what_no_key_is_and_to_what_no_lease_has) {
    fleet_keyed_limits limits = slow();
    const auto d = limits.try_acquire("a", 126);
    EXPECT_EQ(d.verdict(), verdict::never);
    EXPECT_EQ(d.retry_after(), nanoseconds::longest());
    EXPECT_EQ(limits.peek("a", 126).verdict(), verdict::never);
    EXPECT_EQ(limits.try_acquire(std::string(65, 'x')).verdict(), verdict::never);
    EXPECT_TRUE(limits.try_acquire("a", 0));
    EXPECT_EQ(limits.try_acquire("b", 125).verdict(), verdict::wait);
    while (!limits.try_acquire("b", 125)) usleep(1'000);
}

TEST_F(keyed_fleet_limits, refuse_new_keys_where_there_is_no_place_and_count_them) {
    fleet_keyed_limits limits = slow(8);
    std::uint64_t refused = 0;
    for (int i = 0; i < 100; ++i)
        refused += limits.try_acquire("user " + std::to_string(i)) ? 0U : 1U;
    EXPECT_GE(refused, 70U);
    while (limits.counts().without_place != refused) usleep(1'000);
    EXPECT_FALSE(limits.peek("user 99", 2));
}

TEST_F(keyed_fleet_limits, are_for_a_user_who_may_do_what_the_guide_says) {
    EXPECT_EQ(server_.ask(user_of_the_page()), "OK");
    weir::redis_options to = server_.options();
    to.user = "weir";
    to.password = "password";  // the guide's
    {
        fleet_keyed_limits limits(to, "slow", thousand, 100, {.processes = 4});
        take(limits, "a", 100);
        EXPECT_EQ(limits.state().error, redis_error::none);
    }
    EXPECT_EQ(left_in_redis("a"), 900U);
}

// One thread each hammers keys that the others hammer too: no unit passes twice.
TEST_F(keyed_fleet_limits, pass_what_there_is_and_no_more) {
    std::uint64_t passed[4]{};
    {
        fleet_keyed_limits limits = slow(100);
        std::vector<std::jthread> threads;
        for (std::uint64_t& mine : passed) {
            threads.emplace_back([&limits, &mine] {
                for (int i = 0; limits.counts().leased < 10'000 - 10; ++i)
                    mine += limits.try_acquire(std::to_string(i % 10)) ? 1U : 0U;
            });
        }
    }
    std::uint64_t left = 0;
    for (int key = 0; key < 10; ++key) left += left_in_redis(std::to_string(key));
    EXPECT_EQ(passed[0] + passed[1] + passed[2] + passed[3] + left, 10'000U);
}

TEST_F(keyed_fleet_limits, move) {
    fleet_keyed_limits limits = slow();
    EXPECT_TRUE(limits.try_acquire("a"));
    fleet_keyed_limits other = std::move(limits);
    take(other, "a", 1);
    other =
        fleet_keyed_limits(server_.options(), "fast", per_second(1'000'000), 10, {.processes = 4});
    EXPECT_EQ(other.burst(), 125'000U);
    EXPECT_EQ(left_in_redis("a"), 998U) << "the other one has given back";
}

TEST_F(keyed_fleet_limits, leave_no_thread) {
    const auto before = threads_of_this_process();
    for (int i = 0; i < 5; ++i) {
        fleet_keyed_limits limits = slow();
        wait_for_threads(before + 1);
    }
    wait_for_threads(before);
}

TEST_F(keyed_fleet_limits, are_spent_once_in_a_child_and_then_deny) {
    {
        fleet_keyed_limits limits = slow();
        take(limits, "a", 1);
        const pid_t child = fork();
        if (child == 0) {
            int passed = 0;
            for (int i = 0; i < 1'000; ++i) passed += limits.try_acquire("a") ? 1 : 0;
            const bool good = passed <= 125 && limits.state().mode == fleet_mode::forked &&
                              !limits.try_acquire("a");
            {
                const fleet_keyed_limits its = std::move(limits);  // and is destroyed
            }
            _exit(good ? 0 : 1);
        }
        int status = -1;
        waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
        EXPECT_EQ(limits.state().mode, fleet_mode::leased);
    }
    EXPECT_EQ(left_in_redis("a"), 999U) << "the child has given nothing back";
}

// New keys and known ones, admitted, denied, and refused for ever or for want of a place.
TEST_F(keyed_fleet_limits, make_no_system_call) {
    fleet_keyed_limits limits = slow(50);
    fleet_keyed_limits open(server_.options(), "open", per_hour(1'000), 50,
                            {.processes = 4, .away = weir::when_away::open});
    take(limits, "known", 2);
    std::vector<std::string> keys(200);
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = "user " + std::to_string(i);
    const std::string long_key(65, 'x');
    const int status = quiet::status_without_system_calls([&] {
        word admitted = 0;
        word denied = 0;
        for (int round = 0; round < 5; ++round) {
            for (const std::string& key : keys) {
                admitted += limits.try_acquire(key) ? 1U : 0U;
                admitted += limits.try_acquire("known") ? 1U : 0U;
                const auto d = limits.try_acquire(key);
                denied += !d && d.retry_after() > nanoseconds{} ? 1U : 0U;
                denied += limits.peek("known", 1'000).verdict() == verdict::never ? 1U : 0U;
                denied += limits.try_acquire(long_key) ? 0U : 1U;
                admitted += open.try_acquire(key) ? 1U : 0U;
            }
        }
        return admitted >= 2 && denied >= 2'900;
    });
    EXPECT_TRUE(quiet::well(status));
}

}  // namespace

// SPDX-License-Identifier: MIT
// fleet_limiter as a limit: made and refused, asked and waited for, below a pacer and a stripe, in
// a child, and at its end.
#include <concepts>
#include <cstdint>
#include <stop_token>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/fleet_limiter.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/limiter/shadow.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

#include "../hot_path/quiet.hpp"
#include "page.hpp"
#include "slow_limit.hpp"

namespace {

using weir::ending;
using weir::fleet_limiter;
using weir::fleet_mode;
using weir::fleet_options;
using weir::nanoseconds;
using weir::per_hour;
using weir::per_second;
using weir::redis_error;
using weir::verdict;
using weir::word;

static_assert(weir::limit<fleet_limiter>);
static_assert(weir::lending<fleet_limiter>);
static_assert(!weir::reserving<fleet_limiter>, "Redis keeps no places");
static_assert(!std::copy_constructible<fleet_limiter>);

// Where a test counts what is in stock Redis stands still, so the thread puts nothing there.
class fleet_limit : public slow_limit {
protected:
    [[nodiscard]] fleet_limiter slow(const fleet_options& o = {.processes = 4}) const {
        return {server_.options(), "slow", thousand, o};
    }
    [[nodiscard]] fleet_limiter fast() const {
        return {server_.options(), "fast", per_second(1'000'000), {.processes = 4}};
    }
};

TEST_F(fleet_limit, has_units_when_it_has_been_made) {
    fleet_limiter limit = slow();
    EXPECT_EQ(limit.state().mode, fleet_mode::leased);
    EXPECT_EQ(limit.burst(), 125U);
    server_.hold_up();
    const auto d = limit.try_acquire();
    EXPECT_TRUE(d);
    EXPECT_EQ(d.retry_after(), nanoseconds{});
    EXPECT_EQ(d.remaining(), limit.approx_left());
    EXPECT_TRUE(limit.peek());
    EXPECT_TRUE(limit.try_acquire(0));
    EXPECT_TRUE(limit.try_acquire(1, fleet_limiter::clock_type::now()));
    server_.go_on();
}

TEST_F(fleet_limit, says_never_to_what_no_lease_has) {
    fleet_limiter limit = slow();
    const auto d = limit.try_acquire(126);
    EXPECT_EQ(d.verdict(), verdict::never);
    EXPECT_EQ(d.retry_after(), nanoseconds::longest());
    EXPECT_EQ(limit.peek(126).verdict(), verdict::never);
    EXPECT_EQ(weir::acquire(limit, 126).how, ending::never);
    EXPECT_FALSE(limit.take(126, 126));
    EXPECT_FALSE(limit.take(2, 1)) << "nothing is from 2 to 1";
}

// There are 31 at first, and the thread fetches what a request lacks.
TEST_F(fleet_limit, comes_for_a_request_as_large_as_a_lease) {
    fleet_limiter limit = slow();
    const auto d = limit.try_acquire(125);
    EXPECT_EQ(d.verdict(), verdict::wait);
    EXPECT_GT(d.retry_after(), nanoseconds{});
    EXPECT_TRUE(weir::acquire(limit, 125));
}

TEST_F(fleet_limit, gives_back_what_is_left) {
    for (int i = 1; i <= 5; ++i) {
        fleet_limiter limit = slow();
        EXPECT_TRUE(limit.try_acquire());
        EXPECT_TRUE(limit.try_acquire(2));
    }
    EXPECT_EQ(left_in_redis(), 1'000U - 15);
}

// All that passes is what Redis has: leases end with it.
TEST_F(fleet_limit, passes_what_there_is_and_no_more) {
    std::uint64_t passed = 0;
    {
        fleet_limiter limit = slow();
        for (; passed < 1'000; ++passed) EXPECT_TRUE(weir::acquire(limit));
        for (int i = 0; i < 50; ++i) {
            const auto d = limit.try_acquire();
            EXPECT_FALSE(d);
            EXPECT_GT(d.retry_after(), nanoseconds{});
            usleep(1'000);
        }
        EXPECT_EQ(limit.counts().leased, 1'000U);
    }
    EXPECT_EQ(left_in_redis(), 0U);
}

TEST_F(fleet_limit, keeps_what_an_idle_process_is_to_have) {
    fleet_limiter limit = slow({.processes = 4, .least_lease = 50});
    for (int i = 0; i < 5; ++i) {
        EXPECT_GE(limit.approx_left(), 50U);
        usleep(20'000);
    }
    EXPECT_TRUE(limit.try_acquire(50));
}

TEST_F(fleet_limit, a_stop_ends_the_wait) {
    fleet_limiter limit(server_.options(), "none", per_hour(8), {.processes = 4});
    while (weir::acquire_for(limit, 1, weir::milliseconds(100))) {
    }
    std::stop_source stop;
    std::jthread stops([&] {
        usleep(10'000);
        stop.request_stop();
    });
    EXPECT_EQ(weir::acquire(limit, 1, stop.get_token()).how, ending::stopped);
}

TEST_F(fleet_limit, is_refused_with_a_sentence) {
    const auto reason = [&](const weir::quota& q, const fleet_options& o,
                            const char* name = "name") {
        const redis_error static_reason = fleet_limiter::refusal(name, q, o);
        const auto made = fleet_limiter::make(server_.options(), name, q, o);
        EXPECT_EQ(made.error(), static_reason);
        return static_reason;
    };
    EXPECT_EQ(reason(per_second(100), {}), redis_error::processes_not_said);
    EXPECT_EQ(reason(per_second(100), {.processes = 50}), redis_error::none);
    EXPECT_EQ(reason(per_second(100), {.processes = 51}), redis_error::burst_too_small_for_leases);
    EXPECT_EQ(reason(per_hour(100), {.processes = UINT32_MAX}),
              redis_error::burst_too_small_for_leases);
    EXPECT_EQ(reason(per_second(1'000).with_burst(10), {.processes = 5}), redis_error::none);
    EXPECT_EQ(reason(per_second(1'001).with_burst(10), {.processes = 5}),
              redis_error::burst_too_small_for_rate);
    EXPECT_EQ(reason(per_second(100), {.processes = 5, .least_lease = 10}), redis_error::none);
    EXPECT_EQ(reason(per_second(100), {.processes = 5, .least_lease = 11}),
              redis_error::least_lease_too_large);
    EXPECT_EQ(reason(per_second(100), {.processes = 5, .least_lease = 0}),
              redis_error::least_lease_too_large);
    EXPECT_EQ(reason(per_second(100), {.processes = 5}, ""), redis_error::name_refused);
    EXPECT_EQ(reason({INT64_MAX, weir::seconds(1)}, {.processes = 5}),
              redis_error::numbers_too_large);
#ifdef __cpp_exceptions
    EXPECT_THROW(fleet_limiter(server_.options(), "name", per_second(100), {}), weir::refused);
#endif
}

// What no wait will mend is found when the limit is made; what one may mend is not refused.
TEST_F(fleet_limit, finds_a_wrong_option_when_it_is_made) {
    const auto error_with = [&](const weir::redis_options& to) {
        return fleet_limiter::make(to, "name", per_second(100), {.processes = 2}).error();
    };
    weir::redis_options to = server_.options();
    to.password = "a wrong one";
    EXPECT_EQ(error_with(to), redis_error::not_signed_in);
    to = server_.options();
    EXPECT_NE(server_.ask({"RPUSH", "weir:4:name:", "x"}), "");
    EXPECT_EQ(error_with(to), redis_error::foreign_key);
    to.socket += ".nobody";
    EXPECT_EQ(error_with(to), redis_error::none);
    const fleet_limiter away(to, "name", per_second(100), {.processes = 2});
    EXPECT_EQ(away.state().error, redis_error::down);
}

TEST_F(fleet_limit, is_for_a_user_who_may_do_what_the_guide_says) {
    EXPECT_EQ(server_.ask(user_of_the_page()), "OK");
    weir::redis_options to = server_.options();
    to.user = "weir";
    to.password = "password";  // the guide's
    {
        fleet_limiter limit(to, "slow", thousand, {.processes = 4});
        EXPECT_TRUE(weir::acquire(limit, 100));
        EXPECT_EQ(limit.state().error, redis_error::none);
    }
    EXPECT_EQ(left_in_redis(), 900U);
}

TEST_F(fleet_limit, takes_back_what_was_not_used) {
    fleet_limiter limit = slow();
    server_.hold_up();
    const word before = limit.approx_left();
    auto p = limit.take(1, 5);
    ASSERT_TRUE(p);
    EXPECT_EQ(p.units(), 5U);
    EXPECT_EQ(limit.refund(std::move(p), 3), 3U);
    EXPECT_EQ(limit.approx_left(), before - 2);
    EXPECT_EQ(limit.refund(std::move(p)), 0U) << "once";  // NOLINT(bugprone-use-after-move)
    EXPECT_EQ(limit.refund(weir::fleet_permit()), 0U);
    server_.go_on();
}

TEST_F(fleet_limit, stands_behind_stripes) {
    fleet_limiter limit = fast();
    {
        weir::striped requests(limit);
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back([&] {
                for (int taken = 0; taken < 20'000;) taken += requests.try_acquire() ? 1 : 0;
            });
        }
        threads.clear();
        EXPECT_GE(requests.approx_restocks(), 1U);
    }
    while (limit.counts().leased < 40'000) usleep(1'000);  // it says so after it has put them there
}

TEST_F(fleet_limit, is_a_limit_for_what_is_built_of_limits) {
    fleet_limiter limit = slow();
    server_.hold_up();
    weir::limiter<> own{per_hour(3)};
    weir::all_of both(own, limit);
    const word before = limit.approx_left();
    EXPECT_TRUE(both.try_acquire(3));
    EXPECT_FALSE(both.try_acquire());
    EXPECT_EQ(limit.approx_left(), before - 3) << "what another member refuses is not taken";
    weir::shadow trial(limit);
    EXPECT_TRUE(trial.try_acquire(126));
    EXPECT_EQ(trial.observer().snapshot().never, 1U);
    weir::lease units(limit, 2);
    EXPECT_TRUE(units.try_acquire());
    EXPECT_EQ(limit.approx_left(), before - 5);
    server_.go_on();
}

TEST_F(fleet_limit, moves) {
    fleet_limiter limit = slow();
    fleet_limiter other = std::move(limit);
    EXPECT_TRUE(other.try_acquire());
    other = fast();
    EXPECT_EQ(other.burst(), 125'000U);
    EXPECT_EQ(left_in_redis(), 999U) << "the other one has given back";
}

TEST_F(fleet_limit, leaves_no_thread) {
    const auto before = threads_of_this_process();
    for (int i = 0; i < 5; ++i) {
        fleet_limiter limit = slow();
        wait_for_threads(before + 1);
    }
    server_.kill();
    {
        weir::redis_options to = server_.options();
        fleet_limiter limit(to, "slow", thousand, {.processes = 4});
    }
    wait_for_threads(before);
}

// Of a process that does work() and exits.
template <class Work>
int status_of_child(Work work) {
    const pid_t child = fork();
    if (child == 0) _exit(work() ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

TEST_F(fleet_limit, is_spent_once_in_a_child_and_then_denies) {
    {
        fleet_limiter limit = slow();
        EXPECT_EQ(status_of_child([&] {
                      const word stock = limit.approx_left();
                      word passed = 0;
                      for (int i = 0; i < 1'000; ++i) passed += limit.try_acquire() ? 1U : 0U;
                      return stock != 0 && passed == stock &&
                             limit.state().mode == fleet_mode::forked && !limit.try_acquire();
                  }),
                  0);
        EXPECT_EQ(status_of_child([&] {
                      const fleet_limiter its = std::move(limit);  // and is destroyed
                      return its.state().mode == fleet_mode::forked;
                  }),
                  0);
        EXPECT_EQ(limit.state().mode, fleet_mode::leased);
        EXPECT_TRUE(limit.try_acquire());
    }
    EXPECT_EQ(left_in_redis(), 999U) << "no child has given anything back";
}

// Denied, admitted and refused for ever.
TEST_F(fleet_limit, makes_no_system_call) {
    fleet_limiter limit = slow();
    fleet_limiter open(server_.options(), "open", per_hour(1'000),
                       {.processes = 4, .away = weir::when_away::open});
    const int status = quiet::status_without_system_calls([&] {
        word admitted = 0;
        word denied = 0;
        for (int i = 0; i < 1'000; ++i) {
            auto p = limit.take(1, 2);
            (void)limit.refund(std::move(p));
            const auto d = limit.try_acquire();
            admitted += d ? 1U : 0U;
            denied += !d && d.retry_after() > nanoseconds{} ? 1U : 0U;
            denied += limit.peek(1'000).verdict() == verdict::never ? 1U : 0U;
            admitted += open.try_acquire() ? 1U : 0U;
        }
        return admitted >= 2 && denied >= 1'900;
    });
    EXPECT_TRUE(quiet::well(status));
    EXPECT_FALSE(quiet::well(quiet::status_without_system_calls([&] { return getppid() != 0; })))
        << "a system call would be seen";
}

TEST(the_sentences_of_a_fleet, tell_how_it_stands) {
    EXPECT_STREQ(to_text(weir::fleet_state{fleet_mode::leased}).c_str(), "leased");
    EXPECT_STREQ(to_text(weir::fleet_state{fleet_mode::degraded, redis_error::read_only}).c_str(),
                 "degraded: this Redis is a replica and takes no writes");
    EXPECT_STREQ(to_text(weir::fleet_decision(verdict::admitted, 3, {})).c_str(),
                 "admitted, 3 remaining");
    EXPECT_STREQ(to_text(weir::fleet_decision(verdict::wait, 3, weir::milliseconds(5))).c_str(),
                 "wait 5 ms");
    EXPECT_STREQ(describe(weir::when_away::local_share), "local share");
}

}  // namespace

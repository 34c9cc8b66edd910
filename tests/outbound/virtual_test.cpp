// SPDX-License-Identifier: MIT
// The example's limits against providers that enforce their rules, in virtual time: nobody is ever
// banned, and most of what the rules allow is used.
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/http_told.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/jitter.hpp>

#include "../../src/examples/outbound/providers.hpp"
#include "provider.hpp"
#include "simulation.hpp"

namespace {

using namespace outbound;  // NOLINT(google-build-using-namespace)

template <class Tag>
using virtual_clock = weir::manual_clock<Tag>;

// The client's clock began at another time than the provider's.
constexpr ns its_beginning = 987'654 * second + 321;

weir::http::told what(const reply& r, ns now) {
    weir::http::told told(weir::http::utc_time::since_1970(weir::nanoseconds(now)));
    for (const auto& [name, value] : r.told)
        EXPECT_EQ(told.read(name, value), weir::http::http_error::none) << name << ": " << value;
    return told;
}

// What all clients do: ask, wait, and hold what they were given until the answer.
template <class Api, class Clock>
struct client {
    Api api;
    std::vector<weir::call_token> open;
    retry_budget budget;
    weir::jitter spread{1, weir::seconds(1)};
    ns paused_until = 0;

    static void set_time(ns now) { Clock::set(weir::instant<Clock>(its_beginning + now)); }
    static ns now() { return static_cast<ns>(Clock::now().count); }

    bool begin(const call& c, ns& wait) {
        if (now() < paused_until) return wait = paused_until - now(), false;
        if constexpr (requires { api.limits; }) {
            auto d = api.limits.try_acquire(static_cast<weir::word>(c.weight));
            if (!d) return wait = d.retry_after().count(), false;
            open.push_back(d.take_token());
        } else {
            const auto d = api.messages.try_acquire(static_cast<weir::word>(c.weight));
            if (!d) return wait = d.retry_after().count(), false;
        }
        if (!c.is_retry) budget.called();
        return true;
    }
    ns end(const call& c, const reply& r) {
        if (!open.empty()) open.pop_back();
        const auto told = what(r, now());
        if (!provider::has_begun(r))
            paused_until = now() + told.retry_after(weir::seconds(60)).count();
        if constexpr (requires { api.answered(told); }) api.answered(told);
        if constexpr (requires { api.answered(c.tokens); }) api.answered(c.tokens);
        if (r.status == 200 || !budget.may_retry()) return no_retry;
        return spread.after(weir::seconds(1)).count();
    }
};

template <class Api, class Clock>
course play(provider& p, client<Api, Clock>& us, terms t) {
    return run(p, us, client<Api, Clock>::set_time, t);
}

// At least 97 % of so many units in each period.
void expect_share(const char* whose, const course& c, std::int64_t used, std::int64_t units,
                  ns period) {
    const double share = c.share(used, units, period);
    std::cout << whose << ": " << c.refused << " refused, " << 100 * share << " % used\n";
    EXPECT_GE(share, 0.97) << whose;
}

TEST(outbound, who_does_not_care_is_banned) {
    struct careless {
        static bool begin(const call&, ns&) { return true; }
        static ns end(const call&, const reply&) { return no_retry; }
    } us;
    provider p;
    p.with<rolling>(500, 3 * second);
    const course c = run(p, us, [](ns) {}, {.calls = 10'000, .workers = 64});
    EXPECT_GT(p.bans(), 0);
    EXPECT_GT(c.refused, 9'000);
}

TEST(outbound, a_session_is_never_cut) {
    provider p(0);
    p.with<rolling>(500, 3 * second);
    client<session<virtual_clock<struct of_session>>, virtual_clock<struct of_session>> us;
    const course c = play(p, us, {.workers = 64});
    EXPECT_EQ(p.bans(), 0);
    EXPECT_EQ(c.refused, 0);
    expect_share("session", c, c.weight, 500, 3 * second);
}

TEST(outbound, a_spot_market_bans_nobody) {
    for (const ns others_every : {ns{0}, second}) {
        provider p(3);
        p.with<aligned>(1200, 60 * second, "X-MBX-USED-WEIGHT-1M")
            .with<rolling>(400, 10 * second)
            .with<at_once>(6);  // one for the others
        client<spot_market<virtual_clock<struct of_spot>>, virtual_clock<struct of_spot>> us;
        const course c = play(p, us, {.others_every = others_every});
        EXPECT_EQ(p.bans(), 0);
        expect_share(others_every == 0 ? "market" : "market with others", c,
                     c.weight + c.others_weight, 1200, 60 * second);
    }
}

TEST(outbound, a_forge_answers_each_call) {
    for (const ns others_every : {ns{0}, 10 * second}) {
        provider p(3);
        p.with<first_use>(5000, 3'600 * second).with<at_once>(100);
        client<forge<virtual_clock<struct of_forge>>, virtual_clock<struct of_forge>> us;
        const course c = play(p, us, {.others_every = others_every});
        EXPECT_EQ(p.bans(), 0);
        expect_share(others_every == 0 ? "forge" : "forge with others", c,
                     c.weight + c.others_weight, 5000, 3'600 * second);
    }
}

TEST(outbound, a_language_model_is_asked_as_much_as_it_may_be) {
    provider p(3);
    p.with<bucket>(500, 60 * second, bucket::of::calls)
        .with<bucket>(200'000, 60 * second, bucket::of::tokens);
    client<language_model<virtual_clock<struct of_model>>, virtual_clock<struct of_model>> us;
    const course c = play(p, us, {.most_weight = 1});
    EXPECT_EQ(p.bans(), 0);
    EXPECT_EQ(c.refused, 0);
    expect_share("model", c, c.tokens, 200'000, 60 * second);
}

TEST(outbound, retries_are_a_tenth_of_the_calls) {
    using clock = virtual_clock<struct of_retries>;
    for (const int one_in : {50, 1}) {
        provider p(3);
        p.with<rolling>(500, 3 * second).fails_one_in(one_in);
        client<session<clock>, clock> us;
        const course c = play(p, us, {.calls = 10'000});
        EXPECT_LE(c.retried, 10'000 / 10 + 10);
        EXPECT_GE(c.retried, one_in == 1 ? 10'000 / 10 : c.failed);
        EXPECT_EQ(c.given_up, one_in == 1 ? 10'000 : 0);
        EXPECT_EQ(p.bans(), 0);
    }
}

}  // namespace

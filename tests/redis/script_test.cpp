// SPDX-License-Identifier: MIT
// The script decides as the exact models of tests/oracle do, on the same histories: to the
// microsecond and to the unit. The test gives it the time.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/redis_connection.hpp>
#include <weir/adapter/redis_script.hpp>

#include "../oracle/answer.hpp"
#include "../oracle/bucket_model.hpp"
#include "../oracle/dice.hpp"
#include "../oracle/effort.hpp"
#include "../oracle/exact.hpp"
#include "../oracle/log_model.hpp"
#include "../oracle/meter_model.hpp"
#include "../oracle/sliding_model.hpp"
#include "../oracle/window_model.hpp"
#include "server.hpp"

namespace {

using oracle::answer;
using oracle::dice;
using oracle::integer;
using oracle::outcome;

struct terms {
    std::uint64_t units;
    std::uint64_t period;
    std::uint64_t burst;
};

// As many as 2^n, n up to `digits`.
std::uint64_t any_size(dice& chaos, unsigned digits) {
    return chaos.magnitude(1, (std::uint64_t{1} << digits) - 1);
}

// What models have in common. Some count parts of a microsecond, `scale` of which make one.
struct model {
    std::function<answer(integer, integer)> take;
    std::function<answer(integer, integer)> peek;
    std::function<oracle::partial(integer, integer)> up_to;
    integer scale = 1;
};

template <class Model>
model of(Model&& m, integer scale) {
    auto its = std::make_shared<std::remove_cvref_t<Model>>(std::forward<Model>(m));
    return {[its](integer now, integer n) { return its->try_acquire(now, n); },
            [its](integer now, integer n) { return its->peek(now, n); },
            [its](integer now, integer n) { return its->acquire_up_to(now, n); }, scale};
}

integer power_of_two_of(integer least) {
    integer power = 1;
    while (power < least) power *= 2;
    return power;
}

terms any_of_gcra(dice& chaos) {
    const unsigned digits = static_cast<unsigned>(1 + chaos.roll(31));
    return {any_size(chaos, 31), any_size(chaos, 51 - digits), any_size(chaos, digits)};
}
model as_meter(const terms& t, std::uint64_t now) {
    oracle::meter_model m({integer{t.period}, 0, integer{t.burst}, 0});
    m.fill(integer{now} * t.units, t.burst);
    return of(m, t.units);
}
// A bucket whose times lie on a grid of its own: on a finer one it is the exact one.
model as_bucket(const terms& t, std::uint64_t now) {
    const integer grain = power_of_two_of(integer{t.burst} + 1);
    oracle::bucket_model m({t.period * grain, 0, 1, integer{t.burst}, 0});
    m.fill(integer{now} * t.units * grain, t.burst);
    return of(m, t.units * grain);
}

terms any_of_windows(dice& chaos) {
    const unsigned digits = static_cast<unsigned>(1 + chaos.roll(40));
    const std::uint64_t units = any_size(chaos, digits);
    return {units, any_size(chaos, 51 - digits), units};
}
model as_window(const terms& t, std::uint64_t now) {
    const integer grain = power_of_two_of(integer{t.units} + 1);
    oracle::window_model m(
        {t.period * grain, 0, integer{t.units}, 0, oracle::window_model::opens::with_first_action});
    m.fill(now * grain, t.units);
    return of(m, grain);
}
model as_two_windows(const terms& t, std::uint64_t now) {
    oracle::sliding_model m({integer{t.period}, 0, integer{t.units}, 0});
    m.fill(now, t.units);
    return of(m, 1);
}

terms any_of_logs(dice& chaos) {
    const std::uint64_t units = any_size(chaos, 10);
    return {units, any_size(chaos, 40), units};
}
model as_log(const terms& t, std::uint64_t) {
    return of(oracle::log_model({integer{t.units}, integer{t.period}, 0, 0, 0}), 1);
}

struct event {
    const char* what;
    std::uint64_t n;
    std::uint64_t now;
    answer expected;
    integer granted;
};

class history {
public:
    history(std::string_view rule, const terms& t, model m, std::uint64_t now, std::uint64_t seed)
        : rule_(rule), terms_(t), model_(std::move(m)), now_(now), chaos_(seed) {
        last_.remaining = integer{t.burst};
    }

    // Asks the model, near the edges of what it last said.
    event next() {
        const std::uint64_t units[] = {1,
                                       1,
                                       1,
                                       0,
                                       terms_.burst,
                                       terms_.burst + 1,
                                       1 + chaos_.roll(terms_.burst),
                                       remaining(),
                                       remaining() + 1};
        const auto n = std::min(chaos_.one_of(units), (std::uint64_t{1} << 53) - 1);
        const integer waits[] = {last_.retry_after - 1,
                                 last_.retry_after,
                                 last_.reset_after - 1,
                                 last_.reset_after,
                                 0,
                                 0,
                                 1,
                                 integer{chaos_.roll(terms_.period)},
                                 2 * integer{terms_.period}};
        const integer wait = std::clamp<integer>(chaos_.one_of(waits), 0, std::int64_t{1} << 46);
        if (now_ < std::uint64_t{1} << 51) now_ += static_cast<std::uint64_t>(wait);
        const integer at = integer{now_} * model_.scale;
        event e{"take", n, now_, {}, integer{n}};
        const auto face = chaos_.roll(10);
        if (face < 2) {
            e.what = "peek";
            e.expected = model_.peek(at, n);
        } else if (face < 4) {
            e.what = "up_to";
            const oracle::partial p = model_.up_to(at, n);
            e.expected = p.after;
            e.granted = p.units;
        } else {
            e.expected = model_.take(at, n);
        }
        if (e.expected.verdict != outcome::admitted) e.granted = 0;
        e.expected.retry_after = oracle::ceiling_of(e.expected.retry_after, model_.scale);
        e.expected.reset_after = oracle::ceiling_of(e.expected.reset_after, model_.scale);
        last_ = e.expected;
        if (last_.verdict == outcome::never) e.expected.retry_after = -1;
        return e;
    }

    void ask(const event& e, std::string_view key, weir::detail::redis_commands& to) const {
        const auto text = [](std::uint64_t n) { return std::to_string(n); };
        to.add({"EVALSHA", weir::detail::redis_script_sha1, "1", key, rule_, e.what, text(e.n),
                text(terms_.units), text(terms_.period), text(terms_.burst), "", text(e.now)});
    }

    std::string text(const event& e) const {
        return std::string(rule_) + " " + std::to_string(terms_.units) + " in " +
               std::to_string(terms_.period) + " us, burst " + std::to_string(terms_.burst) + ": " +
               e.what + " " + std::to_string(e.n) + " at " + std::to_string(e.now);
    }

private:
    std::uint64_t remaining() const { return static_cast<std::uint64_t>(last_.remaining); }

    std::string_view rule_;
    terms terms_;
    model model_;
    std::uint64_t now_;
    dice chaos_;
    answer last_;
};

std::string text_of_answer(const redisReply& its) {
    if (its.type == REDIS_REPLY_ERROR) return {its.str, its.len};
    std::string text;
    for (std::size_t i = 0; i + 1 < its.elements; ++i) {
        text += " " + std::to_string(its.element[i]->integer);
    }
    return text;
}
std::string text_of_event(const event& e) {
    const integer numbers[] = {static_cast<int>(e.expected.verdict), e.granted,
                               e.expected.remaining, e.expected.retry_after,
                               e.expected.reset_after};
    std::string text;
    for (const integer& n : numbers) text += " " + oracle::text_of(n);
    return text;
}

struct subject {
    const char* name;
    const char* rule;
    terms (*any)(dice&);
    model (*as)(const terms&, std::uint64_t now);
};
void PrintTo(const subject& s, std::ostream* to) { *to << s.name; }  // NOLINT: GoogleTest's name

class script : public testing::TestWithParam<subject> {};

TEST_P(script, decides_as_the_exact_model) {
    const redis_server server;
    weir::redis_connection redis(server.options());
    ASSERT_EQ(server.ask({"SCRIPT", "LOAD", weir::detail::redis_script}),
              weir::detail::redis_script_sha1);
    constexpr int steps = 200;
    const std::uint64_t histories = oracle::scaled(500);
    std::uint64_t admitted = 0;
    std::uint64_t waited = 0;
    for (std::uint64_t h = 0; h < histories; ++h) {
        const std::uint64_t seed = oracle::only_seed().value_or(oracle::series() << 32U | h);
        dice chaos(seed);
        const terms t = GetParam().any(chaos);
        const std::uint64_t now = any_size(chaos, 51);
        history past(GetParam().rule, t, GetParam().as(t, now), now, chaos.next());
        std::vector<event> events;
        weir::detail::redis_commands commands;
        const std::string key = std::to_string(h);
        for (int i = 0; i < steps; ++i) {
            events.push_back(past.next());
            past.ask(events.back(), key, commands);
            admitted += events.back().expected.verdict == outcome::admitted ? 1U : 0U;
            waited += events.back().expected.verdict == outcome::wait ? 1U : 0U;
        }
        commands.add({"DEL", key});
        std::size_t wrong = 0;
        const auto failed = redis.call(commands, [&](std::size_t i, const redisReply& told) {
            if (i == events.size() || wrong > 2) return;
            const std::string is = text_of_answer(told);
            const std::string should = text_of_event(events[i]);
            if (is == should) return;
            ++wrong;
            ADD_FAILURE() << "seed " << seed << ", step " << i << ", " << past.text(events[i])
                          << "\nis    " << is << "\nshould" << should;
        });
        ASSERT_EQ(failed, weir::redis_error::none) << describe(failed);
        ASSERT_EQ(wrong, 0U);
    }
    // A history that admits or refuses everything would prove little.
    EXPECT_GT(admitted, histories * steps / 20);
    EXPECT_GT(waited, histories * steps / 20);
}

INSTANTIATE_TEST_SUITE_P(
    each, script,
    testing::Values(subject{"gcra_as_a_meter", "gcra", any_of_gcra, as_meter},
                    subject{"gcra_as_a_token_bucket", "gcra", any_of_gcra, as_bucket},
                    subject{"fixed_window", "fixed_window", any_of_windows, as_window},
                    subject{"sliding_window", "sliding_window", any_of_windows, as_two_windows},
                    subject{"sliding_log", "sliding_log", any_of_logs, as_log}),
    [](const auto& which) { return std::string(which.param.name); });

// One key of one rule, asked at times that the test gives.
class at_a_time : public testing::TestWithParam<const char*> {
protected:
    std::vector<long long> told(const std::vector<std::string>& arguments) {
        std::vector<std::string> all{"EVALSHA", weir::detail::redis_script_sha1, "1", "key",
                                     GetParam()};
        all.insert(all.end(), arguments.begin(), arguments.end());
        std::vector<long long> numbers;
        weir::detail::redis_commands commands;
        add(commands, all);
        (void)redis_.call(commands, [&](std::size_t, const redisReply& its) {
            EXPECT_EQ(its.type, REDIS_REPLY_ARRAY) << (its.str != nullptr ? its.str : "");
            for (std::size_t i = 0; i < its.elements; ++i)
                numbers.push_back(its.element[i]->integer);
        });
        numbers.resize(6);
        return numbers;
    }
    // Ten units a second.
    std::vector<long long> take(int n, long long now) { return ask("take", n, now); }
    std::vector<long long> ask(const char* what, int n, long long now, const char* floor = "") {
        return told({what, std::to_string(n), "10", "1000000", "10", floor, std::to_string(now)});
    }

    // Ten units in so many microseconds, now.
    std::vector<long long> take_within(long long period) {
        return told({"take", "1", "10", std::to_string(period), "10", ""});
    }

    void SetUp() override {
        ASSERT_NE(server_.ask({"SCRIPT", "LOAD", weir::detail::redis_script}), "");
    }

    static void add(weir::detail::redis_commands& to, const std::vector<std::string>& words) {
        ASSERT_GE(words.size(), 11U);
        const auto& w = words;
        if (w.size() == 11) {
            to.add({w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10]});
        } else {
            to.add({w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7], w[8], w[9], w[10], w[11]});
        }
    }

    redis_server server_;
    weir::redis_connection redis_{server_.options()};
};

using time_that_goes_back = at_a_time;

constexpr long long hour = 3'600'000'000;
constexpr long long begin = 1'000'000 * hour;

// An hour back, a limit denies for two periods at most, and not for an hour.
TEST_P(time_that_goes_back, ends_within_two_periods) {
    EXPECT_EQ(take(10, begin)[0], 0);
    long long now = begin - hour;
    auto d = take(1, now);
    EXPECT_EQ(d[0], 1) << "what was used is still used";
    EXPECT_LE(d[3], 2'000'000);
    EXPECT_LE(d[4], 2'000'000);
    now += d[3];
    d = take(1, now);
    EXPECT_EQ(d[0], 0);
}

// Whatever others ask meanwhile, and with units left.
TEST_P(time_that_goes_back, gives_nothing_twice) {
    EXPECT_EQ(take(7, begin)[0], 0);
    EXPECT_EQ(ask("peek", 4, begin - hour)[0], 1);
    EXPECT_EQ(take(4, begin - hour)[0], 1);
    EXPECT_EQ(take(3, begin - hour)[0], 0);
    EXPECT_EQ(take(1, begin - hour)[0], 1);
    EXPECT_EQ(take(10, begin - hour + 2'000'000)[0], 0);
}

INSTANTIATE_TEST_SUITE_P(each, time_that_goes_back,
                         testing::Values("gcra", "fixed_window", "sliding_window", "sliding_log"),
                         [](const auto& which) { return std::string(which.param); });

using life_of_a_key = at_a_time;

// To the millisecond, and rounded up: a key that is gone too early gives units back.
TEST_P(life_of_a_key, is_as_long_as_its_limit_is_not_as_good_as_new) {
    for (long long period = 1'000'000; period < 1'100'000; period += 997) {
        EXPECT_NE(server_.ask({"DEL", "key"}), "");
        const auto d = take_within(period);
        const std::string end = server_.ask({"PEXPIRETIME", "key"});
        if (end.starts_with("ERR")) GTEST_SKIP() << "this Redis is older than 7 and does not tell";
        EXPECT_GE(std::stoll(end) * 1'000, d[4] + d[5]);
    }
}

INSTANTIATE_TEST_SUITE_P(each, life_of_a_key,
                         testing::Values("gcra", "fixed_window", "sliding_window", "sliding_log"),
                         [](const auto& which) { return std::string(which.param); });

using lease_script = at_a_time;

TEST_P(lease_script, takes_what_there_is_and_gives_back) {
    EXPECT_EQ(ask("lease", 4, begin)[1], 4);
    EXPECT_EQ(ask("lease", 100, begin)[1], 6);
    EXPECT_EQ(ask("lease", 100, begin)[0], 1);
    EXPECT_EQ(ask("give_back", 3, begin)[1], 3);
    EXPECT_EQ(ask("lease", 100, begin)[1], 3);
    // No more than was taken.
    EXPECT_EQ(ask("give_back", 100, begin)[1], 10);
    EXPECT_EQ(server_.ask({"EXISTS", "key"}), "0");
    EXPECT_EQ(ask("lease", 100, begin)[1], 10);
    // A unit that has come back by itself is not given back again.
    EXPECT_EQ(ask("give_back", 10, begin + 500'000)[1], 5);
}

// Redis has lost its state, and a caller tells what it has seen: the limit was not idle before.
TEST_P(lease_script, has_a_floor) {
    const auto seen = ask("lease", 8, begin);
    const std::string idle_at = std::to_string(seen[4] + seen[5]);
    EXPECT_EQ(idle_at, std::to_string(begin + 800'000));
    EXPECT_NE(server_.ask({"FLUSHALL"}), "");
    EXPECT_EQ(ask("lease", 100, begin + 100'000, idle_at.c_str())[1], 3);
    // It is kept even if nothing is granted.
    EXPECT_NE(server_.ask({"FLUSHALL"}), "");
    EXPECT_EQ(ask("lease", 0, begin, idle_at.c_str())[1], 0);
    EXPECT_EQ(ask("lease", 100, begin)[1], 2);
    // A floor from the future is one burst and no more.
    EXPECT_EQ(ask("lease", 1, begin, std::to_string(begin + hour).c_str())[0], 1);
    EXPECT_EQ(ask("lease", 100, begin + 1'000'000)[1], 10);
}

INSTANTIATE_TEST_SUITE_P(each, lease_script, testing::Values("gcra"),
                         [](const auto& which) { return std::string(which.param); });

}  // namespace

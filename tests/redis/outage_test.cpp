// SPDX-License-Identifier: MIT
// What becomes of a limit when Redis is stopped, held up, replaced, emptied or refuses: each has a
// stated outcome, and none ends the program.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <stop_token>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/weir.hpp>

#include "page.hpp"
#include "server.hpp"

namespace {

using weir::ending;
using weir::per_hour;
using weir::redis_error;

class outage : public testing::Test {
protected:
    // Asks until it is so; its outcome does not depend on how long that takes.
    template <class Condition>
    weir::remote_decision until(Condition is_so) {
        for (;;) {
            const auto d = limit_.try_acquire("key");
            if (is_so(d)) return d;
            usleep(1'000);
        }
    }

    redis_server server_;
    weir::redis_connection redis_{server_.options()};
    weir::remote_limiter limit_{redis_, "limit", per_hour(1000)};
};

TEST_F(outage, killed_and_started_again) {
    ASSERT_TRUE(limit_.try_acquire("key"));
    server_.kill();
    usleep(1'000);
    // That the connection was cut shows before anything is sent, but in the first millisecond.
    EXPECT_EQ(limit_.try_acquire("key").error(), redis_error::down);
    EXPECT_LE(redis_.next_try_after(), redis_.longest_back_off);
    EXPECT_EQ(limit_.try_acquire_each(std::vector<weir::remote_request>(300, {"key"}))[299].error(),
              redis_error::down);
    EXPECT_EQ(limit_.reset("key"), redis_error::down);
    EXPECT_EQ(limit_.acquire_for("key", 1, weir::milliseconds(20)).how, ending::too_late);
    server_.start();
    // It has lost its script and its limits.
    EXPECT_EQ(until([](const auto& d) { return d.admitted(); }).remaining(), 999U);
}

TEST_F(outage, waits_until_it_is_back) {
    server_.kill();
    bool acquired = false;
    std::jthread waits([&] { acquired = static_cast<bool>(limit_.acquire("key")); });
    usleep(50'000);
    server_.start();
    waits.join();
    EXPECT_TRUE(acquired);
}

TEST_F(outage, a_stop_ends_the_wait) {
    server_.kill();
    std::stop_source stop;
    std::jthread stops([&] {
        usleep(10'000);
        stop.request_stop();
    });
    EXPECT_EQ(limit_.acquire("key", 1, stop.get_token()).how, ending::stopped);
}

// No answer in time: the units may have been taken, and the answer that comes late is nobody's.
TEST_F(outage, held_up) {
    weir::redis_options hasty = server_.options();
    hasty.answer_within = weir::milliseconds(50);
    weir::redis_connection redis(hasty);
    weir::remote_limiter limit(redis, "limit", per_hour(1000));
    while (!limit.try_acquire("key")) {
    }  // a busy machine may be too slow, too
    server_.hold_up();
    EXPECT_EQ(limit.try_acquire("key").error(), redis_error::too_slow);
    EXPECT_FALSE(redis.is_open());
    server_.go_on();
    for (;;) {
        // Of another key with another burst, so an answer to the call before would show.
        weir::remote_limiter other(redis, "other", per_hour(7));
        const auto d = other.peek("key", 1);
        if (d.failed()) continue;
        EXPECT_EQ(d.remaining(), 6U);
        break;
    }
    const auto after = until([](const auto& d) { return d.admitted(); });
    EXPECT_LE(after.remaining(), 998U);
}

// A socket that is no Redis: the test says what it answers.
class listener {
public:
    explicit listener(const redis_server& beside) : path_(beside.socket() + ".other") {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path_.copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(::bind(its_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        EXPECT_EQ(::listen(its_, 8), 0);
    }
    listener(const listener&) = delete;
    listener& operator=(const listener&) = delete;
    ~listener() { ::close(its_); }

    [[nodiscard]] int accept() const { return ::accept(its_, nullptr, nullptr); }
    void end() const { ::shutdown(its_, SHUT_RDWR); }
    [[nodiscard]] weir::redis_options options(const redis_server& as) const {
        weir::redis_options o = as.options();
        o.socket = path_;
        return o;
    }

private:
    std::string path_;
    int its_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
};

// The other side ends while the call is under way.
TEST_F(outage, cut_off_in_a_call) {
    const listener other(server_);
    const weir::redis_options to = other.options(server_);
    const auto answered_by = [&](const char* answer) {
        std::jthread side([&] {
            const int its = other.accept();
            char bytes[100];
            (void)!::read(its, bytes, sizeof bytes);
            (void)!::write(its, answer, std::strlen(answer));
            ::close(its);
        });
        weir::redis_connection redis(to);
        return weir::remote_limiter(redis, "x", per_hour(1)).try_acquire("key").error();
    };
    EXPECT_EQ(answered_by(""), redis_error::cut_off);
    EXPECT_EQ(answered_by("*6\r\n:0\r\n:1\r\n"), redis_error::cut_off);
    EXPECT_EQ(answered_by("*6\r\n:0\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n"), redis_error::none);
    EXPECT_EQ(answered_by("*6\r\n:3\r\n:1\r\n:2\r\n:3\r\n:4\r\n:5\r\n"),
              redis_error::not_understood);
    EXPECT_EQ(answered_by("*6\r\n:0\r\n:-1\r\n:2\r\n:3\r\n:4\r\n:5\r\n"),
              redis_error::not_understood);
    EXPECT_EQ(answered_by("*1\r\n:0\r\n"), redis_error::not_understood);
    EXPECT_EQ(answered_by("+OK\r\n"), redis_error::not_understood);
    EXPECT_EQ(answered_by("+OK\r\n+OK\r\n"), redis_error::not_understood);
    EXPECT_EQ(answered_by("HTTP/1.1 400 Bad Request\r\n"), redis_error::not_understood);
    EXPECT_EQ(answered_by("-MOVED 3999 127.0.0.1:6381\r\n"), redis_error::moved);
    EXPECT_EQ(answered_by("-LOADING Redis is loading the dataset in memory\r\n"),
              redis_error::busy);
    EXPECT_EQ(answered_by("-ERR max number of clients reached\r\n"), redis_error::busy);
}

// Redis has gone between the look at the connection and the sending: this socket's other side reads
// no more. hiredis alone would end the program here, by SIGPIPE.
TEST_F(outage, no_signal_where_nobody_reads) {
    const listener other(server_);
    weir::redis_connection redis(other.options(server_));
    EXPECT_EQ(redis.connect(), redis_error::none);
    const int its = other.accept();
    ::shutdown(its, SHUT_RD);
    EXPECT_EQ(weir::remote_limiter(redis, "x", per_hour(1)).try_acquire("key").error(),
              redis_error::cut_off);
    ::close(its);
}

// Each try waits for twice as long as the one before, or for half of that at least.
TEST_F(outage, tries_are_further_and_further_apart) {
    const listener other(server_);
    std::atomic<int> tries = 0;
    std::jthread refuses([&] {
        for (int its = other.accept(); its >= 0; its = other.accept()) {
            ++tries;
            ::close(its);
        }
    });
    weir::redis_options to = other.options(server_);
    to.password = "so that it says something when it connects";
    weir::redis_connection redis(to);
    const auto begin = std::chrono::steady_clock::now();
    while (tries < 6) EXPECT_EQ(redis.connect(), redis_error::down);
    // Before the sixth there were five waits: of 1, 2, 4, 8 and 16 ms, each by half at most
    // shorter.
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::microseconds(15'500));
    other.end();
}

TEST_F(outage, emptied) {
    ASSERT_TRUE(limit_.try_acquire("key", 1000));
    EXPECT_FALSE(limit_.try_acquire("key"));
    EXPECT_NE(server_.ask({"FLUSHALL"}), "");
    EXPECT_TRUE(limit_.try_acquire("key", 1000)) << "Redis has forgotten what was used";
}

TEST_F(outage, scripts_forgotten) {
    ASSERT_EQ(limit_.try_acquire("key").remaining(), 999U);
    EXPECT_NE(server_.ask({"SCRIPT", "FLUSH"}), "");
    EXPECT_EQ(limit_.try_acquire("key").remaining(), 998U) << "taken once";
    EXPECT_NE(server_.ask({"SCRIPT", "FLUSH"}), "");
    const auto some = limit_.try_acquire_each(std::vector<weir::remote_request>(10, {"key"}));
    EXPECT_EQ(some.back().remaining(), 988U);
}

TEST_F(outage, a_replica_that_takes_no_writes) {
    ASSERT_TRUE(limit_.try_acquire("key"));
    EXPECT_NE(server_.ask({"REPLICAOF", "127.0.0.1", "1"}), "");
    EXPECT_EQ(limit_.try_acquire("key").error(), redis_error::read_only);
    EXPECT_EQ(limit_.peek("key").remaining(), 998U) << "to look is allowed";
    EXPECT_EQ(limit_.reset("key"), redis_error::read_only);
    EXPECT_NE(server_.ask({"REPLICAOF", "NO", "ONE"}), "");
    EXPECT_EQ(limit_.try_acquire("key").remaining(), 998U) << "nothing was taken";
}

TEST_F(outage, no_memory_left) {
    ASSERT_TRUE(limit_.try_acquire("key"));
    EXPECT_NE(server_.ask({"CONFIG", "SET", "maxmemory", "1"}), "");
    for (const auto rule : {weir::remote_rule::gcra, weir::remote_rule::sliding_log}) {
        weir::remote_limiter fresh(redis_, "fresh", per_hour(10), rule);
        EXPECT_EQ(fresh.try_acquire("key").error(), redis_error::out_of_memory);
    }
    EXPECT_NE(server_.ask({"CONFIG", "SET", "maxmemory", "0"}), "");
    EXPECT_EQ(limit_.try_acquire("key").remaining(), 998U) << "nothing was taken";
    EXPECT_EQ(server_.ask({"DBSIZE"}), "1");
}

TEST_F(outage, a_key_that_holds_something_else) {
    const std::string key = limit_.redis_key("key");
    // As the script writes it: a letter of its rule and four numbers, two of them of 7 bytes.
    const auto state = [](char rule, std::uint64_t a, std::uint64_t b, double c, double d) {
        std::string text(1, rule);
        for (const std::uint64_t number : {a, b})
            for (int shift = 0; shift < 56; shift += 8)
                text.push_back(static_cast<char>(number >> shift & 255));
        for (const double number : {c, d}) {
            char bytes[sizeof number];
            std::memcpy(bytes, &number, sizeof number);
            text.append(bytes, sizeof number);
        }
        return text;
    };
    const std::uint64_t beyond = std::uint64_t{1} << 53;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<redis_server::words> others{
        {"SET", key, "hello"},
        {"SET", key, ""},
        {"SET", key, "gcra 1 2 1 1"},
        {"SET", key, "g"},
        {"SET", key, std::string(31, '\0')},
        {"SET", key, std::string(31, '\xff')},
        {"SET", key, state('g', 1, 2, 1, 1) + "\n"},
        {"SET", key, state('g', 1, 2, 1, 1).substr(1)},
        {"SET", key, state('g', 1, 2, 0, 1)},
        {"SET", key, state('g', beyond, 2, 1, 1)},
        {"SET", key, state('g', 1, beyond, 1, 1)},
        {"SET", key, state('g', 1, 2, -1, 1)},
        {"SET", key, state('g', 1, 2, 1.5, 1)},
        {"SET", key, state('g', 1, 2, nan, 1)},
        {"SET", key, state('g', 1, 2, 1, nan)},
        {"SET", key, state('g', 1, 2, 1, inf)},
        {"SET", key, state('g', 1, 2, 1, 1e300)},
        {"SET", key, state('s', 1, 0, 1, 1)},
        {"SET", key, state('f', 1, 2, 3, 0)},
        {"RPUSH", key, state('g', 1, 2, 3, 4)},
        {"HSET", key, "a", "b"},
        {"SADD", key, "a"},
        {"RPUSH", key, state('l', 1, 2, nan, 1), "x"},
        {"RPUSH", key, "x", state('l', 1, beyond - 1, 1, 1)}};
    for (const auto& other : others) {
        EXPECT_NE(server_.ask({"FLUSHALL"}), "");
        EXPECT_NE(server_.ask(other), "");
        const std::string before = server_.ask({"DUMP", key});
        for (const auto rule : {weir::remote_rule::gcra, weir::remote_rule::sliding_window,
                                weir::remote_rule::sliding_log}) {
            weir::remote_limiter limit(redis_, "limit", per_hour(10), rule);
            EXPECT_EQ(limit.try_acquire("key").error(), redis_error::foreign_key)
                << describe(rule) << ": " << other.back();
            EXPECT_EQ(limit.peek("key").error(), redis_error::foreign_key);
            EXPECT_EQ(limit.acquire("key").how, ending::never);
        }
        EXPECT_EQ(server_.ask({"DUMP", key}), before) << "nothing has changed";
    }
}

// Every call of every rule; how many were refused for the user's sake.
int refusals(weir::redis_connection& redis) {
    int refused = 0;
    const auto count = [&](redis_error error) {
        refused += error == redis_error::not_permitted ? 1 : 0;
    };
    const std::string hostile("\r\n{x}*?\0 \"\xff", 12);
    for (const auto rule : {weir::remote_rule::gcra, weir::remote_rule::fixed_window,
                            weir::remote_rule::sliding_window, weir::remote_rule::sliding_log}) {
        weir::remote_limiter limit(redis, hostile + describe(rule), {10, weir::milliseconds(2)},
                                   rule);
        for (int i = 0; i < 3; ++i) {
            count(limit.acquire(hostile, 5).error);
            count(limit.peek(hostile).error());
            count(limit.acquire_up_to(hostile, 3).error());
            usleep(1'000);
        }
        count(limit.reset(hostile));
    }
    // A log of which a part is over, at times that the test says.
    static int calls = 0;
    const std::string key = "weir:log:" + std::to_string(++calls);
    weir::detail::redis_commands log;
    for (const char* now : {"1000", "1050", "1110"})
        log.add({"EVAL", weir::detail::redis_script, "1", key, "sliding_log", "take", "1", "5",
                 "100", "5", "", now});
    (void)redis.call(log, [&](std::size_t, const redisReply& its) {
        if (its.type == REDIS_REPLY_ERROR) count(weir::detail::redis_reason_of({its.str, its.len}));
    });
    return refused;
}

TEST_F(outage, a_user_who_may_not) {
    const redis_server::words user = user_of_the_page();
    ASSERT_GT(user.size(), 10U);
    EXPECT_EQ(server_.ask(user), "OK");
    weir::redis_options as = server_.options();
    as.user = user[2];
    for (const std::string& word : user)
        if (word.starts_with(">")) as.password = word.substr(1);
    weir::redis_connection redis(as);
    EXPECT_EQ(redis.connect(), redis_error::none);
    EXPECT_EQ(refusals(redis), 0) << "it is enough";
    for (const std::string& word : user) {
        if (!word.starts_with("+")) continue;
        EXPECT_EQ(server_.ask({"ACL", "SETUSER", as.user, "-" + word.substr(1)}), "OK");
        EXPECT_NE(server_.ask({"SCRIPT", "FLUSH"}), "");
        EXPECT_GT(refusals(redis), 0) << word << " is needed";
        EXPECT_EQ(server_.ask({"ACL", "SETUSER", as.user, word}), "OK");
    }
    // And no more: another's keys, and what empties, tells or sets anything.
    EXPECT_EQ(server_.ask({"SET", "other:key", "kept"}), "OK");
    EXPECT_EQ(server_.ask({"SET", "weir", "kept"}), "OK");
    weir::detail::redis_commands tries;
    tries.add({"GET", "other:key"});
    tries.add({"GET", "weir"});
    tries.add({"DEL", "other:key"});
    tries.add({"EVAL", "return redis.call('GET', 'other:key')", "0"});
    tries.add({"EVAL", "return redis.call('DEL', KEYS[1])", "1", "weir"});
    tries.add({"EVAL", "return redis.call('FLUSHALL')", "0"});
    tries.add({"FLUSHALL"});
    tries.add({"KEYS", "*"});
    tries.add({"CONFIG", "GET", "*"});
    tries.add({"ACL", "LIST"});
    tries.add({"SET", "weir:1:a:b", "x"});
    tries.add({"SCRIPT", "FLUSH"});
    EXPECT_EQ(redis.call(tries,
                         [](std::size_t i, const redisReply& its) {
                             ASSERT_EQ(its.type, REDIS_REPLY_ERROR) << i;
                             EXPECT_EQ(weir::detail::redis_reason_of({its.str, its.len}),
                                       redis_error::not_permitted)
                                 << i << ": " << its.str;
                         }),
              redis_error::none);
    EXPECT_EQ(server_.ask({"GET", "other:key"}), "kept");
    EXPECT_EQ(server_.ask({"ACL", "SETUSER", as.user, "resetkeys", "~other:*"}), "OK");
    weir::remote_limiter limit(redis, "limit", per_hour(10));
    EXPECT_EQ(limit.try_acquire("key").error(), redis_error::not_permitted);
    EXPECT_EQ(limit.acquire("key").how, ending::never);
    EXPECT_EQ(limit.acquire("key").error, redis_error::not_permitted);

    as.password = "a wrong one";
    weir::redis_connection refused(as);
    weir::remote_limiter another(refused, "limit", per_hour(10));
    EXPECT_EQ(another.try_acquire("key").error(), redis_error::not_signed_in);
    EXPECT_EQ(refused.connect(), redis_error::not_signed_in);
    EXPECT_EQ(std::string(to_text(another.try_acquire("key")).c_str()).find("wrong"),
              std::string::npos);
    EXPECT_NE(server_.ask({"CONFIG", "SET", "requirepass", "other"}), "");
    weir::redis_connection nobody(server_.options());
    weir::remote_limiter third(nobody, "limit", per_hour(10));
    EXPECT_EQ(third.try_acquire("key").error(), redis_error::not_signed_in);
    as = server_.options();
    as.password = "other";
    as.database = 3;
    weir::redis_connection in_three(as);
    EXPECT_TRUE(weir::remote_limiter(in_three, "limit", per_hour(10)).try_acquire("key"));
    as.database = 99;
    EXPECT_EQ(weir::redis_connection(as).connect(), redis_error::refused_by_server);
}

TEST_F(outage, no_signal_if_the_server_has_gone) {
    for (int i = 0; i < 20; ++i) {
        ASSERT_TRUE(until([](const auto& d) { return d.admitted(); }));
        std::jthread kills([&] { server_.kill(); });
        (void)limit_.try_acquire_each(std::vector<weir::remote_request>(2000, {"key"}));
        kills.join();
        server_.start();
    }
}

TEST_F(outage, every_error_has_its_own_sentence) {
    std::vector<std::string> all;
    for (int i = 0; i <= static_cast<int>(redis_error::not_understood); ++i) {
        all.emplace_back(describe(static_cast<redis_error>(i)));
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
    EXPECT_EQ(std::count(all.begin(), all.end(), "unknown error"), 0);
}

}  // namespace

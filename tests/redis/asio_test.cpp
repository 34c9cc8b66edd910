// SPDX-License-Identifier: MIT
// remote_limiter on an io_context: what it decides, with callbacks, coroutines and futures; how it
// ends when it is cancelled, when its time is over, and when Redis goes away.
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/adapter/redis_asio.hpp>
#include <weir/weir.hpp>

#include "proxy.hpp"
#include "server.hpp"

namespace {

namespace asio = boost::asio;
using weir::ending;
using weir::per_hour;
using weir::redis_error;

class remote_on_asio : public testing::Test {
protected:
    // Each run() returns: nothing is left under way.
    void run() {
        io_.restart();
        io_.run();
    }
    weir::remote_decision take(weir::async_remote_limiter& limit, const std::string& key) {
        std::optional<weir::remote_decision> told;
        limit.async_try_acquire(key, 1, [&](const weir::remote_decision& d) { told = d; });
        EXPECT_FALSE(told) << "not within the call";
        run();
        return *told;
    }

    redis_server server_;
    asio::io_context io_;
    weir::async_redis_connection redis_{io_, server_.options()};
};

TEST_F(remote_on_asio, decides_as_the_other_form) {
    weir::redis_connection other(server_.options());
    for (const auto rule : {weir::remote_rule::gcra, weir::remote_rule::fixed_window,
                            weir::remote_rule::sliding_log}) {
        weir::async_remote_limiter limit(redis_, describe(rule), per_hour(10), rule);
        weir::remote_limiter same(other, describe(rule), per_hour(10), rule);
        EXPECT_EQ(limit.redis_key("a"), same.redis_key("a"));
        EXPECT_EQ(take(limit, "a").remaining(), 9U);
        EXPECT_EQ(same.try_acquire("a", 3).remaining(), 6U);
        std::vector<weir::remote_decision> told;
        const auto keep = [&](const weir::remote_decision& d) { told.push_back(d); };
        limit.async_peek("a", 1, keep);
        limit.async_acquire_up_to("a", 100, keep);
        limit.async_try_acquire("a", 1, keep);
        limit.async_try_acquire("a", 11, keep);
        limit.async_try_acquire(std::string(1025, 'k'), 1, keep);
        run();
        ASSERT_EQ(told.size(), 5U);
        // What needs no Redis comes first; the others in their order.
        EXPECT_EQ(told[0].error(), redis_error::key_too_long);
        EXPECT_EQ(told[1].remaining(), 5U);
        EXPECT_EQ(told[2].units(), 6U);
        EXPECT_EQ(told[3].verdict(), weir::verdict::wait);
        EXPECT_EQ(told[4].verdict(), weir::verdict::never);
    }
    EXPECT_EQ(weir::async_remote_limiter::make(redis_, "", per_hour(1)).error(),
              redis_error::name_refused);
}

#ifdef BOOST_ASIO_HAS_CO_AWAIT
TEST_F(remote_on_asio, with_coroutines) {
    weir::async_remote_limiter limit(redis_, "limit", per_hour(10));
    int admitted = 0;
    asio::co_spawn(
        io_,
        [&]() -> asio::awaitable<void> {
            for (int i = 0; i < 12; ++i) {
                const auto d = co_await limit.async_try_acquire("a", 1, asio::use_awaitable);
                admitted += d.admitted() ? 1 : 0;
            }
            const auto a = co_await limit.async_acquire_for("a", 1, weir::milliseconds(1),
                                                            asio::use_awaitable);
            EXPECT_EQ(a.how, ending::too_late);
            EXPECT_GT(a.wait, weir::minutes(1));
        },
        asio::detached);
    run();
    EXPECT_EQ(admitted, 10);
}
#endif

TEST_F(remote_on_asio, with_futures) {
    weir::async_remote_limiter limit(redis_, "limit", per_hour(10));
    auto told = limit.async_try_acquire("b", 4, asio::use_future);
    auto waited = limit.async_acquire_for("b", 4, weir::seconds(1), asio::use_future);
    run();
    EXPECT_EQ(told.get().remaining(), 6U);
    EXPECT_TRUE(waited.get());
}

TEST_F(remote_on_asio, calls_handlers_where_they_belong_and_moves_them) {
    weir::async_remote_limiter limit(redis_, "limit", per_hour(10));
    asio::io_context another;
    bool called = false;
    auto keeps = std::make_unique<int>(7);
    limit.async_try_acquire("a", 1,
                            asio::bind_executor(another, [&, keeps = std::move(keeps)](auto d) {
                                called = d.admitted() && *keeps == 7;
                                EXPECT_TRUE(another.get_executor().running_in_this_thread());
                            }));
    std::jthread runs([&] { another.run(); });
    run();
    runs.join();
    EXPECT_TRUE(called);
}

// Thousands on one connection, and the script is not known at first, or not any more.
TEST_F(remote_on_asio, many_at_once) {
    weir::async_remote_limiter limit(redis_, "many", per_hour(3000));
    for (int round = 0; round < 2; ++round) {
        const std::string key(800, static_cast<char>('a' + round));
        int admitted = 0;
        int answered = 0;
        for (int i = 0; i < 4000; ++i) {
            limit.async_try_acquire(key, 1, [&](const weir::remote_decision& d) {
                ++answered;
                admitted += d.admitted() ? 1 : 0;
                EXPECT_FALSE(d.failed()) << d;
            });
        }
        run();
        EXPECT_EQ(answered, 4000);
        EXPECT_EQ(admitted, 3000);
        EXPECT_NE(server_.ask({"SCRIPT", "FLUSH"}), "");
    }
}

TEST_F(remote_on_asio, forgets_a_script_in_the_middle_of_it) {
    weir::async_remote_limiter limit(redis_, "limit", per_hour(1'000'000));
    int left = 2000;
    std::function<void(weir::remote_decision)> again = [&](const weir::remote_decision& d) {
        EXPECT_TRUE(d) << d;
        if (left % 100 == 0) {
            EXPECT_NE(server_.ask({"SCRIPT", "FLUSH"}), "");
        }
        if (--left > 0) limit.async_try_acquire("a", 1, again);
    };
    for (int i = 0; i < 8; ++i) limit.async_try_acquire("a", 1, again);
    run();
    EXPECT_LE(left, 0);
}

TEST_F(remote_on_asio, waits_for_its_units) {
    weir::async_remote_limiter limit(redis_, "wait", weir::per_second(1000).with_burst(1));
    int acquired = 0;
    for (int i = 0; i < 20; ++i)
        limit.async_acquire_for("a", 1, weir::nanoseconds::longest(),
                                [&](const weir::remote_acquisition& a) { acquired += a ? 1 : 0; });
    run();
    EXPECT_EQ(acquired, 20);
}

// A stop from another thread ends a wait, and a decision whose answer does not come.
TEST_F(remote_on_asio, a_stop_ends_it) {
    weir::async_remote_limiter slow(redis_, "slow", per_hour(1));
    EXPECT_TRUE(take(slow, "a"));
    std::stop_source stop;
    std::optional<ending> how;
    slow.async_acquire_for("a", 1, weir::nanoseconds::longest(), stop.get_token(),
                           [&](const weir::remote_acquisition& a) { how = a.how; });
    std::jthread stops([&] { stop.request_stop(); });
    run();
    EXPECT_EQ(how, ending::stopped);

    server_.hold_up();
    std::stop_source second;
    std::optional<redis_error> error;
    slow.async_try_acquire("b", 1, second.get_token(), [&](const weir::remote_decision& d) {
        error = d.error();
        server_.go_on();
    });
    std::optional<weir::remote_decision> kept;
    weir::async_remote_limiter seven(redis_, "seven", per_hour(7));
    seven.async_try_acquire("c", 1, [&](const weir::remote_decision& d) { kept = d; });
    std::jthread stops_it([&] {
        usleep(10'000);
        second.request_stop();
    });
    run();
    EXPECT_EQ(error, redis_error::cancelled);
    EXPECT_EQ(kept->remaining(), 6U) << "the others go on, and get their own answers";
    std::optional<redis_error> at_once;
    slow.async_try_acquire("d", 1, second.get_token(),
                           [&](const weir::remote_decision& d) { at_once = d.error(); });
    run();
    EXPECT_EQ(at_once, redis_error::cancelled);
    EXPECT_EQ(server_.ask({"EXISTS", slow.redis_key("d")}), "0");
}

TEST_F(remote_on_asio, ends_what_is_under_way_with_its_connection) {
    std::vector<redis_error> told;
    const auto keep = [&](const weir::remote_decision& d) { told.push_back(d.error()); };
    {
        weir::async_redis_connection brief(io_, server_.options());
        weir::async_remote_limiter limit(brief, "limit", per_hour(10));
        limit.async_try_acquire("a", 1, keep);
        brief.close();
        limit.async_try_acquire("a", 1, keep);
        limit.async_acquire_for("a", 1, weir::seconds(1), [&](const weir::remote_acquisition& a) {
            EXPECT_EQ(a.how, ending::never);
            told.push_back(a.error);
        });
    }
    run();
    EXPECT_EQ(told, std::vector<redis_error>(3, redis_error::cancelled));
    // And one that is never run to its end leaves nothing behind.
    auto io = std::make_unique<asio::io_context>();
    auto lost = std::make_unique<weir::async_redis_connection>(*io, server_.options());
    weir::async_remote_limiter(*lost, "limit", per_hour(10))
        .async_try_acquire("a", 1, [](const weir::remote_decision&) { FAIL(); });
    lost.reset();
    io.reset();
}

TEST_F(remote_on_asio, a_time_limit_for_each) {
    weir::redis_options hasty = server_.options();
    hasty.answer_within = weir::milliseconds(20);
    weir::async_redis_connection redis(io_, hasty);
    weir::async_remote_limiter limit(redis, "limit", per_hour(1000));
    while (!take(limit, "a")) {
    }  // a busy machine may be too slow, too
    server_.hold_up();
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(take(limit, "a").error(), redis_error::too_slow);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, hasty.answer_within);
    server_.go_on();
    while (!take(limit, "a")) {
    }
    server_.hold_up();
    weir::redis_options late = server_.options();
    late.password = "so that it has something to answer";
    late.connect_within = weir::milliseconds(20);
    weir::async_redis_connection unanswered(io_, late);
    weir::async_remote_limiter other(unanswered, "limit", per_hour(1000));
    EXPECT_EQ(take(other, "a").error(), redis_error::down);
    EXPECT_EQ(take(other, "a").error(), redis_error::down) << "at once, until it is tried again";
    server_.go_on();
}

// Of a connection that is lost all outstanding decisions end, and the next one connects again.
TEST_F(remote_on_asio, a_connection_that_is_lost) {
    proxy between(server_);
    weir::redis_options o = server_.options();
    o.socket = between.socket();
    weir::async_redis_connection redis(io_, o);
    weir::async_remote_limiter limit(redis, "limit", per_hour(1'000'000));
    EXPECT_TRUE(take(limit, "a"));
    between.cut_after(1'000);
    int admitted = 0;
    int cut = 0;
    for (int i = 0; i < 500; ++i) {
        limit.async_try_acquire("a", 1, [&](const weir::remote_decision& d) {
            admitted += d.admitted() ? 1 : 0;
            cut += d.error() == redis_error::cut_off ? 1 : 0;
        });
    }
    run();
    EXPECT_GT(admitted, 0);
    EXPECT_GT(cut, 0);
    EXPECT_EQ(admitted + cut, 500);
    EXPECT_TRUE(take(limit, "a"));
    EXPECT_EQ(between.connections(), 2);

    server_.kill();
    EXPECT_TRUE(take(limit, "a").failed());
    server_.start();
    bool acquired = false;
    limit.async_acquire_for("a", 1, weir::nanoseconds::longest(),
                            [&](const weir::remote_acquisition& a) { acquired = bool(a); });
    run();
    EXPECT_TRUE(acquired);
}

TEST_F(remote_on_asio, says_what_redis_refuses) {
    weir::redis_options o = server_.options();
    o.user = "nobody";
    o.password = "secret";
    weir::async_redis_connection refused(io_, o);
    weir::async_remote_limiter limit(refused, "limit", per_hour(10));
    EXPECT_EQ(take(limit, "a").error(), redis_error::not_signed_in);
    o = server_.options();
    o.socket = "/nowhere";
    weir::async_redis_connection nowhere(io_, o);
    weir::async_remote_limiter other(nowhere, "limit", per_hour(10));
    EXPECT_EQ(take(other, "a").error(), redis_error::down);
    o.socket = std::string(200, 'x');
    weir::async_redis_connection too_long(io_, o);
    weir::async_remote_limiter third(too_long, "limit", per_hour(10));
    EXPECT_EQ(take(third, "a").error(), redis_error::down);
    // By a name, and on a port where nobody is.
    o.socket = "";
    o.host = "localhost";
    o.port = 1;
    weir::async_redis_connection by_name(io_, o);
    weir::async_remote_limiter fourth(by_name, "limit", per_hour(10));
    EXPECT_EQ(take(fourth, "a").error(), redis_error::down);
}

TEST(remote_on_asio_by_tcp, decides) {
    const redis_server server([](int port) {
        return redis_server::words{"--port", std::to_string(port)};
    });
    asio::io_context io;
    weir::redis_options o = server.options();
    o.socket = "";
    o.host = "localhost";
    o.port = server.port();
    o.database = 3;
    weir::async_redis_connection redis(io, o);
    weir::async_remote_limiter limit(redis, "limit", per_hour(10));
    auto told = limit.async_try_acquire("a", 4, asio::use_future);
    io.run();
    EXPECT_EQ(told.get().remaining(), 6U);
}

}  // namespace

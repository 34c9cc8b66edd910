// SPDX-License-Identifier: MIT
// The form on Asio takes the same TLS.
#include <string>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <weir/adapter/redis_asio.hpp>
#include <weir/adapter/redis_tls.hpp>
#include <weir/weir.hpp>

#include "server.hpp"
#include "tls.hpp"

namespace {

using weir::redis_error;

redis_error asked(const weir::redis_options& o, int times) {
    boost::asio::io_context io;
    weir::async_redis_connection redis(io, o);
    weir::async_remote_limiter limit(redis, "limit", weir::per_hour(10'000));
    redis_error last = redis_error::none;
    int answered = 0;
    const std::string key(1000, 'k');
    for (int i = 0; i < times; ++i)
        limit.async_try_acquire(key, 1, [&](const weir::remote_decision& d) {
            ++answered;
            if (!d) last = d.error();
        });
    io.run();
    EXPECT_EQ(answered, times);
    return last;
}

TEST(redis_by_tls_on_asio, decides_and_says_what_is_wrong) {
    tls_server server("good", {"--tls-auth-clients", "yes"});
    const weir::redis_tls_options good{.authorities = file("ca.crt"),
                                       .certificate = file("client.crt"),
                                       .key = file("client.key")};
    EXPECT_EQ(asked(to(server.port(), good), 1'000), redis_error::none);
    weir::redis_tls_options wrong = good;
    wrong.authorities = file("other_ca.crt");
    EXPECT_EQ(asked(to(server.port(), wrong), 3), redis_error::not_trusted);
    wrong = good;
    wrong.server_name = "other.test";
    EXPECT_EQ(asked(to(server.port(), wrong), 3), redis_error::another_host);
    EXPECT_EQ(asked(to(server.port(), {.authorities = file("ca.crt")}), 3),
              redis_error::certificate_wanted);
    const redis_server plain;
    weir::redis_options o = to(0, {.authorities = file("ca.crt"), .server_name = "redis.test"});
    o.socket = plain.socket();
    o.connect_within = weir::milliseconds(20);
    EXPECT_EQ(asked(o, 3), redis_error::no_tls);
}

}  // namespace

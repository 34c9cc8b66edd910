// SPDX-License-Identifier: MIT
// A Redis by TLS: who is let in, what each mistake is called, and that nothing but a good
// certificate for the right name will do. The certificates are made anew for each run.
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include <weir/adapter/redis.hpp>
#include <weir/adapter/redis_tls.hpp>
#include <weir/weir.hpp>

#include "proxy.hpp"
#include "server.hpp"
#include "tls.hpp"

namespace {

using weir::per_hour;
using weir::redis_error;

redis_error reason(int port, const weir::redis_tls_options& tls) {
    weir::redis_connection redis(to(port, tls));
    const redis_error at_once = redis.connect();
    // A limiter tells the same.
    weir::redis_connection another(to(port, tls));
    EXPECT_EQ(weir::remote_limiter(another, "x", per_hour(1000)).try_acquire("key").error(),
              at_once);
    return at_once;
}

TEST(redis_by_tls, decides_as_without_it) {
    tls_server server("good");
    for (const char* name : {"", "redis.test", "127.0.0.1"}) {
        weir::redis_connection redis(
            to(server.port(), {.authorities = file("ca.crt"), .server_name = name}));
        EXPECT_EQ(redis.connect(), redis_error::none) << name;
        weir::remote_limiter limit(redis, "limit", per_hour(3000));
        EXPECT_TRUE(limit.try_acquire("key", 1)) << name;
        // More than a record of TLS and than a socket holds.
        const std::string key(1000, 'k');
        const auto all = limit.try_acquire_each(std::vector<weir::remote_request>(900, {key}));
        for (const auto& d : all) ASSERT_TRUE(d) << d;
        EXPECT_EQ(limit.reset(key), redis_error::none);
        // A connection that was not in use for a while: what TLS itself sends is no answer.
        usleep(2'000);
        EXPECT_TRUE(limit.try_acquire("key", 1)) << name;
    }
}

TEST(redis_by_tls, refuses_a_certificate_of_others) {
    tls_server server("good");
    EXPECT_EQ(reason(server.port(), {.authorities = file("other_ca.crt")}),
              redis_error::not_trusted);
    EXPECT_EQ(reason(server.port(), {}), redis_error::not_trusted) << "whom the system trusts";
    EXPECT_EQ(reason(server.port(), {.authorities = file("ca.crt"), .server_name = "other.test"}),
              redis_error::another_host);
    EXPECT_EQ(reason(server.port(), {.authorities = file("ca.crt"), .server_name = "127.0.0.2"}),
              redis_error::another_host);
    EXPECT_EQ(reason(server.port(), {.authorities = file("ca.crt"),
                                     .server_name = std::string("redis.test\0.evil", 16)}),
              redis_error::another_host);
    // By a Unix socket there is no host that a certificate could be for.
    weir::redis_options nobody = to(server.port(), {.authorities = file("ca.crt")});
    nobody.socket = server.redis().socket();
    nobody.host = "";
    EXPECT_EQ(weir::redis_connection(nobody).connect(), redis_error::another_host);
}

TEST(redis_by_tls, goes_by_the_host) {
    tls_server server("named");
    EXPECT_EQ(reason(server.port(), {.authorities = file("ca.crt")}), redis_error::another_host);
    EXPECT_EQ(
        reason(server.port(), {.authorities = file("ca.crt"), .server_name = "a.cluster.test"}),
        redis_error::none);
    EXPECT_EQ(
        reason(server.port(), {.authorities = file("ca.crt"), .server_name = "a.b.cluster.test"}),
        redis_error::another_host);
}

TEST(redis_by_tls, refuses_what_is_over) {
    tls_server server("over");
    EXPECT_EQ(reason(server.port(), {.authorities = file("ca.crt")}), redis_error::not_valid_now);
}

TEST(redis_by_tls, refuses_a_server_without_it) {
    const redis_server plain;
    weir::redis_options o = to(0, {.authorities = file("ca.crt"), .server_name = "redis.test"});
    o.socket = plain.socket();
    o.connect_within = weir::milliseconds(20);
    weir::redis_connection redis(o);
    EXPECT_EQ(redis.connect(), redis_error::no_tls);
    // And nothing that it was told in plain text got through, such as a password.
    o.password = "secret";
    EXPECT_EQ(weir::redis_connection(o).connect(), redis_error::no_tls);
}

TEST(redis_by_tls, shows_its_own_certificate) {
    for (const char* version : {"TLSv1.2", "TLSv1.3"}) {
        SCOPED_TRACE(version);
        tls_server server("good", {"--tls-auth-clients", "yes", "--tls-protocols", version});
        const auto as = [&](const std::string& name) {
            return reason(server.port(), {.authorities = file("ca.crt"),
                                          .certificate = file(name + ".crt"),
                                          .key = file(name + ".key")});
        };
        EXPECT_EQ(reason(server.port(), {.authorities = file("ca.crt")}),
                  redis_error::certificate_wanted);
        EXPECT_EQ(as("stranger"), redis_error::certificate_wanted);
        EXPECT_EQ(as("client"), redis_error::none);
    }
}

TEST(redis_by_tls, says_which_file_is_wrong) {
    const auto refusal = [](const weir::redis_tls_options& o) {
        return weir::redis_tls::make(o).error();
    };
    const std::string client = file("client.crt");
    EXPECT_EQ(refusal({.authorities = "/nowhere"}), redis_error::authorities_not_read);
    EXPECT_EQ(refusal({.authorities = file("ca.key")}), redis_error::authorities_not_read);
    EXPECT_EQ(refusal({.certificate = "/nowhere", .key = file("client.key")}),
              redis_error::certificate_not_read);
    EXPECT_EQ(refusal({.key = file("client.key")}), redis_error::certificate_not_read);
    EXPECT_EQ(refusal({.certificate = client}), redis_error::key_not_read);
    EXPECT_EQ(refusal({.certificate = client, .key = file("good.key")}), redis_error::key_not_read);
    EXPECT_EQ(refusal({.certificate = client, .key = client}), redis_error::key_not_read);
    EXPECT_EQ(refusal({.certificate = client, .key = file("client.key")}), redis_error::none);
    const std::string locked = file("locked.key");
    const std::string lock = WEIR_OPENSSL " ec -aes128 -passout pass:x -in " + file("client.key") +
                             " -out " + locked + " 2> /dev/null";
    ASSERT_EQ(std::system(lock.c_str()), 0);  // NOLINT(concurrency-mt-unsafe): one thread
    EXPECT_EQ(refusal({.certificate = client, .key = locked}), redis_error::key_not_read);
}

TEST(redis_by_tls, no_signal_and_a_stated_end_if_the_server_has_gone) {
    tls_server server("good");
    weir::redis_connection redis(to(server.port(), {.authorities = file("ca.crt")}));
    weir::remote_limiter limit(redis, "limit", per_hour(1'000'000));
    ASSERT_TRUE(limit.try_acquire("key"));
    std::jthread kills([&] { server.redis().kill(); });
    const auto all = limit.try_acquire_each(std::vector<weir::remote_request>(5000, {"key"}));
    kills.join();
    const auto error = all.back().error();
    EXPECT_TRUE(error == redis_error::none || error == redis_error::cut_off ||
                error == redis_error::down)
        << describe(error);
    usleep(1'000);
    EXPECT_EQ(limit.try_acquire("key").error(), redis_error::down);
}

// OpenSSL's own way to a socket would end the program here.
TEST(redis_by_tls, no_signal_where_nobody_reads) {
    tls_server server("good");
    proxy between(server.redis());
    weir::redis_options o = to(server.port(), {.authorities = file("ca.crt")});
    o.socket = between.socket();
    weir::redis_connection redis(o);
    weir::remote_limiter limit(redis, "limit", per_hour(1000));
    EXPECT_TRUE(limit.try_acquire("key"));
    between.be_deaf();
    EXPECT_EQ(limit.try_acquire("key").error(), redis_error::cut_off);
}

TEST(redis_by_tls, has_a_time_limit_for_all_of_it) {
    tls_server server("good");
    weir::redis_options hasty = to(server.port(), {.authorities = file("ca.crt")});
    hasty.connect_within = weir::milliseconds(20);
    server.redis().hold_up();
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(weir::redis_connection(hasty).connect(), redis_error::no_tls);
    EXPECT_GE(std::chrono::steady_clock::now() - begin, hasty.connect_within);
    server.redis().go_on();
}

}  // namespace

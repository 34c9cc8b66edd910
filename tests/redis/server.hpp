// SPDX-License-Identifier: MIT
// A Redis of the test's own, which fails if it does not start.
#pragma once

#include <cstdint>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <weir/adapter/redis_connection.hpp>

#include "redis_process.hpp"

class redis_server : public redis_process {
public:
    // `environment` has words such as "NAME=value".
    explicit redis_server(const words& more = {}, const words& environment = {})
        : redis_process(WEIR_REDIS_SERVER, environment) {
        start(more);
    }
    // On a port as well, for which `more(port)` has the options. Another program may take a port
    // that is free before Redis does, so several are tried.
    template <class More>
    explicit redis_server(More more) : redis_process(WEIR_REDIS_SERVER) {
        for (int i = 0; i < 20 && !is_alive(); ++i) {
            port_ = free_port();
            (void)redis_process::start(more(port_));
        }
        expect_alive();
    }

    void start(const words& more = {}) {
        (void)redis_process::start(more);
        expect_alive();
    }

    [[nodiscard]] int port() const { return port_; }
    // Patient, since a busy machine is slow and that is no outage.
    [[nodiscard]] weir::redis_options options() const {
        weir::redis_options o;
        o.socket = socket();
        o.connect_within = weir::seconds(600);
        o.answer_within = weir::seconds(600);
        return o;
    }

private:
    void expect_alive() {
        if (!is_alive()) ADD_FAILURE() << "redis-server did not start: see " << log();
    }
    [[nodiscard]] static int free_port() {
        const int any = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        auto* const its = reinterpret_cast<sockaddr*>(&address);
        EXPECT_EQ(::bind(any, its, size), 0);
        EXPECT_EQ(::getsockname(any, its, &size), 0);
        ::close(any);
        return ntohs(address.sin_port);
    }

    int port_ = 0;
};

// SPDX-License-Identifier: MIT
// Forwards bytes between clients, who come by a Unix socket, and a Redis; late, or not at all.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

#include "server.hpp"

class proxy {
public:
    // To the server's Unix socket, or to its port if it has one.
    explicit proxy(const redis_server& to) : to_(&to), path_(to.socket() + ".proxy") {
        const sockaddr_un its = address(path_);
        EXPECT_EQ(::bind(door_, reinterpret_cast<const sockaddr*>(&its), sizeof its), 0);
        EXPECT_EQ(::listen(door_, 64), 0);
        accepts_ = std::thread([this] { accept(); });
    }
    proxy(const proxy&) = delete;
    proxy& operator=(const proxy&) = delete;
    ~proxy() {
        ::shutdown(door_, SHUT_RDWR);
        accepts_.join();
        cut();
        for (std::thread& one : forwards_) one.join();
        ::close(door_);
    }

    [[nodiscard]] const std::string& socket() const { return path_; }

    // Each part of an answer comes that much later.
    void delay(std::chrono::microseconds by) { delays_[1] = by.count(); }
    // Each part of a request does, and also when its client has gone by then.
    void delay_requests(std::chrono::microseconds by) { delays_[0] = by.count(); }
    // Ends all connections.
    void cut() {
        const std::lock_guard lock(mutex_);
        for (const auto& pair : pairs_)
            for (const int end : pair) ::shutdown(end, SHUT_RDWR);
    }
    // Ends one after so many more bytes of answers.
    void cut_after(long bytes) { left_ = bytes; }
    // Does not hear its clients any more, and does not tell them.
    void be_deaf() {
        const std::lock_guard lock(mutex_);
        is_deaf_ = true;
        for (const auto& pair : pairs_) ::shutdown(pair[0], SHUT_RD);
    }
    [[nodiscard]] int connections() const { return connections_; }

private:
    static sockaddr_un address(const std::string& path) {
        sockaddr_un its{};
        its.sun_family = AF_UNIX;
        path.copy(its.sun_path, sizeof its.sun_path - 1);
        return its;
    }

    [[nodiscard]] int connect() const {
        if (to_->port() == 0) {
            const int end = ::socket(AF_UNIX, SOCK_STREAM, 0);
            const sockaddr_un its = address(to_->socket());
            (void)!::connect(end, reinterpret_cast<const sockaddr*>(&its), sizeof its);
            return end;
        }
        const int end = ::socket(AF_INET, SOCK_STREAM, 0);
        sockaddr_in its{};
        its.sin_family = AF_INET;
        its.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        its.sin_port = htons(static_cast<std::uint16_t>(to_->port()));
        (void)!::connect(end, reinterpret_cast<const sockaddr*>(&its), sizeof its);
        return end;
    }

    void accept() {
        for (int client = ::accept(door_, nullptr, nullptr); client >= 0;
             client = ::accept(door_, nullptr, nullptr)) {
            const std::array<int, 2> pair{client, connect()};
            {
                const std::lock_guard lock(mutex_);
                pairs_.push_back(pair);
            }
            ++connections_;
            forwards_.emplace_back([this, pair] { forward(pair); });
        }
    }

    void forward(const std::array<int, 2>& pair) {
        while (forward_once(pair)) {
        }
        const std::lock_guard lock(mutex_);
        pairs_.remove(pair);
        for (const int end : pair) ::close(end);
    }
    bool forward_once(const std::array<int, 2>& pair) {
        pollfd both[] = {{pair[0], POLLIN, 0}, {pair[1], POLLIN, 0}};
        if (is_deaf_) both[0].fd = -1;
        if (::poll(both, 2, -1) < 0) return errno == EINTR;
        for (const int from : {0, 1}) {
            if (both[from].revents == 0) continue;
            char bytes[4096];
            const ssize_t got =
                ::recv(pair[static_cast<std::size_t>(from)], bytes, sizeof bytes, 0);
            if (got <= 0 && from == 0 && is_deaf_) continue;
            if (got <= 0) return false;
            if (const long late = delays_[static_cast<std::size_t>(from)]; late != 0)
                std::this_thread::sleep_for(std::chrono::microseconds(late));
            long size = got;
            if (from == 1 && left_ >= 0) {
                size = std::min<long>(left_, got);
                left_ -= size;
            }
            if (::send(pair[static_cast<std::size_t>(1 - from)], bytes,
                       static_cast<std::size_t>(size), MSG_NOSIGNAL) < 0)
                return false;
            if (size < got) {
                left_ = -1;
                return false;
            }
        }
        return true;
    }

    const redis_server* to_;
    std::string path_;
    int door_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    std::array<std::atomic<long>, 2> delays_{};  // of requests, and of answers
    std::atomic<long> left_ = -1;
    std::atomic<int> connections_ = 0;
    std::atomic<bool> is_deaf_ = false;
    std::mutex mutex_;
    std::list<std::array<int, 2>> pairs_;
    std::list<std::thread> forwards_;  // of the accepting thread, until it has ended
    std::thread accepts_;
};

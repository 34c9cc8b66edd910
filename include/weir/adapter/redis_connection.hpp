// SPDX-License-Identifier: MIT
// redis_connection: one connection to a Redis, on hiredis. For redis.hpp.
//
// A connection is one thread's own. Its calls block, no longer than the options say. It connects
// with the first call, and again after it was lost: with a back-off that doubles to 100 ms at most
// and is spread at random; until then each call fails at once.
//
// hiredis connects and reads the protocol. Sending and receiving is done here, because a call has
// one time limit for all of it, and because hiredis 0.14 lets the system send SIGPIPE where a
// server has closed the connection.
//
// Invariant: on an open connection every command that was sent has been answered. When an answer
// is missing the connection is closed, so no late answer is ever taken for another call's.
#pragma once

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <initializer_list>
#include <memory>
#include <poll.h>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <utility>

#include <hiredis/hiredis.h>

#include <weir/adapter/random_seed.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/base/duration.hpp>
#include <weir/limiter/jitter.hpp>

namespace weir {

struct redis_options {
    std::string host = "127.0.0.1";
    int port = 6379;
    std::string socket = {};    // path of a Unix socket; then host and port say nothing
    std::string user = {};      // of Redis's ACL; empty for its default user
    std::string password = {};  // empty: no AUTH
    int database = 0;
    nanoseconds connect_within = milliseconds(1000);  // without the time to look up a host's name
    nanoseconds answer_within = milliseconds(100);    // for each call
};

namespace detail {

// Commands as they go over the wire.
class redis_commands {
public:
    void add(std::initializer_list<std::string_view> words) {
        add(std::span(words.begin(), words.size()));
    }
    void add(std::span<const std::string_view> words) {
        append('*', words.size());
        for (const std::string_view word : words) {
            append('$', word.size());
            bytes_.append(word).append("\r\n");
        }
        ++count_;
    }
    void clear() noexcept {
        bytes_.clear();
        count_ = 0;
    }
    [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::size_t count() const noexcept { return count_; }

private:
    void append(char mark, std::size_t number) {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, number);
        bytes_.append(1, mark).append(digits, end.ptr).append("\r\n");
    }

    std::string bytes_;
    std::size_t count_ = 0;
};

}  // namespace detail

class redis_connection {
    using time = std::chrono::steady_clock::time_point;

public:
    static constexpr nanoseconds longest_back_off = milliseconds(100);

    explicit redis_connection(redis_options o = {})
        : options_(std::move(o)), spread_(random_seed().value, longest_back_off) {}
    redis_connection(const redis_connection&) = delete;
    redis_connection& operator=(const redis_connection&) = delete;
    ~redis_connection() { close(); }

    // Connects now, if it is not connected. Blocks. A program calls it at its start to find a wrong
    // option; nobody has to.
    redis_error connect() {
        if (is_open() && !was_cut()) return redis_error::none;
        close();
        const time now = std::chrono::steady_clock::now();
        if (now < next_try_) return last_;
        last_ = open();
        if (last_ == redis_error::none) {
            ++connections_;
            back_off_ = nanoseconds{};
        } else {
            close();
            // Between half of it and all of it.
            back_off_ = nanoseconds(std::clamp<std::int64_t>(2 * back_off_.count(), 1'000'000,
                                                             longest_back_off.count()));
            const std::int64_t half = back_off_.count() / 2;
            const std::int64_t more =
                spread_.after(nanoseconds{}).count() % (back_off_.count() - half + 1);
            next_try_ = std::chrono::steady_clock::now() + nanoseconds(half + more);
        }
        return last_;
    }

    [[nodiscard]] bool is_open() const noexcept { return context_ != nullptr; }

    // How often it has connected. While the number stays the same, it is the same Redis.
    [[nodiscard]] std::uint64_t connections() const noexcept { return connections_; }

    // When a call connects again at the earliest; zero if at once.
    [[nodiscard]] nanoseconds next_try_after() const noexcept {
        if (is_open()) return nanoseconds{};
        const auto left = next_try_ - std::chrono::steady_clock::now();
        return std::max(nanoseconds{}, nanoseconds(left));
    }

    // Sends the commands at once and gives each answer to `each(number, answer)`, in their order.
    // If it fails, the answers that are missing are of calls of which nobody knows what became.
    template <class Each>
    redis_error call(const detail::redis_commands& commands, Each each) {
        const redis_error reason = connect();
        if (reason != redis_error::none) return reason;
        return exchange(commands, options_.answer_within, each);
    }

private:
    [[nodiscard]] static timeval as_timeval(nanoseconds length) noexcept {
        const std::int64_t us = std::max<std::int64_t>(length.count() / 1000, 1);
        return {static_cast<time_t>(us / 1'000'000), static_cast<suseconds_t>(us % 1'000'000)};
    }

    [[nodiscard]] redis_error open() {
        const timeval within = as_timeval(options_.connect_within);
        context_ = options_.socket.empty()
                       ? redisConnectWithTimeout(options_.host.c_str(), options_.port, within)
                       : redisConnectUnixWithTimeout(options_.socket.c_str(), within);
        if (context_ == nullptr || context_->err != 0) return redis_error::down;
        (void)fcntl(context_->fd, F_SETFD, FD_CLOEXEC);
        detail::redis_commands hello;
        if (!options_.password.empty() && options_.user.empty()) {
            hello.add({"AUTH", options_.password});
        } else if (!options_.password.empty()) {
            hello.add({"AUTH", options_.user, options_.password});
        }
        if (options_.database != 0) hello.add({"SELECT", std::to_string(options_.database)});
        redis_error refused = redis_error::none;
        const redis_error failed =
            exchange(hello, options_.connect_within, [&](std::size_t, const redisReply& answer) {
                if (answer.type == REDIS_REPLY_ERROR && refused == redis_error::none)
                    refused = detail::redis_reason_of({answer.str, answer.len});
            });
        return failed == redis_error::none ? refused : redis_error::down;
    }

    void close() noexcept {
        if (context_ != nullptr) redisFree(context_);
        context_ = nullptr;
    }

    // Whether the other side has closed it since the last call, or said something that nobody
    // asked for. Otherwise the first call after a restart of Redis would fail.
    [[nodiscard]] bool was_cut() const noexcept {
        char byte = 0;
        const ssize_t got = recv(context_->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
    }

    redis_error lost(redis_error reason) noexcept {
        close();
        return reason;
    }

    template <class Each>
    redis_error exchange(const detail::redis_commands& commands, nanoseconds within, Each each) {
        const time end = std::chrono::steady_clock::now() + within;
        std::string_view rest = commands.bytes();
        std::size_t answered = 0;
        // If `each` throws, answers would be left that the next call took for its own.
        struct unless_done {
            redis_connection* of;
            ~unless_done() {
                if (of != nullptr) of->close();
            }
        } guard{this};
        while (answered < commands.count()) {
            if (!rest.empty()) {
                const ssize_t sent =
                    send(context_->fd, rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
                if (sent > 0) rest.remove_prefix(static_cast<std::size_t>(sent));
                if (sent < 0 && !may_go_on(errno)) return lost(redis_error::cut_off);
            }
            if (!wait(rest.empty() ? POLLIN : POLLIN | POLLOUT, end))
                return lost(redis_error::too_slow);
            char bytes[16384];
            const ssize_t got = recv(context_->fd, bytes, sizeof bytes, MSG_DONTWAIT);
            if (got == 0 || (got < 0 && !may_go_on(errno))) return lost(redis_error::cut_off);
            if (got < 0) continue;
            if (redisReaderFeed(context_->reader, bytes, static_cast<std::size_t>(got)) != REDIS_OK)
                return lost(redis_error::not_understood);
            for (;;) {
                void* answer = nullptr;
                if (redisReaderGetReply(context_->reader, &answer) != REDIS_OK)
                    return lost(redis_error::not_understood);
                if (answer == nullptr) break;
                const std::unique_ptr<void, decltype(&freeReplyObject)> its(answer,
                                                                            &freeReplyObject);
                if (answered < commands.count())
                    each(answered, *static_cast<const redisReply*>(answer));
                ++answered;
            }
        }
        guard.of = nullptr;
        return answered == commands.count() ? redis_error::none : lost(redis_error::not_understood);
    }

    [[nodiscard]] static bool may_go_on(int error) noexcept {
        return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
    }

    // False if the time is over before anything can be sent or received.
    [[nodiscard]] bool wait(int events, time end) const noexcept {
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(
                end - std::chrono::steady_clock::now());
            pollfd one{context_->fd, static_cast<short>(events), 0};
            const auto most = std::clamp<std::int64_t>(left.count(), 0, 1'000'000);
            const int ready = poll(&one, 1, static_cast<int>(most));
            if (ready > 0) return true;
            if (ready == 0 && left.count() <= 1'000'000) return false;
            if (ready < 0 && errno != EINTR) return false;
        }
    }

    redis_options options_;
    jitter spread_;
    redisContext* context_ = nullptr;
    redis_error last_ = redis_error::none;
    nanoseconds back_off_;
    time next_try_{};
    std::uint64_t connections_ = 0;
};

}  // namespace weir

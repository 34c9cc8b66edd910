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
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>

#include <hiredis/hiredis.h>

#include <weir/adapter/redis_back_off.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_options.hpp>
#include <weir/adapter/redis_stream.hpp>
#include <weir/adapter/redis_wire.hpp>
#include <weir/base/duration.hpp>

namespace weir {

class redis_connection {
    using time = std::chrono::steady_clock::time_point;

public:
    static constexpr nanoseconds longest_back_off = detail::redis_back_off::longest;

    explicit redis_connection(redis_options o = {}) : options_(std::move(o)) {}
    redis_connection(const redis_connection&) = delete;
    redis_connection& operator=(const redis_connection&) = delete;
    ~redis_connection() { close(); }

    // Connects now, if it is not connected. Blocks. A program calls it at its start to find a wrong
    // option; nobody has to.
    redis_error connect() {
        const time now = std::chrono::steady_clock::now();
        // Whether the other side has closed it since the last call, or said something that nobody
        // asked for: otherwise the first call after a restart of Redis would fail. A call that
        // follows at once does not look, as a restart may come after the look as well.
        if (is_open() && (now - used_at_ < std::chrono::milliseconds(1) || wire_->is_quiet()))
            return redis_error::none;
        close();
        if (!back_off_.is_over(now)) return last_;
        last_ = open();
        if (last_ == redis_error::none) {
            ++connections_;
            back_off_.succeeded();
        } else {
            close();
            back_off_.failed();
        }
        return last_;
    }

    [[nodiscard]] bool is_open() const noexcept { return wire_.has_value(); }

    // How often it has connected. While the number stays the same, it is the same Redis.
    [[nodiscard]] std::uint64_t connections() const noexcept { return connections_; }

    // When a call connects again at the earliest; zero if at once.
    [[nodiscard]] nanoseconds next_try_after() const noexcept {
        return is_open() ? nanoseconds{} : back_off_.left();
    }

    // Sends the commands at once and gives each answer to `each(number, answer)`, in their order.
    // If it fails, the answers that are missing are of calls of which nobody knows what became.
    template <class Each>
    redis_error call(const detail::redis_commands& commands, Each each) {
        const redis_error reason = connect();
        if (reason != redis_error::none) return reason;
        used_at_ = std::chrono::steady_clock::now();
        return exchange(commands, used_at_ + options_.answer_within, each);
    }

private:
    using progress = redis_stream::progress;

    [[nodiscard]] static timeval as_timeval(nanoseconds length) noexcept {
        const std::int64_t us = std::max<std::int64_t>(length.count() / 1000, 1);
        return {static_cast<time_t>(us / 1'000'000), static_cast<suseconds_t>(us % 1'000'000)};
    }

    [[nodiscard]] redis_error open() {
        const timeval within = as_timeval(options_.connect_within);
        const time end = std::chrono::steady_clock::now() + options_.connect_within;
        redisContext* const context =
            options_.socket.empty()
                ? redisConnectWithTimeout(options_.host.c_str(), options_.port, within)
                : redisConnectUnixWithTimeout(options_.socket.c_str(), within);
        if (context == nullptr || context->err != 0) {
            if (context != nullptr) redisFree(context);
            return redis_error::down;
        }
        socket_ = redisFreeKeepFd(context);
        (void)fcntl(socket_, F_SETFD, FD_CLOEXEC);
        wire_.emplace(options_, socket_);
        if (!wire_->is_made()) return redis_error::down;
        for (;;) {
            const auto step = wire_->greet();
            if (step.how == progress::done) break;
            if (step.how == progress::failed) return detail::as_of_connecting(step.reason);
            // A Redis without TLS says nothing: it waits for the end of a line.
            if (!wait(events_of(step), end)) return redis_error::no_tls;
        }
        redis_error refused = redis_error::none;
        const redis_error failed =
            exchange(detail::redis_hello(options_), end, [&](std::size_t n, const redisReply& its) {
                if (refused == redis_error::none) refused = detail::redis_refusal(options_, n, its);
            });
        return failed == redis_error::none ? refused : detail::as_of_connecting(failed);
    }

    void close() noexcept {
        wire_.reset();
        if (socket_ >= 0) ::close(socket_);
        socket_ = -1;
    }

    redis_error lost(redis_error reason) noexcept {
        close();
        return reason;
    }

    template <class Each>
    redis_error exchange(const detail::redis_commands& commands, time end, Each each) {
        std::string_view rest = commands.bytes();
        std::size_t answered = 0;
        // If `each` throws, answers would be left that the next call took for its own.
        struct unless_done {
            redis_connection* of;
            ~unless_done() {
                if (of != nullptr) of->close();
            }
        } guard{this};
        // It sleeps in poll and not in recv: where a Unix socket wakes who sleeps in recv, it does
        // so on the core that is still busy with the answer.
        int events = POLLIN;
        bool may_come = false;  // more, without a wait
        while (answered < commands.count()) {
            const auto sent = wire_->send(rest);
            if (sent.how == progress::failed) return lost(wire_->last_word(sent));
            const int both = events | (rest.empty() ? 0 : events_of(sent));
            if (!may_come && !wait(both, end)) return lost(redis_error::too_slow);
            const auto got = wire_->receive([&](const redisReply& answer) {
                if (answered < commands.count()) each(answered, answer);
                ++answered;
            });
            if (got.how == progress::failed) return lost(got.reason);
            may_come = got.how == progress::done;
            events = events_of(got);
        }
        guard.of = nullptr;
        return answered == commands.count() ? redis_error::none : lost(redis_error::not_understood);
    }

    [[nodiscard]] static int events_of(const redis_stream::step& step) noexcept {
        return step.how == progress::wants_to_write ? POLLOUT : POLLIN;
    }

    // False if the time is over before anything can be sent or received.
    [[nodiscard]] bool wait(int events, time end) const noexcept {
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(
                end - std::chrono::steady_clock::now());
            pollfd one{socket_, static_cast<short>(events), 0};
            const auto most = std::clamp<std::int64_t>(left.count(), 0, 1'000'000);
            const int ready = poll(&one, 1, static_cast<int>(most));
            if (ready > 0) return true;
            if (ready == 0 && left.count() <= 1'000'000) return false;
            if (ready < 0 && errno != EINTR) return false;
        }
    }

    redis_options options_;
    int socket_ = -1;
    std::optional<detail::redis_wire> wire_;
    redis_error last_ = redis_error::none;
    detail::redis_back_off back_off_;
    time used_at_{};
    std::uint64_t connections_ = 0;
};

}  // namespace weir

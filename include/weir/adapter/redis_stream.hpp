// SPDX-License-Identifier: MIT
// redis_stream: how bytes go to a Redis and come from it, on a socket that is connected: as they
// are, or by TLS (redis_tls.hpp). No call of a stream waits, raises SIGPIPE or throws.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/types.h>

#include <weir/adapter/redis_error.hpp>

namespace weir {

class redis_stream {
public:
    enum class progress : std::uint8_t { done, wants_to_read, wants_to_write, failed };
    struct step {
        progress how = progress::done;
        std::size_t bytes = 0;                   // that were sent or received
        redis_error reason = redis_error::none;  // why it failed
    };
    redis_stream() = default;
    redis_stream(const redis_stream&) = delete;
    redis_stream& operator=(const redis_stream&) = delete;
    virtual ~redis_stream() = default;

    // Both sides agree on how to go on. Before that is done nothing is sent.
    [[nodiscard]] virtual step greet() noexcept = 0;
    [[nodiscard]] virtual step send(std::string_view bytes) noexcept = 0;
    [[nodiscard]] virtual step receive(std::span<char> into) noexcept = 0;
};

// Makes streams for the connections that have it in their options. Safe to share between threads.
class redis_security {
public:
    redis_security() = default;
    redis_security(const redis_security&) = delete;
    redis_security& operator=(const redis_security&) = delete;
    virtual ~redis_security() = default;

    // Nothing, if there is no memory. The socket stays the caller's.
    [[nodiscard]] virtual std::unique_ptr<redis_stream> stream(int socket,
                                                               const std::string& host) const = 0;
};

namespace detail {

[[nodiscard]] inline bool is_only_slow(int error) noexcept {
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

class plain_redis_stream final : public redis_stream {
public:
    explicit plain_redis_stream(int socket) noexcept : socket_(socket) {}

    [[nodiscard]] step greet() noexcept override { return {}; }
    [[nodiscard]] step send(std::string_view bytes) noexcept override {
        return step_of(::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT),
                       progress::wants_to_write);
    }
    [[nodiscard]] step receive(std::span<char> into) noexcept override {
        const ssize_t got = ::recv(socket_, into.data(), into.size(), MSG_DONTWAIT);
        if (got == 0) return {progress::failed, 0, redis_error::cut_off};
        return step_of(got, progress::wants_to_read);
    }

private:
    [[nodiscard]] static step step_of(ssize_t bytes, progress otherwise) noexcept {
        if (bytes >= 0) return {progress::done, static_cast<std::size_t>(bytes)};
        if (is_only_slow(errno)) return {otherwise};
        return {progress::failed, 0, redis_error::cut_off};
    }

    int socket_;
};

}  // namespace detail

}  // namespace weir

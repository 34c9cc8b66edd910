// SPDX-License-Identifier: MIT
// redis_options: where a Redis is and how to get in; and redis_commands, which are commands as they
// go over the wire. For redis_connection.hpp and redis_asio.hpp.
#pragma once

#include <charconv>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <hiredis/hiredis.h>

#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_stream.hpp>
#include <weir/base/duration.hpp>

namespace weir {

struct redis_options {
    std::string host = "127.0.0.1";
    int port = 6379;
    std::string socket = {};    // path of a Unix socket; then host and port say nothing
    std::string user = {};      // of Redis's ACL; empty for its default user
    std::string password = {};  // empty: no AUTH
    int database = 0;
    std::shared_ptr<const redis_security> security = {};  // none: as it is; see redis_tls.hpp
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

// What a new connection says first. Whether a client's certificate was accepted shows with the
// first answer only, so TLS asks for one; whoever may not PING is accepted as well.
[[nodiscard]] inline redis_commands redis_hello(const redis_options& o) {
    redis_commands hello;
    if (o.security != nullptr) hello.add({"PING"});
    if (!o.password.empty() && o.user.empty()) {
        hello.add({"AUTH", o.password});
    } else if (!o.password.empty()) {
        hello.add({"AUTH", o.user, o.password});
    }
    if (o.database != 0) hello.add({"SELECT", std::to_string(o.database)});
    return hello;
}

// Why Redis refuses what a connection says first, by the answer of that number; or `none`.
[[nodiscard]] inline redis_error redis_refusal(const redis_options& o, std::size_t number,
                                               const redisReply& answer) noexcept {
    if (answer.type != REDIS_REPLY_ERROR) return redis_error::none;
    const redis_error reason = redis_reason_of({answer.str, answer.len});
    const bool is_ping = o.security != nullptr && number == 0;
    const bool is_full = reason == redis_error::busy;
    return is_ping && !is_full ? redis_error::none : reason;
}

}  // namespace detail

}  // namespace weir

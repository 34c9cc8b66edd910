// SPDX-License-Identifier: MIT
// redis_asio: remote_limiter for programs on Boost.Asio (1.74 or newer), with any completion token.
//
//     weir::async_redis_connection redis(io, {.host = "redis.internal"});
//     weir::async_remote_limiter log_ins(redis, "log-ins", weir::per_minute(5));
//     const auto d = co_await log_ins.async_try_acquire(user, 1, boost::asio::use_awaitable);
//
// A connection is used on one executor that runs one thing at a time: a thread or a strand. All
// decisions go over it together, and those that come in one turn go out in one piece. While nobody
// waits for a decision nothing is under way, so run() returns. Nothing blocks. Handlers are
// completed by a post, on their own executor if they have one.
//
// A stop_token, from any thread, ends a decision with `cancelled`, and so do close() and the end of
// the connection: if it was sent, its units may have been taken.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#if !__has_include(<boost/asio/any_io_executor.hpp>)
#error "weir/adapter/redis_asio.hpp needs the headers of Boost 1.74 or newer (Debian: libboost-dev)"
#endif
// Engines define a macro of this name; a header of the system's has a member of it.
#pragma push_macro("check")
#undef check
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#pragma pop_macro("check")

#include <weir/adapter/redis_asking.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_link.hpp>
#include <weir/adapter/redis_options.hpp>
#include <weir/adapter/remote_decision.hpp>
#include <weir/adapter/remote_script.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/unit_count.hpp>

namespace weir {

class async_redis_connection {
public:
    async_redis_connection(const boost::asio::any_io_executor& executor, redis_options o)
        : link_(std::make_shared<detail::redis_link>(executor, std::move(o))) {}
    template <class Context>
        requires requires(Context& c) { c.get_executor(); }
    async_redis_connection(Context& context, redis_options o)
        : async_redis_connection(boost::asio::any_io_executor(context.get_executor()),
                                 std::move(o)) {}
    async_redis_connection(const async_redis_connection&) = delete;
    async_redis_connection& operator=(const async_redis_connection&) = delete;
    ~async_redis_connection() { close(); }

    [[nodiscard]] boost::asio::any_io_executor get_executor() const noexcept {
        return link_->executor();
    }
    // Ends all decisions that are under way. The next one connects again.
    void close() { link_->end(); }

private:
    friend class async_remote_limiter;
    std::shared_ptr<detail::redis_link> link_;
};

// A limiter does not keep its connection: after the end of that it must not be asked.
class async_remote_limiter {
public:
    // As of remote_limiter.
    [[nodiscard]] static redis_error refusal(std::string_view name, const weir::quota& q,
                                             remote_rule rule = remote_rule::gcra) noexcept {
        return detail::remote_script::refusal(name, q, rule);
    }
    [[nodiscard]] static result<async_remote_limiter, redis_error>
    make(async_redis_connection& redis, std::string_view name, const weir::quota& q,
         remote_rule rule = remote_rule::gcra) {
        const redis_error reason = refusal(name, q, rule);
        if (reason != redis_error::none) return reason;
        return async_remote_limiter(redis.link_,
                                    std::make_shared<const detail::remote_script>(name, q, rule));
    }
    async_remote_limiter(async_redis_connection& redis, std::string_view name, const weir::quota& q,
                         remote_rule rule = remote_rule::gcra)
        : async_remote_limiter(make(redis, name, q, rule).value()) {}

    [[nodiscard]] std::string redis_key(std::string_view key) const {
        return script_->redis_key(key);
    }

    // Each completes with void(weir::remote_decision). The key is copied.
    template <class Token>
    auto async_try_acquire(std::string_view key, unit_count n, std::stop_token stop,
                           Token&& token) {
        return ask("take", key, n, std::move(stop), std::forward<Token>(token));
    }
    template <class Token>
    auto async_try_acquire(std::string_view key, unit_count n, Token&& token) {
        return ask("take", key, n, {}, std::forward<Token>(token));
    }
    template <class Token>
    auto async_acquire_up_to(std::string_view key, unit_count n, Token&& token) {
        return ask("up_to", key, n, {}, std::forward<Token>(token));
    }
    template <class Token>
    auto async_peek(std::string_view key, unit_count n, Token&& token) {
        return ask("peek", key, n, {}, std::forward<Token>(token));
    }

    // Waits as remote_limiter::acquire_for does, without a thread. Completes with
    // void(weir::remote_acquisition).
    template <class Token>
    auto async_acquire_for(std::string_view key, unit_count n, nanoseconds patience,
                           std::stop_token stop, Token&& token) {
        return boost::asio::async_initiate<Token, void(remote_acquisition)>(
            [](auto handler, const std::shared_ptr<detail::redis_link>& link,
               const std::shared_ptr<const detail::remote_script>& script, std::string k,
               word units, nanoseconds how_long, std::stop_token end) {
                using completion =
                    detail::redis_completion<std::decay_t<decltype(handler)>, remote_acquisition>;
                std::make_shared<detail::redis_waiting<completion>>(
                    link, script, std::move(k), units, how_long, std::move(end),
                    completion(std::move(handler), link->executor()))
                    ->begin();
            },
            token, link_, script_, std::string(key), word{n}, patience, std::move(stop));
    }
    template <class Token>
    auto async_acquire_for(std::string_view key, unit_count n, nanoseconds patience,
                           Token&& token) {
        return async_acquire_for(key, n, patience, std::stop_token{}, std::forward<Token>(token));
    }

private:
    async_remote_limiter(std::shared_ptr<detail::redis_link> link,
                         std::shared_ptr<const detail::remote_script> script) noexcept
        : link_(std::move(link)), script_(std::move(script)) {}

    template <class Token>
    auto ask(std::string_view what, std::string_view key, word n, std::stop_token stop,
             Token&& token) {
        return boost::asio::async_initiate<Token, void(remote_decision)>(
            [](auto handler, const std::shared_ptr<detail::redis_link>& link,
               const std::shared_ptr<const detail::remote_script>& script, std::string_view call,
               std::string k, word units, const std::stop_token& end) {
                using completion =
                    detail::redis_completion<std::decay_t<decltype(handler)>, remote_decision>;
                detail::ask_redis(link, script, call, std::move(k), units, end,
                                  completion(std::move(handler), link->executor()));
            },
            token, link_, script_, what, std::string(key), n, std::move(stop));
    }

    std::shared_ptr<detail::redis_link> link_;
    std::shared_ptr<const detail::remote_script> script_;
};

}  // namespace weir

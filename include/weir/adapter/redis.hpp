// SPDX-License-Identifier: MIT
// remote_limiter: exact limits by key that many machines share, in a Redis. Each decision is one
// round trip.
//
//     weir::redis_connection redis({.host = "redis.internal"});
//     weir::remote_limiter log_ins(redis, "log-ins", weir::per_minute(5));
//     if (auto d = log_ins.try_acquire(user)) ...   // else d.failed() and d.error(), or a denial
//
// One script decides, in Redis and by Redis's time (src/redis/limit.lua, in which its arguments and
// answers stand); so clocks of machines need not agree. It is called by EVALSHA, and sent as a
// whole only if Redis answers that it does not know it. Nothing else is tried twice: a call without
// an answer may have been counted.
//
// A limiter uses its connection, which is one thread's own and must outlive it. Several limiters
// may share it. Every call blocks, no longer than the connection's options say, and allocates.
// Where exceptions are on, only memory that is not there throws.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <weir/adapter/redis_connection.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/remote_decision.hpp>
#include <weir/adapter/remote_lease.hpp>
#include <weir/adapter/remote_script.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/limiter/acquire.hpp>

namespace weir {

// One of many decisions that are asked for at once.
struct remote_request {
    std::string_view key;
    word n = 1;
};

class remote_limiter {
public:
    // The name is 1 to 200 bytes of any kind. Nothing is sent.
    [[nodiscard]] static result<remote_limiter, redis_error>
    make(redis_connection& redis, std::string_view name, const weir::quota& q,
         remote_rule rule = remote_rule::gcra) {
        const redis_error reason = refusal(name, q, rule);
        if (reason != redis_error::none) return reason;
        return remote_limiter(redis, detail::remote_script(name, q, rule));
    }

    // The same, and throws `refused`; without exceptions it prints the sentence and ends.
    remote_limiter(redis_connection& redis, std::string_view name, const weir::quota& q,
                   remote_rule rule = remote_rule::gcra)
        : remote_limiter(make(redis, name, q, rule).value()) {}

    // Why such a limit cannot be, or `none`.
    [[nodiscard]] static redis_error refusal(std::string_view name, const weir::quota& q,
                                             remote_rule rule = remote_rule::gcra) noexcept {
        return detail::remote_script::refusal(name, q, rule);
    }

    // All n units now or none.
    remote_decision try_acquire(std::string_view key, unit_count n = 1) {
        return ask("take", remote_request{key, n});
    }

    // As many as there are, n at most; `units()` says how many.
    remote_decision acquire_up_to(std::string_view key, unit_count n) {
        return ask("up_to", remote_request{key, n});
    }

    // What try_acquire would answer. Changes nothing.
    remote_decision peek(std::string_view key, unit_count n = 1) {
        return ask("peek", remote_request{key, n});
    }

    // For whoever leases units and spends them without Redis, as `fleet_limiter` does. As many as
    // there are, n at most. `floor` is the `idle_at` of an answer from before an outage: a Redis
    // that has lost its state since then does not give another burst. 0 is none.
    remote_decision lease(std::string_view key, unit_count n, std::uint64_t floor = 0) {
        return ask("", remote_lease{key, n, floor, false});
    }
    // Units of a lease that were not used, and no more than are missing; `units()` says how many.
    remote_decision give_back(std::string_view key, unit_count n) {
        return ask("", remote_lease{key, n, 0, true});
    }
    // Each of these, in one round trip for up to 256 of them. `answers` gets a decision for each.
    void lease_each(std::span<const remote_lease> all, std::vector<remote_decision>& answers) {
        answers.clear();
        ask_in_parts("", all, answers);
    }

    // A decision for each request, in one round trip for up to 256 of them. They are decided in
    // their order, and others may come in between.
    [[nodiscard]] std::vector<remote_decision>
    try_acquire_each(std::span<const remote_request> requests) {
        std::vector<remote_decision> answers;
        answers.reserve(requests.size());
        ask_in_parts("take", requests, answers);
        return answers;
    }

    // Waits for the n units, no longer than `patience`. Those who wait compete: nobody has a place.
    // While Redis is away it tries again, in the pace of the connection's back-off; after a try
    // whose answer did not come, units may be taken that nobody uses. A stop wakes it between
    // tries.
    remote_acquisition acquire_for(std::string_view key, unit_count n, nanoseconds patience,
                                   const std::stop_token& stop = {}) {
        const auto begin = std::chrono::steady_clock::now();
        for (;;) {
            if (stop.stop_requested()) return {ending::stopped, {}};
            const remote_decision d = try_acquire(key, n);
            const nanoseconds waited = std::chrono::steady_clock::now() - begin;
            const detail::remote_turn next =
                detail::turn_after(d, waited, patience, redis_->next_try_after());
            if (next.ends) return next.how;
            detail::nap_for(next.how.wait, stop);
        }
    }

    // As long as it takes.
    remote_acquisition acquire(std::string_view key, unit_count n = 1,
                               const std::stop_token& stop = {}) {
        return acquire_for(key, n, nanoseconds::longest(), stop);
    }

    // All units are there again, as if the key had never been used.
    redis_error reset(std::string_view key) {
        if (key.size() > longest_key) return redis_error::key_too_long;
        commands_.clear();
        script_.add_reset(commands_, key);
        redis_error refused = redis_error::none;
        const redis_error failed =
            redis_->call(commands_, [&](std::size_t, const redisReply& answer) {
                if (answer.type == REDIS_REPLY_ERROR)
                    refused = detail::redis_reason_of({answer.str, answer.len});
            });
        return failed != redis_error::none ? failed : refused;
    }

    // Where a key's limit lies in Redis.
    [[nodiscard]] std::string redis_key(std::string_view key) const {
        return script_.redis_key(key);
    }

    static constexpr std::size_t longest_key = detail::remote_script::longest_key;

private:
    remote_limiter(redis_connection& redis, detail::remote_script script)
        : redis_(&redis), script_(std::move(script)) {}

    template <class Request>
    remote_decision ask(std::string_view what, const Request& one) {
        answers_.clear();
        ask(what, std::span(&one, 1), answers_);
        return answers_.front();
    }
    template <class Request>
    void ask_in_parts(std::string_view what, std::span<const Request> requests,
                      std::vector<remote_decision>& answers) {
        while (!requests.empty()) {
            const auto part = requests.first(std::min<std::size_t>(requests.size(), 256));
            ask(what, part, answers);
            requests = requests.subspan(part.size());
        }
    }

    // Adds a decision for each request. A lease says itself what to do.
    template <class Request>
    void ask(std::string_view what, std::span<const Request> requests,
             std::vector<remote_decision>& answers) {
        const std::size_t first = answers.size();
        unknown_.clear();
        commands_.clear();
        asked_.clear();
        for (std::size_t i = 0; i < requests.size(); ++i) {
            answers.emplace_back(redis_error::key_too_long);
            if (requests[i].key.size() <= longest_key) add(false, what, requests, i);
        }
        send(answers, first);
        if (unknown_.empty()) return;
        // Redis has not run these. One sends the script, and the others follow it.
        commands_.clear();
        asked_.clear();
        for (const std::size_t i : std::exchange(unknown_, {})) {
            add(asked_.empty(), what, requests, i);
        }
        send(answers, first);
        for (const std::size_t i : unknown_) answers[first + i] = redis_error::refused_by_server;
    }

    template <class Request>
    void add(bool whole, std::string_view what, std::span<const Request> requests, std::size_t i) {
        const auto& asked = requests[i];
        std::uint64_t floor = 0;
        if constexpr (std::is_same_v<Request, remote_lease>) {
            what = asked.gives_back ? "give_back" : "lease";
            floor = asked.floor;
        }
        script_.add(commands_, whole, what, asked.key, asked.n, floor);
        asked_.push_back(i);
    }

    void send(std::vector<remote_decision>& answers, std::size_t first) {
        std::size_t answered = 0;
        const redis_error failed =
            redis_->call(commands_, [&](std::size_t number, const redisReply& answer) {
                answered = number + 1;
                const std::size_t i = asked_[number];
                if (detail::remote_script::is_unknown(answer))
                    unknown_.push_back(i);
                else
                    answers[first + i] = detail::remote_script::decision_of(answer);
            });
        for (std::size_t number = answered; number < asked_.size(); ++number) {
            answers[first + asked_[number]] = failed;
        }
    }

    redis_connection* redis_;
    detail::remote_script script_;

    // Of the call under way; kept for their memory.
    detail::redis_commands commands_;
    std::vector<std::size_t> asked_;
    std::vector<std::size_t> unknown_;
    std::vector<remote_decision> answers_;
};

}  // namespace weir

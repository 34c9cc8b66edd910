// SPDX-License-Identifier: MIT
// remote_script: how one limit in Redis is asked, and what is answered. For redis.hpp and
// redis_asio.hpp, which differ in who waits.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <hiredis/hiredis.h>

#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/redis_options.hpp>
#include <weir/adapter/redis_script.hpp>
#include <weir/adapter/remote_decision.hpp>
#include <weir/adapter/remote_quota.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>

namespace weir::detail {

class remote_script {
public:
    static constexpr std::size_t longest_key = 1024;

    // Why such a limit cannot be, or `none`.
    [[nodiscard]] static redis_error refusal(std::string_view name, const quota& q,
                                             remote_rule rule) noexcept {
        if (name.empty() || name.size() > 200) return redis_error::name_refused;
        return remote_quota(q, rule).refused;
    }

    // Of what is not refused.
    remote_script(std::string_view name, const quota& quota_of_it, remote_rule rule)
        : rule_(describe(rule)), prefix_("weir:" + std::to_string(name.size()) + ":") {
        const remote_quota q(quota_of_it, rule);
        units_ = std::to_string(q.units);
        period_ = std::to_string(q.period);
        burst_ = std::to_string(q.burst);
        prefix_.append(name).append(":");
    }

    // weir:<length of the name>:<name>:<key>. The length keeps names and keys apart, whatever bytes
    // they are of.
    [[nodiscard]] std::string redis_key(std::string_view key) const {
        return std::string(prefix_).append(key);
    }

    // `whole` sends the script itself, for a Redis that does not know it.
    // A `floor` other than 0 is that of a lease.
    void add(redis_commands& to, bool whole, std::string_view what, std::string_view key, word n,
             std::uint64_t floor = 0) const {
        // A number of units that no quota has, as the script counts to 2^53.
        const std::uint64_t units = std::min(std::uint64_t{n}, (std::uint64_t{1} << 53) - 1);
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, units);
        const std::string its = redis_key(key);
        const std::string since = floor == 0 ? std::string() : std::to_string(floor);
        // Redis refuses more than ten words of a client that has not signed in, and does not say
        // that this is why.
        const std::array<std::string_view, 11> words{
            whole ? "EVAL" : "EVALSHA",
            whole ? redis_script : redis_script_sha1,
            "1",
            its,
            rule_,
            what,
            {digits, static_cast<std::size_t>(end.ptr - digits)},
            units_,
            period_,
            burst_,
            since};
        to.add(std::span(words).first(floor == 0 ? 10 : 11));
    }
    void add_reset(redis_commands& to, std::string_view key) const {
        to.add({"DEL", redis_key(key)});
    }

    // Redis does not know the script, and so has not run it.
    [[nodiscard]] static bool is_unknown(const redisReply& answer) noexcept {
        return answer.type == REDIS_REPLY_ERROR &&
               std::string_view(answer.str, answer.len).starts_with("NOSCRIPT");
    }

    [[nodiscard]] static remote_decision decision_of(const redisReply& answer) noexcept {
        if (answer.type == REDIS_REPLY_ERROR) return redis_reason_of({answer.str, answer.len});
        if (answer.type != REDIS_REPLY_ARRAY || answer.elements != 6)
            return redis_error::not_understood;
        long long numbers[6];
        for (std::size_t i = 0; i < 6; ++i) {
            if (answer.element[i]->type != REDIS_REPLY_INTEGER) return redis_error::not_understood;
            numbers[i] = answer.element[i]->integer;
            if (numbers[i] < (i == 3 ? -1 : 0)) return redis_error::not_understood;
        }
        if (numbers[0] > 2) return redis_error::not_understood;
        constexpr verdict verdicts[] = {verdict::admitted, verdict::wait, verdict::never};
        return {verdicts[numbers[0]],
                static_cast<std::uint64_t>(numbers[1]),
                static_cast<std::uint64_t>(numbers[2]),
                numbers[3] < 0 ? nanoseconds::longest() : microseconds(numbers[3]),
                microseconds(numbers[4]),
                static_cast<std::uint64_t>(numbers[4]) + static_cast<std::uint64_t>(numbers[5])};
    }

private:
    std::string_view rule_;
    std::string prefix_;
    std::string units_;
    std::string period_;
    std::string burst_;
};

}  // namespace weir::detail

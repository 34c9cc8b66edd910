// SPDX-License-Identifier: MIT
// fleet_store: what a fleet_supply and a fleet_key_supply ask for units: a Redis, over a connection
// of their own.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <weir/adapter/fleet_supply.hpp>
#include <weir/adapter/redis.hpp>
#include <weir/adapter/redis_connection.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/remote_decision.hpp>
#include <weir/adapter/remote_lease.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>

namespace weir::detail {

class fleet_store {
public:
    fleet_store(const redis_options& to, std::string_view name, const quota& q)
        : redis_(to), limit_(redis_, name, q) {}

    [[nodiscard]] static nanoseconds now() noexcept {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
    }
    [[nodiscard]] nanoseconds next_try_after() const noexcept { return redis_.next_try_after(); }

    // For the limit without a key.
    [[nodiscard]] fleet_answer lease(word n, std::uint64_t floor) {
        // A new connection may be one to a Redis that has lost what the old one knew.
        if (const redis_error reason = connect(); reason != redis_error::none) return {reason};
        const bool is_new = connections() != known_;
        const fleet_answer a = answer_of(limit_.lease("", n, is_new ? floor : 0));
        if (a.error == redis_error::none) known_ = connections();
        return a;
    }
    [[nodiscard]] fleet_answer give_back(word n) { return answer_of(limit_.give_back("", n)); }

    // For many keys.
    [[nodiscard]] redis_error connect() { return redis_.connect(); }
    [[nodiscard]] std::uint64_t connections() const noexcept { return redis_.connections(); }
    void ask(std::span<const remote_lease> all, std::span<fleet_answer> answers) {
        limit_.lease_each(all, decisions_);
        for (std::size_t i = 0; i < all.size(); ++i) answers[i] = answer_of(decisions_[i]);
    }

private:
    [[nodiscard]] static fleet_answer answer_of(const remote_decision& d) noexcept {
        return {d.error(), static_cast<word>(d.units()), d.retry_after(), d.idle_at()};
    }

    redis_connection redis_;
    remote_limiter limit_;
    std::uint64_t known_ = 0;  // the connection of the last answer to `lease`
    std::vector<remote_decision> decisions_;
};

}  // namespace weir::detail

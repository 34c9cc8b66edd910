// SPDX-License-Identifier: MIT
// remote_quota: a quota in the numbers that the script in Redis takes. For redis.hpp.
#pragma once

#include <cstdint>
#include <numeric>

#include <weir/adapter/redis_error.hpp>
#include <weir/adapter/remote_decision.hpp>
#include <weir/cell/quota.hpp>

namespace weir::detail {

// A quota as the script takes it: so many units in each period of whole microseconds.
struct remote_quota {
    std::uint64_t units = 0;
    std::uint64_t period = 0;
    std::uint64_t burst = 0;
    redis_error refused = redis_error::none;

    remote_quota(const quota& q, remote_rule rule) noexcept
        : units(static_cast<std::uint64_t>(q.units())),
          period(static_cast<std::uint64_t>(q.period().count())),
          burst(static_cast<std::uint64_t>(q.burst())) {
        // The script's bounds: its products stay below 2^53.
        constexpr std::uint64_t most = (std::uint64_t{1} << 52) - 1;
        const bool is_gcra = rule == remote_rule::gcra;
        if (is_gcra) {
            // The same fraction in lowest terms, so any period will do.
            const std::uint64_t nanos = std::gcd(period, std::uint64_t{1000});
            if (__builtin_mul_overflow(units, 1000 / nanos, &units))
                refused = redis_error::numbers_too_large;
            const std::uint64_t common = std::gcd(units, period / nanos);
            units /= common;
            period = period / nanos / common;
        } else {
            if (burst != units) refused = redis_error::burst_not_the_window;
            if (period % 1000 != 0) refused = redis_error::period_not_whole;
            if (rule == remote_rule::sliding_log && units > 100'000)
                refused = redis_error::log_too_long;
            period /= 1000;
        }
        if (refused != redis_error::none) return;
        const bool multiplies = is_gcra || rule == remote_rule::sliding_window;
        if (units > most || burst > most || period > most / 2 ||
            (multiplies && burst > most / period))
            refused = redis_error::numbers_too_large;
    }
};

}  // namespace weir::detail

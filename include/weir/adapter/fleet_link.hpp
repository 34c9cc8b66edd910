// SPDX-License-Identifier: MIT
// fleet_link: how a process stands with the Redis that it leases from: has it ever answered, does
// it answer now, since when, and when to try again. One thread's own.
#pragma once

#include <algorithm>
#include <cstdint>

#include <weir/adapter/back_off.hpp>
#include <weir/adapter/fleet_terms.hpp>
#include <weir/adapter/redis_error.hpp>
#include <weir/base/duration.hpp>

namespace weir {

class fleet_link {
public:
    static constexpr nanoseconds longest_back_off = milliseconds(100);

    explicit fleet_link(std::uint64_t seed) noexcept
        : wait_(milliseconds(4), longest_back_off, seed) {}

    [[nodiscard]] bool answers() const noexcept { return seen_ && !failing_; }
    [[nodiscard]] bool has_answered() const noexcept { return seen_; }
    [[nodiscard]] bool fails() const noexcept { return failing_; }
    [[nodiscard]] nanoseconds since() const noexcept { return since_; }
    [[nodiscard]] nanoseconds next_try() const noexcept { return next_try_; }

    [[nodiscard]] fleet_state state(std::uint64_t beyond) const noexcept {
        const auto mode = !seen_     ? fleet_mode::not_leased_yet
                          : failing_ ? fleet_mode::degraded
                                     : fleet_mode::leased;
        return {mode, error_, since_, beyond};
    }

    void answered(nanoseconds now) noexcept {
        if (answers()) return;
        seen_ = true;
        failing_ = false;
        error_ = redis_error::none;
        since_ = now;
        wait_.succeeded();
    }
    // The next try comes no earlier than after `at_least`.
    void failed(nanoseconds now, redis_error reason, nanoseconds at_least) noexcept {
        if (!failing_) since_ = now;
        failing_ = true;
        error_ = reason;
        next_try_ = now + std::max(wait_.failed(), at_least);
    }

    // Redis may have counted what nobody knows to be counted.
    [[nodiscard]] static bool is_in_doubt(redis_error reason) noexcept {
        return reason == redis_error::too_slow || reason == redis_error::cut_off ||
               reason == redis_error::not_understood;
    }

private:
    bool seen_ = false;
    bool failing_ = false;
    redis_error error_ = redis_error::none;
    nanoseconds since_{};
    nanoseconds next_try_{};
    back_off wait_;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// What a limit that stands in front of a shared one answers, such as `striped`.
#pragma once

#include <cstdint>
#include <optional>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/limit.hpp>

namespace weir {

namespace detail {

// How long a denied request waits, without a division where the decision knows it in ticks.
template <clock Clock, limit_decision Decision>
[[nodiscard]] constexpr word ticks_to_wait(const Decision& d) noexcept {
    if constexpr (requires { d.ticks().retry_after(); }) {
        return static_cast<word>(d.ticks().retry_after());
    } else if constexpr (requires { d.ticks_to_wait(); }) {
        return d.ticks_to_wait();
    } else {
        const std::uint64_t ticks = to_ticks<Clock>(d.retry_after());
        return ticks > largest<word> ? largest<word> : static_cast<word>(ticks);
    }
}

}  // namespace detail

// Admitted by itself, or as the shared limit has decided, or denied by itself.
template <limit Limit>
class [[nodiscard]] front_decision {
public:
    constexpr front_decision() noexcept = default;
    constexpr explicit front_decision(const decision_of<Limit>& its) noexcept : shared_(its) {}
    // Denied for so many ticks.
    constexpr explicit front_decision(word wait) noexcept
        : wait_(wait), own_(weir::verdict::wait) {}

    [[nodiscard]] constexpr bool admitted() const noexcept {
        return shared_ ? shared_->admitted() : own_ == weir::verdict::admitted;
    }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept {
        return shared_ ? shared_->verdict() : own_;
    }

    // Until the shared limit passes the same request, if nothing else comes. Without a decision of
    // the shared limit, what the one in front says. Zero if it was admitted.
    [[nodiscard]] constexpr nanoseconds retry_after() const noexcept {
        return shared_ ? shared_->retry_after() : to_time<typename Limit::clock_type>(wait_);
    }

    // What the shared limit has decided, with its `remaining`. Null if it has decided nothing.
    [[nodiscard]] constexpr const decision_of<Limit>* shared() const noexcept {
        return shared_ ? &*shared_ : nullptr;
    }

    // `retry_after` in ticks.
    [[nodiscard]] constexpr word ticks_to_wait() const noexcept {
        return shared_ ? detail::ticks_to_wait<typename Limit::clock_type>(*shared_) : wait_;
    }

private:
    std::optional<decision_of<Limit>> shared_{};
    word wait_ = 0;
    weir::verdict own_ = weir::verdict::admitted;
};

}  // namespace weir

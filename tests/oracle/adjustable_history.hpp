// SPDX-License-Identifier: MIT
// Random histories of a limit whose quota changes, beside a model that knows only how many units
// there are: it refills and takes, exactly.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>

#include "dice.hpp"

namespace oracle {

// Nothing needs rounding: see even_quota.
using adjustable_clock = weir::manual_clock<struct adjustable_oracle, 1U << 20U>;

// A quota of which a tick brings a whole number of 1024ths of a unit.
struct even_quota {
    static constexpr std::int64_t unit = 1024;

    std::int64_t rate;  // 1024ths of a unit per tick
    std::int64_t burst;

    [[nodiscard]] weir::quota as_quota() const { return {rate * unit, weir::seconds(1), burst}; }
};

class units_model {
public:
    explicit units_model(const even_quota& q) : quota_(q), there_(q.burst * unit) {}

    static constexpr std::int64_t unit = even_quota::unit;

    void pass(std::int64_t ticks) {
        there_ = std::min(there_ + ticks * quota_.rate, quota_.burst * unit);
    }
    bool take(std::int64_t n, std::int64_t debt) {
        if (n != 0 && there_ + debt * unit < n * unit) return false;
        there_ -= n * unit;
        return true;
    }
    void change(const even_quota& q) {
        quota_ = q;
        there_ = std::min(there_, q.burst * unit);
    }

    [[nodiscard]] std::int64_t remaining() const {
        return std::max<std::int64_t>(there_, 0) / unit;
    }
    [[nodiscard]] std::int64_t ticks_until(std::int64_t n) const {
        const std::int64_t missing = std::max<std::int64_t>(n * unit - there_, 0);
        return (missing + quota_.rate - 1) / quota_.rate;
    }
    [[nodiscard]] const even_quota& now() const { return quota_; }

private:
    even_quota quota_;
    std::int64_t there_;
};

[[nodiscard]] inline even_quota any_even_quota(dice& d) {
    return {1 + static_cast<std::int64_t>(d.magnitude(5'000)),
            1 + static_cast<std::int64_t>(d.magnitude(100'000))};
}

// Nothing, or how limit and model came to disagree.
[[nodiscard]] inline std::optional<std::string> adjustable_disagreement(dice d, int steps) {
    const even_quota begin = any_even_quota(d);
    std::uint64_t now = d.next();
    weir::adjustable<adjustable_clock> limit(begin.as_quota(), {},
                                             weir::instant<adjustable_clock>{now});
    units_model exact(begin);
    for (int i = 0; i < steps && !d.over(); ++i) {
        const auto passed = static_cast<std::int64_t>(d.chance(30) ? 0 : d.magnitude(200'000));
        now += static_cast<std::uint64_t>(passed);
        exact.pass(passed);
        const weir::instant<adjustable_clock> at{now};
        const std::int64_t burst = exact.now().burst;
        const auto n = static_cast<std::int64_t>(d.magnitude(burst + 1));
        const auto units = static_cast<weir::word>(n);
        const auto differ = [&](const std::string& what, std::int64_t told, std::int64_t expected) {
            return what + " " + std::to_string(n) + " in step " + std::to_string(i) + ": " +
                   std::to_string(told) + " instead of " + std::to_string(expected);
        };
        if (d.chance(10)) {
            const even_quota next = any_even_quota(d);
            if (limit.set_quota(next.as_quota(), {}, at) != weir::quota_error::none)
                return "refused";
            exact.change(next);
        } else if (d.chance(20)) {
            const std::int64_t there = std::min(n, exact.remaining());
            const auto got = static_cast<std::int64_t>(limit.acquire_up_to(units, at).units);
            if (got != there) return differ("acquire_up_to", got, there);
            exact.take(there, 0);
        } else if (d.chance(10)) {
            const bool allowed = exact.take(n, burst);
            const bool got = limit.charge(units, at).admitted();
            if (got != allowed) return differ("charge", got ? 1 : 0, allowed ? 1 : 0);
        } else {
            const auto answer = limit.try_acquire(units, at);
            const bool never = n > burst;
            const bool admitted = !never && exact.take(n, 0);
            const auto expected = never      ? weir::verdict::never
                                  : admitted ? weir::verdict::admitted
                                             : weir::verdict::wait;
            if (answer.verdict() != expected) {
                return differ("try_acquire", static_cast<int>(answer.verdict()),
                              static_cast<int>(expected));
            }
            const auto wait = static_cast<std::int64_t>(answer.ticks().retry_after());
            if (!never && !admitted && wait != exact.ticks_until(n)) {
                return differ("retry_after", wait, exact.ticks_until(n));
            }
        }
        const auto look = limit.peek(0, at);
        const auto remaining = static_cast<std::int64_t>(look.remaining());
        const auto reset = static_cast<std::int64_t>(look.ticks().reset_after());
        const std::int64_t full = exact.ticks_until(exact.now().burst);
        if (remaining != exact.remaining())
            return differ("remaining", remaining, exact.remaining());
        if (reset != full) return differ("reset_after", reset, full);
    }
    return std::nullopt;
}

}  // namespace oracle

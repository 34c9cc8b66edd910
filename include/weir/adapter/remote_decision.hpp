// SPDX-License-Identifier: MIT
// remote_rule, remote_decision and remote_acquisition: by which rule a limit in Redis decides, and
// what it answers.
#pragma once

#include <cstdint>

#include <weir/adapter/redis_error.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/text.hpp>
#include <weir/cell/decision.hpp>
#include <weir/limiter/acquire.hpp>

namespace weir {

enum class remote_rule : std::uint8_t {
    gcra,            // also called a token bucket, or a leaky bucket as a meter
    fixed_window,    // so many in a window that opens with the first unit
    sliding_window,  // the weighted estimate of two windows of the clock
    sliding_log,     // never more than so many in any period
};
[[nodiscard]] constexpr const char* describe(remote_rule rule) noexcept {
    switch (rule) {
        case remote_rule::gcra: return "gcra";
        case remote_rule::fixed_window: return "fixed_window";
        case remote_rule::sliding_window: return "sliding_window";
        case remote_rule::sliding_log: return "sliding_log";
    }
    return "unknown rule";
}

// True if the units may pass. If there was no decision it is false, and `error` says why: whoever
// prefers to let requests pass while Redis is away asks `admitted() || failed()`.
class [[nodiscard]] remote_decision {
public:
    // Whoever was told of a failure asks again after that: by then a connection is tried again.
    static constexpr nanoseconds after_a_failure = milliseconds(100);

    constexpr remote_decision(redis_error reason) noexcept  // NOLINT(google-explicit-constructor)
        : retry_after_(after_a_failure), error_(reason) {}
    constexpr remote_decision(weir::verdict v, std::uint64_t units, std::uint64_t remaining,
                              nanoseconds retry_after, nanoseconds reset_after,
                              std::uint64_t idle_at = 0) noexcept
        : units_(units),
          remaining_(remaining),
          idle_at_(idle_at),
          retry_after_(retry_after),
          reset_after_(reset_after),
          verdict_(v) {}

    [[nodiscard]] constexpr bool admitted() const noexcept {
        return !failed() && verdict_ == verdict::admitted;
    }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }

    // `wait` if there was no decision.
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept { return verdict_; }

    [[nodiscard]] constexpr bool failed() const noexcept { return error_ != redis_error::none; }
    [[nodiscard]] constexpr redis_error error() const noexcept { return error_; }

    // Units that were taken; for `acquire_up_to`.
    [[nodiscard]] constexpr std::uint64_t units() const noexcept { return units_; }

    // As a limiter's, at the time at which Redis decided. If there was no decision the first and
    // the last are 0, and `retry_after` is `after_a_failure`.
    [[nodiscard]] constexpr std::uint64_t remaining() const noexcept { return remaining_; }
    [[nodiscard]] constexpr nanoseconds retry_after() const noexcept { return retry_after_; }
    [[nodiscard]] constexpr nanoseconds reset_after() const noexcept { return reset_after_; }

    // When the limit is as good as new, in microseconds of Redis's time: the floor of a lease. 0 if
    // there was no decision.
    [[nodiscard]] constexpr std::uint64_t idle_at() const noexcept { return idle_at_; }

private:
    std::uint64_t units_ = 0;
    std::uint64_t remaining_ = 0;
    std::uint64_t idle_at_ = 0;
    nanoseconds retry_after_;
    nanoseconds reset_after_;
    weir::verdict verdict_ = weir::verdict::wait;
    redis_error error_ = redis_error::none;
};

// "admitted, 19 remaining", "wait 100 ms", "never", or the error's sentence.
[[nodiscard]] constexpr text to_text(const remote_decision& d) noexcept {
    if (d.failed()) return text(describe(d.error()));
    text t(describe(d.verdict()));
    if (d.admitted()) return t.add(", ").add(d.remaining()).add(" remaining");
    if (d.verdict() == verdict::wait) t.add(" ").add(to_text(d.retry_after()).c_str());
    return t;
}

// How waiting for units ended: as `acquisition`, and if the last try failed, why. An error that no
// wait will help, such as a wrong password, ends it as `never`; any other as `too_late`.
struct [[nodiscard]] remote_acquisition {
    ending how;
    nanoseconds wait;
    redis_error error = redis_error::none;

    [[nodiscard]] constexpr explicit operator bool() const noexcept {
        return how == ending::acquired;
    }
};
[[nodiscard]] constexpr text to_text(const remote_acquisition& a) noexcept {
    if (a.error != redis_error::none) return text(describe(a.error));
    return to_text(acquisition{a.how, a.wait});
}

namespace detail {

// What somebody who waits does after a decision: ends, or asks again after `how.wait`.
struct remote_turn {
    bool ends;
    remote_acquisition how;
};
[[nodiscard]] constexpr remote_turn turn_after(const remote_decision& d, nanoseconds waited,
                                               nanoseconds patience,
                                               nanoseconds next_try) noexcept {
    if (d) return {true, {ending::acquired, {}}};
    if (d.verdict() == verdict::never) return {true, {ending::never, {}}};
    nanoseconds wait = d.retry_after();
    if (d.failed()) {
        if (!may_pass_later(d.error())) return {true, {ending::never, {}, d.error()}};
        wait = next_try > milliseconds(1) ? next_try : nanoseconds(milliseconds(1));
    }
    // A patience below zero waits for nothing, not even for nothing at all.
    const bool is_late =
        patience < nanoseconds{} || wait.count() > patience.count() - waited.count();
    return {is_late, {ending::too_late, wait, d.error()}};
}

}  // namespace detail

}  // namespace weir

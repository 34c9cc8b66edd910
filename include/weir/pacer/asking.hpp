// SPDX-License-Identifier: MIT
// asking: what a pacer asks of a limit, whichever it is: may an item go now, or when? And what it
// tells a limit: another rate. Functions without a state of their own; the thread that polls calls
// them. None allocates, and each takes as long as the limit does.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>

namespace weir {

// A schedule makes all items wait for the same time. Other limits let cheap items go before dear
// ones.
template <class Limit>
concept has_next_slot = requires(const Limit l) {
    l.next();
};

// A limit whose rate a pacer can change.
template <class Limit>
concept changes_rate = requires(Limit l, const quota& q, instant<typename Limit::clock_type> now) {
    l.set_rate(q, now);
}
|| requires(Limit l, const quota& q, instant<typename Limit::clock_type> now) {
    l.set_quota(q, nanoseconds{}, now);
};

// Items have limits of their own, so there is no time that producers could be told.
template <class Limit>
concept is_of_each_key = requires {
    typename Limit::of_each_key;
};

// What a limit says to an item.
template <clock Clock>
struct limit_answer {
    weir::verdict verdict;
    instant<Clock> until{};  // only if the item has to wait
};
// The same of a limit with an in_flight.
template <clock Clock, class Token>
struct call_answer : limit_answer<Clock> {
    Token token{};      // of the call, if it may begin
    bool held = false;  // it waits for another call's end too, which comes at no known time
};

namespace detail {

// No longer than a quarter of the word's circle.
template <clock Clock>
[[nodiscard]] word ticks_to_wait(std::uint64_t ticks) noexcept {
    constexpr word longest = largest<word> / 4;
    return ticks > longest ? longest : static_cast<word>(ticks);
}
template <clock Clock, class Decision>
[[nodiscard]] word ticks_to_wait(const Decision& d) noexcept {
    std::uint64_t ticks = 0;
    if constexpr (requires { d.ticks().retry_after(); }) {
        ticks = d.ticks().retry_after();
    } else {
        ticks = to_whole_ticks<Clock>(d.retry_after());  // it has been rounded up already
    }
    return ticks_to_wait<Clock>(ticks);
}

}  // namespace detail

// Charges the limit for an item if it may go now.
template <class Limit, clock Clock>
[[nodiscard, gnu::always_inline]] inline limit_answer<Clock> ask(Limit& limit, word cost,
                                                                 instant<Clock> now) noexcept {
    const auto d = limit.try_acquire(cost, now);
    if (d.verdict() != verdict::wait) return {d.verdict()};
    return {verdict::wait, now + detail::ticks_to_wait<Clock>(d)};
}

// The same, and takes a place. Until when the quota alone would have it wait.
template <calling Limit, clock Clock>
[[nodiscard]] inline call_answer<Clock, typename Limit::token_type>
ask(Limit& limit, word cost, instant<Clock> now) noexcept {
    auto d = limit.try_acquire(cost, now);
    if (d.verdict() != verdict::wait) return {{d.verdict()}, d.take_token()};
    const word ticks = detail::ticks_to_wait<Clock>(to_whole_ticks<Clock>(d.quota_wait()));
    return {{verdict::wait, now + ticks}, {}, d.place_refused()};
}

// The limit stays as it is if it cannot keep this rate, and says why not.
template <changes_rate Limit, clock Clock>
auto change_rate(Limit& limit, const quota& q, instant<Clock> now) noexcept {
    if constexpr (requires { limit.set_rate(q, now); }) {
        return limit.set_rate(q, now);
    } else {
        return limit.set_quota(q, {}, now);
    }
}

}  // namespace weir

// SPDX-License-Identifier: MIT
// shadow: a limit that decides and counts, and lets everything pass: to see what a quota would
// refuse before it refuses.
//
//     weir::limiter<> api{weir::per_second(100)};
//     weir::shadow trial(api);
//     if (!trial.try_acquire().would()) log("would have been refused");
//     auto refused = trial.observer().snapshot().denied;
//
// It is a limit, so it can take the place of the one that it shadows in an `all_of`, in `acquire`
// and in a pacer. What the limit admits it charges, and what it would refuse it does not: so the
// counts are what they would be if callers went away after a refusal. The limit's own observer
// counts as ever. Nothing is reserved, as nobody has to wait.
//
// Entries of tables are limits by value, which often live for one call. So their shadows count
// nothing unless they are told to by an observer; the table's own observer counts for all entries.
//
// Any number of threads may call everything. As lock-free as the limit and the observer are.
#pragma once

#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/limit.hpp>

namespace weir {

// Admitted in any case. `would` is what the limit has decided.
template <limit_decision Decision>
class [[nodiscard]] shadow_decision {
public:
    constexpr explicit shadow_decision(const Decision& its) noexcept : its_(its) {}

    [[nodiscard]] static constexpr bool admitted() noexcept { return true; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return true; }
    [[nodiscard]] static constexpr weir::verdict verdict() noexcept { return verdict::admitted; }
    [[nodiscard]] static constexpr word remaining() noexcept { return largest<word>; }
    [[nodiscard]] static constexpr nanoseconds reset_after() noexcept { return {}; }
    [[nodiscard]] static constexpr nanoseconds retry_after() noexcept { return {}; }

    [[nodiscard]] constexpr const Decision& would() const noexcept { return its_; }

private:
    Decision its_;
};

template <limit Limit, class Observer = std::conditional_t<limit_view<Limit>, unobserved, counters>>
class shadow {
    static_assert(
        !calling<Limit>,
        "a shadow lets calls pass that have no place: shadow the quotas, and not an all_of "
        "with an in_flight");
    static_assert(hears_decisions<Observer>,
                  "an observer has every function of weir::unobserved: see cell/observer.hpp");

public:
    using clock_type = typename Limit::clock_type;
    using instant = weir::instant<clock_type>;

    // The limit must outlive it, unless it is one by value.
    constexpr explicit shadow(detail::given_limit<Limit> limit) noexcept : limit_(limit) {}
    template <detail::not_named<Limit> Other>
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): `not_named` takes no such object
    constexpr explicit shadow(Other&& limit) noexcept
        : shadow(detail::named<Limit, Other>(limit)) {}

    // Admitted, whatever the limit decides.
    [[gnu::always_inline]] auto try_acquire(unit_count n = 1) noexcept {
        if constexpr (requires(Limit & l) { l.try_acquire(n); }) {
            return told(limit_.get().try_acquire(n), n);
        } else {
            return try_acquire(n, clock_type::now());
        }
    }
    [[gnu::always_inline]] auto try_acquire(unit_count n, instant now) noexcept {
        return told(limit_.get().try_acquire(n, now), n);
    }

    // What the limit would decide is not counted here.
    [[nodiscard]] shadow_decision<decision_of<Limit>> peek(unit_count n = 1) const noexcept {
        return peek(n, clock_type::now());
    }
    [[nodiscard]] shadow_decision<decision_of<Limit>> peek(unit_count n,
                                                           instant now) const noexcept {
        return shadow_decision<decision_of<Limit>>(std::as_const(limit_.get()).peek(n, now));
    }

    // The one that it shadows. A shadow of a limit by value is one too.
    [[nodiscard]] Limit& shadowed() const noexcept { return limit_.get(); }
    [[nodiscard]] const void* identity() const noexcept requires limit_view<Limit> {
        return limit_.identity();
    }

    [[nodiscard]] const Observer& observer() const noexcept { return observer_; }
    [[nodiscard]] Observer& observer() noexcept { return observer_; }

private:
    template <class Decision>
    [[gnu::always_inline]] shadow_decision<Decision> told(const Decision& d, word n) noexcept {
        tell(observer_, d.verdict(), n);
        return shadow_decision<Decision>(d);
    }

    detail::kept_limit<Limit> limit_;
    [[no_unique_address]] Observer observer_;
};

// An entry of a table may be given by value: shadow(shots[player]).
template <class Limit>
shadow(Limit&&) -> shadow<std::remove_cvref_t<Limit>>;

}  // namespace weir

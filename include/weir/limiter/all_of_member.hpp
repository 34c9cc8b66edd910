// SPDX-License-Identifier: MIT
// What an all_of knows of a member: its clock, how to read it, and what it answers to a look. An
// in_flight has no clock; it is told no time, and asked for one place however many units there are.
#pragma once

#include <concepts>
#include <utility>

#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>

namespace weir::detail {

// In place of a clock and of a time.
struct no_time {};

template <class Member>
struct member {
    using clock = typename Member::clock_type;
    using time = instant<clock>;
    using decision = decision_of<Member>;

    [[nodiscard, gnu::always_inline]] static time now() noexcept { return clock::now(); }
    [[nodiscard, gnu::always_inline]] static time at(tick now) noexcept { return time(now); }
    [[nodiscard, gnu::always_inline]] static decision peek(const Member& its, word n,
                                                           time now) noexcept {
        return its.peek(n, now);
    }
};
template <places Member>
struct member<Member> {
    using clock = no_time;
    using time = no_time;
    using decision = decltype(std::declval<const Member&>().peek());

    [[nodiscard, gnu::always_inline]] static time now() noexcept { return {}; }
    [[nodiscard, gnu::always_inline]] static time at(tick) noexcept { return {}; }
    [[nodiscard, gnu::always_inline]] static decision peek(const Member& its, word, time) noexcept {
        return its.peek();
    }
};

template <class Clock, class... Others>
struct first_clock {
    using type = Clock;
};
template <class Next, class... Others>
struct first_clock<no_time, Next, Others...> : first_clock<Next, Others...> {};

// Do all that have a clock have the same one?
template <class... Clocks>
inline constexpr bool one_clock = ((std::same_as<Clocks, typename first_clock<Clocks...>::type> ||
                                    std::same_as<Clocks, no_time>)&&...);

// So that a pacer knows the clock of limits that have the same one.
template <class... Clocks>
struct common_clock {};
template <class... Clocks>
    requires one_clock<Clocks...>
struct common_clock<Clocks...> {
    using clock_type = typename first_clock<Clocks...>::type;
};

}  // namespace weir::detail

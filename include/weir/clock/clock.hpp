// SPDX-License-Identifier: MIT
// What a clock is: a type with a static now() in ticks and a frequency, which it knows at compile
// time or learns at run time. Whatever reads time takes such a type. A clock that derives from
// another one has a now() of its own, as its instants are of its own.
//
// Choose a clock that nobody sets back: the core's counter and the system's monotonic clock are
// such clocks, utc_clock is not. A limit whose clock was set back denies until the clock is where
// it was. That takes at most burst + max(debt, queue) + guard: about two hours by default, one
// for windows. A log counts its guard twice. A fixed_window takes up to a period more; windows of
// the clock, which are late by whole windows, take up to two: that is days where a window is a day.
// If the clock was set back by more, the limit begins anew, with a burst. An `adjustable` limit
// denies for as long as the clock was set back by. Who sets a clock back calls `reset` on the
// limits that read it, which ends the denial.
#pragma once

#include <concepts>
#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

struct clock_facts {
    const char* source;       // what is read
    std::uint64_t hertz;      // ticks per second, no fewer than they are
    nanoseconds granularity;  // the smallest step that now() makes
    bool invariant;           // the same rate at all times and on all cores
    const char* note = "";    // why it is this clock and not the core's counter, or what is wrong

    static constexpr const char* not_measured = "the counter's frequency is not known: the "
                                                "system's clock stood still or is slow to read, or "
                                                "nobody entered it";
    static constexpr const char* not_invariant = "the core's counter does not run at one rate";
    static constexpr const char* out_of_bounds = "the counter's frequency is out of bounds";
};

template <class C>
concept clock = requires {
    { C::now() }
    noexcept->std::same_as<instant<C>>;
    { C::hertz() }
    noexcept->std::same_as<std::uint64_t>;
    // Within these bounds on every machine, so that a quota can be checked at compile time.
    { C::lowest_hertz } -> std::convertible_to<std::uint64_t>;
    { C::highest_hertz } -> std::convertible_to<std::uint64_t>;
    { C::facts() }
    noexcept->std::same_as<clock_facts>;
};

// A clock that measures its frequency does not know it exactly. Then hertz() is the highest that it
// may be, so a limit is never above its quota; and least_hertz() is the lowest, so a time that is
// told is long enough. Other clocks have no least_hertz(): theirs is hertz(). A clock that passes
// on another clock's hertz() must pass on its least_hertz() too.
template <clock C>
[[nodiscard]] constexpr std::uint64_t least_hertz() noexcept {
    if constexpr (requires { C::least_hertz(); }) {
        return C::least_hertz();
    } else {
        return C::hertz();
    }
}

namespace detail {

// Rounded up.
[[nodiscard]] constexpr nanoseconds time_at(std::uint64_t hertz, std::uint64_t ticks) noexcept {
    if (hertz == nanoseconds::per_second) {
        return nanoseconds(ticks <= INT64_MAX ? static_cast<std::int64_t>(ticks) : INT64_MAX);
    }
    const wide time = divide_up(multiply(ticks, nanoseconds::per_second), {0, hertz});
    return nanoseconds(time.fits(INT64_MAX) ? static_cast<std::int64_t>(time.low) : INT64_MAX);
}

}  // namespace detail

// Rounded up, so that who waits as long is not early.
template <clock C>
[[nodiscard]] constexpr nanoseconds to_time(std::uint64_t ticks) noexcept {
    return detail::time_at(least_hertz<C>(), ticks);
}

// Between the bounds, where the frequency most likely is.
template <clock C>
[[nodiscard]] constexpr std::uint64_t likely_hertz() noexcept {
    const std::uint64_t least = least_hertz<C>();
    return least + (C::hertz() - least) / 2;
}

// For a thread that sleeps and then looks at the clock again. By to_time it would sleep 10 us too
// long in a second.
template <clock C>
[[nodiscard]] constexpr nanoseconds to_likely_time(std::uint64_t ticks) noexcept {
    return detail::time_at(likely_hertz<C>(), ticks);
}

// Rounded up too; a negative time is none.
template <clock C>
[[nodiscard]] constexpr std::uint64_t to_ticks(nanoseconds time) noexcept {
    if (time <= nanoseconds{}) return 0;
    const wide ticks = divide_up(multiply(static_cast<std::uint64_t>(time.count()), C::hertz()),
                                 {0, nanoseconds::per_second});
    return ticks.fits(UINT64_MAX) ? ticks.low : UINT64_MAX;
}

// Rounded down, so that nothing waits longer than it wants to: the most ticks whose to_time is no
// longer.
template <clock C>
[[nodiscard]] constexpr std::uint64_t to_whole_ticks(nanoseconds time) noexcept {
    if (time <= nanoseconds{}) return 0;
    const wide ticks = divide(multiply(static_cast<std::uint64_t>(time.count()), least_hertz<C>()),
                              {0, nanoseconds::per_second})
                           .quotient;
    return ticks.fits(UINT64_MAX) ? ticks.low : UINT64_MAX;
}

// All processes of a machine read the same time, so limits in memory that they share may count by
// it. A clock says so: a process may have a time of its own, such as its frames.
template <class C>
concept machine_clock = clock<C> && requires {
    requires C::is_of_machine;
};

// Nobody reads it: each call is told the time, see given.hpp.
template <class C>
concept told_clock = clock<C> && requires {
    requires !C::is_read;
};

namespace detail {

// The time of a call that may be told it.
template <clock C>
[[nodiscard, gnu::always_inline]] inline instant<C> time_of_call() noexcept {
    return C::now();
}
template <clock C>
[[nodiscard, gnu::always_inline]] inline instant<C> time_of_call(instant<C> now) noexcept {
    return now;
}

// No more than a quarter of the circle: further, and it would seem to be before.
template <clock C>
[[nodiscard]] constexpr instant<C> after(instant<C> now, std::uint64_t ticks) noexcept {
    constexpr word most = largest<word> / 4;
    return now + (ticks < most ? static_cast<word>(ticks) : most);
}

}  // namespace detail

// A time later or more.
template <clock C>
[[nodiscard]] constexpr instant<C> later(instant<C> now, nanoseconds time) noexcept {
    return detail::after(now, to_ticks<C>(time));
}

// From `a` to `b`, rounded up; none if `b` is not later.
template <clock C>
[[nodiscard]] constexpr nanoseconds time_between(instant<C> a, instant<C> b) noexcept {
    return earlier(a, b) ? to_time<C>(static_cast<word>(b.count - a.count)) : nanoseconds{};
}

// A time later or less. The longest time never ends.
template <clock C>
[[nodiscard]] constexpr instant<C> no_later(instant<C> now, nanoseconds time) noexcept {
    const bool ends = time != nanoseconds::longest();
    return detail::after(now, ends ? to_whole_ticks<C>(time) : UINT64_MAX);
}

namespace detail {

// For a thread that waits: it refreshes a clock that stands still until somebody does, as nobody
// else may.
template <clock C>
[[nodiscard]] instant<C> fresh_now() noexcept {
    if constexpr (requires {
                      { C::refresh() } -> std::same_as<instant<C>>;
                  }) {
        return C::refresh();
    } else {
        return C::now();
    }
}

}  // namespace detail

// How much of the time until an instant of this clock a thread may sleep before it reads the clock
// again. A clock that does not call itself invariant may be set meanwhile, by a test for example.
template <clock C>
[[nodiscard]] nanoseconds may_sleep(nanoseconds time) noexcept {
    static const bool trusted = C::facts().invariant;  // slow to ask
    constexpr nanoseconds soon = milliseconds(10);
    return trusted || time < soon ? time : soon;
}

}  // namespace weir

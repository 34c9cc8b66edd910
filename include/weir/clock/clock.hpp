// What a clock is: a type with a static now() in ticks and a frequency, which it knows at compile
// time or learns at run time. Whatever reads time takes such a type.
#pragma once

#include <concepts>
#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>

namespace weir {

struct clock_facts {
    const char* source;       // what is read
    std::uint64_t hertz;      // ticks per second
    nanoseconds granularity;  // the smallest step that now() makes
    bool invariant;           // the same rate at all times and on all cores
};

template <class C>
concept clock = requires {
    { C::now() }
    noexcept->std::same_as<tick>;
    { C::hertz() }
    noexcept->std::same_as<std::uint64_t>;
    // Within these bounds on every machine, so that a quota can be checked at compile time.
    { C::lowest_hertz } -> std::convertible_to<std::uint64_t>;
    { C::highest_hertz } -> std::convertible_to<std::uint64_t>;
    { C::facts() }
    noexcept->std::same_as<clock_facts>;
};

// Rounded up, so that who waits as long is not early.
template <clock C>
[[nodiscard]] constexpr nanoseconds to_time(std::uint64_t ticks) noexcept {
    if (C::hertz() == nanoseconds::per_second) {
        return nanoseconds(ticks <= INT64_MAX ? static_cast<std::int64_t>(ticks) : INT64_MAX);
    }
    const wide time = divide_up(multiply(ticks, nanoseconds::per_second), {0, C::hertz()});
    return nanoseconds(time.fits(INT64_MAX) ? static_cast<std::int64_t>(time.low) : INT64_MAX);
}

// Rounded up too; a negative time is none.
template <clock C>
[[nodiscard]] constexpr std::uint64_t to_ticks(nanoseconds time) noexcept {
    if (time <= nanoseconds{}) return 0;
    const wide ticks = divide_up(multiply(static_cast<std::uint64_t>(time.count()), C::hertz()),
                                 {0, nanoseconds::per_second});
    return ticks.fits(UINT64_MAX) ? ticks.low : UINT64_MAX;
}

// Rounded down, so that nothing waits longer than it wants to.
template <clock C>
[[nodiscard]] constexpr std::uint64_t to_whole_ticks(nanoseconds time) noexcept {
    const std::uint64_t up = to_ticks<C>(time);
    return up == 0 || to_time<C>(up) <= time ? up : up - 1;
}

// A time later, but no more than a quarter of the circle: further, and it would seem to be before.
template <clock C>
[[nodiscard]] constexpr tick later(tick now, nanoseconds time) noexcept {
    const std::uint64_t ticks = to_ticks<C>(time);
    constexpr word most = largest<word> / 4;
    return {now.count + (ticks < most ? static_cast<word>(ticks) : most)};
}

}  // namespace weir

// SPDX-License-Identifier: MIT
// A length of time that needs no <chrono>, which is large and missing on bare metal. Every integral
// std::chrono duration converts to it, and it converts to std::chrono::nanoseconds.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/wide.hpp>

namespace weir {

// Anything shaped like std::chrono::duration with an integral representation.
template <class D>
concept duration_like = std::integral<typename D::rep> && requires(const D d) {
    { d.count() } -> std::integral;
    { D::period::num } -> std::convertible_to<std::int64_t>;
    { D::period::den } -> std::convertible_to<std::int64_t>;
};

class nanoseconds {
public:
    static constexpr std::int64_t per_second = 1'000'000'000;

    constexpr nanoseconds() noexcept = default;
    constexpr explicit nanoseconds(std::int64_t count) noexcept : count_(count) {}

    // Implicit, so that `1s` may be given where a length of time is asked for. Rounded up to whole
    // nanoseconds, so that no period and no wait becomes too short. What does not fit becomes the
    // longest time (292 years).
    template <duration_like Duration>
    constexpr nanoseconds(Duration d) noexcept  // NOLINT(google-explicit-constructor)
        : nanoseconds(std::in_range<std::int64_t>(d.count())
                          ? from(static_cast<std::int64_t>(d.count()), Duration::period::num,
                                 Duration::period::den)
                          : longest()) {}

    template <duration_like Duration>
        requires(Duration::period::num == 1 && Duration::period::den == per_second)
    constexpr operator Duration() const noexcept {  // NOLINT(google-explicit-constructor)
        return Duration(static_cast<typename Duration::rep>(count_));
    }

    [[nodiscard]] constexpr std::int64_t count() const noexcept { return count_; }

    [[nodiscard]] static constexpr nanoseconds longest() noexcept { return nanoseconds(INT64_MAX); }

    friend constexpr bool operator==(nanoseconds, nanoseconds) = default;
    friend constexpr auto operator<=>(nanoseconds, nanoseconds) = default;

    // What does not fit becomes the longest time, or the shortest. With std::chrono's, too.
    [[nodiscard]] friend constexpr nanoseconds operator+(nanoseconds a, nanoseconds b) noexcept {
        std::int64_t sum = 0;
        if (!__builtin_add_overflow(a.count_, b.count_, &sum)) return nanoseconds(sum);
        return a.count_ < 0 ? nanoseconds(INT64_MIN) : longest();
    }

    // count * numerator / denominator seconds: any ratio, so also the frames of a game at 60 Hz.
    [[nodiscard]] static constexpr nanoseconds from(std::int64_t count, std::int64_t numerator,
                                                    std::int64_t denominator) noexcept {
        if (numerator > INT64_MAX / per_second) {
            return count > 0 ? longest() : nanoseconds(count < 0 ? -INT64_MAX : 0);
        }
        const std::uint64_t size =
            count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
        const wide scaled =
            divide_up(multiply(size, static_cast<std::uint64_t>(numerator * per_second)),
                      {0, static_cast<std::uint64_t>(denominator)});
        const std::int64_t whole =
            scaled.fits(INT64_MAX) ? static_cast<std::int64_t>(scaled.low) : INT64_MAX;
        return nanoseconds(count < 0 ? -whole : whole);
    }

private:
    std::int64_t count_ = 0;
};

// Anything shaped like std::chrono::time_point with an integral representation.
template <class T>
concept time_point_like = duration_like<typename T::duration> &&
    requires(const T time, typename T::duration since) {
    typename T::clock;
    { time.time_since_epoch() } -> std::same_as<typename T::duration>;
    T(since);
};

// That much later by the same clock, rounded up to its ticks; a negative time is none. What is
// later than the clock can tell is the last time that it can, so `now() + nanoseconds::longest()`
// is never in the past.
template <time_point_like T>
[[nodiscard]] constexpr T operator+(const T& begin, nanoseconds time) noexcept {
    using duration = typename T::duration;
    using rep = typename duration::rep;
    if (time <= nanoseconds{}) return begin;
    const wide ticks = divide_up(
        multiply(static_cast<std::uint64_t>(time.count()),
                 static_cast<std::uint64_t>(duration::period::den)),
        multiply(nanoseconds::per_second, static_cast<std::uint64_t>(duration::period::num)));
    constexpr auto bits = static_cast<std::make_unsigned_t<rep>>(-1);
    constexpr auto last = std::uint64_t{std::is_signed_v<rep> ? bits / 2 : bits};
    const auto now = static_cast<std::uint64_t>(begin.time_since_epoch().count());
    return T(duration(static_cast<rep>(ticks.fits(last - now) ? now + ticks.low : last)));
}

template <time_point_like T>
[[nodiscard]] constexpr T operator+(nanoseconds time, const T& begin) noexcept {
    return begin + time;
}

template <time_point_like T>
constexpr T& operator+=(T& begin, nanoseconds time) noexcept {
    return begin = begin + time;
}

[[nodiscard]] constexpr nanoseconds microseconds(std::int64_t count) noexcept {
    return nanoseconds::from(count, 1, 1'000'000);
}
[[nodiscard]] constexpr nanoseconds milliseconds(std::int64_t count) noexcept {
    return nanoseconds::from(count, 1, 1'000);
}
[[nodiscard]] constexpr nanoseconds seconds(std::int64_t count) noexcept {
    return nanoseconds::from(count, 1, 1);
}
[[nodiscard]] constexpr nanoseconds minutes(std::int64_t count) noexcept {
    return nanoseconds::from(count, 60, 1);
}
[[nodiscard]] constexpr nanoseconds hours(std::int64_t count) noexcept {
    return nanoseconds::from(count, 3'600, 1);
}

}  // namespace weir

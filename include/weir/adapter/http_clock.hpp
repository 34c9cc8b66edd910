// SPDX-License-Identifier: MIT
// http_clock: the civil time as a program gives it, to compare what others tell since 1970 with.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/clock/instant.hpp>
#include <weir/clock/utc.hpp>

namespace weir::http {

namespace detail {

// std::chrono::system_clock's times, and nobody else's: they count from 1970.
template <class T>
concept system_time = time_point_like<T> && requires(const T& t) {
    T::clock::to_time_t(t);
};

// An instant of weir's own civil clock, where there is one.
template <class T>
inline constexpr bool is_utc_instant = false;
#ifdef CLOCK_MONOTONIC
template <>
inline constexpr bool is_utc_instant<instant<utc_clock>> = true;
#endif

}  // namespace detail

class utc_time {
public:
    template <detail::system_time T>
    constexpr utc_time(const T& now) noexcept  // NOLINT(google-explicit-constructor)
        : utc_time(since_1970(nanoseconds(now.time_since_epoch()))) {}

    template <class Instant>
        requires detail::is_utc_instant<Instant>
    constexpr utc_time(Instant now) noexcept  // NOLINT(google-explicit-constructor)
        : utc_time(since_1970(nanoseconds(static_cast<std::int64_t>(now.count)))) {
        static_assert(sizeof(now.count) == 8, "a word of 32 bits cannot hold a time since 1970: "
                                              "take std::chrono::system_clock::now()");
    }

    // Not constexpr, as in `instant`.
    template <weir::detail::looks_like_a_time Other>
        requires(!detail::system_time<Other> && !detail::is_utc_instant<Other>)
    utc_time(Other)
    noexcept {  // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Other) == 0,
                      "this is no time since 1970: take std::chrono::system_clock::now() or "
                      "weir::utc_clock::now(), or write utc_time::since_1970(time)");
    }

    // A time of your own.
    [[nodiscard]] static constexpr utc_time since_1970(nanoseconds time) noexcept {
        return utc_time(own{}, time < nanoseconds{} ? nanoseconds{} : time);
    }

    [[nodiscard]] constexpr nanoseconds since_1970() const noexcept { return time_; }

private:
    struct own {};
    constexpr utc_time(own, nanoseconds time) noexcept : time_(time) {}

    nanoseconds time_;
};

}  // namespace weir::http

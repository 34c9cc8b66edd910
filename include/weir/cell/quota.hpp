// SPDX-License-Identifier: MIT
// A quota: how many units per period may pass, and how many of them at one instant, the burst. If
// nobody names the burst it is the period's units: per_second(100) lets 100 pass at one instant and
// then one every 10 ms, so up to 200 in some second; per_second(100).with_burst(1) only one every
// 10 ms.
// A value that has been checked; it knows neither clock nor cell. What a cell makes of it is the
// cell's `rate`.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/text.hpp>
#include <weir/cell/quota_error.hpp>

// A quota that is written in the program is checked by the compiler. Where exceptions are on a
// variable may be given too, and is checked at run time; where they are off it does not compile, as
// `quota::make` and `parse_quota` can report what is wrong with it.
#ifdef __cpp_exceptions
#define WEIR_CHECKED constexpr
#else
#define WEIR_CHECKED consteval
#endif

namespace weir {

class quota {
public:
    // Burst is B, not B - 1: a fresh limit passes exactly `burst` units at one instant.
    [[nodiscard]] static constexpr result<quota, quota_error>
    make(std::int64_t units, nanoseconds period, std::int64_t burst) noexcept {
        if (units <= 0) return quota_error::units_not_positive;
        if (period <= nanoseconds{}) return quota_error::period_not_positive;
        if (period >= nanoseconds::longest()) return quota_error::period_too_long;
        if (burst <= 0) return quota_error::burst_not_positive;
        return quota(checked{}, units, period, burst);
    }

    // The same for those who want no error value: an invalid constant does not compile. An invalid
    // variable throws `refused`; without exceptions no variable compiles, it takes `make`.
    WEIR_CHECKED quota(std::int64_t units, nanoseconds period, std::int64_t burst)
        : quota(make(units, period, burst).value()) {}

    // The burst is the period's units: all of them may pass at once.
    WEIR_CHECKED quota(std::int64_t units, nanoseconds period) : quota(units, period, units) {}

    // The same rate, but `burst` units may pass at once; a window's must be the period's units.
    [[nodiscard]] WEIR_CHECKED quota with_burst(std::int64_t burst) const {
        return {units(), period_, burst};
    }

    [[nodiscard]] constexpr std::int64_t units() const noexcept { return units_; }
    [[nodiscard]] constexpr nanoseconds period() const noexcept { return period_; }
    [[nodiscard]] constexpr std::int64_t burst() const noexcept { return burst_; }

    friend constexpr bool operator==(const quota&, const quota&) = default;

private:
    struct checked {};
    constexpr quota(checked, std::int64_t units, nanoseconds period, std::int64_t burst) noexcept
        : units_(units), period_(period), burst_(burst) {}

    std::int64_t units_;
    nanoseconds period_;
    std::int64_t burst_;
};

// As many may pass at once, if with_burst does not say otherwise.
[[nodiscard]] WEIR_CHECKED quota per_second(std::int64_t units) { return {units, seconds(1)}; }
[[nodiscard]] WEIR_CHECKED quota per_minute(std::int64_t units) { return {units, seconds(60)}; }
[[nodiscard]] WEIR_CHECKED quota per_hour(std::int64_t units) { return {units, hours(1)}; }
[[nodiscard]] WEIR_CHECKED quota per_day(std::int64_t units) { return {units, hours(24)}; }

// 0.5 per second would be none, and 1.9 would be 1.
template <class T>
concept not_whole = std::is_floating_point_v<T>;
template <not_whole Units>
quota per_second(Units) {
    static_assert(sizeof(Units) == 0,
                  "units are whole: write per_minute(30) and not per_second(0.5)");
    __builtin_unreachable();
}
template <not_whole Units>
quota per_minute(Units) {
    static_assert(sizeof(Units) == 0,
                  "units are whole: write per_hour(30) and not per_minute(0.5)");
    __builtin_unreachable();
}
template <not_whole Units>
quota per_hour(Units) {
    static_assert(sizeof(Units) == 0, "units are whole: write per_day(12) and not per_hour(0.5)");
    __builtin_unreachable();
}
template <not_whole Units>
quota per_day(Units) {
    static_assert(sizeof(Units) == 0, "units are whole: write quota(1, hours(48))");
    __builtin_unreachable();
}

namespace detail {

// A name in a quota's text, and what it stands for.
struct symbol {
    const char* name;
    std::uint64_t value;
};
inline constexpr symbol period_units[] = {
    {"d", 86'400'000'000'000},
    {"h", 3'600'000'000'000},
    {"min", 60'000'000'000},
    {"s", 1'000'000'000},
    {"ms", 1'000'000},
    {"us", 1'000},
    {"ns", 1},
    {"", 0},
};

// In the largest unit of which it is a whole number: "s", "20ms".
[[nodiscard]] constexpr text text_of_period(nanoseconds period) noexcept {
    const auto count = static_cast<std::uint64_t>(period.count());
    const symbol* unit = period_units;
    while (count % unit->value != 0) ++unit;
    text t;
    if (count != unit->value) t.add(count / unit->value);
    return t.add(unit->name);
}

}  // namespace detail

// As `parse_quota` reads it: "500/min", "20/100ms, burst 5".
[[nodiscard]] constexpr text to_text(const quota& q) noexcept {
    text t;
    t.add(static_cast<std::uint64_t>(q.units())).add("/");
    t.add(detail::text_of_period(q.period()).c_str());
    if (q.burst() != q.units()) t.add(", burst ").add(static_cast<std::uint64_t>(q.burst()));
    return t;
}

}  // namespace weir

#undef WEIR_CHECKED

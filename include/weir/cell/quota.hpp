// A quota: how many units per period may pass, and how many of them at one instant. A value that
// has been checked; it knows neither clock nor cell. What a cell makes of it is the cell's `rate`.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>

namespace weir {

class quota {
public:
    // Burst is B, not B - 1: a fresh limit passes exactly `burst` units at one instant.
    [[nodiscard]] static constexpr result<quota> make(std::int64_t units, nanoseconds period,
                                                      std::int64_t burst) noexcept {
        if (units <= 0) return error::units_not_positive;
        if (period <= nanoseconds{}) return error::period_not_positive;
        if (period >= nanoseconds::longest()) return error::period_too_long;
        if (burst <= 0) return error::burst_not_positive;
        return quota(checked{}, units, period, burst);
    }

    // The same for those who want no error value: an invalid constant does not compile, an invalid
    // variable throws `refused`.
    WEIR_CHECKED quota(std::int64_t units, nanoseconds period, std::int64_t burst)
        : quota(make(units, period, burst).value()) {}

    // A whole period's units may pass at once.
    WEIR_CHECKED quota(std::int64_t units, nanoseconds period) : quota(units, period, units) {}

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

[[nodiscard]] WEIR_CHECKED quota per_second(std::int64_t units) { return {units, seconds(1)}; }
[[nodiscard]] WEIR_CHECKED quota per_minute(std::int64_t units) { return {units, seconds(60)}; }
[[nodiscard]] WEIR_CHECKED quota per_hour(std::int64_t units) { return {units, seconds(3600)}; }

// 0.5 per second would be none, and 1.9 would be 1.
template <class T>
concept not_whole = std::is_floating_point_v<T>;
quota per_second(not_whole auto units) = delete;
quota per_minute(not_whole auto units) = delete;
quota per_hour(not_whole auto units) = delete;

}  // namespace weir

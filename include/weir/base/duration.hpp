// A length of time that needs no <chrono>, which is large and missing on bare metal. Every integral
// std::chrono duration converts to it, and it converts to std::chrono::nanoseconds.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
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

    // Implicit, so that `quota{100, 1s}` reads as it should. Rounded up to whole nanoseconds: a
    // period or a wait that is too short would admit too much. What does not fit becomes the
    // longest time (292 years), which no quota accepts.
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

    // count * numerator / denominator seconds: any ratio, so also the frames of a game at 60 Hz.
    [[nodiscard]] static constexpr nanoseconds from(std::int64_t count, std::int64_t numerator,
                                                    std::int64_t denominator) noexcept {
        if (numerator > INT64_MAX / per_second) return count > 0 ? longest() : nanoseconds(count);
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

[[nodiscard]] constexpr nanoseconds microseconds(std::int64_t count) noexcept {
    return nanoseconds::from(count, 1, 1'000'000);
}
[[nodiscard]] constexpr nanoseconds milliseconds(std::int64_t count) noexcept {
    return nanoseconds::from(count, 1, 1'000);
}
[[nodiscard]] constexpr nanoseconds seconds(std::int64_t count) noexcept {
    return nanoseconds::from(count, 1, 1);
}

}  // namespace weir

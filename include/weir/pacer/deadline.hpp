// SPDX-License-Identifier: MIT
// deadline: when an item is of no use any more. A value; it belongs to whoever has it.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

// At that very tick the item still is of use. Without a time it is of use for ever.
template <class Clock>
class deadline {
public:
    constexpr deadline() noexcept = default;
    constexpr explicit deadline(instant<Clock> at) noexcept : at_(at), is_set_(true) {}

    // So long from now. What is further ahead than the clock can tell is never.
    [[nodiscard]] static deadline in(nanoseconds time) noexcept {
        const std::uint64_t ticks = to_ticks<Clock>(time);
        if (ticks > largest<word> / 2) return {};
        return deadline(detail::fresh_now<Clock>() + static_cast<word>(ticks));
    }

    // Not constexpr, as in `instant`.
    template <class Other>
    deadline(Other) noexcept {  // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Other) == 0,
                      "this is no deadline by the pacer's clock: write weir::deadline(time), or "
                      "weir::deadline<Clock>::in(duration)");
    }

    [[nodiscard]] constexpr bool is_set() const noexcept { return is_set_; }
    [[nodiscard]] constexpr bool missed(instant<Clock> now) const noexcept {
        return is_set_ && earlier(at_, now);
    }
    // The first tick at which it is missed, if it is set.
    [[nodiscard]] constexpr instant<Clock> missed_at() const noexcept { return at_ + 1; }

private:
    instant<Clock> at_{};
    bool is_set_ = false;
};

}  // namespace weir

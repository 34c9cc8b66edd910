// SPDX-License-Identifier: MIT
// given_clock: the time of those who bring their own, such as a game's frames, the time stamps of
// events or the ticks of a trading framework. Nobody reads it, so each call is told the time, and a
// call that is told none does not compile. Each Tag is a clock of its own.
//
//     using event_time = weir::given_clock<struct events, 1'000'000>;  // in microseconds
//     weir::limiter<weir::gcra<>, event_time> limit{weir::per_second(100)};
//     limit.try_acquire(1, weir::instant<event_time>(event.microseconds));
//
// A time may be late by the limit's guard, an hour if its options do not say otherwise: that only
// denies more. One that is later still begins the limit anew, with a burst, and one that is ahead
// of the others brings too much.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

template <class Tag, std::uint64_t Hertz>
class given_clock {
public:
    static_assert(Hertz > 0, "a clock has ticks");
    static constexpr bool is_read = false;
    static constexpr std::uint64_t lowest_hertz = Hertz;
    static constexpr std::uint64_t highest_hertz = Hertz;

    [[nodiscard]] static instant<given_clock> now() noexcept {
        static_assert(sizeof(Tag*) == 0, "nobody reads a given_clock: tell this call the time");
        return instant<given_clock>();
    }
    [[nodiscard]] static constexpr std::uint64_t hertz() noexcept { return Hertz; }
    [[nodiscard]] static constexpr clock_facts facts() noexcept {
        return {"given", Hertz, nanoseconds::from(1, 1, static_cast<std::int64_t>(Hertz)), false};
    }
};

}  // namespace weir

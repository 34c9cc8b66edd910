// coarse_clock: the system's monotonic time as of the last timer interrupt. Its now() is the
// cheapest that the system offers, and late by up to facts().granularity, some milliseconds: a
// limit that reads it is never above its quota, but lets a burst's refill come that much late.
#pragma once

#include <weir/clock/clock.hpp>
#include <weir/clock/steady.hpp>

namespace weir {

#ifdef CLOCK_MONOTONIC_COARSE
struct coarse_clock : detail::system_clock<coarse_clock, CLOCK_MONOTONIC_COARSE> {
    [[nodiscard]] static clock_facts facts() noexcept {
        return {"CLOCK_MONOTONIC_COARSE", hertz(), granularity(), true};
    }
};
#endif

}  // namespace weir

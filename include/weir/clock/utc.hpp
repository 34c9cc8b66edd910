// SPDX-License-Identifier: MIT
// utc_clock: the system's civil clock in nanoseconds since 1970, for windows that follow the
// calendar's seconds and minutes as others count them. People and NTP set it, and what it is set
// back by is taken from the limits, for an hour or two by default (see clock.hpp): it belongs to
// aligned windows and to nothing else.
#pragma once

#include <weir/base/duration.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/steady.hpp>

namespace weir {

#ifdef CLOCK_MONOTONIC
struct utc_clock : detail::system_clock<utc_clock, CLOCK_REALTIME> {
    [[nodiscard]] static clock_facts facts() noexcept {
        return {"CLOCK_REALTIME", hertz(), granularity(), false};
    }
};
#endif

}  // namespace weir

// SPDX-License-Identifier: MIT
// options: what a limit can be told beside its quota; the defaults suit almost everybody.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>

namespace weir {

struct options {
    static constexpr std::int64_t whole_burst = INT64_MIN;
    static constexpr std::int64_t by_guard = INT64_MIN;
    static constexpr nanoseconds by_word{INT64_MIN};

    // Units that are there at the first decision or `peek`. A limit does not read its clock while
    // it is constructed, so further units come from that moment on; what must begin to fill earlier
    // is asked earlier, by a `peek`.
    std::int64_t start = whole_burst;

    // How many units `charge` may take beyond what is there.
    std::int64_t debt = whole_burst;

    // How many units `reserve` may promise ahead of what is there. By default as many as come
    // within the default guard.
    std::int64_t queue = by_guard;

    // How far a given `now` may lie behind the latest one without admitting more. By default an
    // hour in 64-bit words; 50 ms in 32-bit words, where one core is late by an interrupt at most;
    // and never more than 1/1024 of the time after which the word wraps (of the numbers of windows,
    // where these are counted). It is a price too: after the clock was set back, a limit may deny
    // for as long as burst + max(debt, queue) + guard, unless it is `reset`; see clock.hpp.
    nanoseconds guard = by_word;

    // Token buckets only: refill a whole period's units at each period's end and none in between.
    // Those who wait for that, or take it ahead, share it: nobody takes more of it than they need.
    bool whole_periods = false;

    // Aligned windows only: one of them begins at this time of the clock, and so do those whole
    // periods before and after it. With utc_clock the time counts from 1970: hours(22) makes days
    // that begin at 22:00 UTC. See `set_anchor`.
    nanoseconds anchor{};
};

}  // namespace weir

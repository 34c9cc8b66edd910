// SPDX-License-Identifier: MIT
// Stops one thread before each of its accesses in turn, while a second acts; and that one some of
// its own accesses later, while a third does.
#pragma once

#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/atomic.hpp>

namespace stopped {

// `fresh()` makes what they act on anew, and `before`, `mine`, `first` and `second` act on it. The
// second thread is stopped `later` accesses after it began, from 0 up to `latest`: `next(later)` is
// tried then. Returns how often somebody was stopped, or nobody was.
template <class Fresh, class Before, class Mine, class First, class Second, class Next>
int stop_twice(std::uint64_t seed, Fresh fresh, Before before, Mine mine, First first,
               Second second, int latest, Next next) {
    int stops = 0;
    bool is_over = false;
    for (int when = 0; !is_over && !testing::Test::HasFailure(); ++when) {
        for (int later = 0; later < latest && !is_over; later = next(later)) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", stopped before access " +
                         std::to_string(when) + " and " + std::to_string(later) + " later");
            auto h = fresh();
            before(h);
            bool was_stopped_again = false;
            const bool was_stopped = stop(
                when, [&] { mine(h); },
                [&] {
                    first(h);
                    left = later;
                    others = [&] {
                        was_stopped_again = true;
                        second(h);
                    };
                });
            others = nullptr;
            h.fits();
            ++stops;
            is_over = !was_stopped && !was_stopped_again && later == 0;
            if (!was_stopped_again) break;
        }
    }
    return stops;
}

}  // namespace stopped

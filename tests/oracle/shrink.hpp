// SPDX-License-Identifier: MIT
// The smallest part of a failing history that still fails, found by leaving out runs of events.
#pragma once

#include <cstddef>
#include <vector>

namespace oracle {

template <class Event, class Fails>
[[nodiscard]] std::vector<Event> shrunk(std::vector<Event> events, Fails fails) {
    for (std::size_t run = events.size() / 2; run > 0; run /= 2) {
        for (std::size_t at = 0; at + run <= events.size();) {
            std::vector<Event> fewer = events;
            const auto from = fewer.begin() + static_cast<std::ptrdiff_t>(at);
            fewer.erase(from, from + static_cast<std::ptrdiff_t>(run));
            if (fails(fewer)) {
                events = fewer;
            } else {
                at += run;
            }
        }
    }
    return events;
}

}  // namespace oracle

// SPDX-License-Identifier: MIT
// accuracy: how exactly a limit keeps its rate while it is asked without pause.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include <weir/base/word.hpp>

namespace bench {

// Units that were admitted between two turns, the time between these, and how wrong that may be: of
// a turn, a call that was admitted after one that was refused, it is not known when between the
// beginning of the one and the end of the other it could have been admitted. They are the surest
// turn of each half. Of a clock that goes in steps, a step may have passed when it goes on.
template <class Subject>
[[nodiscard]] std::string accuracy(Subject& limit, weir::word units,
                                   std::chrono::nanoseconds length, std::chrono::nanoseconds step) {
    using clock = std::chrono::steady_clock;
    struct turn {
        clock::duration within = clock::duration::max();
        clock::time_point at{};
        std::uint64_t units = 0;  // admitted before it
    };
    std::array<turn, 2> turns;
    std::optional<clock::time_point> refusal;
    std::uint64_t admitted = 0;
    const auto begin = clock::now();
    for (auto before = begin; before - begin < length;) {
        const bool ok = limit.take(units);
        const auto after = clock::now();
        if (!ok) {
            refusal = before;
        } else {
            if (refusal) {
                turn& best = turns[after - begin > length / 2 ? 1 : 0];
                const auto within = after - *refusal;
                if (within < best.within) best = {within, after, admitted};
            }
            refusal.reset();
            admitted += units;
        }
        before = after;
    }
    const auto& [first, last] = turns;
    constexpr auto never = clock::duration::max();
    if (first.within == never || last.within == never) return "0 0 0";
    const auto ns = [](auto time) { return ' ' + std::to_string(time.count()); };
    return std::to_string(last.units - first.units) + ns(last.at - first.at) +
           ns(first.within + last.within + 2 * step);
}

}  // namespace bench

// SPDX-License-Identifier: MIT
// suggestion: the smallest quota with which a limit refuses fewer than some share of the arrivals.
// Its period is given, and its burst is to its units as that of the quota that was asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>

#include "command/sim/arrival.hpp"
#include "command/sim/subject.hpp"

namespace weir::command {

struct suggestion {
    std::string limit;
    std::optional<quota> enough;
    std::uint64_t refused = 0;          // by it
    std::optional<quota> too_small;     // the next smaller one,
    std::uint64_t refused_by_less = 0;  // and how many that refuses
    std::string why_not;                // there is none
};

struct suggestion_terms {
    std::uint64_t share;  // in hundred-millionths: 0 is none
    quota like;           // the period, and the burst in relation to the units
    nanoseconds longest_wait;
};

// Fewer than that share, or none if the share is 0.
[[nodiscard]] bool are_fewer(std::uint64_t refused, std::uint64_t share, std::uint64_t all);

// `goes_on` is asked now and then, and false ends the search without a suggestion.
[[nodiscard]] suggestion suggest(const limit_kind& kind, const std::vector<arrival>& all,
                                 const suggestion_terms& terms,
                                 const std::function<bool()>& goes_on);

}  // namespace weir::command

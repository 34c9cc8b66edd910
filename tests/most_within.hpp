// SPDX-License-Identifier: MIT
// The most units in any half-open interval of a length, of what is recorded in the order of its
// times. oracle::passages knows the same while a history goes on; the demo, which is no test, has
// its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include <weir/base/word.hpp>

// `at` and `units` are the members of a Record that tell when and how many.
template <class Record>
[[nodiscard]] weir::word most_within(weir::word length, const std::vector<Record>& all,
                                     weir::word Record::*at, weir::word Record::*units) {
    weir::word most = 0;
    weir::word sum = 0;
    std::size_t first = 0;
    for (const Record& last : all) {
        while (last.*at - all[first].*at >= length) sum -= all[first++].*units;
        sum += last.*units;
        most = std::max(most, sum);
    }
    return most;
}

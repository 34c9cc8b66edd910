// SPDX-License-Identifier: MIT
// What was admitted, and the most of it in any span of time. By exact integers, over all spans:
// what is known of an instant only from when to when counts only in spans that hold both.
#pragma once

#include <cstddef>
#include <vector>

#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>

namespace weir::soak {

// Units, admitted at some instant from `from` to `to`, in ticks.
struct passage {
    word from;
    word to;
    word units;
};
using passages = std::vector<passage>;

// What time brings: so much per tick, from one instant on, and at another rate from a later one on.
// And how many units less than the largest burst there can be at an instant, if the burst changes.
class income {
public:
    income(word begin, word per_tick, word less = 0) : pieces_{{begin, per_tick, less, {}}} {}

    // `at` is not before the last change.
    void change(word at, word per_tick, word less = 0);

    // From the beginning until then.
    [[nodiscard]] wide until(word instant) const;
    [[nodiscard]] word less_at(word instant) const;

private:
    struct piece {
        word begin;
        word per_tick;
        word less;
        wide before;
    };
    [[nodiscard]] const piece* at(word instant) const;

    std::vector<piece> pieces_;
};

// The span in which the most passed beyond what time brought in it.
struct busiest {
    wide excess;  // over what time brought, and with what there was less at its beginning
    word from = 0;
    word to = 0;
    word units = 0;
};

[[nodiscard]] double ratio_of(wide part, wide whole);

// A unit costs `per_unit` of what time brings. Spans begin where a passage does; one of no units is
// a place to begin.
[[nodiscard]] busiest busiest_span(const passages& all, const income& brought, word per_unit);

// The most units in any half-open interval of that length, each taken to have passed at its `from`.
[[nodiscard]] word most_in_interval(passages all, word length);

// The most units in any window from k x period to (k + 1) x period.
[[nodiscard]] word most_in_window(const passages& all, word period);

// The most that a sliding_window has to have counted at an admission: the units in its window, and
// of those in the window before the share that a period still covers; in units times period. Times
// are in granules of 2^coarseness ticks, and so is the period.
[[nodiscard]] word most_weighted(const passages& all, word period, unsigned coarseness);

}  // namespace weir::soak

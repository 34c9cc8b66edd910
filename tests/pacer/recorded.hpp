// SPDX-License-Identifier: MIT
// What went and when, and whether any window held more than its limit allows. Exact: in integers of
// 128 bits, over all windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>

#include "../most_within.hpp"
#include "../oracle/exact.hpp"

namespace pacing {

using exact = oracle::integer;

class recorded {
public:
    void add(weir::word at, weir::word cost = 1) { items_.push_back({at, cost}); }
    void clear() { items_.clear(); }
    [[nodiscard]] std::size_t size() const { return items_.size(); }
    [[nodiscard]] weir::word at(std::size_t i) const { return items_[i].at; }

    // In each window W no more than floor((W + tau) / iv) + 1 items of one unit; of what costs
    // more, (W + tau) / iv units and the last item. With iv = period / units in ticks, and tau in
    // halves of iv and ticks: for items i < j, the costs from i to before j take no longer than
    // from i to j and tau. As a[k] = at - iv x (costs before k), that is a[i] - a[j] <= tau.
    [[nodiscard]] bool keeps(weir::word units, weir::word period, weir::word half_intervals,
                             weir::word ticks = 0) const {
        const exact u = 2 * static_cast<exact>(units);
        const exact p = 2 * static_cast<exact>(period);
        const exact tau = static_cast<exact>(half_intervals) * static_cast<exact>(period) +
                          static_cast<exact>(ticks) * u;
        exact costs = 0;
        exact highest = 0;
        bool first = true;
        for (const item& i : items_) {
            const exact a = static_cast<exact>(i.at) * u - costs * p;
            if (first || a > highest) highest = a;
            first = false;
            if (highest - a > tau) return false;
            costs += static_cast<exact>(i.cost);
        }
        return true;
    }

    // The most units in any half-open window of so many ticks.
    [[nodiscard]] weir::word most_within(weir::word window) const {
        return ::most_within(window, items_, &item::at, &item::cost);
    }

private:
    struct item {
        weir::word at;
        weir::word cost;
    };
    std::vector<item> items_;
};

}  // namespace pacing

// SPDX-License-Identifier: MIT
// estimate: when an item that is pushed into a lane will go: for certain no earlier than, and as a
// guess. Pure functions on what a lane_set tells producers. The producer of the lane calls them;
// they are wait-free.
#pragma once

#include <cstddef>

#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/asking.hpp>

namespace weir::detail {

// No item that is pushed now goes before that, unless the pacer is resumed earlier or the limit
// changed. So it counts only what is before the item in its lane and goes for certain: other lanes
// may be left, and polls may be so late that all that has a deadline expires.
template <class LaneSet>
[[nodiscard]] auto earliest_time(const LaneSet& all, const typename LaneSet::lane_type& mine,
                                 word cost, typename LaneSet::instant now) noexcept {
    const auto from = all.pause().after(now);
    if (cost == 0) return from;
    const auto& outlook = all.outlook_of(mine);
    const auto next = outlook.next();
    if constexpr (has_next_slot<typename LaneSet::limit_type>) {
        return outlook.after(next, mine.certain_units(), from);
    } else {
        return outlook.after_bursts(mine.certain_units(), from);
    }
}

// A guess that counts everything: see `producer::estimate`. Of the units in the lane the last `own`
// belong to the item that is asked for.
template <class LaneSet>
[[nodiscard]] auto expected_time(const LaneSet& all, std::size_t lane, word own,
                                 typename LaneSet::instant now) noexcept {
    const auto& mine = all[lane];
    const auto& outlook = all.outlook_of(mine);
    const auto next = outlook.next();  // before the units: see `outlook::next`
    const word units = mine.items.approx_units();
    const word before = units > own ? units - own : 0;
    word all_before = before;
    if constexpr (LaneSet::count > 1) {
        all.each_other(lane,
                       [&](const auto& other) { all_before += other.units_before(mine, before); });
    }
    return outlook.after(next, all_before, all.pause().after(now));
}

}  // namespace weir::detail

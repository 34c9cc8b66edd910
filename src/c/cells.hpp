// SPDX-License-Identifier: MIT
// The cell that options name, out of the catalogue, and the options themselves.
#pragma once

#include <cstdint>
#include <string_view>

#include <weir/base/duration.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/cell/options.hpp>
#include <weir/table/array_places.hpp>
#include <weir/weir.h>

#include "border.hpp"

namespace weir::c {

inline constexpr std::string_view usual_cell = "gcra";

// act(cell's name, options, refunds), unless the options are refused.
template <class Act>
[[nodiscard]] weir_status with_options(const weir_options* given, Act act) {
    weir_options o = WEIR_OPTIONS_INIT;
    if (const weir_status s = read(given, o); s != WEIR_OK) return s;
    if (o.whole_periods > 1 || o.refunds > 1) return WEIR_NO_VALUE;
    options to;
    if (o.start != WEIR_DEFAULT) to.start = o.start;
    if (o.debt != WEIR_DEFAULT) to.debt = o.debt;
    if (o.queue != WEIR_DEFAULT) to.queue = o.queue;
    if (o.guard_ns != WEIR_DEFAULT) to.guard = nanoseconds(o.guard_ns);
    to.whole_periods = o.whole_periods != 0;
    to.anchor = nanoseconds(o.anchor_ns);
    return act(o.cell == nullptr ? usual_cell.data() : o.cell, to, o.refunds != 0);
}

// act(kind) for the cell of that name.
template <class Act>
[[nodiscard]] weir_status with_cell(std::string_view name, Act act) {
    weir_status s = WEIR_NO_CELL;
    for_each_kind([&](auto kind) {
        if (name == kind.name) s = act(kind);
    });
    return s;
}

}  // namespace weir::c

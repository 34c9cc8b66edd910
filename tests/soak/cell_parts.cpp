// SPDX-License-Identifier: MIT
// Each cell with a clock, and the rounds of its family.
#include <cstddef>
#include <type_traits>

#include <weir/cell/kinds.hpp>
#include <weir/clock/coarse.hpp>
#include <weir/clock/default.hpp>
#include <weir/clock/steady.hpp>

#include "cells.hpp"
#include "parts.hpp"

namespace weir::soak {
namespace {

constexpr std::size_t places = 256;

// Where an admission conforms at the time that it was given, as in a meter without portions and in
// a log, nothing hangs on how far the clocks of two cores are apart. The others have the system's
// clock, which is one for all.
template <class Cell>
struct clock_for : std::conditional<log_cell<Cell> || (!period_cell<Cell> && !holds_portions<Cell>),
                                    default_clock, steady_clock> {};
// And the coarse clock has its turn.
template <>
struct clock_for<leaky_bucket<>> {
    using type = coarse_clock;
};

}  // namespace

template <class Kind>
void soak_cell(round& r) {
    using cell = typename Kind::template cell<places>;
    using clock = typename clock_for<cell>::type;
    soak_of_its_family<cell, clock>(r, places);
}

#define SOAK(kind, ...) template void soak_cell<kinds::kind>(round&);
WEIR_CELLS(SOAK)

}  // namespace weir::soak

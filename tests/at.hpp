// SPDX-License-Identifier: MIT
// A time for tests: so many ticks of the clock of a limit, for limits whose clock has no short
// name.
#pragma once

#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>

template <class Limit>
[[nodiscard]] constexpr weir::instant<typename Limit::clock_type> at(const Limit&,
                                                                     weir::word ticks) {
    return weir::instant<typename Limit::clock_type>(ticks);
}

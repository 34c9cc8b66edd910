// SPDX-License-Identifier: MIT
// What the cells differ in, for tests that take any of them: how they measure time, whether they
// count in windows, and how far their word reaches.
#pragma once

#include <bit>
#include <cstdint>

#include <weir/base/word.hpp>
#include <weir/cell/fixed_window.hpp>
#include <weir/cell/sliding_window.hpp>

#include "exact.hpp"
#include "scenario.hpp"

namespace oracle {

enum class family { refilled, own_windows, clock_windows, weighted_windows };

template <class Rate>
inline constexpr family family_of = family::refilled;
template <class Word>
inline constexpr family family_of<weir::window_rate<Word, weir::opens::with_first_action>> =
    family::own_windows;
template <class Word>
inline constexpr family family_of<weir::window_rate<Word, weir::opens::with_clock>> =
    family::clock_windows;
template <class Word>
inline constexpr family family_of<weir::sliding_window_rate<Word>> = family::weighted_windows;

// Its quota is so many units in a window.
template <class Rate>
concept window_quota = family_of<Rate>
!= family::refilled;
template <class Cell>
concept counts_windows = window_quota<typename Cell::rate>;

// Each of its windows pays for the units of those before it.
template <class Cell>
concept pays_for_windows = counts_windows<Cell> && family_of<typename Cell::rate>
!= family::weighted_windows;

// Its windows are the clock's and its word holds their number and the units of one or two.
template <class Rate>
concept clock_quota = family_of<Rate>
== family::clock_windows || family_of<Rate> == family::weighted_windows;
template <class Cell>
concept follows_clock = clock_quota<typename Cell::rate>;
template <class Cell>
inline constexpr unsigned counts_in_word =
    family_of<typename Cell::rate> == family::weighted_windows ? 2 : 1;

// 1 tick = 2^shift fractions, and 1 step = 2^step ticks.
template <class Rate>
[[nodiscard]] unsigned shift_of(const Rate& r) {
    if constexpr (requires { r.shift(); }) return r.shift();
    return 0;
}
template <class Rate>
[[nodiscard]] unsigned step_of(const Rate& r) {
    if constexpr (requires { r.coarseness(); }) return r.coarseness();
    return 0;
}

// The period as it is held, in fractions of a tick and in ticks, rounded up.
template <class Rate>
[[nodiscard]] integer period_of(const Rate& r) {
    return integer{r.period()} << step_of(r);
}
template <class Rate>
[[nodiscard]] integer ticks_of_period(const Rate& r) {
    return ceiling_of(period_of(r), integer{1} << shift_of(r));
}

// Clocks whose windows have numbers never wrap: nothing is promised from here on.
inline constexpr integer end_of_clock = integer{1} << 63U;

// How many windows of the clock the word of such a cell can tell apart: what the units leave of it.
template <follows_clock Cell>
[[nodiscard]] integer window_numbers(const scenario& s) {
    const auto bits =
        static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(s.burst + s.debt())));
    return integer{1} << (weir::bits_of<typename Cell::word_type> - counts_in_word<Cell> * bits);
}

// How many ticks a given `now` may be late: where windows are counted, by default no more than
// 1/1024 of their numbers.
template <class Cell>
[[nodiscard]] integer guard_of(const scenario& s, const typename Cell::rate& r) {
    const integer ticks = s.template guard<typename Cell::word_type>(shift_of(r));
    if constexpr (follows_clock<Cell>) {
        const integer usual = (window_numbers<Cell>(s) >> 10U) * ticks_of_period(r);
        if (s.options.guard == weir::options::by_word) return std::min(ticks, usual);
    }
    return ticks;
}

// What lies further ahead of now is a relic. A window that was told when it ends may begin a whole
// period ahead of now, and the guard is for clocks that are late beside that.
template <class Cell>
[[nodiscard]] integer furthest_ahead_of(const scenario& s, const typename Cell::rate& r) {
    const bool is_told = family_of<typename Cell::rate> == family::own_windows;
    return guard_of<Cell>(s, r) + (is_told ? period_of(r) >> shift_of(r) : 0);
}

// The same rate for a cell that counts windows: one window passes the burst. The clock's windows
// are whole ticks.
template <class Cell>
[[nodiscard]] scenario suited(scenario s) {
    if constexpr (counts_windows<Cell>) {
        s.period = static_cast<std::int64_t>(integer{s.period} * s.burst / s.units);
        s.units = s.burst;
    }
    if constexpr (follows_clock<Cell>) {
        const integer second = 1'000'000'000;
        const integer ticks = ceiling_of(integer{s.period} * integer{s.hertz}, second);
        s.period = static_cast<std::int64_t>(ceiling_of(ticks * second, integer{s.hertz}));
    }
    return s;
}

}  // namespace oracle

// SPDX-License-Identifier: MIT
// Random histories of a sliding log: a seed gives a rate that it accepts and then event after
// event, near the edges of what the model has just answered and where the log's time wraps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <weir/base/word.hpp>

#include "dice.hpp"
#include "duel.hpp"
#include "exact.hpp"
#include "history.hpp"
#include "log_duel.hpp"
#include "scenario.hpp"

namespace oracle {

[[nodiscard]] inline scenario any_log_scenario(dice& chaos) {
    static constexpr std::int64_t usual[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100};
    static constexpr std::uint64_t clocks[] = {1'000'000'000, 2'596'000'000, 19'200'000,
                                               1'000'000,     32'768,        1'000};
    const integer week = 604'800'000'000'000;
    scenario s;
    s.hertz = chaos.chance(80) ? chaos.one_of(clocks) : 1'000 + chaos.roll(5'000'000'000);
    s.burst = chaos.chance(93) ? chaos.one_of(usual)
                               : 1 + static_cast<std::int64_t>(chaos.magnitude(4'095));
    s.units = s.burst;
    const integer hundred_ticks = 100 * (1 + 1'000'000'000 / integer{s.hertz});
    const integer longest = chaos.chance(5) ? 500 * week : week;
    s.period = static_cast<std::int64_t>(hundred_ticks + chaos.magnitude(longest));
    auto& o = s.options;
    if (chaos.chance(20)) o.debt = 0;
    if (chaos.chance(20)) o.debt = static_cast<std::int64_t>(chaos.magnitude(integer{3} * s.burst));
    if (chaos.chance(15)) o.guard = weir::nanoseconds(0);
    if (chaos.chance(35)) {
        o.guard =
            weir::nanoseconds(static_cast<std::int64_t>(chaos.magnitude(integer{2} * s.period)));
    }
    if (chaos.chance(30)) o.start = static_cast<std::int64_t>(chaos.up_to(integer{s.burst}));
    return s;
}

// At 0, before the log's time or the clock itself wraps, after years, anywhere.
template <class Rate>
[[nodiscard]] integer any_log_beginning(dice& chaos, const scenario& s, const Rate& r) {
    const log_scale<Rate> scale(r);
    const integer circle = scale.ticks(scale.circle);
    const integer clock_wrap = integer{1} << 64U;
    const integer wraps = circle > clock_wrap ? 0 : circle * integer{1 + chaos.roll(4)};
    switch (chaos.roll(6)) {
        case 0: return 0;
        case 1: return chaos.magnitude(std::min(circle, clock_wrap - 1));
        case 2: return std::max<integer>(wraps - chaos.magnitude(circle), 0);
        case 3: return clock_wrap - 1 - chaos.magnitude(clock_wrap - 1);
        case 4: return integer{s.hertz} * 31'557'600 * integer{1 + chaos.roll(60)};
        default: return chaos.up_to(clock_wrap / 4);
    }
}

template <class Log>
[[nodiscard]] std::uint64_t any_log_units(dice& chaos, const log_duel<Log>& d) {
    const integer burst = d.about().burst;
    const integer most = integer{weir::largest<typename Log::word_type>};
    const auto face = chaos.roll(100);
    integer n = chaos.up_to(burst / 4 + 1);
    if (face < 80) n = chaos.magnitude(burst);
    if (face < 67) n = chaos.up_to(most);
    if (face < 65) n = most;
    if (face < 64) n = burst - 1;
    if (face < 61) n = burst + 1;
    if (face < 58) n = burst;
    if (face < 52) n = d.last().remaining + 1;
    if (face < 44) n = d.last().remaining;
    if (face < 34) n = 0;
    if (face < 30) n = 1;
    return static_cast<std::uint64_t>(n);
}

// Just before, in and just after the time that a unit seems to be recorded at some circles later.
template <class Log>
[[nodiscard]] integer any_return(dice& chaos, const log_duel<Log>& d, integer before) {
    const auto& units = d.model().units();
    if (units.empty()) return before;
    const integer time = chaos.chance(50) ? units.front() : units.back();
    const auto& scale = d.scale();
    const integer edges[] = {scale.period, scale.period - scale.longest, 0, scale.circle / 4,
                             scale.circle / 2};
    const integer at = time + scale.circle * integer{chaos.roll(4)} + chaos.one_of(edges);
    return std::max(before, scale.ticks(at) + integer{chaos.roll(5)} - 2);
}

template <class Log>
[[nodiscard]] integer any_log_instant(dice& chaos, const log_duel<Log>& d, integer before) {
    const integer period = d.scale().ticks(d.scale().period);
    const integer unit = period / d.about().burst + 1;
    const integer nudge = integer{chaos.roll(3)} - 1;
    const auto face = chaos.roll(100);
    integer now = before;
    if (face < 75) now = d.earliest();
    if (face < 72) now = before - chaos.magnitude(d.scale().guard());
    if (face < 67) now = any_return(chaos, d, before);
    if (face < 63) now = before + chaos.magnitude(d.scale().ticks(d.scale().circle));
    if (face < 60) now = before + chaos.magnitude(3 * period);
    if (face < 56) now = before + d.last().reset_after + nudge;
    if (face < 51) now = before + d.last().retry_after + nudge;
    if (face < 35) now = before + chaos.up_to(2 * unit);
    if (face < 21) now = before + chaos.up_to(4 * d.scale().ticks(1));
    if (face < 14) now = before + 1 + integer{chaos.roll(3)};
    return d.allows({action::peek, now, 0}) ? now : d.latest();
}

template <class Log>
[[nodiscard]] event any_event(dice& chaos, const log_duel<Log>& d, integer before) {
    static constexpr action usual[] = {action::try_acquire, action::try_acquire,
                                       action::try_acquire, action::acquire_up_to,
                                       action::charge,      action::peek};
    static constexpr action rare[] = {action::fill, action::save, action::restore, action::restore};
    event e{chaos.chance(94) ? chaos.one_of(usual) : chaos.one_of(rare),
            any_log_instant(chaos, d, before), any_log_units(chaos, d)};
    const auto burst = static_cast<std::uint64_t>(d.about().burst);
    if (e.what == action::fill && e.n > burst) e.n = chaos.chance(50) ? burst : 0;
    return e;
}

// `refused` counts what `make` did not take.
template <class Log>
[[nodiscard]] opening<Log> any_log_opening(dice& chaos, std::uint64_t& refused) {
    for (;; ++refused) {
        const scenario s = any_log_scenario(chaos);
        const auto rate = Log::rate::make(s.quota(), s.hertz, s.options);
        if (rate) return {s, *rate, any_log_beginning(chaos, s, *rate)};
    }
}

template <class Log>
[[nodiscard]] std::optional<std::string> log_disagreement(dice chaos, tally& sum) {
    const opening<Log> start = any_log_opening<Log>(chaos, sum.refused);
    return disagreement_from<log_duel<Log>>(start, chaos, sum);
}

}  // namespace oracle

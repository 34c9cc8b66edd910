// SPDX-License-Identifier: MIT
// Random histories: a seed gives a scenario that the cell accepts and then event after event, each
// chosen near the edges of what the model has just answered.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dice.hpp"
#include "duel.hpp"
#include "scenario.hpp"
#include "shape.hpp"
#include "shrink.hpp"

namespace oracle {

template <class Cell>
struct opening {
    scenario about;
    typename Cell::rate rate;
    integer now;
};

template <class Cell>
[[nodiscard]] scenario any_scenario_of(dice& chaos) {
    if constexpr (counts_windows<Cell>) {
        return any_window_scenario(chaos);
    } else {
        constexpr bool has_portions = requires(const typename Cell::rate r) { r.portion(); };
        return any_scenario(chaos, has_portions);
    }
}

// `refused` counts what the cell's `make` did not take.
template <class Cell>
[[nodiscard]] opening<Cell> any_opening(dice& chaos, std::uint64_t& refused) {
    using word = typename Cell::word_type;
    for (;; ++refused) {
        const scenario s = any_scenario_of<Cell>(chaos);
        const auto rate = Cell::rate::make(s.quota(), s.hertz, s.options);
        if (!rate) continue;
        if constexpr (follows_clock<Cell>) {
            const integer numbers = window_numbers<Cell>(s);
            return {s, *rate, any_beginning(chaos, s, ticks_of_period(*rate), numbers)};
        } else {
            return {s, *rate, any_beginning<word>(chaos, s, rate->shift())};
        }
    }
}

template <class Cell>
[[nodiscard]] std::uint64_t any_units(dice& chaos, const duel<Cell>& d) {
    const integer burst = d.about().burst;
    const integer most = integer{weir::largest<typename Cell::word_type>};
    const integer deepest = burst + d.about().debt();
    integer n = 1;
    const auto face = chaos.roll(100);
    if (face < 25)
        n = 1;
    else if (face < 31)
        n = 0;
    else if (face < 40)
        n = d.last().remaining;
    else if (face < 46)
        n = d.last().remaining + 1;
    else if (face < 52)
        n = burst;
    else if (face < 55)
        n = burst + 1;
    else if (face < 57)
        n = burst - 1;
    else if (face < 60)
        n = deepest;
    else if (face < 62)
        n = deepest + 1;
    else if (face < 64)
        n = most;
    else if (face < 65)
        n = chaos.up_to(most);
    // Costs that wrap to something small.
    else if (face < 68)
        n = most / integer{d.held().period()} + integer{chaos.roll(4)};
    else if (face < 74)
        n = d.about().debt();
    else if (face < 87)
        n = chaos.up_to(burst / 4 + 1);
    else
        n = chaos.magnitude(deepest);
    return static_cast<std::uint64_t>(std::min(n, most));
}

template <class Cell>
[[nodiscard]] integer any_instant(dice& chaos, const duel<Cell>& d, integer before) {
    const integer unit = (period_of(d.held()) >> shift_of(d.held())) + 1;
    const integer nudge = integer{chaos.roll(3)} - 1;
    integer now = before;
    const auto face = chaos.roll(100);
    if (face < 25)
        now = before;
    else if (face < 38)
        now = before + 1 + integer{chaos.roll(3)};
    else if (face < 45)
        now = before + integer{chaos.roll(17)};
    else if (face < 60)
        now = before + chaos.up_to(2 * unit);
    else if (face < 74)
        now = before + d.last().retry_after + (chaos.chance(50) ? nudge : 0);
    else if (face < 79)
        now = before + d.last().reset_after + nudge;
    else if (face < 87)
        now = before + chaos.magnitude(d.furthest() - before);
    else if (face < 88)
        now = d.furthest();
    else if (face < 93)
        now = before - chaos.magnitude(d.guard());
    else if (face < 96)
        now = d.earliest();
    else
        now = d.latest();
    return std::clamp(now, d.earliest(), d.furthest());
}

template <class Cell>
[[nodiscard]] event any_event(dice& chaos, const duel<Cell>& d, integer before) {
    static constexpr action usual[] = {
        action::try_acquire, action::try_acquire, action::try_acquire, action::acquire_up_to,
        action::charge,      action::peek,        action::reserve};
    static constexpr action rare[] = {action::fill, action::save, action::restore, action::restore,
                                      action::level};
    event e{chaos.chance(94) ? chaos.one_of(usual) : chaos.one_of(rare),
            any_instant(chaos, d, before), any_units(chaos, d)};
    const auto burst = static_cast<std::uint64_t>(d.about().burst);
    if (e.what == action::reserve) {
        // About what it takes, or anything.
        const integer most = integer{weir::largest<typename Cell::word_type>};
        const integer wish =
            chaos.chance(60) ? d.last().retry_after + chaos.up_to(2) - 1 : chaos.magnitude(most);
        e.patience = static_cast<std::uint64_t>(std::clamp<integer>(wish, 0, most));
    }
    if (e.what == action::fill && e.n > burst) e.n = chaos.chance(50) ? burst : 0;
    return e;
}

struct tally {
    std::uint64_t events = 0;
    std::uint64_t histories = 0;
    std::uint64_t refused = 0;
    std::uint64_t admitted = 0;
    std::uint64_t waits = 0;
    std::uint64_t nevers = 0;
    std::uint64_t late = 0;
    std::uint64_t wraps = 0;

    void count(const event& e, const answer& a, integer latest) {
        ++events;
        if (e.now < latest) ++late;
        if (a.verdict == outcome::admitted) ++admitted;
        if (a.verdict == outcome::wait) ++waits;
        if (a.verdict == outcome::never) ++nevers;
    }
};

// Plays events in a duel of cell and model, as long as they are allowed; true if the two agree.
template <class Duel>
[[nodiscard]] bool agree(Duel& d, const std::vector<event>& events) {
    for (const event& e : events) {
        if (!d.allows(e)) return true;
        if (!d.apply(e)) return false;
    }
    return true;
}

template <class Duel, class Cell>
[[nodiscard]] std::string story(const opening<Cell>& start, const std::vector<event>& events) {
    Duel d(start.about, start.rate, events.front().now);
    std::string text = text_of(start.about) + "; " + d.time_as_held() + "\nbegins with " +
                       text_of(start.about.start()) + "\n";
    for (const event& e : events) {
        const bool same = d.apply(e);
        text += text_of(e) + ": " + (same ? text_of(d.last()) : d.difference()) + "\n";
    }
    return text;
}

// Nothing, or how the two came to disagree: in the shortest part of the history that still shows
// it. A part begins with its first event.
template <class Duel, class Cell>
[[nodiscard]] std::optional<std::string> disagreement_from(const opening<Cell>& start, dice& chaos,
                                                           tally& sum) {
    Duel d(start.about, start.rate, start.now);
    std::vector<event> events(1, {action::peek, start.now, 0});
    const std::uint64_t length = 50 + chaos.roll(750);
    while (d.apply(events.back())) {
        sum.count(events.back(), d.last(), d.latest());
        if (events.size() > length || d.over() || chaos.over()) {
            ++sum.histories;
            if (d.turns(d.latest()) != d.turns(start.now)) ++sum.wraps;
            return std::nullopt;
        }
        events.push_back(any_event(chaos, d, events.back().now));
    }
    const auto fails = [&](const std::vector<event>& some) {
        Duel again(start.about, start.rate, some.empty() ? start.now : some.front().now);
        return !agree(again, some);
    };
    return story<Duel>(start, shrunk(events, fails));
}

template <class Cell>
[[nodiscard]] std::optional<std::string> disagreement(dice chaos, tally& sum) {
    const opening<Cell> start = any_opening<Cell>(chaos, sum.refused);
    return disagreement_from<duel<Cell>>(start, chaos, sum);
}

}  // namespace oracle

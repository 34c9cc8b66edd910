// SPDX-License-Identifier: MIT
// What a history is about: a quota with its options, a clock's frequency, and when it begins.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>

#include "dice.hpp"
#include "exact.hpp"

namespace oracle {

struct scenario {
    std::int64_t units = 1;
    std::int64_t period = 1;  // nanoseconds
    std::int64_t burst = 1;
    std::uint64_t hertz = 1;
    weir::options options;

    [[nodiscard]] weir::quota quota() const { return {units, weir::nanoseconds(period), burst}; }
    [[nodiscard]] integer debt() const {
        return options.debt == weir::options::whole_burst ? burst : options.debt;
    }
    // Units that reservations may promise ahead, unless that is a time.
    [[nodiscard]] std::optional<integer> promised() const {
        if (options.queue == weir::options::by_guard) return std::nullopt;
        return integer{options.queue};
    }
    [[nodiscard]] integer start() const {
        return options.start == weir::options::whole_burst ? burst : options.start;
    }

    // How many ticks a given `now` may be late. By default an hour or 50 ms, and never more than
    // 1/1024 of the time after which the word wraps.
    template <class Word>
    [[nodiscard]] integer guard(unsigned shift) const {
        const bool by_word = options.guard == weir::options::by_word;
        const integer wished = sizeof(Word) == 8 ? integer{3'600'000'000'000} : 50'000'000;
        const integer asked = by_word ? wished : integer{options.guard.count()};
        const integer ticks = floor_of(asked * integer{hertz}, 1'000'000'000);
        const integer cap = integer{weir::largest<Word> >> 10U} >> shift;
        return by_word ? std::min(ticks, cap) : ticks;
    }
};

// From 1 per hour to 1 G/s, bursts of 1 to 2^32; nobody promises that a word can hold it.
[[nodiscard]] inline scenario any_scenario(dice& chaos, bool whole_periods) {
    static constexpr std::uint64_t clocks[] = {1'000'000'000, 2'596'000'000, 19'200'000,
                                               1'000'000,     32'768,        1'000};
    static constexpr std::int64_t periods[] = {1'000,         1'000'000,      1'000'000'000,
                                               1'000'000'000, 60'000'000'000, 3'600'000'000'000};
    static constexpr std::int64_t usual_bursts[] = {1, 2, 3, 4, 5, 7, 8, 10, 15, 16, 100};
    scenario s;
    s.hertz = chaos.chance(80) ? chaos.one_of(clocks) : 1'000 + chaos.roll(5'000'000'000);
    s.period = chaos.one_of(periods);
    if (chaos.chance(20)) s.period = 1 + static_cast<std::int64_t>(chaos.magnitude(s.period));
    // The most units in the period that stay within 1 G/s.
    s.units = 1 + static_cast<std::int64_t>(chaos.magnitude(s.period - 1));
    s.burst = chaos.chance(40)
                  ? chaos.one_of(usual_bursts)
                  : 1 + static_cast<std::int64_t>(chaos.magnitude((integer{1} << 32U) - 1));
    auto& o = s.options;
    if (chaos.chance(15)) o.debt = 0;
    if (chaos.chance(15)) o.debt = static_cast<std::int64_t>(chaos.magnitude(integer{3} * s.burst));
    if (chaos.chance(15)) o.queue = 0;
    if (chaos.chance(30))
        o.queue = static_cast<std::int64_t>(chaos.magnitude(integer{3} * s.burst));
    if (chaos.chance(10)) o.guard = weir::nanoseconds(0);
    if (chaos.chance(20)) {
        o.guard = weir::nanoseconds(static_cast<std::int64_t>(chaos.magnitude(10'000'000'000)));
    }
    if (chaos.chance(30)) o.start = static_cast<std::int64_t>(chaos.up_to(integer{s.burst}));
    o.whole_periods = whole_periods && chaos.chance(35);
    return s;
}

// The same for a cell whose burst is a window's units; its windows last for up to a year.
[[nodiscard]] inline scenario any_window_scenario(dice& chaos) {
    static constexpr std::int64_t days[] = {86'400'000'000'000, 2'592'000'000'000'000,
                                            31'557'600'000'000'000};
    scenario s = any_scenario(chaos, false);
    if (chaos.chance(15)) s.period = chaos.one_of(days);
    s.units = chaos.chance(50) ? s.units : std::min(s.burst, s.period);
    s.burst = s.units;
    auto& o = s.options;
    const bool deep = chaos.chance(10);  // a debt of many windows
    const integer most = deep ? integer{1} << 31U : integer{s.burst};
    if (deep || o.debt > 0) o.debt = static_cast<std::int64_t>(chaos.magnitude(most));
    if (o.start > 0) o.start = static_cast<std::int64_t>(chaos.up_to(integer{s.burst}));
    return s;
}

// When it begins: at 0, before the word or the clock itself wraps, after years, anywhere.
template <class Word>
[[nodiscard]] integer any_beginning(dice& chaos, const scenario& s, unsigned shift) {
    const integer wrap = integer{1} << std::max(weir::bits_of<Word>, shift) >> shift;
    const integer clock_wrap = integer{1} << 64U;
    switch (chaos.roll(6)) {
        case 0: return 0;
        case 1: return chaos.magnitude(wrap);
        case 2: return wrap * integer{1 + chaos.roll(4)} - std::min(wrap, chaos.magnitude(wrap));
        // 128 bits have room for the wrap of the clock if a fraction is not absurdly small.
        case 3: return shift > 56 ? 0 : clock_wrap - chaos.magnitude(clock_wrap);
        case 4: return integer{s.hertz} * 31'557'600 * integer{1 + chaos.roll(60)};
        default: return chaos.up_to(clock_wrap >> std::min(shift, 60U));
    }
}

// The same for the windows of a clock: also at the end of one, and before their numbers wrap; never
// in the last half of what the clock can say.
[[nodiscard]] inline integer any_beginning(dice& chaos, const scenario& s, integer window,
                                           integer numbers) {
    const integer most = integer{1} << 62U;
    const integer circle = std::min(window, most / numbers + 1) * numbers;
    integer now = 0;
    switch (chaos.roll(6)) {
        case 0: return 0;
        case 1: return chaos.magnitude(most);
        case 2: now = window * chaos.magnitude(most / window) - chaos.magnitude(window); break;
        case 3: now = circle * integer{1 + chaos.roll(4)} - chaos.magnitude(circle); break;
        case 4: now = integer{s.hertz} * 31'557'600 * integer{1 + chaos.roll(60)}; break;
        default: return chaos.up_to(most);
    }
    return std::clamp<integer>(now, 0, most);
}

[[nodiscard]] inline std::string text_of(const scenario& s) {
    std::string text = text_of(integer{s.units}) + " per " + text_of(integer{s.period}) +
                       " ns, burst " + text_of(integer{s.burst}) + ", debt " + text_of(s.debt()) +
                       ", " + text_of(integer{s.hertz}) + " Hz, guard ";
    text += s.options.guard == weir::options::by_word
                ? "by word"
                : text_of(integer{s.options.guard.count()}) + " ns";
    return text + (s.options.whole_periods ? ", whole periods" : "");
}

}  // namespace oracle

// SPDX-License-Identifier: MIT
// What may happen to a pacer in a random history: from outside, and out of its own callbacks. Plain
// data, so that a part of a history can be played alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <weir/base/word.hpp>

#include "../oracle/dice.hpp"
#include "subjects.hpp"

namespace pacing {

enum class act : unsigned char {
    nothing,
    push,  // or open a lane, if the producer has none
    leave,
    poll,  // at once
    pause,
    pause_until,
    throttled,
    resume,
    set_rate,
    close,
    drain,
    discard,
    cancel,  // of lanes that can be steered; one of the items that were pushed last
    clear,
    fail,  // of callbacks: throw
    poll_when_due,
    poll_after,
};

struct order {
    act what = act::nothing;
    std::size_t producer = 0;
    weir::word n = 0;     // a cost, a rank or a rate
    weir::word time = 0;  // ticks from now
};

struct event : order {
    order then;  // of a push: what the item's callback does
};

enum class ending : unsigned char { close, drain, discard, none };

struct opening {
    weir::word start;
    weir::pacer_options options;
    bool budgets;  // some lanes have a limit of their own
    ending last;
};

// Ticks, up to so many intervals: mostly sixteenths of one, as histories of a fuzzer are short.
[[nodiscard]] inline weir::word any_time(oracle::dice& d, weir::word most) {
    const weir::word rough = d.roll(256) * (most * interval / 256);
    return rough + (rough % 3 == 0 ? d.roll(3) : 0);
}

[[nodiscard]] inline opening any_opening(oracle::dice& d) {
    opening o{d.next(), {.capacity = 5}, d.chance(50), static_cast<ending>(d.roll(4))};
    o.options.lowest_gets_one_in = d.chance(50) ? 5 : 0;
    o.options.most_drops = static_cast<unsigned>(d.roll(4));
    o.options.most_failures = static_cast<unsigned>(d.roll(4));
    return o;
}

[[nodiscard]] inline order any_push(oracle::dice& d) {
    const weir::word face = d.roll(16);
    const weir::word cost = face < 11 ? 1 : face - 11;
    return {act::push, static_cast<std::size_t>(d.roll(8)), cost,
            d.chance(30) ? 1 + any_time(d, 32) : 0};
}

[[nodiscard]] inline order any_control(oracle::dice& d) {
    static constexpr act usual[] = {act::leave,  act::pause,    act::pause_until, act::throttled,
                                    act::resume, act::set_rate, act::resume,      act::set_rate};
    static constexpr act last[] = {act::close, act::drain, act::discard};
    const act what = d.roll(32) == 0 ? d.one_of(last) : d.one_of(usual);
    return {what, static_cast<std::size_t>(d.roll(8)), d.roll(256), any_time(d, 24)};
}

// `time` says who does it: the producer, or the thread that polls.
[[nodiscard]] inline order any_steering(oracle::dice& d) {
    const act what = d.roll(8) == 0 ? act::clear : act::cancel;
    return {what, static_cast<std::size_t>(d.roll(8)), d.roll(24), d.roll(2)};
}

[[nodiscard]] inline order any_then(oracle::dice& d, bool can_be_steered) {
    const weir::word face = d.roll(128);
    if (can_be_steered && face >= 112) return any_steering(d);
    if (face < 4) return {act::fail};
    if (face < 6) return {act::poll};
    if (face < 10) return any_push(d);
    if (face < 13) return any_control(d);
    return {};
}

[[nodiscard]] inline event any_event(oracle::dice& d, bool can_be_steered) {
    const weir::word face = d.roll(128);
    if (can_be_steered && face < 16) return {any_steering(d), {}};
    if (face < 70) return {any_push(d), any_then(d, can_be_steered)};
    if (face < 105) return {{act::poll_when_due, 0, 0, d.roll(8) == 0 ? any_time(d, 4) : 0}, {}};
    if (face < 118) return {{act::poll_after, 0, 0, any_time(d, 1)}, {}};
    if (face < 119) return {{act::poll_after, 0, 0, 500 * interval}, {}};
    return {any_control(d), {}};
}

[[nodiscard]] inline std::string text_of(const order& o) {
    static constexpr const char* names[] = {
        "nothing",   "push",   "leave",    "poll",          "pause",     "pause_until",
        "throttled", "resume", "set_rate", "close",         "drain",     "discard",
        "cancel",    "clear",  "throw",    "poll_when_due", "poll_after"};
    return std::string(names[static_cast<std::size_t>(o.what)]) + " " + std::to_string(o.producer) +
           " " + std::to_string(o.n) + " " + std::to_string(o.time);
}

}  // namespace pacing

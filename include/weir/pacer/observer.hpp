// SPDX-License-Identifier: MIT
// observer: who is told what a pacer does, on the pacer's thread. `statistics` is one, and Tracy's
// `pacer_trace`.
//
// An observer of your own has every function of `unwatched`, below: copy them and fill in what you
// want to know. There is no base to inherit from, because a handler whose name is misspelt would
// then compile and never be called. A handler that is missing does not compile. None may throw.
#pragma once

#include <cstddef>
#include <type_traits>

#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

enum class pacer_event : unsigned char { paused, resumed, failing, rate, throttled };
[[nodiscard]] constexpr const char* describe(pacer_event what) noexcept {
    switch (what) {
        case pacer_event::paused: return "paused";
        case pacer_event::resumed: return "resumed";
        case pacer_event::failing: return "the sink fails";
        case pacer_event::rate: return "another rate";
        case pacer_event::throttled: return "throttled";
    }
    return "unknown event";
}

// What a pacer's thread spends its time with: it waits, takes an item from its lane, or is in the
// sink's emit.
enum class pacer_work : unsigned char { wait, pop, emit };
[[nodiscard]] constexpr const char* describe(pacer_work what) noexcept {
    switch (what) {
        case pacer_work::wait: return "wait";
        case pacer_work::pop: return "pop";
        case pacer_work::emit: return "emit";
    }
    return "unknown work";
}

// The `during` of an observer that measures no work.
struct unmeasured {
    template <class Observer>
    constexpr unmeasured(Observer&, pacer_work) noexcept {}
};

// Is told everything and leaves no instruction behind.
struct unwatched final {
    // An item is about to be handed to the sink: how late it is for its slot, how long it was in
    // its lane and how many units that lane has left.
    static void on_emit(tick /*now*/, word /*late*/, word /*queued*/, word /*left*/) noexcept {}
    // The sink has come back from `emit`; false: it threw.
    static void on_emitted(bool /*well*/) noexcept {}
    static void on_dropped(dropped /*reason*/) noexcept {}
    static void on_event(pacer_event /*what*/) noexcept {}

    // Slots were lost, see `next_poll::lost`: in a callback that took too long, or before the poll.
    static void on_lost(word /*slots*/, bool /*in_a_callback*/) noexcept {}

    // A poll is over; items() counts what is in the lanes then.
    template <class Items>
    static void on_polled(tick /*now*/, Items /*items*/) noexcept {}

    // Made from the observer and a `pacer_work`; lives as long as the pacer's thread does that.
    using during = unmeasured;
};

namespace detail {

struct item_count {
    std::size_t operator()() const noexcept;
};

}  // namespace detail

// It has all of these.
template <class T>
concept pacer_observer = std::is_default_constructible_v<T> &&
    std::is_constructible_v<typename T::during, T&, pacer_work> &&
    requires(T observer, tick now, word number, bool yes, dropped reason, pacer_event what,
             detail::item_count items) {
    observer.on_emit(now, number, number, number);
    observer.on_emitted(yes);
    observer.on_dropped(reason);
    observer.on_event(what);
    observer.on_lost(number, yes);
    observer.on_polled(now, items);
};

// An observer that turns ticks into time names its `clock_type`.
template <class T, class Clock>
inline constexpr bool counts_ticks_of = [] {
    if constexpr (requires { typename T::clock_type; }) {
        return std::is_same_v<typename T::clock_type, Clock>;
    }
    return true;
}();

namespace detail {

// An item goes: how late it is, after its slot or after its push if that came later; how long ago
// that was; and how many units are left where it was.
template <class Observer, class Queued, class Clock>
void tell_emit(Observer& observer, const Queued& its, instant<Clock> slot, instant<Clock> now,
               word left) noexcept {
    const auto ticks_since = [now](instant<Clock> then) noexcept {
        return earlier(then, now) ? now.count - then.count : word{0};
    };
    const auto since = earlier(slot, its.pushed) ? its.pushed : slot;
    observer.on_emit(now, ticks_since(since), ticks_since(its.pushed), left);
}

}  // namespace detail

}  // namespace weir

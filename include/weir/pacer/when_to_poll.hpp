// SPDX-License-Identifier: MIT
// when_to_poll: what a poll answers, out of what has to wait, a pause, and a drain. Pure functions;
// the thread that polls calls them.
#pragma once

#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/drain_state.hpp>
#include <weir/pacer/pause_state.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

// The earliest of the times that something has to wait for, if anything has to.
template <clock Clock>
struct due_time {
    instant<Clock> at{};
    bool is_set = false;

    void at_latest(instant<Clock> then) noexcept {
        if (!is_set || earlier(then, at)) at = then;
        is_set = true;
    }
};

// `sooner`: something that is pushed meanwhile may go before `due`.
template <clock Clock>
[[nodiscard]] next_poll<Clock> when_to_poll(const due_time<Clock>& due, bool sooner,
                                            const pause_state<Clock>& pause,
                                            const drain_state<Clock>& drain) noexcept {
    next_poll<Clock> next{polled::due, instant<Clock>(), !pause.paused()};
    if (pause.has_end()) {
        next.at = pause.until();
    } else if (pause.paused()) {
        next.what = polled::paused;
    } else if (due.is_set) {
        next.at = due.at;
        next.wakes = sooner;
    } else {
        next.what = polled::idle;
    }
    const instant<Clock> end = drain.until();
    if (drain.draining() && (next.what != polled::due || earlier(end, next.at))) {
        next.what = polled::due;
        next.at = end;
    }
    return next;
}

}  // namespace weir

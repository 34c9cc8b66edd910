// SPDX-License-Identifier: MIT
// control: what a pacer can be told to do: pause, resume, drain, discard, another rate. Functions
// on its parts. The thread that polls calls them, between two polls or in a callback. None blocks
// or allocates; `discard` takes as long as the sink's callbacks.
#pragma once

#include <cstddef>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/asking.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/ticket.hpp>

namespace weir::control {

// Until a time, if one is given, or until `resume`.
template <class Parts, class... Time>
void pause(Parts& p, pacer_event what, Time... until) noexcept {
    p.lanes.pause().begin(until...);
    p.lost.keeps(0);
    p.observer.on_event(what);
}

// After an emission.
template <class Parts>
void pause_if_failing(Parts& p) noexcept {
    if (p.out.fails_too_often() && !p.lanes.pause().paused()) pause(p, pacer_event::failing);
}

// Does not shorten another pause.
template <class Parts, clock Clock>
void throttle(Parts& p, nanoseconds retry_after, instant<Clock> now) noexcept {
    const auto until = later(now, retry_after);
    if (!p.lanes.pause().outlasts(until)) pause(p, pacer_event::throttled, until);
}

template <class Parts>
void resume(Parts& p) noexcept {
    p.lanes.pause().end();
    p.out.forget_failures();
    p.observer.on_event(pacer_event::resumed);
}

// The limit stays as it is if it cannot keep this rate.
template <class Parts, clock Clock>
auto set_rate(Parts& p, const quota& q, instant<Clock> now) noexcept {
    const auto reason = change_rate(p.limit, q, now);
    if constexpr (has_next_slot<typename Parts::limit_type>) {
        p.lanes.outlook().next_is(p.limit.next());
    }
    if (reason == decltype(reason)::none) {
        p.lanes.outlook().tell(p.limit);
        p.rate_changed = p.polling;
        p.observer.on_event(pacer_event::rate);
    }
    return reason;
}

template <class Parts, clock Clock>
void drain(Parts& p, instant<Clock> until) noexcept {
    p.lanes.close();
    p.drain.begin(until);
}

// Drops all there is; what was pushed while it closed the next poll drops. In a callback the poll
// under way does it.
template <class Parts>
void discard(Parts& p) noexcept {
    p.lanes.close();
    p.drain.discard();
    if (p.polling) return;
    p.polling = true;
    p.drop_all(dropped::discarded);
    p.polling = false;
}

// Withdraws the item, if it still waits. The next poll hands it back, or in a callback the one
// under way.
template <class Parts>
bool cancel(Parts& p, ticket which) noexcept {
    if (which.lane >= Parts::lane_set_type::count) return false;
    auto& lane = p.lanes[which.lane];
    lane.look_again();  // it may be unread
    const bool waited = lane.items.cancel(which.number);
    lane.look_again();
    return waited;
}
// The same with all that waits in a lane.
template <class Parts>
void clear(Parts& p, std::size_t which) noexcept {
    if (which >= Parts::lane_set_type::count) return;
    auto& lane = p.lanes[which];
    lane.look_again();
    lane.items.clear();
    lane.look_again();
}

// The end of the pacer. Emits nothing and polls no more, whatever callbacks do.
template <class Parts>
void abandon(Parts& p) noexcept {
    p.lanes.close_silently();
    p.polling = true;
    p.drop_all(dropped::abandoned);
}

}  // namespace weir::control

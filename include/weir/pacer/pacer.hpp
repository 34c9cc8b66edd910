// SPDX-License-Identifier: MIT
// pacer: lanes -> turns -> limit -> emit. Producers push into lanes of their own; `poll` lets go
// what may go now and says when it wants to be called again. This is the face of it: the walk of a
// push goes through producer.hpp, poller.hpp and asking.hpp. What a pacer can be told is in
// pacer_controls.hpp.
//
// One thread at a time polls and controls (pause, set_rate, drain and so on); a callback may
// control too. Any thread may open a lane, close the pacer, and ask what is `approx_`. There is no
// thread, no system call and no allocation in here after the construction; what an item does when
// it is emitted is the sink's (sink.hpp).
//
// Invariant: each item that was pushed is in its lane, or was handed to the sink exactly once, also
// if the sink throws: what `emit` throws is caught and counted, and so many times in a row pause
// the pacer; what `drop` throws is only caught. The destructor hands out what is left as
// `abandoned`, and nothing is ever emitted but at the limit's pace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/pacer/control.hpp>
#include <weir/pacer/deadline.hpp>
#include <weir/pacer/lost_slots.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/pacer_controls.hpp>
#include <weir/pacer/pacer_error.hpp>
#include <weir/pacer/pacer_parts.hpp>
#include <weir/pacer/poller.hpp>
#include <weir/pacer/producer.hpp>
#include <weir/pacer/sink.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/ticket.hpp>
#if __STDC_HOSTED__
#include <weir/pacer/schedule.hpp>
#endif

namespace weir {

// Limit may be a reference, to a limit that others use too.
#ifdef WEIR_HAS_DEFAULT_CLOCK
template <class Item, class Sink, class Limit = schedule<>, class Lanes = lanes<8>,
          class Observer = unwatched>
#else
template <class Item, class Sink, class Limit, class Lanes, class Observer = unwatched>
#endif
class pacer : public pacer_controls<pacer_parts<Item, Sink, Limit, Lanes, Observer>> {
    using controls = pacer_controls<pacer_parts<Item, Sink, Limit, Lanes, Observer>>;
    using controls::parts_;

public:
    using item_type = Item;
    using limit_type = std::remove_reference_t<Limit>;
    using clock_type = typename limit_type::clock_type;
    using instant = weir::instant<clock_type>;
    using deadline = weir::deadline<clock_type>;
    using next_poll = weir::next_poll<clock_type>;
    using producer_type = producer<Item, limit_type, Lanes>;
    using observer_type = Observer;
    static constexpr std::size_t lane_count = Lanes::count;
    static constexpr bool can_be_steered =
        lane_set<Item, limit_type, Lanes>::lane_type::can_be_steered;

    static_assert(weir::limit<limit_type>, "a pacer needs a limit: see limiter/limit.hpp");

    // A lane without places throws `refused`, or without exceptions prints the reason and ends the
    // program.
    pacer(Limit limit, Sink to, const pacer_options& o = {})
        : controls(std::forward<Limit>(limit), std::forward<Sink>(to), o) {
        if constexpr (Lanes::capacity == 0) {
            if (o.capacity == 0 || o.capacity == SIZE_MAX) {
                detail::refuse(pacer_error::lane_without_places);
            }
            if constexpr (can_be_steered) {
                if (o.capacity > most_steered_places) detail::refuse(pacer_error::too_many_places);
            }
        }
        detail::sink_fits<Sink, Item, limit_type>();
    }
    pacer(const pacer&) = delete;
    pacer& operator=(const pacer&) = delete;

    // Emits nothing: what is still in the lanes is dropped as `abandoned`. To have it go first,
    // `drain` and poll until it is `done`. Producers must be gone, but for what a callback pushes,
    // which is refused.
    ~pacer() { control::abandon(parts_); }

    // --- any thread

    // A lane of one's own. None if all are taken, or if it is to have a budget and the pacer has
    // but one lane: pushes say `no_lane`. None if the pacer is closed: pushes say `closed`.
    [[nodiscard]] producer_type open(const lane_options<limit_type>& o = {}) noexcept {
        if (parts_.lanes.closed()) return {nullptr, 0};
        if (lane_count == 1 && o.budget != nullptr) return {};
        const std::size_t lane = parts_.lanes.open(o);
        if (lane == lane_set<Item, limit_type, Lanes>::none) return {};
        return {&parts_.lanes, lane};
    }

    // Slots that went by unused since the beginning: see `next_poll::lost`.
    [[nodiscard]] word approx_lost() const noexcept requires counts_lost_slots<word> {
        return parts_.lost.approx();
    }

    // --- the thread that polls

    // Lets go what may go now, drops what has expired and would be next, and says when to come
    // back. The clock is read again after each callback, so that nothing goes later than it is
    // charged for. Called from a callback of its own it does nothing and says that it is due now.
    next_poll poll() noexcept {
        return detail::poll(parts_, [] { return detail::fresh_now<clock_type>(); });
    }
    // The same with all callbacks at one time.
    next_poll poll(instant now) noexcept {
        return detail::poll(parts_, [now] { return now; });
    }

    // Calls f(number, in_flight) for the limit of the pacer, number 0, and those that lanes have.
    template <class F>
    void each_in_flight(F f) noexcept requires calling<limit_type> {
        f(std::size_t{0}, parts_.limit.calls());
        for_each_lane<lane_count>(parts_.lanes.known(), [&](std::size_t i) {
            if (limit_type* const own = parts_.lanes[i].own_limit()) f(i + 1, own->calls());
        });
    }

    // Of lanes that can be steered (steered_lane.hpp): withdraws an item, or all that waits in a
    // lane. The next poll hands it back, so poll, or in a callback the one under way does. True if
    // the item still waited.
    bool cancel(ticket which) noexcept requires can_be_steered {
        return control::cancel(parts_, which);
    }
    void clear(std::size_t lane) noexcept requires can_be_steered { control::clear(parts_, lane); }
};

// The same without spelling its type: make_pacer<order>(schedule{per_second(100)}, sink{...}). What
// is given by name is referred to and must outlive it.
template <class Item, class Lanes = lanes<8>, class Observer = unwatched, class Limit, class Sink>
[[nodiscard]] auto make_pacer(Limit&& limit, Sink&& to, const pacer_options& o = {}) {
    constexpr bool is_quota = std::is_same_v<std::remove_cvref_t<Limit>, quota>;
    static_assert(
        !is_quota,
        "a pacer asks a limit: give it weir::schedule{your quota} for items at a constant "
        "rate, or weir::limiter{your quota}, whose burst goes at once");
    if constexpr (!is_quota) {
        return pacer<Item, Sink, Limit, Lanes, Observer>{std::forward<Limit>(limit),
                                                         std::forward<Sink>(to), o};
    }
}
// What somebody may write instead; the compiler says what to write.
template <class Item, std::size_t Lanes, class... Others>
int make_pacer(Others&&...) {
    static_assert(sizeof(Item) == 0,
                  "lanes are told by type: make_pacer<order, weir::lanes<8>>(...)");
    return 0;
}

}  // namespace weir

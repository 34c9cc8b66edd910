// SPDX-License-Identifier: MIT
// keyed_pacer: a pacer for many destinations (accounts, hosts, API keys) on one thread. Each key
// has a queue and a limit of its own; an overall limit may be above them all.
//
//     auto calls = weir::make_keyed_pacer<call, weir::each<&call::account>>(
//         weir::per_second(10), weir::sink{...}, {.keys = 10'000});
//
// Producers push into lanes, as with any pacer. The thread that polls moves what they push into the
// queue of its key (key_queues.hpp), and lets the oldest item of a key go when the limits allow it;
// keyed_poller.hpp says how. A key needs no making and no cleaning up: it has a place from its
// first item until nothing waits and its limit is as good as new.
//
// One thread at a time polls and controls; any thread may open a lane, close the pacer, and ask
// what is `approx_`. All memory is allocated when it is constructed. Invariant: each item that was
// pushed waits, or was handed to the sink exactly once, also if the sink throws.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/pacer/control.hpp>
#include <weir/pacer/deadline.hpp>
#include <weir/pacer/each.hpp>
#include <weir/pacer/keyed_parts.hpp>
#include <weir/pacer/keyed_poller.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/pacer_controls.hpp>
#include <weir/pacer/pacer_error.hpp>
#include <weir/pacer/poller.hpp>
#include <weir/pacer/producer.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/ticket.hpp>

namespace weir {

// Limit is the overall one, and may be a reference; `no_limit` of a clock if there is none. Lanes
// that are `steered` by a key have newer items replace older ones of that key and destination.
template <class Item, class Each, class Sink, class Limit, class Lanes = lanes<8>,
          class Observer = unwatched>
class keyed_pacer : public pacer_controls<keyed_parts<Item, Each, Sink, Limit, Lanes, Observer>> {
    using parts_type = keyed_parts<Item, Each, Sink, Limit, Lanes, Observer>;
    using controls = pacer_controls<parts_type>;
    using controls::parts_;

public:
    using item_type = Item;
    using limit_type = typename parts_type::limit_type;
    using clock_type = typename parts_type::clock_type;
    using instant = weir::instant<clock_type>;
    using deadline = weir::deadline<clock_type>;
    using next_poll = weir::next_poll<clock_type>;
    using producer_type = producer<Item, key_limits<clock_type>, typename parts_type::lanes_type>;
    using observer_type = Observer;
    static constexpr std::size_t lane_count = Lanes::count;

    static_assert(weir::limit<limit_type>, "the overall limit is no limit: see limiter/limit.hpp");

    // `each` is the quota of each key, or an array with one for each class. What cannot be held
    // throws `refused`, or without exceptions prints the reason and ends the program.
    keyed_pacer(const typename Each::quotas& each, Limit overall, Sink to,
                const keyed_pacer_options& o = {})
        : controls(each, std::forward<Limit>(overall), std::forward<Sink>(to), sound(o)) {
        detail::sink_fits<Sink, Item, limit_type>();
    }
    keyed_pacer(const keyed_pacer&) = delete;
    keyed_pacer& operator=(const keyed_pacer&) = delete;

    // Emits nothing: what still waits is dropped as `abandoned`.
    ~keyed_pacer() { control::abandon(parts_); }

    // --- any thread

    // A lane of one's own. None if all are taken: pushes say `no_lane`; or if the pacer is closed:
    // pushes say `closed`. From `high_water` items on it calls itself crowded; 0: when it is full.
    [[nodiscard]] producer_type open(std::size_t high_water = 0) noexcept {
        if (parts_.lanes.closed()) return {nullptr, 0};
        const std::size_t lane = parts_.lanes.open({.high_water = high_water});
        if (lane == parts_type::lane_set_type::none) return {};
        return {&parts_.lanes, lane};
    }

    // --- the thread that polls

    // As of any pacer.
    next_poll poll() noexcept {
        return detail::poll<keyed_poller>(parts_, [] { return detail::fresh_now<clock_type>(); });
    }
    next_poll poll(instant now) noexcept {
        return detail::poll<keyed_poller>(parts_, [now] { return now; });
    }

    // Withdraws an item, or all that waits of a lane or of a key. The next poll hands it back, so
    // poll, or in a callback the one under way does. True if the item still waited. To clear a lane
    // it looks at all places.
    bool cancel(ticket which) noexcept {
        if (which.lane >= lane_count) return false;
        const instant now = read();
        return parts_.keys.cancel(which.number, which.lane, now);
    }
    void clear(std::size_t lane) noexcept {
        const instant now = read();
        parts_.keys.clear_lane(static_cast<std::uint32_t>(lane), now);
    }
    template <class Key>
    void clear_key(const Key& key) noexcept {
        const instant now = read();
        parts_.keys.clear_key(key, now);
    }

    using controls::throttled;
    // This destination has asked for a pause (429, Retry-After): nothing of it goes before that.
    // Does not shorten another one. The others go on. False if there is no place for the key.
    template <class Key>
    bool throttled_key(const Key& key, nanoseconds retry_after) noexcept {
        const instant now = read();
        return parts_.keys.hold(key, later(now, retry_after), now);
    }

    // Calls f(number, in_flight) for that of the overall limit, number 0.
    template <class F>
    void each_in_flight(F f) noexcept requires calling<limit_type> {
        f(std::size_t{0}, parts_.limit.calls());
    }

    // Keys that have a place: something waits, or their limit is not as good as new.
    [[nodiscard]] std::size_t keys() const noexcept { return parts_.keys.keys(); }

    // What it takes of memory for each key and for each place of an item, which is allocated when
    // it is constructed.
    [[nodiscard]] static constexpr std::size_t bytes_per_key() noexcept {
        return parts_type::queues_type::bytes_per_key();
    }
    [[nodiscard]] static constexpr std::size_t bytes_per_item() noexcept {
        return parts_type::queues_type::bytes_per_item() +
               2 * sizeof(request<typename parts_type::queued_type>);
    }

private:
    [[nodiscard]] static const keyed_pacer_options& sound(const keyed_pacer_options& o) {
        if (o.keys == 0) detail::refuse(pacer_error::no_keys);
        if (Lanes::capacity == 0 && o.capacity == 0) {
            detail::refuse(pacer_error::lane_without_places);
        }
        const std::size_t places = Lanes::capacity == 0 ? o.capacity : Lanes::capacity;
        if (o.keys > most_steered_places || places > most_steered_places / Lanes::count) {
            detail::refuse(pacer_error::too_many_places);
        }
        return o;
    }

    // What was asked for before comes first.
    instant read() noexcept {
        const instant now = detail::fresh_now<clock_type>();
        parts_.read(now);
        return now;
    }
};

// The same without spelling its type. What is given by name is referred to and must outlive it.
template <class Item, class Each, class Lanes = lanes<8>, class Observer = unwatched, class Limit,
          class Sink>
    requires limit<std::remove_cvref_t<Limit>>
[[nodiscard]] auto make_keyed_pacer(const typename Each::quotas& each, Limit&& overall, Sink&& to,
                                    const keyed_pacer_options& o = {}) {
    return keyed_pacer<Item, Each, Sink, Limit, Lanes, Observer>{each, std::forward<Limit>(overall),
                                                                 std::forward<Sink>(to), o};
}
// With no overall limit.
template <class Item, class Each, class Lanes = lanes<8>, class Observer = unwatched,
#ifdef WEIR_HAS_DEFAULT_CLOCK
          clock Clock = default_clock,
#else
          clock Clock,
#endif
          class Sink>
[[nodiscard]] auto make_keyed_pacer(const typename Each::quotas& each, Sink&& to,
                                    const keyed_pacer_options& o = {}) {
    return keyed_pacer<Item, Each, Sink, no_limit<Clock>, Lanes, Observer>{
        each, no_limit<Clock>{}, std::forward<Sink>(to), o};
}

// What somebody may write instead; the compiler says what is missing.
template <class Item, class Quotas, class... Others>
int make_keyed_pacer(const Quotas&, Others&&...) {
    static_assert(sizeof(Item) == 0, "a keyed pacer is told by type what the key of an item is: "
                                     "make_keyed_pacer<call, weir::each<&call::account>>(...)");
    return 0;
}
template <class Item, auto Key, class... Others>
int make_keyed_pacer(const quota&, Others&&...) {
    static_assert(sizeof(Item) == 0, "the key stands in weir::each: "
                                     "make_keyed_pacer<call, weir::each<&call::account>>(...)");
    return 0;
}

template <class Item, class Each, class Sink>
int make_keyed_pacer(const typename Each::quotas&, const quota&, Sink&&,
                     const keyed_pacer_options& = {}) {
    static_assert(sizeof(Item) == 0,
                  "the overall limit is a limit: give it weir::schedule{your quota} for items at a "
                  "constant rate, or weir::limiter{your quota}, whose burst goes at once");
    return 0;
}

}  // namespace weir

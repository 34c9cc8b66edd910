// SPDX-License-Identifier: MIT
// keyed_parts: what a keyed pacer is made of, and how an item goes in and out: from its lane into
// the queue of its key, and from there to the sink.
//
// The thread that polls calls everything here; `lanes` has functions for other threads, and says
// which. Invariant: each item that was pushed is in a request that is unread, waits in the queue of
// its key, was withdrawn, or was given to `out` exactly once; its place is free before the sink is
// called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/pacer/drain_state.hpp>
#include <weir/pacer/emitter.hpp>
#include <weir/pacer/held_up.hpp>
#include <weir/pacer/key_queues.hpp>
#include <weir/pacer/lane_mask.hpp>
#include <weir/pacer/lane_set.hpp>
#include <weir/pacer/lost_count.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/request_lane.hpp>
#include <weir/pacer/steered_lane.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/turns.hpp>
#include <weir/table/key_hash.hpp>

namespace weir {

struct keyed_pacer_options {
    // Keys that have a place at the same time.
    std::size_t keys = 1024;

    // Items that wait for one key; 0: as many as all lanes together have places.
    std::size_t items_of_a_key = 0;

    // Places of each lane, where it is not part of the type. An item has one until it goes.
    std::size_t capacity = 1024;

    // Of the hash of keys: weir::random_seed() if strangers choose the keys.
    weir::seed seed = weir::seed(0x5EED);

    // So many withdrawn items are handed back at a time; then others come first.
    unsigned most_drops = 8;

    // So many emissions in a row that threw pause the pacer; 0: never.
    unsigned most_failures = 10;
};

// In place of the limit of a lane: each key has its own.
template <clock Clock>
struct key_limits {
    using clock_type = Clock;
    struct of_each_key {};
};

// The lanes of a keyed pacer carry requests: what waits is in the queues of the keys.
template <class Lanes>
struct keyed_lanes {
    static constexpr std::size_t count = Lanes::count;
    static constexpr std::size_t capacity = Lanes::capacity;
    static constexpr auto same = nullptr;
};
template <class Lanes, auto Key>
struct keyed_lanes<steered<Lanes, Key>> : keyed_lanes<Lanes> {
    static constexpr auto same = Key;
};
template <class Queued, class Lanes>
struct lane_kind<Queued, keyed_lanes<Lanes>> {
    using type = request_lane<Queued, Lanes::capacity>;
};

// Limit, the overall one, and Sink may be references.
template <class Item, class Each, class Sink, class Limit, class Lanes, class Observer>
struct keyed_parts {
    using limit_type = std::remove_reference_t<Limit>;
    using clock_type = typename limit_type::clock_type;
    using instant = weir::instant<clock_type>;
    using observer_type = Observer;
    using lanes_type = keyed_lanes<Lanes>;
    using lane_set_type = lane_set<Item, key_limits<clock_type>, lanes_type>;
    using queued_type = queued_item<Item, clock_type>;
    using queues_type = key_queues<queued_type, clock_type, Each, lanes_type::same>;

    static constexpr bool watched = !std::is_same_v<Observer, unwatched>;

    keyed_parts(const typename Each::quotas& each, Limit&& overall, Sink&& to,
                const keyed_pacer_options& o)
        : lanes(o.capacity),
          keys(each, o.keys, o.items_of_a_key == 0 ? places(o) : o.items_of_a_key, places(o),
               o.seed),
          limit(std::forward<Limit>(overall)),
          out(std::forward<Sink>(to), o.most_failures),
          most_drops(o.most_drops == 0 ? 1 : o.most_drops) {}

    [[nodiscard]] static constexpr std::size_t places(const keyed_pacer_options& o) noexcept {
        return Lanes::count * (Lanes::capacity == 0 ? o.capacity : Lanes::capacity);
    }

    // Does what has been asked for through the lanes.
    void read(instant now) noexcept {
        for (std::size_t i = 0; i < Lanes::count; ++i) {
            const auto lane = static_cast<std::uint32_t>(i);
            lanes[i].items.read([&](request<queued_type>&& r) {
                switch (r.what()) {
                    case requested::push:
                        keys.accept(std::move(r.queued()), r.number(), lane, now);
                        break;
                    case requested::cancel: (void)keys.cancel(r.number(), lane, now); break;
                    case requested::clear: keys.clear_lane(lane, now); break;
                }
            });
        }
    }

    // The oldest item of a key that has one.
    [[nodiscard]] queued_type take(std::uint32_t key, instant now) noexcept {
        [[maybe_unused]] const typename Observer::during popping(observer, pacer_work::pop);
        const std::uint32_t lane = keys.lane_of_front(key);
        queued_type oldest = keys.take(key, now);
        is_out(lane, oldest.cost);
        return oldest;
    }
    // Only if all is handed over.
    void drop(std::uint32_t key, dropped reason, instant now) noexcept {
        auto oldest = take(key, now);
        out.drop(std::move(oldest.item), reason, observer);
    }
    // What was withdrawn; only if all is handed over. True if there may be more of it.
    [[nodiscard]] bool hand_back() noexcept {
        for (unsigned n = 0; keys.any_withdrawn(); ++n) {
            if (n >= most_drops) return true;
            auto its = keys.take_withdrawn();
            is_out(its.lane, its.queued.cost);
            out.drop(std::move(its.queued.item), its.reason, observer);
        }
        return false;
    }
    void drop_all(dropped reason) noexcept {
        const instant now = detail::fresh_now<clock_type>();
        do {
            read(now);
            while (!keys.is_empty()) drop(keys.first(), reason, now);
            while (hand_back()) {
            }
            (void)lanes.scan(turns);
        } while (lanes.approx_size() != 0);
    }

    lane_set_type lanes;

    // The polling thread's own from here on.
    alignas(own_line) queues_type keys;
    Limit limit;
    emitter<Item, Sink> out;
    [[no_unique_address]] Observer observer;
    unsigned most_drops;
    weir::turns<Lanes::count> turns;  // which nobody asks
    drain_state<clock_type> drain;
    [[no_unique_address]] lost_count<lane_set_type> lost;
    [[no_unique_address]] held_up_if<calling<limit_type>, clock_type> held;
    bool polling = false;       // a callback may be called now
    bool rate_changed = false;  // by a callback

private:
    void is_out(std::uint32_t lane, word units) noexcept {
        lanes[lane].items.no_longer_wait(units);
        lanes[lane].items.is_out();
    }
};

}  // namespace weir

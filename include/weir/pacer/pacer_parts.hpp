// SPDX-License-Identifier: MIT
// pacer_parts: what a pacer is made of, and how an item leaves it. The parts know nothing of each
// other; `control` and `poller` act on them.
//
// The thread that polls calls everything here. `lanes` and `lost` have functions for other threads,
// and say which. Invariant: each item that was pushed is in its lane, or was given to `out` exactly
// once; an item's place in its lane is free before the sink is called.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/pacer/drain_state.hpp>
#include <weir/pacer/emitter.hpp>
#include <weir/pacer/held_up.hpp>
#include <weir/pacer/lane_mask.hpp>
#include <weir/pacer/lane_set.hpp>
#include <weir/pacer/lost_count.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/turns.hpp>

namespace weir {

// Limit and Sink may be references.
template <class Item, class Sink, class Limit, class Lanes, class Observer>
struct pacer_parts {
    using limit_type = std::remove_reference_t<Limit>;
    using clock_type = typename limit_type::clock_type;
    using instant = weir::instant<clock_type>;
    using observer_type = Observer;
    using lane_set_type = lane_set<Item, limit_type, Lanes>;
    using lane_type = typename lane_set_type::lane_type;

    // What is not watched is not looked at: the producer's line, for example.
    static constexpr bool watched = !std::is_same_v<Observer, unwatched>;

    static constexpr bool can_be_steered = lane_type::can_be_steered;

    pacer_parts(Limit&& with, Sink&& to, const pacer_options& o)
        : lanes(o.capacity),
          limit(std::forward<Limit>(with)),
          out(std::forward<Sink>(to), o.most_failures),
          most_drops(o.most_drops == 0 ? 1 : o.most_drops) {
        turns.lowest_gets_one_in(o.lowest_gets_one_in);
        lanes.outlook().tell(limit);
    }

    // The oldest item of a lane that has one.
    [[nodiscard, gnu::always_inline]] auto take(lane_type& from, word cost) noexcept {
        [[maybe_unused]] const typename Observer::during popping(observer, pacer_work::pop);
        return from.take(cost);
    }
    // It was taken from that lane.
    template <class Queued, class... Token>
    void emit(const lane_type& from, Queued&& its, instant now, Token&&... token) noexcept {
        if constexpr (watched) {
            detail::tell_emit(observer, its, slot, now, from.items.approx_units());
        }
        out.emit(std::move(its.item), observer, std::forward<Token>(token)...);
    }
    // Only if all is handed over.
    void drop(lane_type& from, dropped reason) noexcept {
        auto oldest = take(from, from.items.front().cost);
        out.drop(std::move(oldest.item), reason, observer);
    }
    // True if there may be more of them.
    [[nodiscard]] bool drop_expired(lane_type& from, instant now) noexcept {
        for (unsigned n = 0; from.there != 0 && from.items.front().by.missed(now); ++n) {
            if (n >= most_drops) return true;
            drop(from, dropped::expired);
            from.look_again();
        }
        return false;
    }
    // What was withdrawn from the lane; only if all is handed over. True if there may be more of
    // it.
    [[nodiscard]] bool hand_back(lane_type& from) noexcept {
        for (unsigned n = 0; from.items.any_withdrawn(); ++n) {
            if (n >= most_drops) return true;
            auto its = from.items.take_withdrawn();
            out.drop(std::move(its.queued.item), its.reason, observer);
        }
        return false;
    }
    // Everything, whoever holds the lane; so that a lane which is being closed is not forgotten.
    void drop_all(dropped reason) noexcept {
        for (lane_type& l : lanes) {
            for (l.there = l.items.available(); l.there != 0; l.there = l.items.available()) {
                drop(l, reason);
            }
        }
        if constexpr (can_be_steered) {
            for (lane_type& l : lanes) {
                while (hand_back(l)) {
                }
            }
        }
        (void)lanes.scan(turns);
    }

    // Producers of all lanes that have this lane's limit are told when it lets the next item go.
    void tell_next(std::size_t lane, instant then) noexcept {
        if (lanes[lane].own_limit() == nullptr) [[likely]]
            return lanes.outlook().next_is(then);
        tell_sharers(lane, then);
    }
    [[gnu::noinline]] void tell_sharers(std::size_t lane, instant then) noexcept {
        for_each_lane<Lanes::count>(turns.sharing(lane),
                                    [&](std::size_t i) { lanes[i].own_outlook.next_is(then); });
    }

    lane_set_type lanes;

    // The polling thread's own from here on, but for the number in `lost`.
    alignas(own_line) alignas(Limit) Limit limit;
    emitter<Item, Sink> out;
    [[no_unique_address]] Observer observer;
    unsigned most_drops;
    weir::turns<Lanes::count> turns;
    drain_state<clock_type> drain;
    [[no_unique_address]] lost_count<lane_set_type> lost;
    instant slot{};  // of the item that the limit was asked for last
    [[no_unique_address]] held_up_if<calling<limit_type>, clock_type> held;
    bool polling = false;       // a callback may be called now
    bool rate_changed = false;  // by a callback, since the lanes were looked at
};

}  // namespace weir

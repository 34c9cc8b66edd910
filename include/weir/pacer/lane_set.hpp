// SPDX-License-Identifier: MIT
// lane_set: the lanes of a pacer, and whatever else the threads that push share with the one that
// polls: which lanes are open, whether the pacer is closed, the bell that wakes who sleeps, and
// what producers are told of the limit and of a pause.
//
// Any thread opens a lane and closes the set. Who holds a lane leaves it. The thread that polls
// scans. Invariant: a lane that is held or has anything in it is in `open_`. Only `scan` takes a
// lane out, after it was left and then found empty, and before anybody else can open it; so no item
// is overlooked.
//
// Nothing here blocks or allocates. All is wait-free but `open`, `close`, `leave` and a `scan` that
// takes a lane out: they are lock-free, as they change a word that others change too.
//
// Relaxed order suffices where the thread that polls reads what it alone writes, and where others
// look at `closed_`: a push or an `open` that comes a moment too late is one that was under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/asking.hpp>
#include <weir/pacer/bell.hpp>
#include <weir/pacer/lane.hpp>
#include <weir/pacer/lane_mask.hpp>
#include <weir/pacer/open_lanes.hpp>
#include <weir/pacer/outlook.hpp>
#include <weir/pacer/pacer_lane.hpp>
#include <weir/pacer/pause_state.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/turns.hpp>

namespace weir {

template <class Item, class Limit, class Lanes>
class lane_set {
public:
    using limit_type = Limit;
    using clock_type = typename Limit::clock_type;
    using instant = weir::instant<clock_type>;
    using lane_type = pacer_lane<Item, Limit, Lanes>;
    static constexpr std::size_t count = Lanes::count;
    static constexpr std::size_t none = SIZE_MAX;  // no lane
    using mask = lane_mask<count>;
    using outlook_type = weir::outlook<clock_type>;
    using turns_type = turns<count>;

    // Of so many places each, where that is not part of their type.
    explicit lane_set(std::size_t capacity)
        : lane_set(capacity, std::make_index_sequence<count>{}) {}
    lane_set(const lane_set&) = delete;
    lane_set& operator=(const lane_set&) = delete;

    // --- any thread

    // Which lane the caller has from here on; `none` if all are taken.
    [[nodiscard, gnu::always_inline]] std::size_t open(const lane_options<Limit>& o) noexcept {
        for (std::size_t i = 0; i < count; ++i) {
            lane_type& l = (*this)[i];
            if (!l.items.open()) continue;
            l.enter(o);
            l.items.opened();
            open_.add(i);
            // What it takes may go before what the pacer waits for: on another limit, or at a
            // lower cost.
            if constexpr (count > 1) alert();
            return i;
        }
        return none;
    }

    // No lane takes anything from here on.
    void close() noexcept {
        if (closed_.load_relaxed()) return;
        // Pairs with `all_closed`: the pushes before it are seen there.
        closed_.store_release(true);
        alert();
    }
    // The same, and wakes nobody.
    void close_silently() noexcept { closed_.store_relaxed(true); }
    [[nodiscard]] bool closed() const noexcept { return closed_.load_relaxed(); }

    [[nodiscard]] std::size_t approx_size() const noexcept {
        std::size_t items = 0;
        for (const lane_type& l : lanes_) items += l.items.approx_size();
        return items;
    }
    [[nodiscard]] word approx_units() const noexcept {
        word units = 0;
        for (const lane_type& l : lanes_) units += l.items.approx_units();
        return units;
    }

    // Of a lane alone the compiler knows where it is.
    [[nodiscard]] lane_type& operator[](std::size_t lane) noexcept {
        return lanes_[count == 1 ? 0 : lane];
    }
    [[nodiscard]] const lane_type& operator[](std::size_t lane) const noexcept {
        return lanes_[count == 1 ? 0 : lane];
    }
    [[nodiscard]] weir::bell<>& bell() noexcept { return bell_; }
    [[nodiscard]] bool any_open() const noexcept { return open_.any(); }

    // --- producers

    // What is in the lane still goes. Nobody else may have the lane before a poll, so who sleeps is
    // alerted: it is rare.
    void leave(std::size_t lane) noexcept {
        (*this)[lane].items.close();
        alert();
    }

    [[nodiscard]] const outlook_type& outlook_of(const lane_type& l) const noexcept {
        return l.own_limit() == nullptr ? outlook_ : l.own_outlook;
    }
    [[nodiscard]] const pause_state<clock_type>& pause() const noexcept { return pause_; }

    // Calls act(lane) for each open lane but one.
    template <class Act>
    void each_other(std::size_t lane, Act act) const noexcept {
        for_each_lane<count>(open_.seen() & all_but<count>(lane),
                             [&](std::size_t i) { act((*this)[i]); });
    }

    // --- the thread that polls

    // Before the lanes are scanned. Acquire: pairs with the release in `close`.
    [[nodiscard]] bool all_closed() const noexcept { return closed_.load_acquire(); }

    // The lanes that have something now. Lanes that were left and are empty may be opened again.
    mask scan(turns_type& turns) noexcept {
        mask ready = 0;
        for_each_lane<count>(open_.seen(), [&](std::size_t i) {
            lane_type& l = (*this)[i];
            const bool is_new = (known_ & bit_of<count>(i)) == 0;
            if (is_new) {
                const rank its = l.rank.load_relaxed();
                turns.enter(i, its.priority(), its.weight(), l.own_limit());
                known_ |= bit_of<count>(i);
            }
            l.tell_own_limit(is_new);
            l.there = l.items.available();
            if (l.there != 0) {
                ready |= bit_of<count>(i);
            } else if (l.items.held_by() == holder::left && l.items.is_empty()) {
                known_ &= all_but<count>(i);
                open_.remove(i);
                turns.leave(i);
                // Before anybody else can have the lane.
                if constexpr (count > 1) l.own_outlook.forget();
                l.items.retire();
            }
        });
        return ready;
    }
    // The lanes that have entered the turns.
    [[nodiscard]] mask known() const noexcept { return known_; }

    // Keeps an old time from wrapping around into the future.
    void age(instant now) noexcept {
        if constexpr (!has_next_slot<Limit>) return;
        outlook_.age(now);
        if constexpr (count > 1) {
            for_each_lane<count>(known_, [&](std::size_t i) { (*this)[i].own_outlook.age(now); });
        }
    }

    // Of the pacer's limit.
    [[nodiscard]] outlook_type& outlook() noexcept { return outlook_; }
    [[nodiscard]] pause_state<clock_type>& pause() noexcept { return pause_; }

    [[nodiscard]] lane_type* begin() noexcept { return lanes_; }
    [[nodiscard]] lane_type* end() noexcept { return lanes_ + count; }

private:
    template <std::size_t... I>
    lane_set(std::size_t capacity, std::index_sequence<I...>)
        : lanes_{lane_type((void(I), capacity))...} {}

    // For what does not come out of a lane.
    void alert() noexcept {
        if (bell_.alert()) bell_.wake();
    }

    // What producers read: the bell changes when the pacer goes to sleep, the rest hardly ever.
    alignas(own_line) weir::bell<> bell_;
    atomic<bool> closed_{false};
    open_lanes<count> open_;

    // And what they read only to estimate.
    alignas(own_line) alignas(outlook_type) outlook_type outlook_;
    pause_state<clock_type> pause_;
    mask known_ = 0;  // the polling thread's own

    lane_type lanes_[count];
};

}  // namespace weir

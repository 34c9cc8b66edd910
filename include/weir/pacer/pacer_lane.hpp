// SPDX-License-Identifier: MIT
// pacer_lane: a lane of a pacer with what goes with it: its class, its weight, a limit of its own,
// and what its producer counts.
//
// Who opens it writes `enter`, before anybody else can know of the lane: relaxed, as whoever reads
// that has acquired the lane or the mask of open ones. Who estimates meanwhile may see what was
// there before. Then its producer pushes, the thread that polls takes, and other producers read it
// to estimate. All functions are wait-free.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/asking.hpp>
#include <weir/pacer/deadline.hpp>
#include <weir/pacer/lane.hpp>
#include <weir/pacer/outlook.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

// An item in its lane.
template <class Item, clock Clock>
struct queued_item {
    Item item;
    word cost;
    instant<Clock> pushed;
    deadline<Clock> by;
};

// A lane's class and its weight there, in one word, as others read it to estimate.
class rank {
public:
    static constexpr unsigned classes = 8;

    constexpr rank() noexcept = default;
    // What is behind the last class is in it, and a weight of 0 is 1.
    constexpr rank(unsigned priority, unsigned weight) noexcept
        : packed_(((weight == 0            ? 1
                    : weight > most_weight ? most_weight
                                           : weight)
                   << 8) |
                  (priority < classes ? priority : classes - 1)) {}

    [[nodiscard]] constexpr unsigned priority() const noexcept { return packed_ & 0xFF; }
    [[nodiscard]] constexpr unsigned weight() const noexcept { return packed_ >> 8; }

private:
    static constexpr unsigned most_weight = 0xFFFF;  // above, shares would be off by more

    std::uint32_t packed_ = 0;
};

// The queue of a pacer's lane: a lane, or what steered_lane.hpp puts in its place.
template <class Queued, class Lanes>
struct lane_kind {
    using type = lane<Queued, Lanes::capacity>;
};

template <class Item, class Limit, class Lanes>
struct pacer_lane {
    using clock_type = typename Limit::clock_type;
    using instant = weir::instant<clock_type>;
    using queue_type = typename lane_kind<queued_item<Item, clock_type>, Lanes>::type;

    // Can what waits in it be withdrawn?
    static constexpr bool can_be_steered = requires(queue_type q) { q.try_clear(); };

    explicit pacer_lane(std::size_t capacity) requires(Lanes::capacity == 0) : items(capacity) {}
    explicit pacer_lane(std::size_t) requires(Lanes::capacity != 0) {}

    queue_type items;

    atomic<Limit*> budget{nullptr};
    atomic<weir::rank> rank{};
    std::size_t high_water = 0;

    // By the producer.
    atomic<word> times_full{0};
    word loose_until = 0;  // units pushed up to the last item that has a deadline

    // By the thread that polls.
    std::size_t there = 0;              // items seen and not yet taken
    outlook<clock_type> own_outlook{};  // of `budget`

    // --- who opens it

    void enter(const lane_options<Limit>& o) noexcept {
        budget.store_relaxed(o.budget);
        rank.store_relaxed({o.priority, o.weight});
        high_water = o.high_water == 0 ? items.capacity() : o.high_water;
        times_full.store_relaxed(0);
    }

    // --- any thread

    // The limit that the lane has in place of the pacer's, or null.
    [[nodiscard]] Limit* own_limit() const noexcept {
        if constexpr (Lanes::count == 1) return nullptr;  // a lane alone has all of the pacer's
        return budget.load_relaxed();
    }

    // How many of this lane's units go before `mine` units of another one: all if this one is in a
    // class before, and of the same class what goes while those do.
    [[nodiscard]] word units_before(const pacer_lane& other, word mine) const noexcept {
        if (other.budget.load_relaxed() != budget.load_relaxed()) return 0;
        const word units = items.approx_units();
        const weir::rank its = rank.load_relaxed();
        const weir::rank others = other.rank.load_relaxed();
        if (its.priority() > others.priority()) return 0;
        if (its.priority() < others.priority()) return units;
        word share = 0;
        if (__builtin_mul_overflow(mine, word{its.weight()}, &share)) return units;
        share /= others.weight();
        return units < share ? units : share;
    }

    // --- its producer

    pushing try_push(Item&& item, word cost, deadline<clock_type> by, instant now) noexcept {
        const pushing how = items.try_push(cost, std::move(item), cost, now, by);
        if (how == pushing::pushed) [[likely]] {
            if (by.is_set()) loose_until = items.pushed_units();
        } else if (how == pushing::full) {
            times_full.store_relaxed(times_full.load_relaxed() + 1);
        }
        return how;
    }

    // Units that go before what is pushed next, whatever happens: not those of items with a
    // deadline, which may never go, nor what is before such an item; none of what may be withdrawn.
    [[nodiscard]] word certain_units() const noexcept {
        if constexpr (can_be_steered) return 0;
        const word all = items.approx_units();
        const word since = items.pushed_units() - loose_until;
        return all < since ? all : since;
    }

    // --- the thread that polls

    // Tells producers of the lane's own limit, if it has one. Others may change that limit's rate;
    // but an adjustable's is behind a mutex, so it is asked only when the lane is new.
    void tell_own_limit(bool is_new) noexcept {
        const Limit* const own = own_limit();
        if (own == nullptr || !(is_new || has_next_slot<Limit>)) return;
        own_outlook.tell(*own);
        if constexpr (has_next_slot<Limit>) {
            if (is_new) own_outlook.next_is(own->next());
        }
    }

    // In a lane that can be steered an order may have come, or an item have been withdrawn.
    void look_again() noexcept {
        if constexpr (can_be_steered) there = items.available();
    }

    // Only if an item is there.
    [[nodiscard]] queued_item<Item, clock_type> take(word cost) noexcept {
        --there;
        return items.take(cost);
    }
};

}  // namespace weir

// station: a lane of a pacer with what goes with it, and how many units go before what is pushed
// into it next.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/lane.hpp>
#include <weir/pacer/outlook.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

// An item in its lane.
template <class Item, clock Clock>
struct parcel {
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

template <class Item, class Limit, class Lanes, clock Clock>
struct station {
    explicit station(std::size_t capacity) requires(Lanes::capacity == 0) : items(capacity) {}
    explicit station(std::size_t) requires(Lanes::capacity != 0) {}

    lane<parcel<Item, Clock>, Lanes::capacity> items;

    // Written by who opens it, before anybody else can know: relaxed, as who looks at them has
    // acquired the lane or the mask of open ones. Who estimates meanwhile may see the ones before.
    atomic<Limit*> budget{nullptr};
    atomic<weir::rank> rank{};
    std::size_t high_water = 0;

    // By the producer.
    atomic<word> times_full{0};
    word loose_until = 0;  // units pushed up to the last item that has a deadline

    // By the pacer.
    std::size_t there = 0;         // items seen and not yet taken
    outlook<Clock> own_outlook{};  // of `budget`

    void enter(const lane_options<Limit>& o) noexcept {
        budget.store_relaxed(o.budget);
        rank.store_relaxed({o.priority, o.weight});
        high_water = o.high_water == 0 ? items.capacity() : o.high_water;
        times_full.store_relaxed(0);
    }

    // Units that go before what is pushed next, whatever happens: not those of items with a
    // deadline, which may never go, nor what is before such an item. For the producer.
    [[nodiscard]] word certain_units() const noexcept {
        const word all = items.approx_units();
        const word since = items.pushed_units() - loose_until;
        return all < since ? all : since;
    }

    // Units that go before what comes after all but the `last` units of this lane, as far as
    // `other` makes them more: all that is in a class before, and of its own class what goes while
    // the lane's units do.
    [[nodiscard]] word units_before(const station& other, word mine) const noexcept {
        if (other.budget.load_relaxed() != budget.load_relaxed()) return 0;
        const word units = other.items.approx_units();
        const weir::rank own = rank.load_relaxed();
        const weir::rank its = other.rank.load_relaxed();
        if (its.priority() > own.priority()) return 0;
        if (its.priority() < own.priority()) return units;
        word share = 0;
        if (__builtin_mul_overflow(mine, word{its.weight()}, &share)) return units;
        share /= own.weight();
        return units < share ? units : share;
    }
};

}  // namespace weir

// turns: whose turn it is, of the lanes that have something. Strict priority first: as long as a
// class has anything, no class after it gets a turn, but for a minimum share if one is given.
// Within a class by cost and weight, as fair queueing by start times does it (Goyal, Vin and Cheng
// 1996): each lane has a time of its own that runs on by cost / weight with what it gets, and the
// earliest is next.
//
// Invariant: of the lanes of a class that have something, none is further ahead of another than by
// one item of its own; so over any time in which two have something their shares by weight differ
// by no more than one item each. A lane that comes back from idling starts at the time of the last
// turn: what it did not use is gone. Deficit round robin promises the same but, with items of
// different cost, in rounds of the largest: a lane of small items would send a burst of them.
//
// One thread asks; plain integers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/word.hpp>

namespace weir {

template <std::size_t Lanes>
class turns {
public:
    static_assert(Lanes >= 1 && Lanes <= 64, "a pacer has 1 to 64 lanes");

    // A bit per lane.
    using mask = std::conditional_t<(Lanes > 32), std::uint64_t, std::uint32_t>;

    static constexpr unsigned classes = 8;
    static constexpr std::size_t nobody = Lanes;

    // Class 0 goes first; what is behind the last class is the last, a weight of 0 is 1. What the
    // lane was ahead of its class it stays ahead, or coming back would be as good as waiting.
    constexpr void enter(std::size_t lane, unsigned priority, unsigned weight) noexcept {
        leave(lane);
        seat& s = lanes_[lane];
        const std::uint64_t past = time_[s.priority];
        const std::uint64_t ahead = s.time > past ? s.time - past : 0;
        const unsigned c = priority < classes ? priority : classes - 1;
        of_[c] |= bit(lane);
        s = {time_[c] + ahead, unit_step / (weight == 0 ? 1 : weight),
             static_cast<std::uint8_t>(c)};
        if (s.step == 0) s.step = 1;
    }
    constexpr void leave(std::size_t lane) noexcept {
        of_[lanes_[lane].priority] &= static_cast<mask>(~bit(lane));
    }

    // So that the last class which has something cannot starve: at least one of so many units is
    // its own. Below 2: as many as the other classes leave; above 2^30: one in so many.
    constexpr void lowest_gets_one_in(unsigned units) noexcept {
        others_ = units < 2 ? 0 : units - 1 < most_owed ? units - 1 : most_owed;
        owed_ = 0;
    }

    // Whose turn it is, of the lanes that are ready; `nobody` if none is. May be asked again.
    [[nodiscard]] constexpr std::size_t pick(mask ready) noexcept {
        unsigned first = 0;
        while (first < classes && (of_[first] & ready) == 0) ++first;
        if (first == classes) return nobody;
        unsigned chosen = first;
        if (others_ != 0) {
            unsigned last = classes - 1;
            while ((of_[last] & ready) == 0) --last;
            someone_waits_ = last != first;
            if (!someone_waits_) {
                owed_ = 0;
            } else if (owed_ >= others_) {
                chosen = last;
            }
            last_ = last;
        }
        return earliest(static_cast<mask>(of_[chosen] & ready), time_[chosen]);
    }

    // The lane that was picked last has got so much.
    constexpr void served(std::size_t lane, word cost) noexcept {
        seat& s = lanes_[lane];
        if (others_ != 0 && someone_waits_) {
            const auto units = static_cast<std::int64_t>(cost < most_owed ? cost : most_owed);
            owed_ += s.priority == last_ ? -units * others_ : units;
            if (owed_ > most_owed) owed_ = most_owed;
            if (owed_ < -most_owed) owed_ = -most_owed;
        }
        std::uint64_t& time = time_[s.priority];
        if (s.time < time) s.time = time;
        time = s.time;
        std::uint64_t step = 0;
        if (__builtin_mul_overflow(s.step, std::uint64_t{cost}, &step) || step > longest_step) {
            step = longest_step;
        }
        s.time += step;
        if (s.time > longest_step) begin_anew(s.priority);
    }

private:
    struct seat {
        std::uint64_t time = 0;
        std::uint64_t step = 0;  // per unit
        std::uint8_t priority = 0;
    };

    static constexpr std::uint64_t unit_step = std::uint64_t{1} << 28;  // at a weight of 1
    static constexpr std::uint64_t longest_step = std::uint64_t{1} << 62;
    static constexpr std::int64_t most_owed = std::int64_t{1} << 30;

    [[nodiscard]] static constexpr mask bit(std::size_t lane) noexcept {
        return static_cast<mask>(mask{1} << lane);
    }

    // Of several the first one.
    [[nodiscard]] constexpr std::size_t earliest(mask some, std::uint64_t since) const noexcept {
        std::size_t best = nobody;
        std::uint64_t best_time = 0;
        for (; some != 0; some = static_cast<mask>(some & (some - 1))) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(some));
            const std::uint64_t time = lanes_[lane].time < since ? since : lanes_[lane].time;
            if (best == nobody || time < best_time) {
                best = lane;
                best_time = time;
            }
        }
        return best;
    }

    // Before times wrap: once in 2^34 units.
    constexpr void begin_anew(unsigned priority) noexcept {
        const std::uint64_t past = time_[priority];
        for (seat& s : lanes_) {  // also of lanes that were left
            if (s.priority == priority) s.time = s.time > past ? s.time - past : 0;
        }
        time_[priority] = 0;
    }

    seat lanes_[Lanes];
    mask of_[classes] = {};             // the lanes of each class
    std::uint64_t time_[classes] = {};  // of the last turn
    std::int64_t others_ = 0;           // units of others for one of the last class
    std::int64_t owed_ = 0;             // units that others got while the last class waited
    unsigned last_ = 0;                 // class that had something
    bool someone_waits_ = false;        // behind the first class
};

// A lane alone. What nobody entered is never ready.
template <>
class turns<1> {
public:
    using mask = std::uint32_t;

    static constexpr unsigned classes = 8;
    static constexpr std::size_t nobody = 1;

    constexpr void enter(std::size_t /*lane*/, unsigned /*priority*/,
                         unsigned /*weight*/) noexcept {}
    constexpr void leave(std::size_t /*lane*/) noexcept {}
    constexpr void lowest_gets_one_in(unsigned /*units*/) noexcept {}
    [[nodiscard]] constexpr std::size_t pick(mask ready) const noexcept {
        return 1U - (ready & 1U);
    }
    constexpr void served(std::size_t /*lane*/, word /*cost*/) noexcept {}
};

}  // namespace weir

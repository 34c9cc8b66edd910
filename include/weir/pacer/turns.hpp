// SPDX-License-Identifier: MIT
// turns: whose turn it is, of the lanes that have something. Strict priority first: as long as a
// class has anything, no class after it gets a turn, but for a minimum share if one is given.
// Within a class by cost and weight, as fair queueing by start times does it (Goyal, Vin and Cheng
// 1996): each lane has a time of its own that runs on by cost / weight with what it gets, and the
// earliest is next.
//
// Lanes share what their limit lets pass, so each limit has its own order of turns: what goes on
// another limit changes nothing in it. Between the limits, who has a turn goes round: among all of
// them if the last class has a minimum share, else among those that have something in the first
// class.
//
// Invariant: of the lanes of a class and limit that have something, none is further ahead of
// another than by one item of its own; so over any time in which two have something their shares by
// weight differ by no more than one item each. A lane that comes back from idling starts at the
// time of the last turn: what it did not use is gone. Deficit round robin promises the same but,
// with items of different cost, in rounds of the largest: a lane of small items would send a burst
// of them. Only a turn that was served changes whose turn is next: to ask again changes nothing.
//
// One thread asks; plain integers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <weir/base/word.hpp>
#include <weir/pacer/lane_mask.hpp>

namespace weir {

template <std::size_t Lanes>
class turns {
public:
    static_assert(Lanes >= 1 && Lanes <= 64, "a pacer has 1 to 64 lanes");

    using mask = lane_mask<Lanes>;

    static constexpr unsigned classes = 8;
    static constexpr std::size_t nobody = Lanes;

    // Class 0 goes first; what is behind the last class is the last, a weight of 0 is 1. `limit` is
    // what the lane shares with others; null: the pacer's. What the lane was ahead of its class it
    // stays ahead on that limit, or coming back would be as good as waiting.
    constexpr void enter(std::size_t lane, unsigned priority, unsigned weight,
                         const void* limit = nullptr) noexcept {
        leave(lane);
        entry& s = lanes_[lane];
        const std::uint8_t its = place_of(limit);
        const std::uint64_t past = time_[s.limit][s.priority];
        const std::uint64_t ahead = s.limit == its && s.time > past ? s.time - past : 0;
        const unsigned c = priority < classes ? priority : classes - 1;
        of_[c] |= bit(lane);
        limits_[its].lanes |= bit(lane);
        if (limit != nullptr) elsewhere_ |= bit(lane);
        s = {time_[its][c] + ahead, unit_time / (weight == 0 ? 1 : weight),
             static_cast<std::uint8_t>(c), its};
        if (s.per_unit == 0) s.per_unit = 1;
    }
    constexpr void leave(std::size_t lane) noexcept {
        const mask others = all_but<Lanes>(lane);
        of_[lanes_[lane].priority] &= others;
        limits_[lanes_[lane].limit].lanes &= others;
        elsewhere_ &= others;
    }

    // So that the last class which has something cannot starve: at least one of so many units is
    // its own. Below 2: as many as the other classes leave; above 2^30: one in so many.
    constexpr void lowest_gets_one_in(unsigned units) noexcept {
        others_ = units < 2 ? 0 : units - 1 < most_owed ? units - 1 : most_owed;
        for (shared& l : limits_) l.owed = 0;
    }

    // The lanes that have the limit of this one.
    [[nodiscard]] constexpr mask sharing(std::size_t lane) const noexcept {
        return limits_[lanes_[lane].limit].lanes;
    }

    // Those with another limit than the pacer's.
    [[nodiscard]] constexpr mask elsewhere() const noexcept { return elsewhere_; }
    // The lanes that have the limit of any of these.
    [[nodiscard]] constexpr mask sharing_any(mask some) const noexcept {
        if (some == 0) return 0;
        if ((some & elsewhere_) == 0) [[likely]]
            return limits_[0].lanes;
        mask all = 0;
        for (const shared& l : limits_) {
            if ((l.lanes & some) != 0) all |= l.lanes;
        }
        return all;
    }

    // Whose turn it is, of the lanes that are ready; `nobody` if none is. May be asked again.
    [[nodiscard]] constexpr std::size_t pick(mask ready) noexcept {
        std::size_t limit = 0;
        if ((ready & elsewhere_) != 0) [[unlikely]] {
            turn_ = next_limit(ready);
            limit = lanes_[turn_].limit;
            ready &= limits_[limit].lanes;
        }
        const unsigned first = first_class(ready);
        if (first == classes) return nobody;
        unsigned chosen = first;
        if (others_ != 0) {
            unsigned last = classes - 1;
            while ((of_[last] & ready) == 0) --last;
            someone_waits_ = last != first;
            if (someone_waits_ && limits_[limit].owed >= others_) chosen = last;
            last_ = last;
        }
        return earliest(static_cast<mask>(of_[chosen] & ready), time_[limit][chosen]);
    }

    // The lane that was picked last has got so much.
    constexpr void served(std::size_t lane, word cost) noexcept {
        entry& s = lanes_[lane];
        if (elsewhere_ != 0) [[unlikely]]
            served_ = turn_;
        if (others_ != 0) {
            std::int64_t& owed = limits_[s.limit].owed;
            const auto units = static_cast<std::int64_t>(cost < most_owed ? cost : most_owed);
            owed += s.priority == last_ ? -units * others_ : units;
            if (owed > most_owed) owed = most_owed;
            if (owed < -most_owed) owed = -most_owed;
            if (!someone_waits_) owed = 0;
        }
        std::uint64_t& time = time_[s.limit][s.priority];
        if (s.time < time) s.time = time;
        time = s.time;
        std::uint64_t more = 0;
        if (__builtin_mul_overflow(s.per_unit, std::uint64_t{cost}, &more) || more > longest_time) {
            more = longest_time;
        }
        s.time += more;
        if (s.time > longest_time) begin_anew(s);
    }

private:
    struct entry {
        std::uint64_t time = 0;
        std::uint64_t per_unit = 0;
        std::uint8_t priority = 0;
        std::uint8_t limit = 0;  // which of limits_
    };
    struct shared {
        const void* limit = nullptr;
        mask lanes = 0;
        std::int64_t owed = 0;  // units that others got while the last class waited
    };

    static constexpr std::uint64_t unit_time = std::uint64_t{1} << 28;  // at a weight of 1
    static constexpr std::uint64_t longest_time = std::uint64_t{1} << 62;
    static constexpr std::int64_t most_owed = std::int64_t{1} << 30;

    [[nodiscard]] static constexpr mask bit(std::size_t lane) noexcept {
        return bit_of<Lanes>(lane);
    }

    // Where it is in limits_; the pacer's is first. There is a place for each lane, so one that no
    // lane has is found.
    [[nodiscard]] constexpr std::uint8_t place_of(const void* limit) noexcept {
        if (limit == nullptr) return 0;
        std::size_t unused = 0;
        for (std::size_t i = Lanes; i > 0; --i) {
            if (limits_[i].limit == limit) return static_cast<std::uint8_t>(i);
            if (limits_[i].lanes == 0) unused = i;
        }
        for (entry& s : lanes_) {  // of lanes that were left
            if (s.limit == unused) s.time = 0;
        }
        for (std::uint64_t& time : time_[unused]) time = 0;
        limits_[unused] = {limit};
        return static_cast<std::uint8_t>(unused);
    }

    [[nodiscard]] constexpr unsigned first_class(mask ready) const noexcept {
        unsigned first = 0;
        while (first < classes && (of_[first] & ready) == 0) ++first;
        return first;
    }

    // A lane of the limit that has a turn now; only if one has another limit than the pacer's.
    [[nodiscard]] constexpr std::size_t next_limit(mask ready) const noexcept {
        if (others_ == 0) ready &= of_[first_class(ready)];
        const auto later = static_cast<mask>(ready & ~((bit(served_) << 1) - 1));
        return static_cast<std::size_t>(std::countr_zero(later != 0 ? later : ready));
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
    constexpr void begin_anew(const entry& its) noexcept {
        std::uint64_t& time = time_[its.limit][its.priority];
        for (entry& s : lanes_) {  // also of lanes that were left
            if (s.priority == its.priority && s.limit == its.limit) {
                s.time = s.time > time ? s.time - time : 0;
            }
        }
        time = 0;
    }

    entry lanes_[Lanes];
    mask of_[classes] = {};                        // the lanes of each class
    mask elsewhere_ = 0;                           // the lanes with another limit than the pacer's
    std::size_t turn_ = 0;                         // a lane of the limit that was picked last
    std::size_t served_ = 0;                       // and of the one that was served last
    std::int64_t others_ = 0;                      // units of others for one of the last class
    unsigned last_ = 0;                            // class that had something
    bool someone_waits_ = false;                   // behind the first class
    shared limits_[Lanes + 1];                     // the pacer's, and the lanes' own
    std::uint64_t time_[Lanes + 1][classes] = {};  // of the last turn: of each limit and class
};

// A lane alone. What nobody entered is never ready.
template <>
class turns<1> {
public:
    using mask = lane_mask<1>;

    static constexpr unsigned classes = 8;
    static constexpr std::size_t nobody = 1;

    constexpr void enter(std::size_t /*lane*/, unsigned /*priority*/, unsigned /*weight*/,
                         const void* /*limit*/ = nullptr) noexcept {}
    constexpr void leave(std::size_t /*lane*/) noexcept {}
    constexpr void lowest_gets_one_in(unsigned /*units*/) noexcept {}
    [[nodiscard]] constexpr mask sharing(std::size_t /*lane*/) const noexcept { return 1; }
    [[nodiscard]] constexpr mask elsewhere() const noexcept { return 0; }
    [[nodiscard]] constexpr mask sharing_any(mask some) const noexcept { return some; }
    [[nodiscard]] constexpr std::size_t pick(mask ready) const noexcept {
        return 1U - (ready & 1U);
    }
    constexpr void served(std::size_t /*lane*/, word /*cost*/) noexcept {}
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// The words of a pacer: the reason for which an item was dropped, when to poll again, and the
// options of a pacer and its lanes. Plain values.
#pragma once

#include <cstddef>
#include <type_traits>

#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/lost_slots.hpp>

namespace weir {

// Why an accepted item was not emitted. Each is handed to the sink with one of these.
enum class dropped : unsigned char {
    expired,    // its deadline has passed
    never,      // it costs more than the limit, which was changed, ever lets pass
    discarded,  // `discard`, or `drain` and its time was over
    abandoned,  // the pacer was destroyed before it was done

    // Of lanes that can be steered: see steering.md.
    cancelled,  // its ticket was cancelled
    cleared,    // its lane was cleared
    replaced,   // a newer item of the same key has its place

    // Of keyed pacers: see keyed_pacer.md.
    no_place,  // so many keys have a place that there is none for its key
    crowded,   // so many items wait for its key already
};
[[nodiscard]] constexpr const char* describe(dropped reason) noexcept {
    switch (reason) {
        case dropped::expired: return "its deadline has passed";
        case dropped::never: return "it costs more than the limit ever lets pass";
        case dropped::discarded: return "it was discarded";
        case dropped::abandoned: return "the pacer was destroyed";
        case dropped::cancelled: return "it was cancelled";
        case dropped::cleared: return "its lane was cleared";
        case dropped::replaced: return "a newer item of the same key has its place";
        case dropped::no_place: return "there was no place for its key";
        case dropped::crowded: return "too many items of its key wait";
    }
    return "unknown reason";
}
inline constexpr std::size_t drop_reasons = 9;

// In place of a number.
struct not_counted {
    friend constexpr bool operator==(not_counted, not_counted) = default;
};

// How a pacer stands after a poll.
enum class polled : unsigned char {
    due,     // the next poll is due at a time
    idle,    // all lanes are empty: poll when something is pushed
    paused,  // poll when it is resumed
    done,    // closed, and all that was accepted is gone
};
[[nodiscard]] constexpr const char* describe(polled what) noexcept {
    switch (what) {
        case polled::due: return "due";
        case polled::idle: return "idle";
        case polled::paused: return "paused";
        case polled::done: return "done";
    }
    return "unknown";
}

// How many slots a poll has lost: counted of schedules, and where words have 64 bits.
using slots_of_a_poll = std::conditional_t<counts_lost_slots<word>, word, not_counted>;

// What a poll answers: when the next one is due. An earlier one does no harm and a later one makes
// items late.
template <class Clock>
struct [[nodiscard]] next_poll {
    polled what;
    instant<Clock> at;  // only if something is due

    // Something that is pushed may have to go earlier than that: who sleeps needs to be woken.
    bool wakes;

    // Slots that went by unused although items waited for them, as this poll came later than the
    // limit makes good. If it is not 0 the pacer is slower than its rate: see `catch_up`.
    [[no_unique_address]] slots_of_a_poll lost{};

    friend constexpr bool operator==(next_poll, next_poll) = default;
};
// "due at tick 1500", "idle" and so on, with ", 3 slots lost" if there are any.
template <class Clock>
[[nodiscard]] constexpr text to_text(const next_poll<Clock>& next) noexcept {
    text t(describe(next.what));
    if (next.what == polled::due) t.add(" at tick ").add(next.at.count);
    if (next.lost != decltype(next.lost){}) {
        const auto add_lost = [&t](auto lost) {
            if constexpr (!std::is_same_v<decltype(lost), not_counted>) {
                t.add(", ").add(lost).add(lost == 1 ? " slot lost" : " slots lost");
            }
        };
        add_lost(next.lost);
    }
    return t;
}

struct pacer_options {
    // Places of each lane, where it is not part of the type.
    std::size_t capacity = 1024;

    // Of so many units at least one belongs to the last class that has something; 0: strict.
    unsigned lowest_gets_one_in = 0;

    // So many expired items of a lane are dropped at a time; then others come first.
    unsigned most_drops = 8;

    // So many emissions in a row that threw pause the pacer; 0: never.
    unsigned most_failures = 10;
};

// The ends of a lane's priority, and what it has if it does not say.
namespace priority {
inline constexpr unsigned first = 0;
inline constexpr unsigned usual = 4;
inline constexpr unsigned last = 7;
}  // namespace priority

template <class Limit>
struct lane_options {
    // 0 to 7: `priority::first`, 0, goes before all others, and `priority::last`, 7, after them; 4,
    // `priority::usual`, leaves room on both sides.
    // Strict: as long as a class has something, none behind it gets a turn. What is larger than 7
    // is the last.
    unsigned priority = weir::priority::usual;

    // The lane's share in its class, 1 to 65535: more is that. Shares are exact to a 4000th.
    unsigned weight = 1;

    // From so many items on it calls itself crowded; 0: when it is full.
    std::size_t high_water = 0;

    // A limit of its own in place of the pacer's, such as a higher one for cancels. May be shared
    // by lanes, belongs to the pacer while they are open, and outlives it. A pacer of one lane
    // needs none, and opens no lane with one. If its rate is changed producers go by the new one
    // from the next poll on; by that of an adjustable when their lane is opened.
    Limit* budget = nullptr;
};

// The lanes of a pacer: how many at most, and of how many places; 0: as its options say, allocated
// when it is constructed.
template <std::size_t Count, std::size_t Capacity = 0>
struct lanes {
    static constexpr std::size_t count = Count;
    static constexpr std::size_t capacity = Capacity;
};

}  // namespace weir

// The words of a pacer: why an item was dropped, when to poll again, by when an item must go, and
// what a pacer and its lanes can be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/duration.hpp>
#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/lost_slots.hpp>

namespace weir {

// Why an accepted item was not emitted. Each is handed to the sink with one of these.
enum class dropped : unsigned char {
    expired,    // its deadline has passed
    never,      // it costs more than the limit, which was changed, ever lets pass
    discarded,  // `discard`, or `drain` and its time was over
    abandoned,  // the pacer was destroyed before it was done
};
[[nodiscard]] constexpr const char* describe(dropped why) noexcept {
    switch (why) {
        case dropped::expired: return "its deadline has passed";
        case dropped::never: return "it costs more than the limit ever lets pass";
        case dropped::discarded: return "it was discarded";
        case dropped::abandoned: return "the pacer was destroyed";
    }
    return "unknown reason";
}
inline constexpr std::size_t drop_reasons = 4;

// When an item is of no use any more; at that very tick it still is. Without a time it is of use
// for ever.
template <class Clock>
class deadline {
public:
    constexpr deadline() noexcept = default;
    constexpr explicit deadline(instant<Clock> at) noexcept : at_(at), is_set_(true) {}

    // So long from now. What is further ahead than the clock can tell is never.
    [[nodiscard]] static deadline in(nanoseconds time) noexcept {
        const std::uint64_t ticks = to_ticks<Clock>(time);
        if (ticks > largest<word> / 2) return {};
        return deadline(Clock::now() + static_cast<word>(ticks));
    }

    // Not constexpr, as in `instant`.
    template <class Other>
    deadline(Other) noexcept {  // NOLINT(google-explicit-constructor)
        static_assert(sizeof(Other) == 0,
                      "this is no deadline by the pacer's clock: write weir::deadline(time), or "
                      "weir::deadline<Clock>::in(duration)");
    }

    [[nodiscard]] constexpr bool is_set() const noexcept { return is_set_; }
    [[nodiscard]] constexpr bool missed(instant<Clock> now) const noexcept {
        return is_set_ && earlier(at_, now);
    }
    // The first tick at which it is missed, if it is set.
    [[nodiscard]] constexpr instant<Clock> missed_at() const noexcept { return at_ + 1; }

private:
    instant<Clock> at_{};
    bool is_set_ = false;
};

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

// What a poll answers: when the next one is due. An earlier one does no harm and a later one makes
// items late.
template <class Clock>
struct [[nodiscard]] next_poll {
    polled what;
    instant<Clock> at;  // only if something is due

    // Something that is pushed may have to go earlier than that: who sleeps needs to be woken.
    bool wakes;

    // Slots that went by unused although items waited for them, as this poll came later than the
    // limit makes good. If it is not 0 the pacer is slower than its rate: see `catch_up`. Counted
    // of schedules, and where words have 64 bits.
    [[no_unique_address]] std::conditional_t<counts_lost_slots<word>, word, not_counted> lost{};

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

// What can be learned of a pacer while it runs: an observer is told on the pacer's thread. Inherit
// and hide what you want to know. It must not throw.
struct unwatched {
    // An item is about to be handed to the sink: how late it is for its slot, how long it waited in
    // its lane and how many units that lane has left. Then, whether that was well.
    static void on_emit(tick /*now*/, word /*late*/, word /*queued*/, word /*left*/) noexcept {}
    static void on_emitted(bool /*well*/) noexcept {}
    static void on_dropped(dropped /*reason*/) noexcept {}

    enum class event : unsigned char { paused, resumed, failing, rate, throttled };
    static void on_event(event /*what*/) noexcept {}

    // Slots were lost, see `next_poll::lost`: in a callback that took too long, or before the poll.
    static void on_lost(word /*slots*/, bool /*in_a_callback*/) noexcept {}

    // A poll is over; items() counts what is in the lanes then.
    template <class Items>
    static void on_polled(tick /*now*/, Items /*items*/) noexcept {}

    // One of these lives as long as the thread waits, takes an item from its lane, or is in the
    // sink's emit.
    enum class work : unsigned char { wait, pop, emit };
    struct during {
        constexpr during(unwatched&, work) noexcept {}
    };
};
[[nodiscard]] constexpr const char* describe(unwatched::event what) noexcept {
    switch (what) {
        case unwatched::event::paused: return "paused";
        case unwatched::event::resumed: return "resumed";
        case unwatched::event::failing: return "the sink fails";
        case unwatched::event::rate: return "another rate";
        case unwatched::event::throttled: return "throttled";
    }
    return "unknown event";
}
[[nodiscard]] constexpr const char* describe(unwatched::work what) noexcept {
    switch (what) {
        case unwatched::work::wait: return "wait";
        case unwatched::work::pop: return "pop";
        case unwatched::work::emit: return "emit";
    }
    return "unknown work";
}

// The lanes of a pacer: how many at most, and of how many places; 0: as its options say, allocated
// when it is constructed.
template <std::size_t Count, std::size_t Capacity = 0>
struct lanes {
    static constexpr std::size_t count = Count;
    static constexpr std::size_t capacity = Capacity;
};

}  // namespace weir

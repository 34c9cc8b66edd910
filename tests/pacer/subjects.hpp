// SPDX-License-Identifier: MIT
// What random histories are played with: limits that count what they were charged, each with what
// its windows may hold, and the sinks that hand over one by one or together.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/steered_lane.hpp>
#include <weir/weir.hpp>

#include "recorded.hpp"

namespace pacing {

using clock = weir::manual_clock<struct histories>;  // in nanoseconds
using instant = weir::instant<clock>;

constexpr weir::word interval = 100'000;  // of the highest rate
constexpr std::int64_t highest_rate = 10'000;
constexpr std::int64_t highest_burst = 10;
constexpr weir::quota fastest{highest_rate, weir::seconds(1), highest_burst};

// No history makes them faster than that.
template <class Limit>
struct counted : Limit {
    using Limit::Limit;

    auto try_acquire(weir::word n, instant now) noexcept {
        auto d = Limit::try_acquire(n, now);
        if (d.admitted()) charged += n;
        return d;
    }
    weir::word charged = 0;
};

struct by_schedule {
    using limit_type = counted<weir::schedule<clock>>;

    [[nodiscard]] static bool keeps(const recorded& times) {
        return times.keeps(highest_rate, clock::hertz(), 0, 3 * interval);
    }
    limit_type limit{fastest, weir::catch_up::within(weir::nanoseconds(3 * interval))};
};

struct by_adjustable {
    using limit_type = counted<weir::adjustable<clock>>;

    // Exact to a grain, of which a unit has 1024.
    [[nodiscard]] static bool keeps(const recorded& times) {
        return times.keeps(highest_rate, clock::hertz(), 2 * (highest_burst - 1), interval / 500);
    }
    limit_type limit{fastest};
};

struct by_two_limits {
    using often = weir::limiter<weir::gcra<>, clock>;
    using seldom = weir::limiter<weir::sliding_log<40>, clock>;
    using limit_type = counted<weir::all_of<often, seldom>>;

    [[nodiscard]] static bool keeps(const recorded& times) {
        return times.keeps(highest_rate, clock::hertz(), 2 * (highest_burst - 1)) &&
               times.most_within(20'000'000) <= 40;
    }
    often first{fastest};
    seldom second{weir::quota{40, weir::milliseconds(20)}};
    limit_type limit{first, second};
};

using item = std::unique_ptr<std::size_t>;  // one that can only be moved; its number

template <class World, std::size_t AtOnce>
struct handing_over {
    static constexpr std::size_t most_at_once = AtOnce;

    void emit(std::span<item> all) { to->emit(all); }
    void drop(item&& one, weir::dropped reason) { to->drop(one, reason); }
    World* to;
};
template <class World>
struct handing_over<World, 0> {
    void emit(item&& one) { to->emit({&one, 1}); }
    void drop(item&& one, weir::dropped reason) { to->drop(one, reason); }
    World* to;
};

template <class Limits, std::size_t Lanes, std::size_t Places, std::size_t AtOnce>
struct subject {
    using limits = Limits;
    using lanes = weir::lanes<Lanes, Places>;
    static constexpr std::size_t at_once = AtOnce;
    static constexpr bool steered = false;
    static constexpr bool has_keys = false;
};

// Five keys, which meet often.
[[nodiscard]] inline std::size_t key_of(std::size_t number) {
    return (number * 0x9E37'79B9U >> 7U) % 5;
}
[[nodiscard]] inline std::size_t item_key(const item& i) { return key_of(*i); }

// The same with lanes that can be steered, by ticket alone or by key as well.
template <class Subject>
struct by_ticket : Subject {
    using lanes = weir::steered<typename Subject::lanes>;
    static constexpr bool steered = true;
};
template <class Subject>
struct by_key : Subject {
    using lanes = weir::steered<typename Subject::lanes, item_key>;
    static constexpr bool steered = true;
    static constexpr bool has_keys = true;
};

using scheduled = subject<by_schedule, 6, 16, 0>;
using scheduled_together = subject<by_schedule, 6, 16, 4>;
using scheduled_alone = subject<by_schedule, 1, 0, 0>;
using adjusted = subject<by_adjustable, 6, 0, 0>;
using adjusted_together = subject<by_adjustable, 3, 8, 3>;
using limited_twice = subject<by_two_limits, 6, 16, 0>;
using limited_twice_together = subject<by_two_limits, 2, 16, 2>;
using steered = by_ticket<subject<by_schedule, 6, 8, 0>>;
using steered_together = by_key<subject<by_schedule, 3, 4, 4>>;
using steered_alone = by_key<subject<by_schedule, 1, 0, 0>>;
using steered_adjusted = by_key<subject<by_adjustable, 6, 0, 0>>;
using steered_twice = by_ticket<subject<by_two_limits, 2, 8, 2>>;

}  // namespace pacing

// SPDX-License-Identifier: MIT
// For histories in virtual time: limits of each kind, of one unit in so many ticks and 8 at once,
// and lanes with classes, weights and limits of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

namespace pacing::some {

using clock = weir::manual_clock<struct some_limits>;

[[nodiscard]] inline weir::quota one_in(weir::word ticks, std::int64_t burst) {
    return {1, weir::nanoseconds(static_cast<std::int64_t>(ticks)), burst};
}

struct of_a_schedule {
    using limit_type = weir::schedule<clock>;
    explicit of_a_schedule(weir::word ticks)
        : limit(one_in(ticks, 8),
                weir::catch_up::within(weir::nanoseconds(static_cast<std::int64_t>(2 * ticks)))) {}
    limit_type limit;
};
template <class Limit>
struct of_a_limiter {
    using limit_type = Limit;
    explicit of_a_limiter(weir::word ticks) : limit(one_in(ticks, 8)) {}
    limit_type limit;
};
using of_gcra = of_a_limiter<weir::limiter<weir::gcra<>, clock>>;
using of_a_bucket = of_a_limiter<weir::limiter<weir::token_bucket<>, clock>>;
using of_an_adjustable = of_a_limiter<weir::adjustable<clock>>;
struct of_a_log {
    using limit_type = weir::limiter<weir::sliding_log<8>, clock>;
    explicit of_a_log(weir::word ticks)
        : limit(weir::quota{8, weir::nanoseconds(static_cast<std::int64_t>(8 * ticks))}) {}
    limit_type limit;
};
struct of_two {
    using often = weir::limiter<weir::gcra<>, clock>;
    using seldom = weir::limiter<weir::sliding_log<12>, clock>;
    using limit_type = weir::all_of<often, seldom>;
    explicit of_two(weir::word ticks)
        : first(one_in(ticks, 8)),
          second(weir::quota{12, weir::nanoseconds(static_cast<std::int64_t>(15 * ticks))}) {}
    often first;
    seldom second;
    limit_type limit{first, second};
};
using of_each_kind =
    testing::Types<of_a_schedule, of_gcra, of_a_bucket, of_an_adjustable, of_a_log, of_two>;

constexpr weir::word interval = 40;  // ticks of a unit, on the pacer's limit

// Of a lane.
struct seat {
    unsigned priority;
    unsigned weight;
    std::size_t limit;  // 0: the pacer's
};

// A producer for each seat.
template <class Pacer, class Subject>
[[nodiscard]] auto open_lanes(Pacer& p, std::span<const seat> seats, Subject* limits) {
    std::vector<typename Pacer::producer_type> lanes;
    for (const seat& s : seats) {
        lanes.push_back(p.open({.priority = s.priority,
                                .weight = s.weight,
                                .budget = s.limit == 0 ? nullptr : &limits[s.limit].limit}));
    }
    return lanes;
}

[[nodiscard]] inline std::string text_of(const weir::pacer_options& o,
                                         std::span<const seat> seats) {
    std::string text = "one in " + std::to_string(o.lowest_gets_one_in) + ", drops " +
                       std::to_string(o.most_drops) + "\n";
    for (std::size_t i = 0; i < seats.size(); ++i) {
        text += "lane " + std::to_string(i) + ": class " + std::to_string(seats[i].priority) +
                ", weight " + std::to_string(seats[i].weight) + ", limit " +
                std::to_string(seats[i].limit) + "\n";
    }
    return text;
}

}  // namespace pacing::some

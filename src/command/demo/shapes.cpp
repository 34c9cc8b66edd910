// SPDX-License-Identifier: MIT
#include "command/demo/shapes.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/weir.hpp>

#include "command/text.hpp"

namespace weir::command {
namespace {

using virtual_clock = manual_clock<struct trace_time, 1'000'000>;

constexpr options whole = {.whole_periods = true};

tick at(std::chrono::microseconds time) { return {static_cast<word>(time.count())}; }

template <class Limit>
shape pass_through(Limit& limit, const arrivals& all, std::string algorithm, std::string character,
                   const quota& q) {
    shape s = {std::move(algorithm), std::move(character), q, {}};
    for (const auto arrival : all) {
        virtual_clock::set(at(arrival));
        s.passed.push_back(limit.try_acquire().admitted());
    }
    return s;
}

template <class Kind>
using limit_of = limiter<typename Kind::template cell<most_rate>, virtual_clock>;

template <class Kind>
shape pass(const scene& t) {
    virtual_clock::set({});
    limit_of<Kind> limit(t.played);
    return pass_through(limit, t.times, Kind::name, Kind::character, t.asked);
}

shape pass_portions(const scene& t) {
    virtual_clock::set({});
    limiter<token_bucket<>, virtual_clock> limit(t.played, whole);
    return pass_through(limit, t.times, "token_bucket of whole periods",
                        "all units of a period come at once, and no more than the burst", t.asked);
}

// Those that pass the same are one shape.
void add(std::vector<shape>& to, shape s) {
    for (shape& one : to) {
        if (one.passed != s.passed) continue;
        one.algorithm += ", " + s.algorithm;
        return;
    }
    to.push_back(std::move(s));
}

shape pass_both(const scene& t) {
    virtual_clock::set({});
    limiter<gcra<>, virtual_clock> each_second(t.played);
    limiter<sliding_log<std::size_t{5} * most_rate>, virtual_clock> in_ten_seconds(
        quota(5 * t.played.units(), seconds(10)));
    all_of both(each_second, in_ten_seconds);
    const std::string what = "and no more than " +
                             scaled(5 * static_cast<std::uint64_t>(t.asked.units())) + " in any " +
                             t.in_words(10);
    return pass_through(both, t.times, "all_of", what, t.asked);
}

shape pass_warming_up(const scene& t) {
    virtual_clock::set({});
    const auto tenth = [](std::int64_t n) { return std::max<std::int64_t>(n / 10, 1); };
    adjustable<virtual_clock> limit(
        quota(tenth(t.played.units()), seconds(1), tenth(t.played.burst())));
    (void)limit.set_quota(t.played, seconds(15));
    const std::string what = "warms up from a tenth within " + t.in_words(15);
    return pass_through(limit, t.times, "adjustable", what, t.asked);
}

template <class Counts>
std::vector<double> rates(const arrivals& all, std::size_t bins, Counts counts) {
    using std::chrono::microseconds;
    const auto width =
        static_cast<double>(microseconds(trace_length).count()) / static_cast<double>(bins);
    std::vector<double> result(bins);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!counts(i)) continue;
        const auto bin = static_cast<std::size_t>(static_cast<double>(all[i].count()) / width);
        result[std::min(bin, bins - 1)] += 1e6 / width;
    }
    return result;
}

}  // namespace

// The same rate and burst for all, so that what differs is the algorithm.
std::vector<shape> shapes_of(const scene& t) {
    std::vector<shape> shapes;
    for_each_kind([&]<class Kind>(Kind) {
        if (limit_of<Kind>::make(t.played)) add(shapes, pass<Kind>(t));
    });
    if (limiter<token_bucket<>, virtual_clock>::make(t.played, whole)) {
        add(shapes, pass_portions(t));
    }
    if (limit_of<kinds::gcra>::make(t.played)) add(shapes, pass_both(t));
    if (adjustable<virtual_clock>::refusal(t.played) == quota_error::none) {
        add(shapes, pass_warming_up(t));
    }
    return shapes;
}

without_shape those_without_shape(const scene& t) {
    without_shape those;
    for_each_kind([&]<class Kind>(Kind) {
        const quota_error reason = limit_of<Kind>::make(t.played).error();
        if (reason == quota_error::none) return;
        those.names += (those.names.empty() ? "" : ", ") + std::string(Kind::name);
        those.why = describe(reason);
    });
    return those;
}

std::vector<double> arrival_rates(const arrivals& all, std::size_t bins) {
    return rates(all, bins, [](std::size_t) { return true; });
}

std::vector<double> passed_rates(const arrivals& all, const shape& s, std::size_t bins) {
    return rates(all, bins, [&s](std::size_t i) { return s.passed[i]; });
}

std::size_t passed_in_all(const shape& s) {
    return static_cast<std::size_t>(std::count(s.passed.begin(), s.passed.end(), true));
}

worst_window windows_of(const arrivals& all, const shape& s) {
    constexpr std::uint64_t second = 1'000'000;
    worst_window passed(second, worst_window::keeps::levels);
    passed.begin_at(0);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (s.passed[i]) passed.pass(static_cast<std::uint64_t>(all[i].count()), 0, 1);
    }
    return passed;
}

std::size_t most_in_a_second(const arrivals& all, const shape& s) {
    return static_cast<std::size_t>(windows_of(all, s).most());
}

}  // namespace weir::command

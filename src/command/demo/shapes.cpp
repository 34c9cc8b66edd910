// SPDX-License-Identifier: MIT
#include "command/demo/shapes.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <utility>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/weir.hpp>

namespace weir::command {
namespace {

using virtual_clock = manual_clock<struct trace_time, 1'000'000>;

tick at(std::chrono::microseconds time) { return {static_cast<word>(time.count())}; }

template <class Limit>
shape pass_through(Limit& limit, const arrivals& all, const char* algorithm, const char* character,
                   const quota& q) {
    shape s = {algorithm, character, q, {}};
    for (const auto arrival : all) {
        virtual_clock::set(at(arrival));
        s.passed.push_back(limit.try_acquire().admitted());
    }
    return s;
}

template <class Kind>
shape pass(const arrivals& all, const quota& q) {
    virtual_clock::set({});
    limiter<typename Kind::template cell<usual_rate>, virtual_clock> limit(q);
    return pass_through(limit, all, Kind::name, Kind::character, q);
}

shape pass_portions(const arrivals& all, const quota& q) {
    virtual_clock::set({});
    limiter<token_bucket<>, virtual_clock> limit(q, {.whole_periods = true});
    return pass_through(limit, all, "token_bucket of whole periods", "", q);
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

shape pass_both(const arrivals& all, const quota& usual) {
    virtual_clock::set({});
    limiter<gcra<>, virtual_clock> each_second(usual);
    constexpr std::size_t most = std::size_t{5} * usual_rate;
    limiter<sliding_log<most>, virtual_clock> in_ten_seconds(quota(most, seconds(10)));
    all_of both(each_second, in_ten_seconds);
    return pass_through(both, all, "all_of", "and no more than 500 in any ten seconds", usual);
}

shape pass_warming_up(const arrivals& all, const quota& usual) {
    virtual_clock::set({});
    adjustable<virtual_clock> limit(quota(usual_rate / 10, seconds(1)));
    (void)limit.set_quota(usual, seconds(15));
    return pass_through(limit, all, "adjustable", "warms up from a tenth within 15 seconds", usual);
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
std::vector<shape> shapes_of(const arrivals& all) {
    const quota usual = per_second(usual_rate);
    std::vector<shape> shapes;
    for_each_kind([&](auto kind) { add(shapes, pass<decltype(kind)>(all, usual)); });
    add(shapes, pass_portions(all, usual));
    add(shapes, pass_both(all, usual));
    add(shapes, pass_warming_up(all, usual));
    return shapes;
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

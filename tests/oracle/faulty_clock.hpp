// SPDX-License-Identifier: MIT
// Clocks as they are: faults by name, what each may bring, and how much passes under one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>

#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>

#include "dice.hpp"

namespace oracle::faults {

constexpr std::int64_t units = 100;  // a second, and the burst
inline const weir::quota hundred_a_second{units, weir::seconds(1)};

// Nanoseconds.
constexpr std::int64_t microsecond = 1'000;
constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t hour = 3'600 * second;
constexpr std::int64_t beginning = 1'000 * hour;
constexpr std::int64_t onset = beginning + 20 * second + 3 * millisecond;  // just after a unit
constexpr std::int64_t end = beginning + 60 * second;

using faulty_clock = weir::manual_clock<struct faulty>;

// --- what is wrong with the clock

struct fault {
    const char* name;
    std::function<std::int64_t(std::int64_t)> read;  // at a true time
    double more;                                     // units, than in true time
    double later;                                    // the share of the rate that passes in the end
    std::int64_t back = 0;                           // it is set back by so much
};

// From the onset on.
[[nodiscard]] inline std::int64_t since(std::int64_t t) {
    return std::max<std::int64_t>(t - onset, 0);
}
[[nodiscard]] inline fault ahead_by(const char* name, std::int64_t jump) {
    return {name, [=](std::int64_t t) { return t < onset ? t : t + jump; }, double{units}, 1};
}
[[nodiscard]] inline fault back_by(const char* name, std::int64_t jump, double more) {
    return {name, [=](std::int64_t t) { return t < onset ? t : t - jump; }, more, 1, jump};
}
[[nodiscard]] inline fault faster_by(const char* name, std::int64_t millionths) {
    const double more = 40.0 * units * static_cast<double>(millionths) / 1e6;
    return {name, [=](std::int64_t t) { return t + since(t) / 1'000'000 * millionths; },
            std::max(more, 0.0), 1 + static_cast<double>(millionths) / 1e6};
}
[[nodiscard]] inline std::int64_t of_another_core(std::int64_t t) {
    static dice d(1);
    return t + static_cast<std::int64_t>(d.between(0, 2'000)) - microsecond;
}

inline const fault faults[] = {
    // A machine that moved to another host, or whose counter went on while it slept.
    ahead_by("jumps_ahead_by_a_second", second),
    ahead_by("jumps_ahead_by_a_day", 24 * hour),
    // To a host that was started later. Within the guard of a table, within that of a limiter, and
    // beyond each.
    back_by("jumps_back_by_9_ms", 9 * millisecond, 0),
    back_by("jumps_back_by_a_second", second, units),
    back_by("jumps_back_by_a_day", 24 * hour, units),
    // To a host whose counter has another frequency.
    faster_by("is_a_tenth_faster", 100'000),
    faster_by("is_a_tenth_slower", -100'000),
    // A leap second that is spread over 1000 seconds, in both directions.
    faster_by("is_smeared_ahead", 1'000),
    faster_by("is_smeared_back", -1'000),
    {"differs_between_cores_by_a_microsecond", of_another_core, 1, 1},
    {"stands_still_for_10_s", [](std::int64_t t) { return t - std::min(since(t), 10 * second); }, 0,
     1},
    {"stands_still_for_10_s_and_catches_up",
     [](std::int64_t t) { return t > onset && t < onset + 10 * second ? onset : t; }, 0, 1},
};

// --- what passes

// Of more than there is.
template <class Subject>
double pass(Subject& s, const fault& wrong, std::int64_t from, std::int64_t to) {
    std::uint64_t passed = 0;
    for (std::int64_t t = from; t < to; t += millisecond) {
        for (int i = 0; i < 2; ++i) {
            faulty_clock::set({static_cast<weir::word>(wrong.read(t))});
            passed += s.try_one() ? 1U : 0U;
        }
    }
    return static_cast<double>(passed);
}

// More than may pass: nothing, where all is well.
constexpr weir::word lent = 8;  // what a lease may hold
template <class Subject>
double beyond(Subject& s, const fault& wrong, double& at_last) {
    const double before = pass(s, wrong, beginning, end - 10 * second);
    at_last = pass(s, wrong, end - 10 * second, end);
    constexpr double in_true_time = 60.0 * units;
    return before + at_last - (units + lent + in_true_time + wrong.more);
}

}  // namespace oracle::faults

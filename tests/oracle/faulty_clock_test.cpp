// SPDX-License-Identifier: MIT
// Clocks as they are, for what is built of cells: tables, leases, changing quotas and a pacer's
// schedule. A machine that moves, sleeps or has cores that disagree: each fault is named, injected
// into a minute of virtual time, and brings no more than is stated. And nobody is denied for ever.
// time_test.cpp asks the same of limiters with each cell, for longer.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/pacer/schedule.hpp>
#include <weir/table/array.hpp>
#include <weir/table/keyed.hpp>
#include <weir/table/striped.hpp>
#include <weir/weir.hpp>

#include "dice.hpp"
#include "mistakes.hpp"

namespace {

using weir::word;

constexpr std::int64_t units = 100;  // a second, and the burst
const weir::quota q{units, weir::seconds(1)};

// Nanoseconds.
constexpr std::int64_t microsecond = 1'000;
constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t hour = 3'600 * second;
constexpr std::int64_t beginning = 1'000 * hour;
constexpr std::int64_t onset = beginning + 20 * second + 3 * millisecond;  // just after a unit
constexpr std::int64_t end = beginning + 60 * second;

using faulty_clock = weir::manual_clock<struct faulty>;

// --- what is asked

struct subject {
    subject() = default;
    subject(const subject&) = delete;
    subject& operator=(const subject&) = delete;
    virtual ~subject() = default;

    virtual bool try_one() = 0;
};
using making = std::unique_ptr<subject> (*)();

// What has a limit, and calls it.
template <class Owner>
class made final : public subject {
public:
    bool try_one() override { return owner_.try_one(); }

private:
    Owner owner_;
};
template <class Owner>
std::unique_ptr<subject> make() {
    return std::make_unique<made<Owner>>();
}

struct an_adjustable {
    weir::adjustable<faulty_clock> limit{q};
    bool try_one() { return limit.try_acquire().admitted(); }
};
template <class Cell>
struct an_entry {
    weir::limiter_array<4, Cell, faulty_clock> all{q};
    bool try_one() { return all[1].try_acquire().admitted(); }
};
template <weir::keyed_layout Layout>
struct a_key {
    weir::keyed_limits<8, faulty_clock, Layout> all{q, weir::when_full::deny, weir::seed(1)};
    bool try_one() { return all[std::uint64_t{7}].try_acquire().admitted(); }
};
struct a_stripe {
    using shared_type = weir::limiter<weir::gcra<>, faulty_clock>;
    shared_type shared{weir::striped<shared_type, 4>::shared_quota(q)};
    weir::striped<shared_type, 4> all{shared};
    bool try_one() { return all.try_acquire().admitted(); }
};
constexpr word lent = 8;
struct a_lease {
    weir::limiter<weir::gcra<>, faulty_clock> shared{q};
    weir::lease<weir::limiter<weir::gcra<>, faulty_clock>> mine{shared, lent};
    bool try_one() { return mine.try_acquire(); }
};
struct both_of_two {
    weir::limiter<weir::gcra<>, faulty_clock> first{q};
    weir::limiter<weir::token_bucket<>, faulty_clock> second{q};
    bool try_one() { return weir::all_of(first, second).try_acquire().admitted(); }
};
struct a_schedule {
    weir::schedule<faulty_clock> pace{q, weir::catch_up::items(units - 1)};
    bool try_one() { return pace.try_acquire(1, faulty_clock::now()).admitted(); }
};

struct named_subject {
    const char* name;
    making make;
    bool denies_for_all_of_it = false;  // if its clock is set back
};
const named_subject subjects[] = {
    {"adjustable", make<an_adjustable>, true},
    {"array", make<an_entry<weir::gcra<>>>},
    {"keyed", make<a_key<weir::keyed_layout{}>>},
    {"keyed_exact", make<a_key<weir::keyed_layout{.exact = true}>>},
    {"keyed_class", make<a_key<weir::keyed_layout{.classes = 1}>>, true},
    {"striped", make<a_stripe>},
    {"lease", make<a_lease>},
    {"all_of", make<both_of_two>},
    {"schedule", make<a_schedule>},
};

// --- what is wrong with the clock

struct fault {
    const char* name;
    std::function<std::int64_t(std::int64_t)> read;  // at a true time
    double more;                                     // units, than in true time
    double later;                                    // the share of the rate that passes in the end
    std::int64_t back = 0;                           // it is set back by so much
};

// From the onset on.
[[nodiscard]] std::int64_t since(std::int64_t t) { return std::max<std::int64_t>(t - onset, 0); }
[[nodiscard]] fault ahead_by(const char* name, std::int64_t jump) {
    return {name, [=](std::int64_t t) { return t < onset ? t : t + jump; }, double{units}, 1};
}
[[nodiscard]] fault back_by(const char* name, std::int64_t jump, double more) {
    return {name, [=](std::int64_t t) { return t < onset ? t : t - jump; }, more, 1, jump};
}
[[nodiscard]] fault faster_by(const char* name, std::int64_t millionths) {
    const double more = 40.0 * units * static_cast<double>(millionths) / 1e6;
    return {name, [=](std::int64_t t) { return t + since(t) / 1'000'000 * millionths; },
            std::max(more, 0.0), 1 + static_cast<double>(millionths) / 1e6};
}
[[nodiscard]] std::int64_t of_another_core(std::int64_t t) {
    static oracle::dice d(1);
    return t + static_cast<std::int64_t>(d.up_to(2 * microsecond)) - microsecond;
}

const fault faults[] = {
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
double pass(subject& s, const fault& wrong, std::int64_t from, std::int64_t to) {
    word passed = 0;
    for (std::int64_t t = from; t < to; t += millisecond) {
        for (int i = 0; i < 2; ++i) {
            faulty_clock::set({static_cast<word>(wrong.read(t))});
            passed += s.try_one() ? 1U : 0U;
        }
    }
    return static_cast<double>(passed);
}

// More than may pass: nothing, where all is well.
double beyond(subject& s, const fault& wrong, double& at_last) {
    const double before = pass(s, wrong, beginning, end - 10 * second);
    at_last = pass(s, wrong, end - 10 * second, end);
    constexpr double in_true_time = 60.0 * units;
    return before + at_last - (units + lent + in_true_time + wrong.more);
}

class faulty_clock_test : public testing::TestWithParam<std::tuple<named_subject, fault>> {};
INSTANTIATE_TEST_SUITE_P(each, faulty_clock_test,
                         testing::Combine(testing::ValuesIn(subjects), testing::ValuesIn(faults)),
                         [](const auto& of) {
                             return std::string(std::get<0>(of.param).name) + "_" +
                                    std::get<1>(of.param).name;
                         });

TEST_P(faulty_clock_test, brings_no_more_than_is_stated_and_stops_nobody_for_ever) {
    const auto& [about, wrong] = GetParam();
    faulty_clock::set({static_cast<word>(beginning)});
    const auto s = about.make();
    double at_last = 0;
    EXPECT_LE(beyond(*s, wrong, at_last), 0);
    const bool denies = about.denies_for_all_of_it && wrong.back > 30 * second;
    const double expected = denies ? 0 : 10 * units * wrong.later;
    EXPECT_GE(at_last, expected - 0.02 * expected);
    EXPECT_LE(at_last, expected + 0.02 * units * 10) << "it has long been as before";
}

// What the test above must find.
TEST(faulty_clock, is_found_to_bring_more_to_a_cell_without_a_guard) {
    faulty_clock::set({static_cast<word>(beginning)});
    const auto s = make<an_entry<oracle::trusting_gcra>>();
    double at_last = 0;
    EXPECT_GT(beyond(*s, back_by("jumps_back_by_9_ms", 9 * millisecond, 0), at_last), 0);
}

TEST(faulty_clock, is_found_to_be_faster_than_is_stated) {
    faulty_clock::set({static_cast<word>(beginning)});
    const auto s = make<an_entry<weir::gcra<>>>();
    fault wrong = faster_by("is_a_fifth_faster", 200'000);
    wrong.more = faster_by("is_a_tenth_faster", 100'000).more;
    double at_last = 0;
    EXPECT_GT(beyond(*s, wrong, at_last), 0);
}

}  // namespace

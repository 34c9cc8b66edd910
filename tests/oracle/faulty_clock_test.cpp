// SPDX-License-Identifier: MIT
// Clocks as they are, for what is built of cells: tables, leases, changing quotas and a pacer's
// schedule. A machine that moves, sleeps or has cores that disagree: each fault is named, injected
// into a minute of virtual time, and brings no more than is stated. And nobody is denied for ever.
// time_test.cpp asks the same of limiters with each cell, for longer.
#include <cstdint>
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

#include "faulty_clock.hpp"
#include "mistakes.hpp"

namespace {

using namespace oracle::faults;
using oracle::trusting_gcra;
using weir::word;

const weir::quota q = hundred_a_second;

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
    const auto s = make<an_entry<trusting_gcra>>();
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

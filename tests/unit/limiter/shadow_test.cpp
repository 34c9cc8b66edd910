// SPDX-License-Identifier: MIT
// A limit that lets everything pass and counts what it would have refused.
#include <gtest/gtest.h>

#include <weir/adapter/metrics.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/limiter/shadow.hpp>
#include <weir/table/array.hpp>
#include <weir/table/keyed.hpp>
#include <weir/table/skipping.hpp>
#include <weir/table/striped.hpp>

#include "../../own_limit.hpp"

namespace {

using weir::decision_counts;
using weir::milliseconds;
using weir::per_second;
using weir::quota;
using weir::seconds;
using weir::shadow;
using weir::verdict;

using clock = weir::manual_clock<struct shadows>;
using limiter = weir::limiter<weir::gcra<>, clock>;
using array = weir::limiter_array<4, weir::gcra<>, clock, weir::array_layout{}, weir::counters>;
using keyed = weir::keyed_limits<64, clock>;

static_assert(weir::limit<shadow<limiter>>);
static_assert(weir::limit<shadow<weir::adjustable<clock>>>);
static_assert(weir::limit<shadow<weir::striped<limiter>>>);
static_assert(weir::limit<shadow<weir::skipping<limiter>>>);
static_assert(weir::limit<shadow<own::limit<clock>>>);
static_assert(weir::limit_view<shadow<array::entry>>);
static_assert(weir::limit_view<shadow<keyed::entry>>);
static_assert(!weir::limit_view<shadow<limiter>>);
static_assert(!weir::reserving<shadow<limiter>>);  // nobody has to wait

constinit limiter global{per_second(10)};
constinit shadow global_shadow(global);

class a_shadow : public testing::Test {
protected:
    void SetUp() override { clock::set(weir::tick{1'000'000'000'000}); }
};

TEST_F(a_shadow, lets_pass_what_its_limit_refuses_and_counts_it) {
    limiter api{quota{10, seconds(1), 2}};
    shadow trial(api);
    EXPECT_TRUE(trial.try_acquire().would());
    EXPECT_TRUE(trial.try_acquire().would());
    const auto over = trial.try_acquire();
    EXPECT_TRUE(over);
    EXPECT_EQ(over.verdict(), verdict::admitted);
    EXPECT_EQ(over.retry_after(), weir::nanoseconds{});
    EXPECT_EQ(over.would().verdict(), verdict::wait);
    EXPECT_EQ(over.would().retry_after(), milliseconds(100));
    EXPECT_TRUE(trial.try_acquire(3));
    EXPECT_EQ(trial.observer().snapshot(), (decision_counts{2, 2, 1, 1, 0}));
    EXPECT_TRUE(trial.peek());
    EXPECT_FALSE(trial.peek().would());
    EXPECT_EQ(trial.observer().denied(), 1U);  // a look is not counted
}

TEST_F(a_shadow, decides_as_the_limit_would_if_callers_went_away) {
    limiter in_earnest{quota{100, seconds(1), 5}};
    limiter in_shadow{quota{100, seconds(1), 5}};
    shadow trial(in_shadow);
    unsigned refused = 0;
    for (int i = 0; i < 1'000; ++i) {
        clock::advance(milliseconds(i % 7));
        const auto n = static_cast<unsigned>(1 + i % 3);
        const bool passes = static_cast<bool>(in_earnest.try_acquire(n));
        EXPECT_EQ(static_cast<bool>(trial.try_acquire(n).would()), passes);
        refused += passes ? 0 : 1;
    }
    EXPECT_GT(refused, 100U);
    EXPECT_EQ(trial.observer().denied(), refused);
}

TEST_F(a_shadow, takes_the_place_of_its_limit_in_what_is_built_of_limits) {
    limiter strict{quota{10, seconds(1), 3}};
    limiter used_up{quota{10, seconds(1), 1}};
    shadow trial(used_up);
    weir::all_of both(strict, trial);
    EXPECT_TRUE(both.try_acquire());
    EXPECT_TRUE(both.try_acquire());
    EXPECT_TRUE(both.try_acquire());
    EXPECT_FALSE(both.try_acquire());  // by the one in earnest: the shadow is not asked
    EXPECT_EQ(both.try_acquire().refused_by(), 0U);
    EXPECT_EQ(trial.observer().snapshot(), (decision_counts{1, 1, 2, 0, 0}));
    EXPECT_TRUE(weir::acquire_for(trial, 1, seconds(0)));
    EXPECT_EQ(trial.observer().denied(), 3U);
}

TEST_F(a_shadow, of_a_tables_entry_is_a_limit_by_value) {
    array shots{quota{10, seconds(1), 1}};
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(shadow(shots[1]).try_acquire());
    EXPECT_FALSE(shadow(shots[1]).try_acquire().would());
    EXPECT_TRUE(shadow(shots[2]).try_acquire().would());
    EXPECT_EQ(shots.observer().denied(), 3U);  // the table's own observer has counted
    weir::all_of both{shadow(shots[1]), shadow(shots[2])};
    EXPECT_TRUE(both.try_acquire());

    keyed clients{quota{10, seconds(1), 1}, weir::when_full::deny, weir::seed(1)};
    EXPECT_TRUE(shadow(clients[7U]).try_acquire().would());
    const auto over = shadow(clients[7U]).try_acquire();
    EXPECT_TRUE(over);
    EXPECT_FALSE(over.would());
    shadow<keyed::entry, weir::counters> kept(clients[7U]);  // it may count by itself
    EXPECT_TRUE(kept.try_acquire());
    EXPECT_EQ(kept.observer().denied(), 1U);
}

TEST_F(a_shadow, of_stripes_and_skipped_calls_says_what_they_said) {
    limiter shared{quota{10, seconds(1), 4}};
    weir::striped<limiter> stripes(shared);
    shadow trial(stripes);
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(trial.try_acquire());
    EXPECT_EQ(trial.observer().snapshot().admitted, 4U);
    EXPECT_EQ(trial.observer().denied(), 6U);

    limiter hammered{quota{10, seconds(1), 1}};
    weir::skipping<limiter> skips(hammered);
    shadow hurried(skips);
    EXPECT_TRUE(hurried.try_acquire().would());
    EXPECT_FALSE(hurried.try_acquire().would());
}

TEST_F(a_shadow, is_told_as_metrics_like_any_limit_that_counts) {
    limiter api{quota{10, seconds(1), 1}};
    shadow trial(api);
    (void)trial.try_acquire();
    (void)trial.try_acquire();
    const weir::limit_metrics m("api_in_shadow", trial);
    EXPECT_EQ(m.counts.denied, 1U);
}

TEST_F(a_shadow, is_an_object_of_a_program_that_begins) {
    EXPECT_TRUE(global_shadow.try_acquire().would());
    EXPECT_EQ(&global_shadow.shadowed(), &global);
}

}  // namespace

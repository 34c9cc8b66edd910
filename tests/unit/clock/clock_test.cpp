// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <cstring>

#include <gtest/gtest.h>

#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/coarse.hpp>
#include <weir/clock/default.hpp>
#include <weir/clock/given.hpp>
#include <weir/clock/manual.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/utc.hpp>

namespace {

using weir::nanoseconds;

static_assert(weir::clock<weir::steady_clock>);
static_assert(weir::clock<weir::coarse_clock>);
static_assert(weir::clock<weir::manual_clock<>>);
static_assert(weir::clock<weir::default_clock>);

struct third_of_a_gigahertz {};
using odd_clock = weir::manual_clock<third_of_a_gigahertz, 333'333'333>;

TEST(to_time, rounds_up_and_never_wraps) {
    EXPECT_EQ(weir::to_time<odd_clock>(0).count(), 0);
    EXPECT_EQ(weir::to_time<odd_clock>(1).count(), 4);
    EXPECT_EQ(weir::to_time<odd_clock>(333'333'333), weir::seconds(1));
    EXPECT_EQ(weir::to_time<odd_clock>(UINT64_MAX), nanoseconds::longest());
    EXPECT_EQ(weir::to_time<weir::manual_clock<>>(UINT64_MAX), nanoseconds::longest());
}

TEST(to_ticks, rounds_up_and_never_wraps) {
    EXPECT_EQ(weir::to_ticks<odd_clock>(nanoseconds(-5)), 0U);
    EXPECT_EQ(weir::to_ticks<odd_clock>(nanoseconds(1)), 1U);
    EXPECT_EQ(weir::to_ticks<odd_clock>(nanoseconds(4)), 2U);
    EXPECT_EQ(weir::to_ticks<odd_clock>(weir::seconds(3)), 999'999'999U);
    using fast = weir::manual_clock<void, 10'000'000'000>;
    EXPECT_EQ(weir::to_ticks<fast>(nanoseconds::longest()), UINT64_MAX);
}

TEST(manual_clock, stands_still_until_it_is_moved) {
    struct own {};
    using clock = weir::manual_clock<own, 1'000>;
    EXPECT_EQ(clock::now().count, 0U);
    clock::set({41});
    clock::advance(weir::milliseconds(1));
    EXPECT_EQ(clock::now().count, 42U);
    clock::advance(nanoseconds(1));
    EXPECT_EQ(clock::now().count, 43U) << "rounded up";
    EXPECT_EQ(clock::facts().granularity, weir::milliseconds(1));
    EXPECT_FALSE(clock::facts().invariant) << "somebody sets it";
}

TEST(steady_clock, agrees_with_the_standard_one) {
    const auto before = std::chrono::steady_clock::now().time_since_epoch().count();
    const auto now = static_cast<std::int64_t>(weir::steady_clock::now().count);
    const auto after = std::chrono::steady_clock::now().time_since_epoch().count();
    EXPECT_LE(before, now);
    EXPECT_LE(now, after);
    EXPECT_EQ(weir::steady_clock::hertz(), 1'000'000'000U);
    EXPECT_TRUE(weir::steady_clock::facts().invariant);
    EXPECT_GT(weir::steady_clock::facts().granularity, nanoseconds{});
    EXPECT_LT(weir::steady_clock::facts().granularity, weir::seconds(1));
    EXPECT_FALSE(weir::utc_clock::facts().invariant) << "it is set";
}

TEST(may_sleep, is_for_as_long_as_one_waits_by_a_clock_that_nobody_sets) {
    using weir::milliseconds;
    EXPECT_EQ(weir::may_sleep<weir::steady_clock>(weir::hours(5)), weir::hours(5));
    EXPECT_EQ(weir::may_sleep<odd_clock>(milliseconds(3)), milliseconds(3));
    EXPECT_EQ(weir::may_sleep<odd_clock>(milliseconds(30)), milliseconds(10));
}

TEST(coarse_clock, says_how_late_it_can_be) {
    const auto facts = weir::coarse_clock::facts();
    EXPECT_GT(facts.granularity, weir::steady_clock::facts().granularity);
    EXPECT_TRUE(facts.invariant);
    weir::word before = weir::coarse_clock::now().count;
    for (int i = 0; i < 1000; ++i) {
        const weir::word now = weir::coarse_clock::now().count;
        EXPECT_LE(before, now);
        before = now;
    }
}

#ifdef __linux__  // where both count from the same time
TEST(coarse_clock, is_late) {
    for (int i = 0; i < 1000; ++i) {
        const auto coarse = weir::coarse_clock::now().count;
        EXPECT_LE(coarse, weir::steady_clock::now().count);
    }
}
#endif

// A counter that a test can call unreliable. Each Tag is one of its own, as the decision whether
// to trust it is made once.
template <class Tag>
struct doubtful_counter {
    static constexpr std::uint64_t lowest_hertz = 1'000;
    static constexpr std::uint64_t highest_hertz = 1'000'000;
    static inline bool is_invariant_ = true;
    static inline std::uint64_t frequency_ = 5'000;

    static weir::instant<doubtful_counter> now() noexcept {
        return weir::instant<doubtful_counter>(7);
    }
    static std::uint64_t hertz() noexcept { return frequency_; }
    static bool invariant() noexcept { return is_invariant_; }
    static weir::clock_facts facts() noexcept { return {"counter", frequency_, {}, is_invariant_}; }
};

TEST(trusted_clock, reads_a_counter_that_is_invariant) {
    using clock = weir::trusted_clock<doubtful_counter<struct good>, weir::steady_clock>;
    EXPECT_EQ(clock::now().count, 7U);
    EXPECT_EQ(clock::hertz(), 5'000U);
    EXPECT_STREQ(clock::facts().source, "counter");
    EXPECT_STREQ(clock::facts().note, "");
}

TEST(trusted_clock, reads_a_counter_at_the_bounds_of_its_frequency) {
    using slow = doubtful_counter<struct slowest>;
    slow::frequency_ = slow::lowest_hertz;
    EXPECT_STREQ((weir::trusted_clock<slow, weir::steady_clock>::facts().source), "counter");
    using fast = doubtful_counter<struct fastest>;
    fast::frequency_ = fast::highest_hertz;
    EXPECT_STREQ((weir::trusted_clock<fast, weir::steady_clock>::facts().source), "counter");
}

TEST(trusted_clock, falls_back_where_the_counter_is_not_invariant_and_says_so) {
    using counter = doubtful_counter<struct unsteady>;
    counter::is_invariant_ = false;
    using clock = weir::trusted_clock<counter, weir::steady_clock>;
    EXPECT_NE(clock::now().count, 7U);
    EXPECT_EQ(clock::hertz(), 1'000'000'000U);
    EXPECT_STREQ(clock::facts().source, "CLOCK_MONOTONIC");
    EXPECT_STREQ(clock::facts().note, weir::clock_facts::not_invariant);
}

TEST(trusted_clock, falls_back_where_the_frequency_is_absurd) {
    using slow = doubtful_counter<struct too_slow>;
    slow::frequency_ = 999;
    EXPECT_STREQ((weir::trusted_clock<slow, weir::steady_clock>::facts().source),
                 "CLOCK_MONOTONIC");
    using fast = doubtful_counter<struct too_fast>;
    fast::frequency_ = 1'000'001;
    EXPECT_STREQ((weir::trusted_clock<fast, weir::steady_clock>::facts().source),
                 "CLOCK_MONOTONIC");
}

TEST(trusted_clock, falls_back_where_the_frequency_cannot_be_measured_and_says_so) {
    using counter = doubtful_counter<struct unknown>;
    counter::frequency_ = 0;
    using clock = weir::trusted_clock<counter, weir::steady_clock>;
    EXPECT_EQ(clock::hertz(), 1'000'000'000U);
    EXPECT_STREQ(clock::facts().source, "CLOCK_MONOTONIC");
    EXPECT_STREQ(clock::facts().note, weir::clock_facts::not_measured);
}

// Says that it is not sure of its frequency.
template <class Tag>
struct measured_counter : doubtful_counter<Tag> {
    static weir::instant<measured_counter> now() noexcept {
        return weir::instant<measured_counter>();
    }
    static constexpr std::uint64_t highest_hertz = 3'000'000'000;
    static inline std::uint64_t least_ = 2'000'000'000;
    static std::uint64_t hertz() noexcept { return 2'000'040'000; }
    static std::uint64_t least_hertz() noexcept { return least_; }
};

TEST(least_hertz, is_hertz_where_a_clock_does_not_say_otherwise) {
    EXPECT_EQ(weir::least_hertz<odd_clock>(), 333'333'333U);
    using counter = doubtful_counter<struct sure>;
    EXPECT_EQ((weir::least_hertz<weir::trusted_clock<counter, weir::steady_clock>>()), 5'000U);
    using unsure = measured_counter<struct unsure_counter>;
    EXPECT_EQ((weir::least_hertz<weir::trusted_clock<unsure, weir::steady_clock>>()),
              2'000'000'000U);
    using unsteady = measured_counter<struct unsure_and_unsteady>;
    unsteady::is_invariant_ = false;
    EXPECT_EQ((weir::least_hertz<weir::trusted_clock<unsteady, weir::steady_clock>>()),
              1'000'000'000U);
}

// A time that is told is long enough at the lowest frequency, and what takes a time takes as many
// ticks as it does at the highest.
TEST(least_hertz, is_for_times_that_are_told_and_hertz_for_all_others) {
    using clock = measured_counter<struct bounds>;
    EXPECT_EQ(weir::to_time<clock>(2'000'000'000), weir::seconds(1));
    EXPECT_EQ(weir::to_time<clock>(2'000'000'001).count(), 1'000'000'001);
    EXPECT_EQ(weir::to_ticks<clock>(weir::seconds(1)), 2'000'040'000U);
    for (const std::int64_t time : {1, 2, 999, 1'000'000'007}) {
        const auto ticks = weir::to_whole_ticks<clock>(nanoseconds(time));
        EXPECT_LE(weir::to_time<clock>(ticks).count(), time);
        EXPECT_GT(weir::to_time<clock>(ticks + 1).count(), time);
    }
    using slow = measured_counter<struct nanoseconds_at_least>;
    slow::least_ = 1'000'000'000;
    EXPECT_EQ(weir::to_time<slow>(7).count(), 7);
}

TEST(to_likely_time, is_by_the_middle_of_the_bounds_and_rounds_up) {
    using clock = measured_counter<struct likely>;
    EXPECT_EQ(weir::to_likely_time<clock>(2'000'020'000), weir::seconds(1));
    EXPECT_EQ(weir::to_likely_time<clock>(2'000'020'001).count(), 1'000'000'001);
    EXPECT_EQ(weir::to_likely_time<odd_clock>(1).count(), 4);
}

TEST(time_between, rounds_up_and_is_none_if_the_second_is_not_later) {
    using clock = weir::given_clock<struct thirds, 3>;
    using at = weir::instant<clock>;
    EXPECT_EQ(weir::time_between(at(7), at(8)), nanoseconds(333'333'334));
    EXPECT_EQ(weir::time_between(at(7), at(7)), nanoseconds());
    EXPECT_EQ(weir::time_between(at(8), at(7)), nanoseconds());
    EXPECT_EQ(weir::time_between(at(-1), at(2)), weir::seconds(1)) << "times live on a circle";
}

TEST(no_later, rounds_down_and_goes_on_for_a_quarter_of_the_circle_at_most) {
    using clock = measured_counter<struct deadlines>;
    EXPECT_EQ(weir::no_later(weir::instant<clock>(7), weir::milliseconds(100)).count, 200'000'007U);
    EXPECT_EQ(weir::later(weir::instant<clock>(7), weir::milliseconds(100)).count, 200'004'007U);
    EXPECT_EQ(weir::no_later(weir::instant<odd_clock>(7), nanoseconds(5)).count, 8U);
    constexpr weir::word quarter = weir::largest<weir::word> / 4;
    using slow = weir::manual_clock<struct centuries, 1'000>;
    EXPECT_EQ(weir::no_later(weir::instant<slow>(7), nanoseconds::longest()).count, 7 + quarter);
}

TEST(to_whole_ticks, rounds_down_and_never_wraps) {
    EXPECT_EQ(weir::to_whole_ticks<odd_clock>(nanoseconds(-5)), 0U);
    EXPECT_EQ(weir::to_whole_ticks<odd_clock>(nanoseconds(0)), 0U);
    EXPECT_EQ(weir::to_whole_ticks<odd_clock>(nanoseconds(3)), 0U);
    EXPECT_EQ(weir::to_whole_ticks<odd_clock>(nanoseconds(4)), 1U);
    EXPECT_EQ(weir::to_whole_ticks<odd_clock>(weir::seconds(3)), 999'999'999U);
    using fast = weir::manual_clock<struct whole, 10'000'000'000>;
    EXPECT_EQ(weir::to_whole_ticks<fast>(nanoseconds::longest()), UINT64_MAX);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/pacer/histogram.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/statistics.hpp>

#include "../oracle/dice.hpp"

namespace {

using weir::histogram;
using weir::seconds;
using weir::word;

TEST(histogram, is_empty_at_first) {
    const histogram h;
    EXPECT_EQ(h.count(), 0U);
    EXPECT_EQ(h.quantile(500'000), 0U);
    EXPECT_EQ(h.most(), 0U);
}

TEST(histogram, is_exact_for_small_values_and_off_by_a_sixteenth_for_large_ones) {
    oracle::dice dice(5);
    histogram h;
    std::vector<word> values;
    for (int i = 0; i < 10'000; ++i) {
        values.push_back(dice.next() >> dice.roll(64));
        h.add(values.back());
    }
    std::sort(values.begin(), values.end());
    EXPECT_EQ(h.count(), values.size());
    EXPECT_EQ(h.most(), values.back());
    for (const std::uint32_t part : {1U, 10'000U, 250'000U, 500'000U, 990'000U, 999'000U}) {
        const std::uint64_t rank =
            std::max<std::uint64_t>(1, (std::uint64_t{values.size()} * part + 999'999) / 1'000'000);
        const word exact = values[static_cast<std::size_t>(rank - 1)];
        EXPECT_GE(h.quantile(part), exact);
        EXPECT_LE(h.quantile(part) - exact, exact / 16) << part;
    }
    EXPECT_EQ(h.quantile(1'000'000), values.back());
}

// Of ten thousand values the last ones are as rare as their names say.
TEST(histogram, tells_percentiles_to_the_very_value) {
    histogram h;
    const auto add = [&h](int times, word value) {
        for (int i = 0; i < times; ++i) h.add(value);
    };
    add(5'000, 3);
    add(4'900, 17);
    add(90, 30);    // from here on p99
    add(9, 1'023);  // p99.9; the last value of its step
    add(1, 5'000);  // p99.99
    EXPECT_EQ(h.quantile(500'000), 3U);
    EXPECT_EQ(h.quantile(500'001), 17U);
    EXPECT_EQ(h.quantile(990'000), 17U);
    EXPECT_EQ(h.quantile(990'001), 30U);
    EXPECT_EQ(h.quantile(999'000), 30U);
    EXPECT_EQ(h.quantile(999'001), 1'023U);
    EXPECT_EQ(h.quantile(999'900), 1'023U);
    EXPECT_EQ(h.quantile(999'901), 5'000U)
        << "a bucket is told by its last value, but not beyond the most";
    EXPECT_EQ(h.most(), 5'000U);
}

TEST(histogram, tells_its_buckets_in_order_and_the_sum_of_all_values) {
    histogram h;
    for (const word value : {1'000U, 5U, 5U, 1'020U, 100'000U}) h.add(value);
    EXPECT_EQ(h.sum(), 102'030U);
    std::vector<std::pair<word, word>> buckets;
    h.for_each_bucket([&](word last, word count) { buckets.emplace_back(last, count); });
    EXPECT_EQ(buckets, (std::vector<std::pair<word, word>>{{5, 2}, {1'023, 2}, {102'399, 1}}));
}

TEST(histogram, rounds_up_to_the_last_value_of_a_step) {
    histogram h;
    h.add(1'000);  // 992 to 1023 are one step
    h.add(100'000);
    EXPECT_EQ(h.quantile(500'000), 1'023U);
    EXPECT_EQ(h.quantile(500'001), 100'000U);
}

TEST(histogram, has_a_place_for_each_value_up_to_the_largest) {
    for (unsigned bit = 0; bit < 64; ++bit) {
        for (const word value : {(word{1} << bit) - 1, word{1} << bit, (word{1} << bit) + 1}) {
            histogram h;
            h.add(value);
            EXPECT_EQ(h.quantile(1), value);
        }
    }
    histogram h;
    h.add(UINT64_MAX);
    EXPECT_EQ(h.quantile(1'000'000), UINT64_MAX);
}

TEST(statistics, tell_what_happened_and_how_late) {
    using clock = weir::manual_clock<struct statistics_tests, 1'000>;
    const auto to = weir::sink{[](int&& i) {
                                   if (i == 2) throw i;
                               },
                               [](int&&, weir::dropped) {}};
    clock::set(weir::instant<clock>{1'000});
    weir::pacer<int, decltype(to), weir::schedule<clock>, weir::lanes<1, 8>, weir::statistics> p(
        weir::schedule<clock>(weir::quota{10, seconds(1), 1}), decltype(to)(to));
    auto mine = p.open();
    for (int i = 0; i < 3; ++i) (void)mine.try_push(int(i));
    (void)mine.try_push(3, 1, weir::deadline(weir::instant<clock>{1'400}));
    (void)p.poll(weir::instant<clock>{1'000});
    (void)p.poll(weir::instant<clock>{1'130});
    (void)p.poll(weir::instant<clock>{1'210});
    (void)p.poll(weir::instant<clock>{1'401});
    const weir::statistics& s = p.observer();
    EXPECT_EQ(s.emitted(), 3U);
    EXPECT_EQ(s.failed(), 1U);
    EXPECT_EQ(s.dropped_for(weir::dropped::expired), 1U);
    EXPECT_EQ(s.dropped_for(weir::dropped::discarded), 0U);
    EXPECT_EQ(s.lateness().quantile(1), 0U);
    EXPECT_EQ(s.lateness().quantile(500'000), 10U) << "the slot was at 1200";
    EXPECT_EQ(s.lateness().most(), 30U);
    EXPECT_EQ(s.time_in_queue().most(), 210U);
}

// One a second, and nothing is made good. A sink that takes some time is an item of that many
// seconds.
struct seconds_tests {};
using slow_clock = weir::manual_clock<seconds_tests, 1'000>;
struct slow_sink {
    static void emit(int&& takes) {
        slow_clock::set({slow_clock::now().count + static_cast<word>(takes) * 1'000});
    }
    static void drop(int&&, weir::dropped) {}
};
struct losing {
    losing() {
        slow_clock::set({5'000});
        for (int i = 0; i < 100; ++i) (void)mine.try_push(0);
        (void)its.poll();
    }
    void poll_after(word time) {
        slow_clock::set({slow_clock::now().count + time});
        (void)its.poll();
    }
    void wait() { const weir::statistics::during waiting(its.observer(), weir::pacer_work::wait); }
    void expect(word late_wake, word long_sink, word no_poll) {
        const weir::statistics& s = its.observer();
        EXPECT_EQ(s.lost_by(weir::delay::late_wake), late_wake);
        EXPECT_EQ(s.lost_by(weir::delay::long_sink), long_sink);
        EXPECT_EQ(s.lost_by(weir::delay::no_poll), no_poll);
        EXPECT_EQ(its.approx_lost(), late_wake + long_sink + no_poll);
    }

    weir::pacer<int, slow_sink, weir::schedule<slow_clock>, weir::lanes<2, 128>, weir::statistics>
        its{weir::schedule<slow_clock>(weir::per_second(1), weir::catch_up::none()), slow_sink{}};
    decltype(its)::producer_type mine = its.open();
};

TEST(statistics, say_that_a_slot_was_lost_as_nobody_polled) {
    losing p;
    p.poll_after(1'000);
    p.expect(0, 0, 0);
    p.poll_after(3'000);
    p.expect(0, 0, 2);
}

TEST(statistics, say_that_a_slot_was_lost_as_a_wait_ended_late) {
    losing p;
    p.wait();
    p.poll_after(3'000);
    p.expect(2, 0, 0);
    p.poll_after(4'000);
    p.expect(2, 0, 3);
    p.wait();
    p.poll_after(1'000);
    p.poll_after(2'000);
    p.expect(2, 0, 4);
}

TEST(statistics, say_that_a_slot_was_lost_as_a_callback_took_too_long) {
    losing p;
    auto urgent = p.its.open({.priority = weir::priority::first});
    (void)urgent.try_push(8);
    p.wait();
    p.poll_after(1'000);
    p.expect(0, 7, 0);
    p.poll_after(2'000);
    p.expect(0, 7, 1);
    (void)urgent.try_push(3);
    p.poll_after(6'000);
    p.expect(0, 7 + 5 + 2, 1);
}

TEST(statistics, count_slots_that_a_lane_s_own_limit_lost) {
    losing p;
    weir::schedule<slow_clock> own(weir::per_second(10), weir::catch_up::none());
    auto other = p.its.open({.budget = &own});
    for (int i = 0; i < 100; ++i) (void)other.try_push(0);
    p.poll_after(0);
    p.wait();
    p.poll_after(1'000);
    p.expect(9, 0, 0);
}

TEST(statistics, name_what_delayed_a_pacer) {
    EXPECT_STREQ(describe(weir::delay::late_wake), "woken too late");
    EXPECT_STREQ(describe(weir::delay::long_sink), "the sink took too long");
    EXPECT_STREQ(describe(weir::delay::no_poll), "not polled in time");
}

}  // namespace

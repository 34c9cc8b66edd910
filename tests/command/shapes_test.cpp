// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/weir.hpp>

#include "command/demo/chart.hpp"
#include "command/demo/shapes.hpp"
#include "program.hpp"

namespace {

using namespace weir::command;

TEST(arrivals, come_in_order_within_the_trace_and_never_faster_than_their_peak) {
    const arrivals all = bursty_arrivals();
    ASSERT_FALSE(all.empty());
    EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
    EXPECT_GE(all.front().count(), 0);
    EXPECT_LT(all.back(), trace_length);
    const auto rates = arrival_rates(all, 20);
    EXPECT_LE(*std::max_element(rates.begin(), rates.end()), peak * usual_rate);
    EXPECT_EQ(all, bursty_arrivals());
}

TEST(shapes, pass_no_more_in_a_second_than_their_quota_allows) {
    const scene t = scene_for(weir::per_second(usual_rate));
    const arrivals& all = t.times;
    for (const shape& s : shapes_of(t)) {
        ASSERT_EQ(s.passed.size(), all.size()) << s.algorithm;
        const double rate = static_cast<double>(s.asked.units()) * 1e9 /
                            static_cast<double>(s.asked.period().count());
        EXPECT_EQ(rate, usual_rate) << s.algorithm;
        EXPECT_LE(static_cast<double>(most_in_a_second(all, s)),
                  static_cast<double>(s.asked.burst()) + rate)
            << s.algorithm;
        EXPECT_LT(passed_in_all(s), all.size()) << s.algorithm;
        EXPECT_GE(passed_in_all(s), all.size() / 3) << s.algorithm;
    }
}

// Else the picture would show what the burst does, and not the algorithm.
TEST(shapes, are_compared_at_the_same_rate_and_burst) {
    for (const weir::quota& q :
         {weir::per_second(usual_rate), weir::per_minute(300).with_burst(20)}) {
        const scene t = scene_for(q);
        for (const shape& s : shapes_of(t)) EXPECT_EQ(s.asked, q) << s.algorithm;
        EXPECT_EQ(t.played.units(), q.units());
        EXPECT_EQ(t.played.burst(), q.burst());
        EXPECT_EQ(t.units, 1U);
    }
}

// The only one that names it.
const shape& shape_of(const std::vector<shape>& shapes, const std::string& name) {
    const shape* found = nullptr;
    for (const shape& s : shapes) {
        if ((", " + s.algorithm + ",").find(", " + name + ",") == std::string::npos) continue;
        EXPECT_EQ(found, nullptr) << name << " is shown twice";
        found = &s;
    }
    EXPECT_NE(found, nullptr) << name << " is not shown";
    return found == nullptr ? shapes.front() : *found;
}

// Whether this limit passes what is shown as its shape, which others share.
template <class Cell>
void expect_shape(const arrivals& all, const shape& shown, const weir::options& o = {}) {
    using clock = weir::manual_clock<struct shown_as_one, 1'000'000>;
    clock::set({});
    weir::limiter<Cell, clock> limit(weir::per_second(usual_rate), o);
    for (std::size_t i = 0; i < all.size(); ++i) {
        clock::set({static_cast<weir::word>(all[i].count())});
        ASSERT_EQ(limit.try_acquire().admitted(), shown.passed[i]) << shown.algorithm << " " << i;
    }
}

TEST(shapes, that_are_shown_as_one_are_the_same) {
    const scene t = scene_for(weir::per_second(usual_rate));
    const arrivals& all = t.times;
    const std::vector<shape> shapes = shapes_of(t);
    weir::for_each_kind([&](auto kind) {
        using cell = typename decltype(kind)::template cell<usual_rate>;
        expect_shape<cell>(all, shape_of(shapes, kind.name));
    });
    const shape& portions = shape_of(shapes, "token_bucket of whole periods");
    expect_shape<weir::token_bucket<>>(all, portions, {.whole_periods = true});
    EXPECT_EQ(&portions, &shape_of(shapes, "fixed_window"));
    EXPECT_EQ(&shape_of(shapes, "gcra"), &shape_of(shapes, "token_bucket"));
}

TEST(shapes, differ_from_each_other) {
    const std::vector<shape> shapes = shapes_of(scene_for(weir::per_second(usual_rate)));
    for (std::size_t i = 1; i < shapes.size(); ++i) {
        EXPECT_NE(shapes[i - 1].passed, shapes[i].passed) << shapes[i].algorithm;
    }
}

TEST(shapes, lose_nothing_when_they_are_counted_in_bins) {
    const scene t = scene_for(weir::per_second(usual_rate));
    const arrivals& all = t.times;
    const shape s = shapes_of(t).front();
    for (const std::size_t bins : {1U, 7U, 100U}) {
        const auto rates = passed_rates(all, s, bins);
        const double sum = std::accumulate(rates.begin(), rates.end(), 0.0);
        const double seconds = static_cast<double>(trace_length.count());
        EXPECT_NEAR(sum * seconds / static_cast<double>(bins),
                    static_cast<double>(passed_in_all(s)), 1e-6);
    }
}

void expect_one_width(const weir::quota& q) {
    const scene t = scene_for(q);
    const shape s = shapes_of(t).front();
    for (const std::size_t width : {0U, 20U, 40U, 80U, 500U}) {
        for (const bool unicode : {false, true}) {
            const style out = {.width = width, .unicode = unicode};
            std::istringstream rows(chart_of(t, s, out) + time_axis(t, out));
            std::string first;
            std::getline(rows, first);
            for (std::string row; std::getline(rows, row);) {
                EXPECT_EQ(columns_of(row), columns_of(first)) << row;
            }
            if (width >= 20) {
                EXPECT_LT(columns_of(first), width + 1);
            }
        }
    }
}

TEST(chart, has_the_same_width_in_all_rows) {
    expect_one_width(weir::per_second(usual_rate));
    expect_one_width(weir::per_minute(1'234'567));
    expect_one_width({1, weir::milliseconds(20)});
}

TEST(scene, stands_for_many_units_where_the_quota_has_many) {
    const scene t = scene_for(weir::per_second(1'500'000).with_burst(20'000));
    EXPECT_EQ(t.units, 10'000U);
    EXPECT_EQ(t.played, weir::per_second(150).with_burst(2));
    EXPECT_EQ(t.rate_in_words(peak), "6M");
    EXPECT_EQ(t.in_words(1), "second");
    EXPECT_EQ(scene_for(weir::per_second(1'000)).units, 1U);
    EXPECT_EQ(scene_for(weir::per_second(1'006)).played.units(), 101);
    EXPECT_EQ(scene_for(weir::per_second(5'000).with_burst(3)).played.burst(), 1);
    const scene most = scene_for({INT64_MAX, weir::hours(1)});
    EXPECT_LE(most.played.units(), most_rate);
    EXPECT_FALSE(shapes_of(most).empty());
}

TEST(scene, has_the_names_of_its_periods) {
    EXPECT_EQ(scene_for(weir::per_minute(5)).in_words(1), "minute");
    EXPECT_EQ(scene_for(weir::per_hour(5)).in_words(10), "ten hours");
    EXPECT_EQ(scene_for(weir::per_day(5)).in_words(15), "15 days");
    EXPECT_EQ(scene_for({5, weir::milliseconds(100)}).in_words(5), "500 ms");
}

// A window passes a period's units, so it can have no other burst.
TEST(shapes, leave_out_what_cannot_hold_the_quota) {
    EXPECT_EQ(those_without_shape(scene_for(weir::per_second(100))).names, "");
    const scene t = scene_for(weir::per_minute(300).with_burst(20));
    const without_shape others = those_without_shape(t);
    EXPECT_NE(others.names.find("fixed_window"), std::string::npos) << others.names;
    EXPECT_NE(others.why, "");
    for (const shape& s : shapes_of(t)) {
        EXPECT_EQ(s.algorithm.find("window"), std::string::npos) << s.algorithm;
    }
}

// The most that a gcra passes in any period is its burst and its rate.
TEST(shapes, are_those_of_the_quota_that_is_asked) {
    for (const weir::quota& q : {weir::per_minute(300).with_burst(20), weir::per_hour(7),
                                 weir::per_second(1'000).with_burst(1)}) {
        const scene t = scene_for(q);
        for (const shape& s : shapes_of(t)) {
            EXPECT_LE(static_cast<std::int64_t>(most_in_a_second(t.times, s)),
                      q.units() + q.burst())
                << s.algorithm;
            EXPECT_LT(passed_in_all(s), t.times.size()) << s.algorithm;
        }
    }
}

}  // namespace

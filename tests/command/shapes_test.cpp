// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstddef>
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
    EXPECT_LE(*std::max_element(rates.begin(), rates.end()), peak_rate);
    EXPECT_EQ(all, bursty_arrivals());
}

TEST(shapes, pass_no_more_in_a_second_than_their_quota_allows) {
    const arrivals all = bursty_arrivals();
    for (const shape& s : shapes_of(all)) {
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
    for (const shape& s : shapes_of(bursty_arrivals())) {
        EXPECT_EQ(s.asked, weir::per_second(usual_rate)) << s.algorithm;
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
    const arrivals all = bursty_arrivals();
    const std::vector<shape> shapes = shapes_of(all);
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
    const arrivals all = bursty_arrivals();
    const std::vector<shape> shapes = shapes_of(all);
    for (std::size_t i = 1; i < shapes.size(); ++i) {
        EXPECT_NE(shapes[i - 1].passed, shapes[i].passed) << shapes[i].algorithm;
    }
}

TEST(shapes, lose_nothing_when_they_are_counted_in_bins) {
    const arrivals all = bursty_arrivals();
    const shape s = shapes_of(all).front();
    for (const std::size_t bins : {1U, 7U, 100U}) {
        const auto rates = passed_rates(all, s, bins);
        const double sum = std::accumulate(rates.begin(), rates.end(), 0.0);
        const double seconds = static_cast<double>(trace_length.count());
        EXPECT_NEAR(sum * seconds / static_cast<double>(bins),
                    static_cast<double>(passed_in_all(s)), 1e-6);
    }
}

TEST(chart, has_the_same_width_in_all_rows) {
    const arrivals all = bursty_arrivals();
    const shape s = shapes_of(all).front();
    for (const std::size_t width : {0U, 20U, 40U, 80U, 500U}) {
        for (const bool unicode : {false, true}) {
            const style out = {.width = width, .unicode = unicode};
            std::istringstream rows(chart_of(all, s, out) + time_axis(out));
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

}  // namespace

// SPDX-License-Identifier: MIT
// What a quota of N units per period means: how many may pass around the end of one window and the
// start of the next, and in any interval of one period.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/fixed_window.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/sliding_window.hpp>

#include "passages.hpp"

namespace {

using namespace oracle;
using weir::tick;

constexpr std::uint64_t period = 1'000;  // ticks
constexpr std::uint64_t hertz = 1'000;

// A full cell, and what has passed it.
template <class Cell>
class passed_by {
public:
    explicit passed_by(std::int64_t units)
        : rate_(Cell::rate::make(weir::quota(units, weir::seconds(1)), hertz).value()) {
        cell_.fill(tick{0}, static_cast<weir::word>(units), rate_);
    }

    std::uint64_t take(std::uint64_t now, std::uint64_t units) {
        const std::uint64_t granted = cell_.acquire_up_to(tick{now}, units, rate_).units;
        log_.pass(now, granted);
        return granted;
    }
    // All that there is, at every tick.
    void flood(std::uint64_t from, std::uint64_t to) {
        for (std::uint64_t now = from; now < to; ++now) take(now, UINT32_MAX);
    }

    [[nodiscard]] const passages& log() const { return log_; }

private:
    typename Cell::rate rate_;
    Cell cell_;
    passages log_{period};
};

TEST(boundary, aligned_window_lets_twice_its_units_pass_around_a_boundary) {
    passed_by<weir::aligned_window<>> cell(10);
    EXPECT_EQ(cell.take(7 * period - 1, 20), 10U);
    EXPECT_EQ(cell.take(7 * period, 20), 10U);
    EXPECT_EQ(cell.log().most(), 20U);
}

TEST(boundary, fixed_window_lets_twice_its_units_pass_around_a_boundary) {
    // All but the one that opened the window.
    passed_by<weir::fixed_window<>> cell(10);
    EXPECT_EQ(cell.take(6 * period, 1), 1U);
    EXPECT_EQ(cell.take(7 * period - 1, 20), 9U);
    EXPECT_EQ(cell.take(7 * period, 20), 10U);
    EXPECT_EQ(cell.log().most(), 19U);
}

TEST(boundary, fixed_window_of_a_single_unit_keeps_a_period_between_any_two) {
    passed_by<weir::fixed_window<>> fixed(1);
    passed_by<weir::aligned_window<>> aligned(1);
    for (const std::uint64_t now : {999U, 1'000U, 1'998U, 1'999U, 2'000U, 2'999U, 3'000U}) {
        fixed.take(now, 1);
        aligned.take(now, 1);
    }
    EXPECT_EQ(fixed.log().most(), 1U);
    EXPECT_EQ(aligned.log().most(), 2U);
}

TEST(boundary, gcra_lets_twice_its_burst_pass_in_a_period_as_well) {
    // The burst at once and then unit after unit: it has no boundary, but it does not count by
    // periods either. In the long run it passes the rate, as the windows do.
    passed_by<weir::gcra<>> cell(10);
    EXPECT_EQ(cell.take(0, 20), 10U);
    cell.flood(1, 10 * period);
    EXPECT_EQ(cell.log().most(), 19U);
    EXPECT_EQ(cell.log().total(), 10U + 99U);
}

TEST(boundary, sliding_window_lets_no_more_than_its_units_pass_around_a_boundary) {
    passed_by<weir::sliding_window<>> cell(10);
    EXPECT_EQ(cell.take(7 * period - 1, 20), 10U);
    EXPECT_EQ(cell.take(7 * period, 20), 0U);
    EXPECT_EQ(cell.take(7 * period + period / 10, 20), 1U);
    EXPECT_EQ(cell.log().most(), 11U);
}

TEST(boundary, sliding_window_lets_almost_twice_its_units_pass_in_a_period) {
    // It takes the units that came together at a window's end for ones that came evenly.
    passed_by<weir::sliding_window<>> cell(10);
    cell.take(7 * period - 1, 20);
    cell.flood(7 * period, 9 * period);
    EXPECT_EQ(cell.log().most(), 19U);
}

// Every history of so many ticks in which up to `units` units are asked for at each of them.
template <class Cell>
[[nodiscard]] std::uint64_t most_of_all_histories(std::int64_t units, std::uint64_t window,
                                                  unsigned ticks) {
    const weir::quota quota(units, weir::milliseconds(static_cast<std::int64_t>(window)));
    const auto rate = Cell::rate::make(quota, hertz).value();
    const auto wishes = static_cast<std::uint64_t>(units) + 1;
    std::vector<std::uint64_t> asked(ticks, 0);
    std::uint64_t most = 0;
    for (;;) {
        Cell cell;
        cell.fill(tick{0}, static_cast<weir::word>(units), rate);
        passages log(window);
        for (unsigned now = 0; now < ticks; ++now) {
            log.pass(now, cell.acquire_up_to(tick{now}, asked[now], rate).units);
        }
        most = std::max(most, log.most());
        unsigned digit = 0;
        while (digit < ticks && ++asked[digit] == wishes) asked[digit++] = 0;
        if (digit == ticks) return most;
    }
}

// The period that begins with a window's last tick ends with the last but one of the next, where
// two ticks' share of the units before still counts: so much less passes sliding_window.
TEST(boundary, no_history_lets_more_pass_in_a_period_than_twice_the_units) {
    struct quota {
        std::int64_t units;
        std::uint64_t window;
        unsigned ticks;
    };
    for (const auto [units, window, ticks] : {quota{1, 3, 12}, {2, 3, 9}, {3, 2, 8}, {2, 4, 12}}) {
        const auto n = static_cast<std::uint64_t>(units);
        EXPECT_EQ(most_of_all_histories<weir::aligned_window<>>(units, window, ticks), 2 * n);
        EXPECT_EQ(most_of_all_histories<weir::fixed_window<>>(units, window, ticks), 2 * n - 1);
        const std::uint64_t share = (2 * n + window - 1) / window;
        EXPECT_EQ(most_of_all_histories<weir::sliding_window<>>(units, window, ticks),
                  2 * n - share);
    }
}

}  // namespace

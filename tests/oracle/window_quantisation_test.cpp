// SPDX-License-Identifier: MIT
// What the cells that count windows refuse: quotas that are none of a window, and what their word
// cannot hold.
#include <cstdint>

#include <gtest/gtest.h>

#include "cells.hpp"
#include "history.hpp"

namespace {

using namespace oracle;
using weir::quota_error;

using fixed = weir::fixed_window<std::uint64_t>;
using short_fixed = weir::fixed_window<std::uint32_t>;
using aligned = weir::aligned_window<>;
using sliding = weir::sliding_window<>;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t year = 31'557'600 * second;
constexpr std::uint64_t gigahertz = 1'000'000'000;

template <class Cell>
[[nodiscard]] quota_error refusal(const scenario& s) {
    return Cell::rate::make(s.quota(), s.hertz, s.options).error();
}

[[nodiscard]] scenario with_debt(std::int64_t debt, scenario s) {
    s.options.debt = debt;
    return s;
}

[[nodiscard]] scenario with_guard(std::int64_t guard, scenario s) {
    s.options.guard = weir::nanoseconds(guard);
    return s;
}

TEST(window_quantisation, refuses_a_burst_that_is_not_the_windows_units) {
    for (const std::int64_t burst : {1, 9, 11, 20}) {
        const scenario s{10, second, burst, gigahertz, {}};
        EXPECT_EQ(refusal<fixed>(s), quota_error::burst_not_the_window);
        EXPECT_EQ(refusal<short_fixed>(s), quota_error::burst_not_the_window);
        EXPECT_EQ(refusal<aligned>(s), quota_error::burst_not_the_window);
        EXPECT_EQ(refusal<sliding>(s), quota_error::burst_not_the_window);
    }
}

TEST(window_quantisation, refuses_a_debt_of_more_than_the_window_if_that_slides) {
    const scenario s{10, second, 10, gigahertz, {}};
    for (const std::int64_t debt : {0, 1, 10}) {
        EXPECT_EQ(refusal<sliding>(with_debt(debt, s)), quota_error::none);
    }
    EXPECT_EQ(refusal<sliding>(with_debt(11, s)), quota_error::debt_beyond_the_window);
    EXPECT_EQ(refusal<fixed>(with_debt(11, s)), quota_error::none);
    EXPECT_EQ(refusal<aligned>(with_debt(11, s)), quota_error::none);
}

TEST(window_quantisation, refuses_more_units_than_there_are_bits_for) {
    const auto of = [](std::int64_t units) {
        return with_debt(0, {units, second, units, gigahertz, {}});
    };
    for (const std::int64_t most : {(std::int64_t{1} << 31U) - 1, INT64_MAX}) {
        const quota_error expected =
            most == INT64_MAX ? quota_error::burst_too_long : quota_error::none;
        EXPECT_EQ(refusal<fixed>(of(most)), expected);
        EXPECT_EQ(refusal<aligned>(of(most)), expected);
    }
    EXPECT_EQ(refusal<fixed>(of(std::int64_t{1} << 31U)), quota_error::burst_too_long);
    EXPECT_EQ(refusal<aligned>(of(std::int64_t{1} << 31U)), quota_error::burst_too_long);
    EXPECT_EQ(refusal<sliding>(of((std::int64_t{1} << 24U) - 1)), quota_error::none);
    EXPECT_EQ(refusal<sliding>(of(std::int64_t{1} << 24U)), quota_error::burst_too_long);
    // By default the debt is as many units again, whatever that adds up to.
    const scenario huge{INT64_MAX, second, INT64_MAX, gigahertz, {}};
    EXPECT_EQ(refusal<fixed>(huge), quota_error::burst_too_long);
    EXPECT_EQ(refusal<aligned>(huge), quota_error::burst_too_long);
    EXPECT_EQ(refusal<sliding>(huge), quota_error::burst_too_long);
    EXPECT_EQ(refusal<fixed>(with_debt(INT64_MAX, huge)), quota_error::burst_too_long);
    EXPECT_EQ(refusal<aligned>(with_debt(INT64_MAX, huge)), quota_error::burst_too_long);
}

TEST(window_quantisation, refuses_more_time_than_the_word_holds) {
    // Two windows of 200 years, a guard of 291 years of a fast clock.
    EXPECT_EQ(refusal<fixed>({1, 200 * year, 1, gigahertz, {}}), quota_error::burst_too_long);
    EXPECT_EQ(refusal<short_fixed>({1, 10 * second, 1, gigahertz, {}}),
              quota_error::burst_too_long);
    const auto late = with_guard(291 * year, {1, second, 1, 5 * gigahertz, {}});
    EXPECT_EQ(refusal<fixed>(late), quota_error::burst_too_long);
    EXPECT_EQ(refusal<aligned>(late), quota_error::burst_too_long);
    EXPECT_EQ(refusal<sliding>(late), quota_error::burst_too_long);
    // Two counts of 24 bits leave numbers for 2^16 windows: an hour of short ones is too much.
    const std::int64_t many = (std::int64_t{1} << 23U) - 1;
    const scenario short_windows{many, second / 100, many, gigahertz, {}};
    EXPECT_EQ(refusal<sliding>(with_guard(3'600 * second, short_windows)),
              quota_error::burst_too_long);
    EXPECT_EQ(refusal<sliding>(short_windows), quota_error::none)
        << "by default as long as there is room";
    EXPECT_EQ(refusal<sliding>(with_guard(second, short_windows)), quota_error::none);
}

TEST(window_quantisation, refuses_windows_that_a_coarse_clock_rounds_by_more_than_a_hundredth) {
    const auto of = [](std::int64_t period) { return scenario{1, period, 1, 1'000'000, {}}; };
    EXPECT_EQ(refusal<aligned>(of(1'500)), quota_error::rate_too_fine);
    EXPECT_EQ(refusal<sliding>(of(1'500)), quota_error::rate_too_fine);
    EXPECT_EQ(refusal<aligned>(of(1'000)), quota_error::none);
    EXPECT_EQ(refusal<sliding>(of(1'000)), quota_error::none);
    EXPECT_EQ(refusal<aligned>(of(150'500)), quota_error::none);
    EXPECT_EQ(refusal<fixed>(of(1'500)), quota_error::none) << "it has fractions";
}

// What is accepted is answered in full: not modulo the word.
template <class Cell>
void expect_right_or_refused(const scenario& s) {
    const auto rate = Cell::rate::make(s.quota(), s.hertz, s.options);
    if (!rate) return;
    const auto all = static_cast<std::uint64_t>(s.burst + s.debt());
    for (const integer now : {integer{0}, end_of_clock / 2}) {
        duel<Cell> d(s, *rate, now);
        ASSERT_TRUE(d.apply({action::charge, now, all})) << text_of(s) << ": " << d.difference();
        ASSERT_TRUE(d.apply({action::charge, now, all})) << text_of(s) << ": " << d.difference();
    }
}

TEST(window_quantisation, refuses_centuries_or_answers_in_centuries) {
    const scenario yearly{1, year, 1, gigahertz, {}};
    const scenario longest{1, INT64_MAX - 1, 1, gigahertz, {}};
    for (const std::int64_t debt : {0, 1, 100, 291, 292, 583, 584, 585, 1'000, 1'000'000}) {
        expect_right_or_refused<fixed>(with_debt(debt, yearly));
        expect_right_or_refused<aligned>(with_debt(debt, yearly));
        expect_right_or_refused<aligned>(with_debt(debt, longest));
        expect_right_or_refused<sliding>(with_debt(debt, longest));
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace

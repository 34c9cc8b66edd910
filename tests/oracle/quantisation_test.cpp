// SPDX-License-Identifier: MIT
// How a quota becomes whole fractions of a tick: never faster than what was asked, and not much
// slower. The models take the period as the cell holds it, so this is the other half of the proof.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "cells.hpp"
#include "effort.hpp"
#include "history.hpp"

namespace {

using namespace oracle;

template <class Cell>
class cell_quantisation : public testing::Test {};

TYPED_TEST_SUITE(cell_quantisation, all_cells, cell_names);

// The interval between two refills times what makes it an integer: as held and as asked.
struct intervals {
    integer held;
    integer asked;

    template <class Rate>
    static intervals of(const Rate& r, const scenario& s) {
        const bool whole = s.options.whole_periods || window_quota<Rate>;
        const integer refills = whole ? 1 : s.units;
        return {period_of(r) * 1'000'000'000 * refills,
                integer{s.period} * integer{s.hertz} * (integer{1} << shift_of(r))};
    }

    // A longer interval is a lower rate. As held and asked are close, the difference says how far
    // the rate is below, in millionths of it.
    [[nodiscard]] bool too_fast() const { return held < asked; }
    [[nodiscard]] bool below_by_at_most(integer millionths) const {
        return held - asked <= held / 1'000'000 * millionths + millionths;
    }
};

template <class Rate>
[[nodiscard]] integer portion_of(const Rate& r) {
    if constexpr (requires { r.portion(); }) return integer{r.portion()};
    return window_quota<Rate> ? integer{r.burst()} : 1;
}

// Windows of a clock last whole ticks or steps: less than one of them longer than asked.
template <class Rate>
[[nodiscard]] bool precise(const Rate& r, const scenario& s) {
    const auto i = intervals::of(r, s);
    if (clock_quota<Rate>) {
        return i.held - i.asked < integer{1'000'000'000} << step_of(r);
    }
    const bool wide = sizeof(typename Rate::word_type) == 8;
    const bool fast = integer{s.units} * 100 > integer{s.period};  // 10 M/s
    return i.below_by_at_most(!wide ? 10'000 : fast ? 1'000 : 10);
}

// A window's units and the debt have 31 bits of a word, and where there are two windows in it 24.
// What they leave must number twice as many windows as the guard lasts.
template <class Cell>
[[nodiscard]] bool leaves_no_room(const scenario& s) {
    if constexpr (counts_in_word<Cell> == 2) {
        if (s.burst + s.debt() >= integer{1} << 24U) return true;
        if (s.options.guard == weir::options::by_word) return false;
        const integer guard = s.template guard<typename Cell::word_type>(0) * 1'000'000'000;
        const integer windows = guard / (integer{s.period} * integer{s.hertz}) + 1;
        return windows >= window_numbers<Cell>(s) / 2;
    }
    return s.burst + s.debt() >= integer{1} << 31U;
}

template <class Cell>
[[nodiscard]] std::vector<std::int64_t> bursts_of(std::int64_t units) {
    if (counts_windows<Cell>) return {units};
    return {1, 10, 1000};
}

TYPED_TEST(cell_quantisation, stays_below_the_quota_by_a_millionth_or_a_thousandth_at_most) {
    constexpr bool wide = sizeof(typename TypeParam::word_type) == 8;
    const std::uint64_t clocks[] = {1'000'000,     19'200'000,    24'000'000,   1'000'000'000,
                                    2'596'000'000, 2'599'999'999, 5'000'000'000};
    const std::int64_t units[] = {
        1,          3,          7,          10,          60,          999,
        1'000,      12'345,     100'000,    1'000'000,   2'999'999,   9'999'991,
        10'000'000, 33'333'333, 99'999'989, 100'000'000, 999'999'937, 1'000'000'000};
    const std::int64_t periods[] = {1'000'000, 16'666'667, 1'000'000'000, 60'000'000'000,
                                    3'600'000'000'000};
    std::uint64_t held = 0;
    for (const std::uint64_t hertz : clocks) {
        for (const std::int64_t n : units) {
            for (const std::int64_t period : periods) {
                for (const std::int64_t burst : bursts_of<TypeParam>(n)) {
                    if (n > period) continue;
                    const scenario s{n, period, burst, hertz, {}};
                    const auto rate = TypeParam::rate::make(s.quota(), hertz, s.options);
                    ASSERT_TRUE(rate || !wide || leaves_no_room<TypeParam>(s)) << text_of(s);
                    if (!rate) continue;
                    ++held;
                    ASSERT_FALSE(intervals::of(*rate, s).too_fast()) << text_of(s);
                    ASSERT_TRUE(precise(*rate, s)) << text_of(s);
                    ASSERT_EQ(integer{rate->burst()}, burst);
                    ASSERT_EQ(portion_of(*rate), counts_windows<TypeParam> ? n : 1);
                }
            }
        }
    }
    const std::uint64_t enough = wide ? 1'000 : 200;
    EXPECT_GT(held, counts_windows<TypeParam> ? enough / 3 : enough);
}

TYPED_TEST(cell_quantisation, of_whatever_is_accepted_is_within_a_hundredth_and_fits_the_word) {
    using word = typename TypeParam::word_type;
    std::uint64_t refused = 0;
    std::uint64_t whole = 0;
    const std::uint64_t quotas = scaled(50'000);
    for (std::uint64_t seed = 0; seed < quotas; ++seed) {
        dice chaos(series() << 32U | seed);
        const auto start = any_opening<TypeParam>(chaos, refused);
        const scenario& s = start.about;
        const auto i = intervals::of(start.rate, s);
        ASSERT_FALSE(i.too_fast()) << text_of(s);
        ASSERT_TRUE(i.below_by_at_most(10'000)) << text_of(s);
        ASSERT_EQ(integer{start.rate.burst()}, s.burst) << text_of(s);
        const integer portion = portion_of(start.rate);
        if (s.options.whole_periods) {
            ++whole;
            ASSERT_EQ(portion, std::min(s.units, s.burst)) << text_of(s);
        }
        const integer refills = ceiling_of(s.burst, portion) + ceiling_of(s.debt(), portion);
        const integer guard = oracle::guard_of<TypeParam>(s, start.rate) << shift_of(start.rate);
        const integer span = refills * period_of(start.rate) + guard;
        // Burst, debt and guard within half the circle: that is what tells future from past. If
        // numbers of windows tell it, the guard lies within half of these, and the word need only
        // say how long it takes.
        if constexpr (follows_clock<TypeParam>) {
            ASSERT_LE(span, integer{weir::largest<word>}) << text_of(s);
            const integer windows = ceiling_of(guard, period_of(start.rate));
            ASSERT_LE(windows, window_numbers<TypeParam>(s) / 2) << text_of(s);
        } else {
            ASSERT_LE(span, integer{weir::largest<word>} / 2) << text_of(s);
        }
    }
    const bool has_portions = requires(typename TypeParam::rate r) { r.portion(); };
    EXPECT_EQ(whole > quotas / 10, has_portions);
}

template <class Cell>
void expect_error(weir::quota_error reason, const scenario& s) {
    const auto made = Cell::rate::make(s.quota(), s.hertz, s.options);
    EXPECT_EQ(made.error(), reason) << text_of(s);
}

TYPED_TEST(cell_quantisation, refuses_options_that_make_no_sense) {
    using cell = TypeParam;
    const scenario good{10, 1'000'000'000, 10, 1'000'000, {}};
    const auto with = [&](auto change) {
        scenario s = good;
        change(s.options);
        return s;
    };
    using weir::quota_error;
    expect_error<cell>(quota_error::none, good);
    expect_error<cell>(quota_error::debt_negative, with([](auto& o) { o.debt = -1; }));
    expect_error<cell>(quota_error::guard_negative,
                       with([](auto& o) { o.guard = weir::nanoseconds(-1); }));
    expect_error<cell>(quota_error::start_not_in_burst, with([](auto& o) { o.start = -1; }));
    expect_error<cell>(quota_error::start_not_in_burst, with([](auto& o) { o.start = 11; }));
    expect_error<cell>(quota_error::none, with([](auto& o) { o.start = 10; }));
    const bool has_portions = requires(typename cell::rate r) { r.portion(); };
    expect_error<cell>(has_portions ? quota_error::none : quota_error::whole_periods_unknown,
                       with([](auto& o) { o.whole_periods = true; }));
}

template <class Cell>
class refill_quantisation : public testing::Test {};

TYPED_TEST_SUITE(refill_quantisation, refilled_cells, cell_names);

TYPED_TEST(refill_quantisation, refuses_what_the_word_cannot_hold) {
    using cell = TypeParam;
    using weir::quota_error;
    const std::int64_t second = 1'000'000'000;
    const std::int64_t year = 31'557'600 * second;
    const std::uint64_t fast = 1'000'000'000;
    // A burst, a debt or a guard of more time than there is in half the word.
    expect_error<cell>(quota_error::burst_too_long, {1, 100 * year, 1000, fast, {}});
    scenario deep{1, year, 1, fast, {}};
    deep.options.debt = 1'000'000;
    expect_error<cell>(quota_error::burst_too_long, deep);
    scenario late{1, second, 1, 5 * fast, {}};
    late.options.guard = weir::nanoseconds(291 * year);
    expect_error<cell>(quota_error::burst_too_long, late);
    expect_error<cell>(quota_error::burst_too_long, {1, second, INT64_MAX, fast, {}});
    // A unit of a ten-thousandth of the finest fraction.
    expect_error<cell>(quota_error::rate_too_fine, {10'000'000, 1, 10, fast, {}});
}

TEST(quantisation, of_a_short_word_gives_up_what_only_a_coarse_fraction_could_hold) {
    // 1.92 ticks per unit: so great a burst leaves room for two ticks per unit alone.
    const scenario coarse{10'000'000, 1'000'000'000, 500'000'000, 19'200'000, {}};
    using short_cell = weir::gcra<std::uint32_t>;
    expect_error<short_cell>(weir::quota_error::rate_too_fine, coarse);
    expect_error<weir::gcra<std::uint64_t>>(weir::quota_error::none, coarse);
    // The bits of its tokens are a token bucket's own bound.
    using weir::quota_error;
    const scenario many{1'000'000, 1'000'000'000, 40'000, 1'000'000, {}};
    expect_error<weir::token_bucket<std::uint32_t>>(quota_error::burst_too_long, many);
    expect_error<weir::token_bucket<std::uint64_t>>(quota_error::none, many);
}

}  // namespace

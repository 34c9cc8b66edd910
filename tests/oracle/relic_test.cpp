// SPDX-License-Identifier: MIT
// Words wrap and clocks are reset. Whatever a cell then finds ahead of it, it does not wait for
// longer than its burst, the debt allowed and the guard last; and from half the word's range away,
// it does not wait at all.
#include <cstdint>

#include <gtest/gtest.h>

#include "cells.hpp"
#include "effort.hpp"
#include "history.hpp"

namespace {

using namespace oracle;

template <class Cell>
class cell_relic : public testing::Test {
protected:
    explicit cell_relic() { make(); }

    void make() {
        scenario_ = suited<Cell>(scenario_);
        const auto made = Cell::rate::make(scenario_.quota(), scenario_.hertz, scenario_.options);
        ASSERT_TRUE(made);
        rate_ = *made;
    }

    // All that there is and all the debt: the state that lies furthest ahead.
    void spend(integer now) {
        const auto all = static_cast<typename Cell::word_type>(scenario_.burst + scenario_.debt());
        cell_.fill(tick_of(now), static_cast<typename Cell::word_type>(scenario_.burst), rate_);
        ASSERT_TRUE(cell_.charge(tick_of(now), all, rate_));
        ASSERT_EQ(remaining(now), 0);
    }

    [[nodiscard]] integer remaining(integer now) const {
        return integer{cell_.peek(tick_of(now), 0, rate_).remaining()};
    }
    [[nodiscard]] integer burst() const { return scenario_.burst; }

    // In ticks: what the word holds, and how far ahead a state may be waited for.
    [[nodiscard]] integer circle() const {
        if constexpr (follows_clock<Cell>) {
            return window_numbers<Cell>(scenario_) * window();
        } else {
            return (integer{1} << weir::bits_of<typename Cell::word_type>) >> shift_of(rate_);
        }
    }
    [[nodiscard]] integer guard() const { return furthest_ahead_of<Cell>(scenario_, rate_); }
    [[nodiscard]] integer horizon() const {
        const integer portion = counts_windows<Cell> ? burst() : 1;
        integer ahead = ceiling_of(scenario_.debt(), portion) * period_of(rate_);
        if constexpr (requires { rate_.longest(); }) {
            ahead = std::max(ahead, integer{rate_.longest()});
        }
        const integer depth = ceiling_of(burst(), portion) * period_of(rate_) + ahead;
        return (depth >> shift_of(rate_)) + guard() + margin();
    }
    // What is rounded up: some ticks, or the guard to whole windows and the window of now.
    [[nodiscard]] integer margin() const { return follows_clock<Cell> ? 2 * window() : 1'000; }
    [[nodiscard]] integer window() const { return ticks_of_period(rate_); }

    // 1000 units per second. A word with numbers of windows comes round in time only if its units
    // leave little of it.
    static scenario any_usual() {
        scenario s{1'000, 1'000'000'000, 10, 1'000'000, {.queue = 0}};
        if constexpr (follows_clock<Cell>) {
            s.burst = std::int64_t{1} << (counts_in_word<Cell> == 2 ? 22U : 29U);
            s.units = s.burst * 100;
            s.options.guard = weir::seconds(1);
        }
        return s;
    }

    scenario scenario_ = any_usual();
    typename Cell::rate rate_{};
    Cell cell_;
};

TYPED_TEST_SUITE(cell_relic, all_cells, cell_names);

TYPED_TEST(cell_relic, is_idle_after_any_idle_from_its_own_to_almost_all_of_the_range) {
    for (const integer begin : {integer{0}, integer{12'345}, this->circle() - 1}) {
        this->spend(begin);
        const integer first = begin + this->horizon();
        const integer last = begin + this->circle() - this->horizon();
        for (integer i = 0; i <= 64; ++i) {
            ASSERT_EQ(this->remaining(first + (last - first) * i / 64), this->burst());
        }
        ASSERT_EQ(this->remaining(begin + this->circle() / 2), this->burst());
    }
}

TYPED_TEST(cell_relic, heals_within_its_horizon_wherever_on_the_circle_the_clock_wakes_up) {
    dice chaos(series());
    std::uint64_t busy = 0;
    const std::uint64_t times = scaled(20'000);
    for (std::uint64_t i = 0; i < times; ++i) {
        const integer begin = chaos.up_to(3 * this->circle());
        this->spend(begin);
        const integer turned = begin + 2 * this->circle() - chaos.up_to(2 * this->horizon());
        const integer woken = chaos.chance(50) ? chaos.up_to(5 * this->circle()) : turned;
        if (this->remaining(woken) == this->burst()) continue;
        ++busy;
        ASSERT_EQ(this->remaining(woken + this->horizon()), this->burst());
    }
    EXPECT_GT(busy, times / 10);
    EXPECT_LT(busy, times / 2);
}

TYPED_TEST(cell_relic, of_a_clock_that_was_reset_counts_as_idle) {
    const integer begin = this->circle() / 3;
    this->spend(begin);
    ASSERT_EQ(this->remaining(0), this->burst());
    ASSERT_TRUE(this->cell_.try_acquire(tick_of(0), 1, this->rate_));
    ASSERT_EQ(this->remaining(0), this->burst() - 1);
}

TYPED_TEST(cell_relic, is_what_lies_behind_the_guard_and_nothing_before_it) {
    const integer begin = this->circle() / 3;
    this->spend(begin);
    ASSERT_EQ(this->remaining(begin - this->guard()), 0);
    ASSERT_EQ(this->remaining(begin - this->guard() - this->margin()), this->burst());
}

TYPED_TEST(cell_relic, is_not_what_was_just_restored) {
    // A unit lasts 1/3 of a tick: the saved time is rounded up, past the furthest that an
    // admission goes.
    this->scenario_ = {3'000'000, 1'000'000'000, 10, 1'000'000, {}};
    this->scenario_.options.guard = weir::nanoseconds(0);
    for (const std::int64_t debt : {0, 1}) {
        this->scenario_.options.debt = debt;
        this->make();
        for (integer now = 1'000; now < 1'100; ++now) {
            this->spend(now);
            const auto saved = this->cell_.state(tick_of(now), this->rate_);
            ASSERT_TRUE(this->cell_.restore(tick_of(now), saved, this->rate_));
            ASSERT_EQ(this->remaining(now), 0) << "debt " << debt << " at " << text_of(now);
        }
    }
}

TYPED_TEST(cell_relic, is_not_what_a_clock_sees_that_is_late_by_the_whole_guard) {
    // A token bucket that was full counts from the next point of its grid. That lies some ticks
    // ahead if a unit takes so long that the word need not tell single ticks apart.
    constexpr bool wide = sizeof(typename TypeParam::word_type) == 8;
    this->scenario_ = {1, 1'100'000'000'000, 1'000, wide ? 1'000'000'000U : 1'000U, {}};
    this->scenario_.options.debt = 0;
    this->scenario_.options.guard = weir::nanoseconds(std::int64_t{60} * 1'000'000'000);
    this->make();
    const integer first = 1'000'000 + this->guard();
    for (integer now = first; now < first + 100; ++now) {
        this->spend(now);
        ASSERT_EQ(this->remaining(now - this->guard()), 0) << "at " << text_of(now);
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
// Windows under a demand that never ends: each passes its units, and none goes missing between two.
#include <cstdint>

#include <gtest/gtest.h>

#include "cells.hpp"
#include "effort.hpp"
#include "history.hpp"

namespace {

using namespace oracle;

// A cell that is full at 0, which is a point of every grid and the start of a window.
template <class Cell>
struct demand {
    explicit demand(const opening<Cell>& start) : about(start.about), rate(start.rate) {
        cell.fill(tick_of(0), word_of(about.burst), rate);
    }

    using word = typename Cell::word_type;
    static word word_of(integer units) { return static_cast<word>(units); }

    integer take_all(integer now) {
        return integer{cell.acquire_up_to(tick_of(now), word_of(about.burst), rate).units};
    }
    [[nodiscard]] integer next(integer now) const {
        return now + integer{cell.peek(tick_of(now), 1, rate).retry_after()};
    }
    // When so many windows have gone by.
    [[nodiscard]] integer end_of(integer windows) const {
        return ceiling_of(windows * period_of(rate), integer{1} << shift_of(rate));
    }

    scenario about;
    typename Cell::rate rate;
    Cell cell;
};

// Calls `run(demand, chaos)` for many quotas.
template <class Cell, class Run>
void with_many_quotas(Run run) {
    std::uint64_t refused = 0;
    const std::uint64_t histories = scaled(500);
    for (std::uint64_t seed = 0; seed < histories; ++seed) {
        dice chaos(series() << 32U | seed);
        demand<Cell> d(any_opening<Cell>(chaos, refused));
        run(d, chaos);
        ASSERT_FALSE(testing::Test::HasFailure()) << seed << ": " << text_of(d.about);
    }
}

template <class Cell>
class window_long_run : public testing::Test {};

TYPED_TEST_SUITE(window_long_run, paying_cells, cell_names);

TYPED_TEST(window_long_run, greedy_demand_gets_the_units_of_each_window_and_no_more) {
    with_many_quotas<TypeParam>([](auto& d, dice& chaos) {
        integer now = 0;
        integer admitted = 0;
        for (integer windows = 1; windows <= 500 && now < end_of_clock / 2; ++windows) {
            admitted += d.take_all(now);
            ASSERT_EQ(admitted, windows * d.about.burst);
            // No earlier than the windows allow, and none takes longer than what is rounded up.
            const integer ideal = d.end_of(windows - 1);
            const integer grain = (d.about.burst + d.about.debt()) * 2;
            const integer rounding = (grain >> shift_of(d.rate)) + 2;
            ASSERT_GE(now, ideal);
            ASSERT_LE(now, follows_clock<TypeParam> ? ideal : ideal + windows * rounding);
            const integer next = d.next(now);
            ASSERT_EQ(d.take_all(now + chaos.up_to(next - now - 1)), 0);
            now = next;
        }
    });
}

TYPED_TEST(window_long_run, windows_that_owe_follow_each_other_without_a_gap) {
    with_many_quotas<TypeParam>([](auto& d, dice& /*chaos*/) {
        const bool within_a_tick = period_of(d.rate) < integer{1} << shift_of(d.rate);
        if (d.about.debt() == 0 || within_a_tick) return;
        const auto charged = [&](integer now, integer units) {
            return answer_of(d.cell.charge(tick_of(now), d.word_of(units), d.rate));
        };
        ASSERT_EQ(charged(0, d.about.burst + d.about.debt()).verdict, outcome::admitted);
        integer now = 0;
        for (integer windows = 1; windows <= 500; ++windows) {
            const integer paid = now + charged(now, d.about.burst).retry_after;
            ASSERT_EQ(paid, d.end_of(windows));
            if (paid > end_of_clock / 2) break;
            now = paid;
            ASSERT_EQ(charged(now, d.about.burst).verdict, outcome::admitted);
        }
    });
}

// Until its last step a window counts something of the one before, rounded up to a unit; so a
// demand that never ends gets a unit less in each window, and where there is only one, every second
// window passes it.
TEST(sliding_long_run, greedy_demand_gets_a_unit_less_than_the_window_has) {
    using cell_type = weir::sliding_window<>;
    std::uint64_t short_of_one = 0;
    std::uint64_t compared = 0;
    with_many_quotas<cell_type>([&](auto& d, dice& chaos) {
        const integer window = ticks_of_period(d.rate);
        integer before = 0;
        for (integer start = 0; start < 200 * window && start < end_of_clock / 2; start += window) {
            integer passed = 0;
            integer now = start;
            for (int tries = 0; tries < 5; ++tries) {
                passed += d.take_all(now);
                now += chaos.up_to(start + window - 1 - now);
            }
            passed += d.take_all(start + window - 1);
            ASSERT_EQ(passed, d.about.burst - ceiling_of(before, d.rate.period()));
            before = passed;
            ++compared;
            if (passed == d.about.burst - 1) ++short_of_one;
        }
    });
    EXPECT_GT(short_of_one, compared / 2);
}

}  // namespace

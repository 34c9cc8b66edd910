// SPDX-License-Identifier: MIT
// What an answer promises about the future, asked of the cells alone: whoever waits exactly that
// long gets it, and whoever waits a tick less does not.
#include <cstdint>

#include <gtest/gtest.h>

#include "cells.hpp"
#include "effort.hpp"
#include "history.hpp"

namespace {

using namespace oracle;

template <class Cell>
class cell_promise : public testing::Test {
protected:
    // Calls `ask(cell, now, start, chaos)` in many states, until it has been true often enough.
    template <class Ask>
    void in_many_states(Ask ask) {
        std::uint64_t refused = 0;
        std::uint64_t asked = 0;
        const std::uint64_t enough = scaled(30'000);
        for (std::uint64_t seed = 0; asked < enough && seed < 20 * enough; ++seed) {
            dice chaos(series() << 32U | seed);
            const auto start = any_opening<Cell>(chaos, refused);
            duel<Cell> d(start.about, start.rate, start.now);
            integer now = start.now;
            for (std::uint64_t steps = chaos.roll(20); steps > 0; --steps) {
                const event e = any_event(chaos, d, now);
                d.apply(e);
                now = e.now;
            }
            // The answer's own time must not lead to where a word comes round.
            if (now + integer{d.cell().peek(tick_of(now), 0, start.rate).reset_after()} +
                    integer{d.cell().peek(tick_of(now), 1, start.rate).retry_after()} >
                d.furthest()) {
                continue;
            }
            if (ask(d.cell(), now, start, chaos)) ++asked;
            ASSERT_FALSE(this->HasFailure()) << "seed " << seed << ": " << text_of(start.about);
        }
        EXPECT_GE(asked, enough);
    }
};

TYPED_TEST_SUITE(cell_promise, all_cells, cell_names);

TYPED_TEST(cell_promise, waiting_for_retry_after_is_enough_and_a_tick_less_is_not) {
    this->in_many_states([](TypeParam& cell, integer now, const auto& start, dice& chaos) {
        const bool charge = chaos.chance(30);
        const integer most = start.about.burst + (charge ? start.about.debt() : 0);
        const auto n = static_cast<typename TypeParam::word_type>(1 + chaos.up_to(most - 1));
        const auto ask = [&](integer at) {
            return charge ? cell.charge(tick_of(at), n, start.rate)
                          : cell.try_acquire(tick_of(at), n, start.rate);
        };
        const auto denied = ask(now);
        if (denied.admitted()) return false;
        EXPECT_EQ(denied.verdict(), weir::verdict::wait);
        const integer later = now + integer{denied.retry_after()};
        EXPECT_FALSE(ask(later - 1).admitted());
        EXPECT_TRUE(ask(later).admitted());
        return true;
    });
}

TYPED_TEST(cell_promise, after_reset_after_the_whole_burst_is_there_and_a_tick_before_it_is_not) {
    this->in_many_states([](TypeParam& cell, integer now, const auto& start, dice& /*chaos*/) {
        const integer reset{cell.peek(tick_of(now), 0, start.rate).reset_after()};
        if (reset == 0) return false;
        const auto before = cell.peek(tick_of(now + reset - 1), 0, start.rate);
        EXPECT_LT(integer{before.remaining()}, start.about.burst);
        const auto after = cell.peek(tick_of(now + reset), 0, start.rate);
        EXPECT_EQ(integer{after.remaining()}, start.about.burst);
        EXPECT_EQ(after.reset_after(), 0U);
        return true;
    });
}

TYPED_TEST(cell_promise, all_of_burst_and_debt_can_be_charged_to_a_full_cell_at_any_instant) {
    // A unit takes so long that a token bucket's word need not tell single ticks apart.
    constexpr bool wide = sizeof(typename TypeParam::word_type) == 8;
    const std::uint64_t hertz = wide ? 1'000'000'000 : 1'000;
    const auto s = suited<TypeParam>({1, 1'100'000'000'000, 500, hertz, {}});
    const auto rate = TypeParam::rate::make(s.quota(), s.hertz, s.options);
    ASSERT_TRUE(rate);
    for (integer now = 1'000'000; now < 1'000'100; ++now) {
        TypeParam cell;
        cell.fill(tick_of(now), 500, *rate);
        const auto d = cell.charge(tick_of(now), 1'000, *rate);
        ASSERT_TRUE(d.admitted()) << "retry after " << text_of(integer{d.retry_after()});
    }
}

TEST(cell_promise_at_its_edge, holds_for_a_debt_of_billions_in_portions_of_billions) {
    using cell_type = weir::token_bucket<std::uint64_t>;
    scenario s{1'000'000'000, 1'000'000'000, 1'000'000'000, 1'000'000, {}};
    s.options.whole_periods = true;
    const auto rate = cell_type::rate::make(s.quota(), s.hertz, s.options);
    ASSERT_TRUE(rate);
    cell_type cell;
    cell.fill(tick_of(0), 0, *rate);
    EXPECT_EQ(cell.charge(tick_of(0), 2'000'000'000, *rate).retry_after(), 1'000'000U);
    EXPECT_EQ(cell.try_acquire(tick_of(0), 1'000'000'000, *rate).retry_after(), 1'000'000U);
    EXPECT_FALSE(cell.charge(tick_of(999'999), 2'000'000'000, *rate).admitted());
    EXPECT_TRUE(cell.charge(tick_of(1'000'000), 2'000'000'000, *rate).admitted());
    EXPECT_EQ(cell.try_acquire(tick_of(1'000'000), 1, *rate).retry_after(), 2'000'000U);
}

}  // namespace

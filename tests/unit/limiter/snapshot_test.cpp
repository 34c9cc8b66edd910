// SPDX-License-Identifier: MIT
// What is saved and restored: never more than was there, whatever the quota and the clock are.
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/weir.hpp>

#include "../../at.hpp"

namespace {

using weir::nanoseconds;
using weir::quota;
using weir::seconds;

constexpr std::int64_t year = 31'557'600;
constexpr weir::word megahertz = 1'000'000;

template <class Tag>
using slow_clock = weir::manual_clock<Tag, megahertz>;

using meters = weir::only<weir::are_meters, weir::every_cell<1, weir::word>>;
template <class Cell>
constexpr bool has_portions = requires(const typename Cell::rate r) {
    r.portion();
};

// Both are asked for all that they have, again and again over the centuries.
template <class Limit>
void expect_no_more(Limit& from, Limit& to, typename Limit::instant now, const char* what) {
    ASSERT_TRUE(to.restore(from.save(now), now)) << what;
    for (std::int64_t years = 0; years <= 2'000; years += 50) {
        const auto then = now + static_cast<weir::word>(years * year) * megahertz;
        const weir::word left = from.peek(0, then).remaining();
        ASSERT_LE(to.peek(0, then).remaining(), left) << what << ", after years: " << years;
    }
}

// Six units a year: to refill all of them takes longer than a number of nanoseconds can say.
template <class Cell>
void carries_centuries(std::int64_t burst, const weir::options& o) {
    using limit = weir::limiter<Cell, slow_clock<Cell>>;
    const quota q{6, seconds(year), burst};
    const typename limit::instant now(123'456'789);
    const auto all = static_cast<weir::word>(burst);
    limit drained{q, o};
    limit into{q, o};
    (void)drained.drain(now);
    expect_no_more(drained, into, now, "drained");
    limit indebted{q, o};
    ASSERT_TRUE(indebted.charge(2 * all, now));
    expect_no_more(indebted, into, now, "indebted");
    limit half{q, o};
    ASSERT_TRUE(half.try_acquire(all / 2, now));
    expect_no_more(half, into, now, "half");
    EXPECT_TRUE(into.restore(half.save(now), now));
    EXPECT_EQ(into.peek(0, now).remaining(), half.peek(0, now).remaining())
        << "of which the time is short enough";
}

TEST(snapshot, of_a_limit_that_takes_centuries_hands_out_nothing_that_was_not_there) {
    meters::for_each([]<class Cell>() {
        carries_centuries<Cell>(2'633, {});
        carries_centuries<Cell>(2'633, {.queue = 0});
        if (has_portions<Cell>) carries_centuries<Cell>(2'633, {.whole_periods = true});
    });
}

TEST(snapshot, of_a_log_in_debt_for_centuries_hands_out_nothing_that_was_not_there) {
    using limit = weir::limiter<weir::sliding_log<4>, slow_clock<struct logs>>;
    const quota q{4, seconds(200 * year)};
    limit indebted{q};
    limit into{q};
    const limit::instant now(123'456'789);
    ASSERT_TRUE(indebted.charge(4, now));
    ASSERT_TRUE(indebted.charge(4, now));
    expect_no_more(indebted, into, now, "indebted");
}

// The same quota by two clocks: the period is rounded to fractions of another tick.
template <class Cell>
void goes_to_another_machine(const weir::options& o) {
    const quota q{7, seconds(1), 5};
    weir::limiter<Cell, weir::manual_clock<struct from, 19'200'000>> first{q, o};
    weir::limiter<Cell, weir::manual_clock<struct to, 2'596'132'310>> second{q, o};
    weir::limiter<Cell, weir::manual_clock<struct back, 1'000'000>> third{q, o};
    const auto deepest = static_cast<weir::word>(o.debt);
    (void)first.drain(at(first, 0));
    ASSERT_TRUE(first.charge(deepest, at(first, 0)));
    EXPECT_TRUE(second.restore(first.save(at(first, 0)), at(second, 0)));
    EXPECT_TRUE(third.restore(first.save(at(first, 0)), at(third, 0)));
    EXPECT_TRUE(third.restore(second.save(at(second, 0)), at(third, 0)));
    EXPECT_TRUE(first.restore(third.save(at(third, 0)), at(first, 0)));
}

TEST(snapshot, of_the_deepest_state_is_one_by_another_clock_too) {
    for (const std::int64_t debt : {1'000, 1'000'000, 1'000'000'000}) {
        meters::for_each(
            [&]<class Cell>() { goes_to_another_machine<Cell>({.debt = debt, .queue = 0}); });
    }
}

// Its frequency was measured: this is the highest that it may be, and the lowest is 20 ppm below.
struct measured_clock : weir::manual_clock<struct measured, 2'596'150'000> {
    static weir::instant<measured_clock> now() noexcept { return weir::instant<measured_clock>(); }
    static constexpr std::uint64_t least_hertz() noexcept { return hertz() / 1'000'000 * 999'980; }
};

// Times that are told are 20 ppm too long by this clock. A snapshot's is not: in a thousand
// restarts 1000 units would be lost. One nanosecond in each is, by rounding.
TEST(snapshot, hands_on_as_many_units_however_often) {
    weir::limiter<weir::gcra<>, measured_clock> limit{quota{1'000, seconds(1), 100'000}};
    ASSERT_TRUE(limit.try_acquire(50'000, at(limit, 0)));
    const auto then = at(limit, measured_clock::hertz() / 2'000);  // half a unit later
    for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(limit.restore(limit.save(then), then));
    EXPECT_EQ(limit.peek(0, then).remaining(), 50'000U);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/pacer/schedule.hpp>

#include "../oracle/dice.hpp"
#include "../stress/crowd.hpp"
#include "recorded.hpp"

namespace {

using pacing::exact;
using pacing::recorded;
using weir::catch_up;
using weir::pacer_error;
using weir::per_second;
using weir::quota;
using weir::seconds;
using weir::verdict;
using weir::word;

using clock = weir::manual_clock<struct schedule_tests>;
using instant = weir::instant<clock>;
using schedule = weir::schedule<clock>;
using milli = weir::manual_clock<struct schedule_in_milliseconds, 1'000>;
using coarse = weir::schedule<milli>;

TEST(schedule, lets_one_go_each_interval) {
    coarse s{quota{10, seconds(1), 1}, catch_up::none()};
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{5'000}))
        << "the first at once, whenever that is";
    const auto d = s.try_acquire(1, weir::instant<milli>{5'001});
    EXPECT_EQ(d.verdict(), verdict::wait);
    EXPECT_EQ(d.ticks().retry_after(), 99U);
    EXPECT_EQ(d.retry_after(), weir::milliseconds(99));
    EXPECT_FALSE(s.peek(1, weir::instant<milli>{5'099}));
    EXPECT_TRUE(s.peek(1, weir::instant<milli>{5'100}));
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{5'110}));
    EXPECT_FALSE(s.try_acquire(1, weir::instant<milli>{5'209})) << "what was late stays late";
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{5'210}));
}

TEST(schedule, makes_good_a_delay_of_half_an_interval) {
    coarse s{quota{10, seconds(1), 1}};
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{1'000}));
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{1'150}));
    EXPECT_FALSE(s.try_acquire(1, weir::instant<milli>{1'199}));
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{1'200})) << "the grid is kept";
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{1'390}));
    EXPECT_FALSE(s.try_acquire(1, weir::instant<milli>{1'439}));
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{1'440}))
        << "and no more than half an interval is made good";
}

TEST(schedule, lets_so_many_and_one_more_go_at_once_after_a_delay) {
    coarse s{quota{10, seconds(1), 1}, catch_up::items(3)};
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{1'000}));
    EXPECT_FALSE(s.try_acquire(1, weir::instant<milli>{1'000})) << "there was no delay yet";
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{9'000}));
    EXPECT_EQ(s.try_acquire(1, weir::instant<milli>{9'000}).ticks().retry_after(), 100U);
}

TEST(schedule, lets_a_large_item_go_and_waits_for_it_afterwards) {
    coarse s{quota{10, seconds(1), 5}, catch_up::none()};
    EXPECT_TRUE(s.try_acquire(5, weir::instant<milli>{1'000}));
    EXPECT_EQ(s.try_acquire(1, weir::instant<milli>{1'000}).ticks().retry_after(), 500U);
    EXPECT_EQ(s.try_acquire(6, weir::instant<milli>{1'500}).verdict(), verdict::never);
    EXPECT_EQ(s.peek(6, weir::instant<milli>{1'500}).retry_after(), weir::nanoseconds::longest());
    EXPECT_TRUE(s.try_acquire(0, weir::instant<milli>{1'000})) << "nothing costs nothing";
    EXPECT_TRUE(s.try_acquire(2, weir::instant<milli>{1'500}));
}

TEST(schedule, scales_what_is_left_to_wait_when_its_rate_changes) {
    coarse s{quota{1, seconds(1), 1}, catch_up::none()};
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{1'000}));
    EXPECT_EQ(s.set_rate(quota{10, seconds(1), 1}, weir::instant<milli>{1'400}), pacer_error::none);
    EXPECT_EQ(s.try_acquire(1, weir::instant<milli>{1'400}).ticks().retry_after(), 60U)
        << "of 600 a tenth";
    EXPECT_EQ(s.set_rate(quota{1, seconds(1), 1}, weir::instant<milli>{1'430}), pacer_error::none);
    EXPECT_EQ(s.try_acquire(1, weir::instant<milli>{1'430}).ticks().retry_after(), 300U);
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{1'730}));
    EXPECT_EQ(s.quota(), (quota{1, seconds(1), 1}));
}

// A rate of 9001/s and back: each wait and each delay passes through a number that is no whole one.
TEST(schedule, lets_nothing_go_too_early_after_changes_of_rate) {
    using fine_clock = weir::manual_clock<struct fine_ticks, 1'000'000'000>;
    using fine_instant = weir::instant<fine_clock>;
    using fine = weir::schedule<fine_clock>;
    constexpr weir::word interval = 100'000;
    const quota fast{10'000, seconds(1), 10};
    for (weir::word passed = 0; passed < 3 * interval; passed += 997) {
        fine s{fast, catch_up::within(weir::nanoseconds(3 * interval))};
        ASSERT_TRUE(s.try_acquire(1, fine_instant{interval}));
        const fine_instant now{interval + passed};
        ASSERT_EQ(s.set_rate(quota{9'001, seconds(1), 2}, now), pacer_error::none);
        ASSERT_EQ(s.set_rate(fast, now), pacer_error::none);
        EXPECT_FALSE(weir::earlier(s.next(), fine_instant{2 * interval})) << passed;
        EXPECT_TRUE(weir::earlier(s.next(), fine_instant{2 * interval + 3})) << passed;
    }
}

TEST(schedule, forgives_no_debt_when_its_burst_becomes_smaller) {
    coarse s{quota{1, seconds(60), 1'000}, catch_up::none()};
    EXPECT_TRUE(s.try_acquire(1'000, weir::instant<milli>{1'000}));
    EXPECT_EQ(s.peek(1, weir::instant<milli>{1'000}).ticks().retry_after(), 60'000'000U);
    EXPECT_EQ(s.set_rate(quota{1, seconds(60), 1}, weir::instant<milli>{1'000}), pacer_error::none);
    EXPECT_EQ(s.peek(1, weir::instant<milli>{1'000}).ticks().retry_after(), 60'000'000U);
    EXPECT_EQ(s.set_rate(quota{1, seconds(6), 1}, weir::instant<milli>{1'000}), pacer_error::none);
    EXPECT_EQ(s.peek(1, weir::instant<milli>{1'000}).ticks().retry_after(), 6'000'000U);
    EXPECT_FALSE(s.try_acquire(1, weir::instant<milli>{6'000'999}));
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{6'001'000}));
}

TEST(schedule, keeps_its_rate_if_the_new_one_cannot_be_held) {
    coarse s{quota{1, seconds(1), 1}};
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{1'000}));
    const quota endless{1, seconds(9'000'000'000), 1'000'000'000};
    EXPECT_EQ(s.set_rate(endless, weir::instant<milli>{1'500}), pacer_error::burst_too_long);
    EXPECT_EQ(s.quota(), (quota{1, seconds(1), 1}));
    EXPECT_EQ(s.try_acquire(1, weir::instant<milli>{1'500}).ticks().retry_after(), 500U);
}

TEST(schedule, refuses_what_makes_no_sense) {
    const quota q = per_second(10);
    EXPECT_EQ(schedule::make(q, catch_up::items(-1)).error(), pacer_error::catch_up_negative);
    EXPECT_EQ(schedule::make(q, catch_up::within(seconds(-1))).error(),
              pacer_error::catch_up_negative);
    EXPECT_EQ(schedule::make(q, catch_up::items(INT64_MAX)).error(), pacer_error::burst_too_long);
    EXPECT_EQ(schedule::make(q, catch_up::within(weir::nanoseconds::longest())).error(),
              pacer_error::burst_too_long);
    EXPECT_THROW(schedule(q, catch_up::items(-1)), weir::refused);
    using slow = weir::schedule<weir::manual_clock<struct slow_ticks, 1>, std::uint32_t>;
    EXPECT_EQ(slow::make(quota{1'000'000'000'000, seconds(1), 1}).error(),
              pacer_error::rate_too_fine);
}

TEST(schedule, heals_after_a_clock_that_was_set_back) {
    coarse s{quota{1, seconds(1), 1}};
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{100'000'000}));
    EXPECT_FALSE(s.try_acquire(1, weir::instant<milli>{99'000'000}))
        << "a clock may be late, by an hour";
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{50'000'000})) << "but not by a day";
    EXPECT_FALSE(s.try_acquire(1, weir::instant<milli>{50'000'999}));
    EXPECT_TRUE(s.try_acquire(1, weir::instant<milli>{50'001'000}));
}

TEST(schedule, of_short_words_goes_round_its_circle) {
    using clock32 = weir::manual_clock<struct short_ticks, 1'000'000>;
    weir::schedule<clock32, std::uint32_t> s{quota{3, seconds(1), 1}, catch_up::none()};
    word now = 4'000'000'000;
    recorded items;
    for (int i = 0; i < 50'000; ++i) {
        const auto d = s.try_acquire(1, weir::instant<clock32>{now});
        if (d) items.add(now);
        now += d ? 1 : d.ticks().retry_after();
    }
    EXPECT_TRUE(items.keeps(3, 1'000'000, 0));
    EXPECT_EQ(items.size(), 25'000U);
    EXPECT_LE(items.at(24'999) - items.at(0), 24'999ULL * 1'000'000 / 3 + 25'000)
        << "up to a tick is lost with each item that nothing may make good";
}

// A wait and a catch-up that are half the circle together, seen by a clock that is late.
TEST(schedule, does_not_take_what_is_to_come_for_old) {
    using clock32 = weir::manual_clock<struct ticks_of_a_long_wait, 1'000'000>;
    weir::schedule<clock32, std::uint32_t> s{quota{500'000, seconds(1), 21'500},
                                             catch_up::within(weir::microseconds(1'073'691'871))};
    const weir::instant<clock32> now{word{100'000}};
    const weir::instant<clock32> late{word{100'000 - 49'990}};
    ASSERT_TRUE(s.try_acquire(21'500, now));
    ASSERT_EQ(s.set_rate(quota{1, weir::microseconds(49'950), 1}, now), pacer_error::none)
        << "the item is paid for at this rate: for as long as a wait may be";
    EXPECT_FALSE(s.try_acquire(1, late));
    EXPECT_FALSE(s.try_acquire(1, now));
    EXPECT_GT(s.peek(1, now).ticks().retry_after(), 1'000'000'000U);
}

// Whatever is asked, and however late: what is answered is what the real numbers say.
TEST(schedule, answers_what_its_formula_says_in_exact_numbers) {
    oracle::dice dice(1);
    const auto below = [&](std::uint64_t n) { return dice.roll(n); };
    for (int round = repetitions(2'000); round > 0; --round) {
        const word units = 1 + below(1'000);
        const word period = 1 + below(1'000'000);
        const word halves = below(8);
        const word time = below(3) == 0 ? below(10'000) : 0;
        const word burst = 1 + below(20);
        schedule s{quota{static_cast<std::int64_t>(units),
                         weir::nanoseconds(static_cast<std::int64_t>(period)),
                         static_cast<std::int64_t>(burst)},
                   catch_up{static_cast<std::int64_t>(halves),
                            weir::nanoseconds(static_cast<std::int64_t>(time))}};
        const bool whole = period * halves % (2 * units) == 0 && period % units == 0;
        word now = below(1'000'000'000);
        // In halves of period / units ticks.
        const exact scale = 2 * static_cast<exact>(units);
        const exact tau = static_cast<exact>(halves) * static_cast<exact>(period) +
                          static_cast<exact>(time) * scale;
        exact next = static_cast<exact>(now) * scale;
        for (int i = 0; i < 200; ++i) {
            const word cost = 1 + below(burst);
            const exact r = static_cast<exact>(now) * scale;
            if (next < r - tau) next = r - tau;
            const exact wait = next <= r ? exact{0} : (next - r + scale - 1) / scale;
            const auto d = s.try_acquire(cost, instant{now});
            // The interval is rounded up at its 64th bit, so a slot right on a tick may be the
            // next.
            ASSERT_GE(static_cast<exact>(d.ticks().retry_after()), wait);
            ASSERT_LE(static_cast<exact>(d.ticks().retry_after()), wait + (whole ? 0 : 1));
            if (d) next += 2 * static_cast<exact>(cost) * static_cast<exact>(period);
            now += below(2) == 0 ? d.ticks().retry_after() : below(4 * period / units + 2);
        }
    }
}

// The same rule: why there is no second one in the library.
TEST(schedule, answers_as_gcra_does_for_items_of_one_unit) {
    using limiter = weir::limiter<weir::gcra<>, clock>;
    oracle::dice dice(2);
    for (int round = repetitions(2'000); round > 0; --round) {
        const auto interval = static_cast<std::int64_t>(1 + dice.roll(1'000'000));
        const auto burst = static_cast<std::int64_t>(1 + dice.roll(10));
        const quota q{1, weir::nanoseconds(interval), burst};
        limiter cell{q};
        schedule s{q, catch_up::items(burst - 1)};
        word now = 1 + dice.roll(1'000'000'000);
        // gcra starts with its burst there, a schedule with what it has not missed yet.
        while (cell.try_acquire(1, instant{now})) {
        }
        (void)s.try_acquire(1, instant{now});
        now += static_cast<word>(interval * burst);
        for (int i = 0; i < 200; ++i) {
            const auto expected = cell.try_acquire(1, instant{now});
            const auto d = s.try_acquire(1, instant{now});
            ASSERT_EQ(d.verdict(), expected.verdict());
            ASSERT_EQ(d.ticks().retry_after(), expected.ticks().retry_after());
            now += dice.roll(2) == 0 ? d.ticks().retry_after()
                                     : dice.roll(2 * static_cast<word>(interval));
        }
    }
}

// The bar: exact to one item over ten million.
TEST(schedule, loses_nothing_in_ten_million_items_whose_lateness_is_made_good) {
    for (const word rate :
         {1'000U, 3'000U, 7'000U, 10'000U, 99'991U, 100'000U, 999'983U, 1'000'000U}) {
        schedule s{per_second(static_cast<std::int64_t>(rate))};
        oracle::dice dice(rate);
        const word most = 500'000'000 / rate;  // half an interval
        const auto total = static_cast<word>(repetitions(10'000'000));
        const word begin = 77;
        word now = begin;
        (void)s.try_acquire(1, instant{now});
        for (word i = 1; i < total; ++i) {
            const auto d = s.try_acquire(1, instant{now});
            ASSERT_FALSE(d);
            const word due = now + d.ticks().retry_after();
            now = due + (most == 0 ? 0 : dice.roll(most));
            ASSERT_TRUE(s.try_acquire(1, instant{now}));
        }
        // The last one's slot is where it would be if all had been on time.
        const word slot = begin + static_cast<word>(static_cast<exact>(total) * 1'000'000'000 /
                                                    static_cast<exact>(rate));
        EXPECT_GE(s.next().count, slot) << rate << ": never above";
        EXPECT_LE(s.next().count, slot + 1) << rate;
    }
}

TEST(schedule, keeps_every_window_through_stalls_of_50_ms) {
    struct shape {
        catch_up how;
        word halves;
        word ticks;
    };
    for (const shape& sh :
         {shape{catch_up::none(), 0, 0}, shape{catch_up::half_an_interval(), 1, 0},
          shape{catch_up::items(10), 20, 0},
          shape{catch_up::within(weir::microseconds(100)), 0, 100'000}}) {
        for (const word rate : {1'000U, 10'000U, 77'777U}) {
            schedule s{per_second(static_cast<std::int64_t>(rate)), sh.how};
            oracle::dice dice(rate);
            recorded items;
            word now = 1;
            // However few repetitions, enough for each stall to be met.
            for (int i = std::max(repetitions(200'000), 20'000); i > 0; --i) {
                const auto d = s.try_acquire(1, instant{now});
                if (d) items.add(now);
                now += d.ticks().retry_after();
                if (dice.roll(100) == 0) now += dice.roll(1'000'000);
                if (i % 1'000 == 0) now += 50'000'000;
            }
            EXPECT_TRUE(items.keeps(rate, 1'000'000'000, sh.halves, sh.ticks)) << rate;
            if (sh.halves > 0) {
                EXPECT_FALSE(items.keeps(rate, 1'000'000'000, sh.halves - 1))
                    << "or not by so much";
            }
        }
    }
}

}  // namespace

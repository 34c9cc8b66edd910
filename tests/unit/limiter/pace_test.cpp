// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/limiter/pace.hpp>

#include "../../oracle/dice.hpp"
#include "../../oracle/exact.hpp"

namespace {

using weir::pace;
using weir::quota;
using weir::quota_error;
using weir::seconds;
using weir::speed;
using weir::tick;

using oracle::integer;

constexpr std::uint64_t giga = 1'000'000'000;

// Where a compiler has no integers of 128 bits a division takes long, and longer if it is emulated.
constexpr bool divides_by_bits = sizeof(void*) < 8;

speed of(std::int64_t units, std::uint64_t hertz = giga, unsigned grain_bits = 10) {
    return *speed::of(quota{units, seconds(1)}, hertz, grain_bits);
}

// In millionths of a grain, of which one is what a pace may be ahead, once.
TEST(pace, never_brings_more_than_the_exact_number_of_grains) {
    oracle::dice random(1);
    for (int i = 0; i < 100'000; ++i) {
        const auto units = static_cast<std::int64_t>(1 + random.roll(1ULL << random.roll(30)));
        const std::uint64_t hertz = 1 + random.roll(1ULL << (10 + random.roll(23)));
        const std::uint64_t ticks = random.roll(1ULL << (1 + random.roll(60)));
        const integer exact =
            (static_cast<integer>(ticks) * static_cast<std::uint64_t>(units) << 30U) / hertz;
        const auto made = speed::of(quota{units, seconds(1)}, hertz, 10);
        if (!made || exact >> 83U != 0) continue;  // hardly a grain in many ticks, or too many
        const std::uint64_t begin = random.next();
        const std::uint64_t value = pace(tick{begin}, 7, *made).grains_at(tick{begin + ticks}) - 7;
        // A speed has 17 bits at least, and 62 unless it is very low.
        const integer less = (exact >> 61) + (made->shift == 63 ? exact / made->multiplier : 0);
        ASSERT_LE(static_cast<integer>(value) << 20U, exact + 1) << units << " " << hertz;
        ASSERT_GE(static_cast<integer>(value + 1) << 20U, exact - less)
            << units << " " << hertz << " " << ticks;
    }
}

// So long that of the speed no more than 17 bits remain.
TEST(pace, of_units_that_are_years_apart_is_not_above_the_quota) {
    constexpr std::int64_t year = 31'557'600;
    for (const std::int64_t years : {1, 2, 3, 7, 10, 13}) {
        for (const std::uint64_t hertz : {19'200'000ULL, 1'000'000'000ULL}) {
            const auto made = speed::of(quota{1, seconds(years * year)}, hertz, 10);
            if (!made) continue;
            const std::uint64_t units = 200 / static_cast<std::uint64_t>(years);
            const std::uint64_t due = units * static_cast<std::uint64_t>(years * year) * hertz;
            const pace p(tick{0}, 0, *made);
            ASSERT_LT(p.grains_at(tick{due - due / 1'000'000}), units * 1024)
                << years << " " << hertz;
            ASSERT_GE(p.grains_at(tick{due + due / 100'000}), units * 1024)
                << years << " " << hertz;
        }
    }
}

TEST(pace, has_brought_whole_units_after_whole_periods) {
    for (const std::int64_t units : {1, 3, 7, 10, 1'000, 999'983, 1'000'000'000}) {
        const pace p(tick{0}, 0, of(units));
        for (std::uint64_t period = 1; period < 1'000; ++period) {
            const auto whole = static_cast<std::uint64_t>(units) * period * 1024;
            ASSERT_EQ(p.grains_at(tick{period * giga}), whole) << units;
            ASSERT_LT(p.grains_at(tick{period * giga - 1}), whole) << units;
        }
    }
}

TEST(pace, says_when_to_the_tick) {
    oracle::dice random(2);
    const pace steady(tick{1'000}, 5, of(1'234'567));
    const pace rising = *steady.changed(tick{5 * giga}, of(100'000'000), 10 * giga);
    const pace falling = *steady.changed(tick{5 * giga}, of(1), 10 * giga);
    for (const pace& p : {steady, rising, falling}) {
        for (int i = 0; i < (divides_by_bits ? 5'000 : 100'000); ++i) {
            const tick now{5 * giga + random.roll(20 * giga)};
            const std::uint64_t value = p.grains_at(now);
            const tick before{now.count - random.roll(giga)};
            const tick when = p.when(value, before);
            ASSERT_FALSE(weir::earlier(now, when));
            ASSERT_GE(p.grains_at(when), value) << "not yet there";
            if (weir::earlier(before, when)) {
                ASSERT_LT(p.grains_at(tick{when.count - 1}), value);
            }
            const std::uint64_t more = random.roll(1'000'000);
            const std::uint64_t wait = p.until(now, more);
            ASSERT_GE(p.grains_at(tick{now.count + wait}) - value, more);
            if (wait != 0) {
                ASSERT_LT(p.grains_at(tick{now.count + wait - 1}) - value, more);
            }
        }
    }
}

TEST(pace, goes_on_from_where_it_is_when_it_turns) {
    oracle::dice random(3);
    pace p(tick{0}, 0, of(1'000));
    tick now{0};
    for (int i = 0; i < 1'000; ++i) {
        now.count += random.roll(3 * giga);
        const std::uint64_t before = p.grains_at(now);
        const std::uint64_t over = random.roll(2) == 0 ? 0 : random.roll(2 * giga);
        const auto next =
            p.changed(now, of(1 + static_cast<std::int64_t>(random.roll(10'000))), over);
        ASSERT_TRUE(next) << describe(next.error());
        ASSERT_EQ(next->grains_at(now), before);
        p = *next;
    }
}

TEST(pace, never_goes_back_while_it_changes_evenly) {
    for (const std::int64_t to : {1, 500, 1'001, 1'000'000}) {
        const pace p = *pace(tick{0}, 0, of(1'000)).changed(tick{giga}, of(to), 1'000'000);
        std::uint64_t before = 0;
        for (std::uint64_t t = giga - 10; t < giga + 1'000'100; t += divides_by_bits ? 17 : 1) {
            const std::uint64_t value = p.grains_at(tick{t});
            ASSERT_GE(value, before);
            before = value;
        }
    }
}

// From 1000 to 3000 a second within ten seconds: 2000 a second on the average.
TEST(pace, brings_the_mean_of_both_rates_while_it_changes) {
    const pace p = *pace(tick{0}, 0, of(1'000)).changed(tick{giga}, of(3'000), 10 * giga);
    const auto grains = [&](std::uint64_t from, std::uint64_t to) {
        return static_cast<double>(p.grains_at(tick{to * giga}) - p.grains_at(tick{from * giga})) /
               1024;
    };
    EXPECT_NEAR(grains(1, 11), 20'000, 0.01);
    EXPECT_NEAR(grains(1, 2), 1'100, 0.01);
    EXPECT_NEAR(grains(10, 11), 2'900, 0.01);
    EXPECT_NEAR(grains(11, 12), 3'000, 0.01);
    const pace down = *p.changed(tick{6 * giga}, of(1'000), 10 * giga);
    EXPECT_NEAR(
        static_cast<double>(down.grains_at(tick{16 * giga}) - down.grains_at(tick{6 * giga})) /
            1024,
        15'000, 0.01)
        << "it turned at 2000 a second";
}

TEST(pace, counts_a_time_before_its_beginning_as_its_beginning) {
    const pace p = pace(tick{giga}, 42, of(1'000));
    EXPECT_EQ(p.grains_at(tick{0}), 42U);
    const pace next = *p.changed(tick{0}, of(2'000), 0);
    EXPECT_EQ(next.grains_at(tick{giga}), 42U) << "and has brought nothing until then";
}

TEST(pace, refuses_what_it_cannot_hold) {
    EXPECT_EQ(speed::of(quota{1, seconds(1)}, 0, 10).error(), quota_error::clock_without_frequency);
    EXPECT_EQ(speed::of(quota{INT64_MAX, seconds(1)}, 1, 20).error(), quota_error::rate_too_fine);
    EXPECT_EQ(speed::of(quota{1, weir::nanoseconds(INT64_MAX - 1)}, giga, 10).error(),
              quota_error::rate_too_fine);
    const pace p(tick{0}, 0, of(1'000));
    EXPECT_EQ(p.changed(tick{0}, of(1'000'000), UINT64_MAX / 2).error(),
              quota_error::change_too_long);
}

}  // namespace

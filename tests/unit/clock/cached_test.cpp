// SPDX-License-Identifier: MIT
#include <cstdint>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/fixed_window.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/clock/cached.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/limiter.hpp>

namespace {

// A cached clock and the clock that it reads; each test has its own.
template <class Tag>
using source = weir::manual_clock<Tag>;
template <class Tag>
using cached = weir::cached_clock<Tag, source<Tag>>;

static_assert(weir::clock<weir::cached_clock<>>);
static_assert(weir::clock<weir::cached_clock<struct any>>);

TEST(cached_clock, reads_the_other_clock_until_it_is_refreshed_first) {
    struct tag {};
    source<tag>::set(weir::tick{1000});
    EXPECT_EQ(cached<tag>::now().count, 1000U);
    source<tag>::set(weir::tick{2000});
    EXPECT_EQ(cached<tag>::now().count, 1000U);  // the first read was a refresh
}

TEST(cached_clock, stands_still_between_refreshes) {
    struct tag {};
    source<tag>::set(weir::tick{1000});
    EXPECT_EQ(cached<tag>::refresh().count, 1000U);
    source<tag>::set(weir::tick{5000});
    EXPECT_EQ(cached<tag>::now().count, 1000U);
    EXPECT_EQ(cached<tag>::refresh().count, 5000U);
    EXPECT_EQ(cached<tag>::now().count, 5000U);
}

TEST(cached_clock, keeps_the_time_that_another_thread_has_read_later) {
    struct tag {};
    source<tag>::set(weir::tick{5000});
    (void)cached<tag>::refresh();
    source<tag>::set(weir::tick{4999});
    EXPECT_EQ(cached<tag>::refresh().count, 5000U);
    EXPECT_EQ(cached<tag>::now().count, 5000U);
}

TEST(cached_clock, goes_on_after_a_time_that_has_come_round) {
    struct tag {};
    constexpr weir::word half = weir::largest<weir::word> / 2;
    source<tag>::set(weir::tick{1000});
    (void)cached<tag>::refresh();
    source<tag>::set(weir::tick{1000 + half + 10});  // behind 1000, and not by a little
    EXPECT_EQ(cached<tag>::refresh().count, 1000 + half + 10);
}

TEST(cached_clock, refreshes_a_time_that_is_older_than_it_may_be) {
    struct tag {};
    using young = weir::cached_clock<tag, source<tag>, weir::microseconds(50).count()>;
    source<tag>::set(weir::tick{1'000'000});
    (void)young::refresh();
    source<tag>::advance(weir::microseconds(50));
    for (int i = 0; i < 200; ++i) EXPECT_EQ(young::now().count, 1'000'000U);
    EXPECT_EQ(young::times_too_old(), 0U);
    source<tag>::advance(weir::nanoseconds(1));
    int stood = 0;
    while (young::now().count == 1'000'000U && stood < 100) ++stood;
    EXPECT_LT(stood, 64);
    EXPECT_EQ(young::now().count, 1'050'001U);
    EXPECT_EQ(young::times_too_old(), 1U);
}

TEST(cached_clock, is_looked_at_by_each_thread_at_its_64th_reading) {
    struct tag {};
    using young = weir::cached_clock<tag, source<tag>, weir::microseconds(50).count()>;
    source<tag>::set(weir::tick{1'000'000});
    (void)young::refresh();
    std::jthread([] {
        for (weir::word look = 1; look <= 3; ++look) {
            const weir::word before = young::refresh().count;
            source<tag>::advance(weir::microseconds(51));
            for (int i = 1; i < 64; ++i) EXPECT_EQ(young::now().count, before) << i;
            EXPECT_EQ(young::now().count, before + 51'000);
            EXPECT_EQ(young::times_too_old(), look);
        }
        // Another thread has read a later time meanwhile, and that is not too old.
        source<tag>::advance(weir::microseconds(1));
        const weir::word later = young::refresh().count;
        source<tag>::set(weir::tick{later - 1});
        for (int i = 0; i < 64; ++i) EXPECT_EQ(young::now().count, later);
        EXPECT_EQ(young::times_too_old(), 3U);
    }).join();
}

// A time that is ahead by a 1024th of the circle is one of long ago.
TEST(cached_clock, tells_a_later_time_from_one_of_long_ago) {
    struct tag {};
    constexpr weir::word ahead = weir::largest<weir::word> / 1024;
    source<tag>::set(weir::tick{1'000 + 2 * ahead});
    (void)cached<tag>::refresh();
    source<tag>::set(weir::tick{1'000 + ahead + 1});
    EXPECT_EQ(cached<tag>::refresh().count, 1'000 + 2 * ahead);
    source<tag>::set(weir::tick{1'000 + ahead});
    EXPECT_EQ(cached<tag>::refresh().count, 1'000 + ahead);
}

TEST(cached_clock, begins_at_any_time) {
    struct tag {};
    source<tag>::set(weir::tick{weir::largest<weir::word> - 5});
    EXPECT_EQ(cached<tag>::refresh().count, weir::largest<weir::word> - 5);
}

// Invariant, and with a frequency between two bounds, as the core's counter.
struct measured_clock {
    static constexpr std::uint64_t lowest_hertz = 900;
    static constexpr std::uint64_t highest_hertz = 1100;
    [[nodiscard]] static weir::instant<measured_clock> now() noexcept {
        return weir::instant<measured_clock>(1);
    }
    [[nodiscard]] static std::uint64_t hertz() noexcept { return 1001; }
    [[nodiscard]] static std::uint64_t least_hertz() noexcept { return 999; }
    [[nodiscard]] static weir::clock_facts facts() noexcept {
        return {"measured", 1001, weir::milliseconds(1), true};
    }
};

TEST(cached_clock, passes_on_the_other_clocks_frequency) {
    using slow = weir::cached_clock<struct any_other, measured_clock>;
    EXPECT_EQ(slow::hertz(), 1001U);
    EXPECT_EQ(weir::least_hertz<slow>(), 999U);
    EXPECT_EQ(slow::lowest_hertz, 900U);
    EXPECT_EQ(slow::highest_hertz, 1100U);
    EXPECT_FALSE(slow::facts().invariant) << "it stands still";
    EXPECT_STREQ(slow::facts().note, "cached: its time is that of the last refresh");
}

TEST(cached_clock, lets_a_limit_refill_when_it_is_refreshed) {
    struct tag {};
    source<tag>::set(weir::tick{1'000'000});
    (void)cached<tag>::refresh();
    weir::limiter<weir::gcra<>, cached<tag>> limit{weir::per_second(1000).with_burst(10)};
    EXPECT_EQ(limit.drain(), 10U);
    source<tag>::advance(weir::milliseconds(3));
    EXPECT_FALSE(limit.try_acquire());
    (void)cached<tag>::refresh();
    EXPECT_EQ(limit.drain(), 3U);
}

// The bound that the header tells: min(burst, rate x lateness) more at one instant.
TEST(cached_clock, brings_no_more_at_once_than_comes_back_while_it_is_late) {
    struct tag {};
    source<tag>::set(weir::tick{1'000'000});
    (void)cached<tag>::refresh();
    weir::limiter<weir::gcra<>, cached<tag>> limit{weir::per_second(1000).with_burst(100)};
    (void)limit.peek();
    source<tag>::advance(weir::milliseconds(40));
    weir::word at_once = limit.drain();  // the units that were there 40 ms ago, and still are
    (void)cached<tag>::refresh();
    at_once += limit.drain();
    EXPECT_EQ(at_once, 140U);
}

TEST(cached_clock, is_refreshed_by_a_thread_that_waits) {
    struct tag {};
    source<tag>::set(weir::tick{1'000'000});
    (void)cached<tag>::refresh();
    weir::limiter<weir::gcra<>, cached<tag>> limit{weir::per_second(1).with_burst(1)};
    ASSERT_TRUE(limit.try_acquire());
    std::jthread time([](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
            source<tag>::advance(weir::milliseconds(100));
            std::this_thread::yield();
        }
    });
    EXPECT_TRUE(weir::acquire(limit));
    weir::limiter<weir::fixed_window<>, cached<tag>> window{weir::per_second(1)};
    ASSERT_TRUE(window.try_acquire());
    EXPECT_TRUE(weir::acquire(window)) << "which is asked again";
    weir::adjustable<cached<tag>> changing{weir::per_second(1).with_burst(1)};
    ASSERT_TRUE(changing.try_acquire());
    EXPECT_TRUE(weir::acquire(changing)) << "whose places move";
}

TEST(cached_clock, is_refreshed_by_whoever_needs_the_present_time) {
    struct tag {};
    using test_clock = cached<tag>;
    source<tag>::set(weir::tick{1'000'000});
    (void)test_clock::refresh();
    EXPECT_EQ(weir::detail::fresh_now<test_clock>(), test_clock::now());
    source<tag>::advance(weir::milliseconds(3));
    EXPECT_EQ(weir::detail::fresh_now<test_clock>().count, 4'000'000U);
    EXPECT_EQ(weir::detail::fresh_now<source<tag>>().count, 4'000'000U);
}

}  // namespace

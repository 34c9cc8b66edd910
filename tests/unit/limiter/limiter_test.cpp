#include <chrono>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <weir/limiter/limiter.hpp>
#include <weir/weir.hpp>

namespace {

using weir::milliseconds;
using weir::nanoseconds;
using weir::quota;
using weir::seconds;
using weir::verdict;
using namespace std::chrono_literals;

// A clock for each test, so that they do not move each other's time.
template <class Tag>
using own_clock = weir::manual_clock<Tag>;

template <class Cell, class Clock>
using limit = weir::limiter<Cell, Clock, weir::counters>;

TEST(limiter, answers_in_time_and_units) {
    using clock = own_clock<struct answers>;
    limit<weir::gcra<>, clock> api{quota{10, 1s, 3}};
    EXPECT_EQ(api.try_acquire().remaining(), 2U);
    EXPECT_EQ(api.try_acquire(2).reset_after(), milliseconds(300));
    const auto denied = api.try_acquire();
    EXPECT_EQ(denied.verdict(), verdict::wait);
    EXPECT_EQ(denied.retry_after(), milliseconds(100));
    EXPECT_EQ(denied.ticks().retry_after(), 100'000'000U);
    const std::chrono::nanoseconds wait = denied.retry_after();
    EXPECT_EQ(wait, 100ms);
    clock::advance(99'999'999ns);
    EXPECT_FALSE(api.try_acquire());
    clock::advance(1ns);
    EXPECT_TRUE(api.peek());
    EXPECT_TRUE(api.try_acquire());
    EXPECT_EQ(api.try_acquire(4).verdict(), verdict::never);
    EXPECT_EQ(api.try_acquire(4).retry_after(), nanoseconds::longest());
    EXPECT_EQ(api.limit().burst(), 3);
}

TEST(limiter, takes_a_given_now) {
    limit<weir::gcra<>, own_clock<struct given>> api{quota{1, 1s, 1}};
    EXPECT_TRUE(api.try_acquire(1, weir::tick{5'000'000'000}));
    EXPECT_FALSE(api.try_acquire(1, weir::tick{5'999'999'999}));
    EXPECT_TRUE(api.try_acquire(1, weir::tick{6'000'000'000}));
}

TEST(limiter, counts_what_it_is_asked_to_count) {
    limit<weir::gcra<>, own_clock<struct counting>> api{quota{1, 1s, 3}};
    (void)api.try_acquire();
    (void)api.acquire_up_to(5);
    (void)api.try_acquire();
    (void)api.try_acquire(4);
    (void)api.peek();
    EXPECT_EQ(api.observer().admitted(), 2U);
    EXPECT_EQ(api.observer().denied(), 1U);
    EXPECT_EQ(api.observer().never(), 1U);
    EXPECT_EQ(api.observer().retries(), 0U);
}

TEST(limiter, drains_and_resets) {
    using clock = own_clock<struct draining>;
    limit<weir::token_bucket<>, clock> api{quota{10, 1s, 8}, {.start = 5}};
    EXPECT_EQ(api.peek(0).remaining(), 5U);
    EXPECT_EQ(api.drain(), 5U);
    EXPECT_EQ(api.drain(), 0U);
    clock::advance(1s);
    EXPECT_EQ(api.peek(0).remaining(), 8U);
    api.reset();
    EXPECT_EQ(api.peek(0).remaining(), 5U);
}

TEST(limiter, charges_what_is_known_only_afterwards) {
    using clock = own_clock<struct charging>;
    limit<weir::gcra<>, clock> api{quota{10, 1s, 5}};
    EXPECT_TRUE(api.charge(9));
    EXPECT_EQ(api.try_acquire().retry_after(), milliseconds(500));
    EXPECT_EQ(api.charge(11).verdict(), verdict::never);
    EXPECT_EQ(api.charge(2).verdict(), verdict::wait);
    clock::advance(milliseconds(100));
    EXPECT_TRUE(api.charge(2));
}

template <class Cell>
void carries_its_state(const weir::options& o) {
    using clock = weir::manual_clock<Cell, 2'596'132'310>;
    const quota q{7, 1s, 5};
    weir::limiter<Cell, clock> first{q, o};
    clock::set({123'456'789});
    first.reset();
    for (int i = 0; i < 6; ++i) {
        weir::limiter<Cell, clock> second{q, o};
        ASSERT_TRUE(second.restore(first.save()));
        EXPECT_EQ(second.peek(0).remaining(), first.peek(0).remaining());
        const auto late =
            second.peek(5).retry_after().count() - first.peek(5).retry_after().count();
        EXPECT_GE(late, 0) << "a state that is carried over admits no earlier";
        EXPECT_LE(late, 5) << "a tick, a nanosecond, a tick and a granule";
        (void)first.drain(weir::tick{123'456'789});
        clock::advance(milliseconds(37));
        (void)first.try_acquire(static_cast<weir::word>(i));
    }
    EXPECT_FALSE(first.restore({0, seconds(100)}));
    EXPECT_FALSE(first.restore({0, nanoseconds(-1)}));
    EXPECT_FALSE(first.restore({-1, nanoseconds(0)}));
    EXPECT_FALSE(first.restore({INT64_MAX, nanoseconds(0)}));
    EXPECT_FALSE(first.restore({0, nanoseconds::longest()}));
}

TEST(limiter, carries_its_state_over_a_restart) {
    carries_its_state<weir::gcra<>>({});
    carries_its_state<weir::gcra<>>({.debt = 0});
    carries_its_state<weir::leaky_bucket<>>({});
    carries_its_state<weir::token_bucket<>>({});
    carries_its_state<weir::token_bucket<>>({.debt = 0, .whole_periods = true});
}

TEST(limiter, reports_an_invalid_quota_as_value_or_exception) {
    using limiter = weir::limiter<weir::gcra<>, own_clock<struct invalid>>;
    const quota absurd{1, 1h, std::int64_t{1} << 40};
    EXPECT_EQ(limiter::make(absurd).error(), weir::error::burst_too_long);
    EXPECT_THROW(limiter{absurd}, weir::refused);
    auto made = limiter::make({5, 1s});
    ASSERT_TRUE(made);
    limiter api = *std::move(made);
    EXPECT_EQ(api.drain(), 5U);
}

TEST(limiter, moves_with_its_state) {
    limit<weir::gcra<>, own_clock<struct moving>> api{quota{1, 1s, 3}};
    (void)api.try_acquire(2);
    auto moved = std::move(api);
    EXPECT_EQ(moved.peek(0).remaining(), 1U);
    EXPECT_EQ(moved.observer().admitted(), 1U);
}

TEST(limiter, more_units_than_the_word_can_count_never_pass) {
    weir::limiter<weir::gcra<std::uint32_t>, weir::manual_clock<struct narrow, 1'000>> api{
        quota{10, 1s, 5}};
    EXPECT_EQ(api.try_acquire((weir::word{1} << 32) + 1).verdict(), verdict::never);
    EXPECT_EQ(api.acquire_up_to((weir::word{1} << 32) + 1).units, 5U);
}

TEST(limiter, tells_the_level_of_a_leaky_bucket) {
    weir::limiter<weir::leaky_bucket<>, own_clock<struct levels>> bucket{quota{1, 1s, 5}};
    (void)bucket.try_acquire(3);
    EXPECT_EQ(bucket.level(), 3U);
}

TEST(limiter, lies_on_two_cache_lines) {
    static_assert(sizeof(weir::limiter<>) == 2 * weir::cache_line);
    static_assert(sizeof(weir::limiter<weir::token_bucket<>>) == 2 * weir::cache_line);
    static_assert(alignof(weir::limiter<>) == weir::cache_line);
}

// Constructed by the compiler, ready with the first decision.
constinit weir::limiter<> global{weir::per_second(100).with_burst(7)};
constinit weir::limiter<weir::token_bucket<>> global_bucket{weir::per_second(100), {.start = 3}};

TEST(limiter, works_as_a_constinit_global) {
    EXPECT_EQ(global.peek(0).remaining(), 7U);
    EXPECT_TRUE(global.try_acquire(7));
    EXPECT_FALSE(global.try_acquire(7));
    EXPECT_EQ(global_bucket.acquire_up_to(50).units, 3U);
}

// The instants at which an untouched word of 0 would look busy: just before the circle closes.
TEST(limiter, is_fresh_at_its_first_use_at_whatever_time_that_is) {
    using clock = own_clock<struct any_time>;
    for (const weir::word now : {weir::word{0}, weir::word{1}, weir::largest<weir::word>,
                                 weir::largest<weir::word> - 1'000'000'000,
                                 (weir::word{1} << 54) - 1'000'000, weir::word{1} << 63}) {
        clock::set({now});
        weir::limiter<weir::gcra<>, clock> made{quota{1'000'000, 1s, 100}};
        EXPECT_EQ(made.drain(), 100U) << now;
    }
    static constinit weir::limiter<weir::gcra<>, clock> fresh{quota{1'000'000, 1s, 100}};
    clock::set({weir::largest<weir::word> - 1'000'000});
    EXPECT_EQ(fresh.drain(), 100U);
}

// A clock that lies about its bounds.
struct faster_than_it_says {
    static constexpr std::uint64_t highest_hertz = 1'000;
    static weir::tick now() noexcept { return {0}; }
    static std::uint64_t hertz() noexcept { return UINT64_MAX; }
    static weir::clock_facts facts() noexcept { return {"liar", hertz(), {}, true}; }
};

TEST(limiter, survives_a_clock_outside_its_own_bounds) {
    weir::limiter<weir::gcra<>, faster_than_it_says> api{quota{1, 1s, 2}};
    EXPECT_EQ(api.drain(), 2U);
    EXPECT_FALSE(api.try_acquire());
}

}  // namespace

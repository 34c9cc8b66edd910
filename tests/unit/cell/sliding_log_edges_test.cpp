// SPDX-License-Identifier: MIT
// A sliding log at its edges: the smallest and a large one, one whose writes are counted, what a
// log cannot hold, and one that the compiler has made.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include <gtest/gtest.h>

#include <weir/base/atomic.hpp>
#include <weir/cell/sliding_log.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::verdict;

constexpr std::uint64_t kilohertz = 1'000;
constexpr std::uint64_t gigahertz = 1'000'000'000;

TEST(sliding_log_of_one, is_a_pause_after_each_unit) {
    using log_type = weir::sliding_log<1>;
    const auto rate = *log_type::rate::make(quota{1, seconds(1)}, kilohertz);
    log_type log;
    log.start({500}, 1, rate);
    for (weir::word now = 500; now < 100'000; now += 1'000) {
        ASSERT_TRUE(log.try_acquire({now}, 1, rate));
        ASSERT_FALSE(log.try_acquire({now}, 1, rate));
        ASSERT_EQ(log.peek({now + 1}, 1, rate).retry_after(), 999U);
    }
}

TEST(sliding_log_of_a_million, is_exact_in_places_that_it_was_given) {
    using log_type = weir::sliding_log<0>;
    constexpr std::size_t million = 1'000'000;
    const auto places = std::make_unique<weir::atomic<weir::word>[]>(million);
    log_type log(places.get(), million);
    EXPECT_EQ(log.places(), million);
    // A longer guard would cost it nanoseconds: times count coarser granules then.
    const weir::options small = {.debt = 0, .guard = weir::milliseconds(10)};
    const auto rate = *log_type::rate::make(quota{million, seconds(1)}, gigahertz, small);
    log.start({0}, million, rate);
    for (weir::word now = 0; now < million; ++now) ASSERT_TRUE(log.try_acquire({now}, 1, rate));
    EXPECT_EQ(log.peek({million}, 1, rate).retry_after(), gigahertz - million);
    EXPECT_EQ(log.peek({gigahertz + 123'455}, 0, rate).remaining(), 123'456U);
    EXPECT_TRUE(log.try_acquire({2 * gigahertz}, million, rate));
    EXPECT_EQ(log.peek({2 * gigahertz}, 0, rate).remaining(), 0U);
}

// Counts what is written.
int writes = 0;
template <class T>
class counted : public weir::atomic<T> {
public:
    using weir::atomic<T>::atomic;
    void store_relaxed(T value) noexcept {
        ++writes;
        weir::atomic<T>::store_relaxed(value);
    }
    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        ++writes;
        return weir::atomic<T>::try_exchange_relaxed(expected, desired);
    }
};

TEST(sliding_log_that_denies, writes_nothing) {
    using log_type = weir::sliding_log<3, weir::word, counted>;
    const auto rate = *log_type::rate::make(quota{3, seconds(1)}, kilohertz, {.debt = 0});
    log_type log;
    log.start({0}, 3, rate);
    writes = 0;
    EXPECT_TRUE(log.try_acquire({0}, 2, rate));
    EXPECT_EQ(writes, 3) << "the head and two places";
    writes = 0;
    EXPECT_FALSE(log.try_acquire({999}, 2, rate));
    EXPECT_FALSE(log.charge({999}, 2, rate));
    EXPECT_FALSE(log.try_acquire({999}, 4, rate));
    EXPECT_TRUE(log.try_acquire({999}, 0, rate));
    EXPECT_TRUE(log.peek({999}, 1, rate));
    EXPECT_EQ(log.acquire_up_to({999}, 0, rate).units, 0U);
    EXPECT_EQ(log.state({999}, rate).units, 2U);
    EXPECT_EQ(writes, 0);
}

TEST(sliding_log_that_moves, takes_each_of_its_places_along) {
    using log_type = weir::sliding_log<5, weir::word, counted>;
    const auto rate = *log_type::rate::make(quota{5, seconds(1)}, kilohertz, {.debt = 0});
    log_type log;
    log.start({10'000}, 5, rate);
    for (weir::word i = 0; i < 5; ++i) EXPECT_TRUE(log.try_acquire({10'000 + 100 * i}, 1, rate));
    const auto is_the_same = [&](const log_type& other) {
        for (weir::word n = 1; n <= 5; ++n) {
            EXPECT_EQ(other.peek({10'450}, n, rate).retry_after(), 450 + 100 * n) << n;
        }
    };
    writes = 0;
    log_type moved(std::move(log));
    EXPECT_EQ(writes, 5);
    is_the_same(moved);
    log_type assigned;
    writes = 0;
    assigned = std::move(moved);
    EXPECT_EQ(writes, 6) << "and the head";
    is_the_same(assigned);
}

template <class Log>
weir::quota_error refusal(const quota& q, std::uint64_t hertz, const weir::options& o = {}) {
    return Log::rate::make(q, hertz, o).error();
}

TEST(sliding_log_rate, refuses_what_a_log_cannot_hold) {
    using weir::quota_error;
    using small = weir::sliding_log<5>;
    using large = weir::sliding_log<0>;
    EXPECT_EQ(refusal<small>(quota{5, seconds(1)}, kilohertz), quota_error::none);
    EXPECT_EQ(refusal<small>(quota{6, seconds(1)}, kilohertz), quota_error::log_too_small);
    EXPECT_EQ(refusal<small>(quota{5, seconds(1), 4}, kilohertz),
              quota_error::burst_not_the_window);
    EXPECT_EQ(refusal<small>(quota{5, seconds(1)}, 0), quota_error::clock_without_frequency);
    EXPECT_EQ(refusal<small>(quota{5, seconds(1)}, kilohertz, {.whole_periods = true}),
              quota_error::whole_periods_unknown);
    const std::int64_t year = 31'557'600;
    EXPECT_EQ(refusal<large>(quota{5, seconds(70 * year)}, gigahertz), quota_error::none);
    EXPECT_EQ(refusal<large>(quota{5, seconds(80 * year)}, gigahertz), quota_error::burst_too_long);
    EXPECT_EQ(refusal<large>(quota{5, seconds(140 * year)}, gigahertz, {.debt = 0}),
              quota_error::none);
    EXPECT_EQ(refusal<large>(quota{5, seconds(150 * year)}, gigahertz, {.debt = 0}),
              quota_error::burst_too_long);
    EXPECT_EQ(refusal<large>(quota{1 << 24, seconds(1)}, gigahertz), quota_error::none);
    EXPECT_EQ(refusal<large>(quota{(1 << 24) + 1, seconds(1)}, gigahertz),
              quota_error::burst_too_long);
    EXPECT_EQ(refusal<large>(quota{5, weir::nanoseconds(99'500)}, 1'000'000),
              quota_error::rate_too_fine);
}

// Also with granules of many ticks.
TEST(sliding_log_of_long_periods, forgets_nothing_where_the_clock_wraps) {
    const std::int64_t year = 31'557'600;
    const auto rate =
        *weir::sliding_log<5>::rate::make(quota{5, seconds(100 * year)}, gigahertz, {.debt = 0});
    weir::sliding_log<5> log;
    const weir::word before = 0 - gigahertz;
    log.start({before - gigahertz}, 5, rate);
    EXPECT_TRUE(log.try_acquire({before}, 5, rate));
    EXPECT_FALSE(log.try_acquire({gigahertz}, 1, rate));
}

TEST(sliding_log_of_long_periods, just_after_it_was_full_goes_into_all_of_the_debt) {
    const std::int64_t year = 31'557'600;
    const auto rate =
        *weir::sliding_log<5>::rate::make(quota{5, seconds(year)}, gigahertz, {.debt = 15});
    ASSERT_GT(rate.coarseness(), 0U);
    for (weir::word now = gigahertz; now < gigahertz + 1'000; ++now) {
        weir::sliding_log<5> log;
        log.start({now}, 5, rate);
        for (int windows = 0; windows < 4; ++windows) {
            ASSERT_TRUE(log.charge({now}, 5, rate)) << now << " " << windows;
        }
        ASSERT_FALSE(log.charge({now}, 1, rate)) << now;
    }
}

// Ready without a call at run time.
constinit weir::sliding_log<100> untouched;

TEST(sliding_log_of_the_compiler, is_nobodys_until_it_is_started) {
    const auto rate = *weir::sliding_log<100>::rate::make(quota{10, seconds(1)}, gigahertz);
    untouched.start({777}, 4, rate);
    EXPECT_EQ(untouched.peek({777}, 0, rate).remaining(), 4U);
}

}  // namespace

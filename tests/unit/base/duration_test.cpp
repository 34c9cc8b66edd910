// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <ratio>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>

namespace {

using weir::nanoseconds;

TEST(nanoseconds, takes_every_integral_chrono_duration) {
    using namespace std::chrono_literals;
    EXPECT_EQ(nanoseconds(1s), weir::seconds(1));
    EXPECT_EQ(nanoseconds(3min), weir::minutes(3));
    EXPECT_EQ(nanoseconds(-2h), weir::hours(-2));
    EXPECT_EQ(nanoseconds(5ms), weir::milliseconds(5));
    EXPECT_EQ(nanoseconds(7us), weir::microseconds(7));
    EXPECT_EQ(nanoseconds(-2h).count(), -7'200'000'000'000);
}

TEST(nanoseconds, takes_ratios_that_do_not_divide_a_second) {
    using frames = std::chrono::duration<int, std::ratio<1, 60>>;
    using picoseconds = std::chrono::duration<std::int64_t, std::pico>;
    EXPECT_EQ(nanoseconds(frames(60)), weir::seconds(1));
    EXPECT_EQ(nanoseconds(frames(1)).count(), 16'666'667) << "rounded up";
    EXPECT_EQ(nanoseconds(picoseconds(2'001)).count(), 3);
    EXPECT_EQ(nanoseconds(picoseconds(-2'001)).count(), -3);
}

TEST(nanoseconds, becomes_the_longest_time_instead_of_wrapping) {
    EXPECT_EQ(nanoseconds(std::chrono::hours::max()), nanoseconds::longest());
    using ages = std::chrono::duration<std::int64_t, std::ratio<86'400LL * 366 * 1000>>;
    EXPECT_EQ(nanoseconds(ages(1)), nanoseconds::longest());
    EXPECT_EQ(nanoseconds(ages(0)), nanoseconds());
    EXPECT_EQ(nanoseconds(ages(-1)).count(), -INT64_MAX);
    // Of which one is in nanoseconds a little more than the word can count, and another one not.
    using wrapping = std::chrono::duration<std::int64_t, std::ratio<18'446'744'074>>;
    EXPECT_EQ(nanoseconds(wrapping(1)), nanoseconds::longest());
    EXPECT_EQ(nanoseconds(wrapping(-1)).count(), -INT64_MAX);
    using largest = std::chrono::duration<std::int64_t, std::ratio<9'223'372'036>>;
    EXPECT_EQ(nanoseconds(largest(1)).count(), 9'223'372'036'000'000'000);
    EXPECT_EQ(nanoseconds(largest(-1)).count(), -9'223'372'036'000'000'000);
    EXPECT_EQ(nanoseconds(largest(2)), nanoseconds::longest());
    using unsigned_nanoseconds = std::chrono::duration<std::uint64_t, std::nano>;
    EXPECT_EQ(nanoseconds(unsigned_nanoseconds(UINT64_MAX)), nanoseconds::longest());
    EXPECT_EQ(weir::seconds(INT64_MAX), nanoseconds::longest());
    EXPECT_EQ(weir::seconds(INT64_MIN).count(), -INT64_MAX);
}

TEST(nanoseconds, converts_back_to_chrono) {
    const std::chrono::nanoseconds back = weir::milliseconds(3);
    EXPECT_EQ(back, std::chrono::milliseconds(3));
}

TEST(nanoseconds, adds_without_wrapping) {
    using weir::nanoseconds;
    EXPECT_EQ(nanoseconds(2) + nanoseconds(-5), nanoseconds(-3));
    EXPECT_EQ(nanoseconds(2) + std::chrono::microseconds(1), nanoseconds(1'002));
    EXPECT_EQ(std::chrono::milliseconds(1) + nanoseconds(2), nanoseconds(1'000'002));
    EXPECT_EQ(nanoseconds::longest() + nanoseconds(1), nanoseconds::longest());
    EXPECT_EQ(nanoseconds(INT64_MIN) + nanoseconds(-1), nanoseconds(INT64_MIN));
}

// By a clock of so many milliseconds.
template <class Rep>
using time_of =
    std::chrono::time_point<std::chrono::system_clock, std::chrono::duration<Rep, std::milli>>;

template <class Rep>
[[nodiscard]] Rep later(Rep begin, nanoseconds time) {
    return (time_of<Rep>(std::chrono::duration<Rep, std::milli>(begin)) + time)
        .time_since_epoch()
        .count();
}

TEST(time_points, are_later_by_whole_ticks_and_never_wrap) {
    EXPECT_EQ(later<std::int64_t>(5'000, weir::seconds(2)), 7'000);
    EXPECT_EQ(later<std::int64_t>(5'000, weir::microseconds(1)), 5'001) << "rounded up";
    EXPECT_EQ(later<std::int64_t>(5'000, nanoseconds(-1)), 5'000);
    EXPECT_EQ(later<std::int64_t>(5'000, nanoseconds{}), 5'000);
    EXPECT_EQ(later<std::int64_t>(INT64_MAX - 1, weir::milliseconds(1)), INT64_MAX);
    EXPECT_EQ(later<std::int64_t>(INT64_MAX - 1, weir::milliseconds(2)), INT64_MAX);
    EXPECT_EQ(later<std::int32_t>(5, weir::milliseconds(INT32_MAX - 5)), INT32_MAX);
    EXPECT_EQ(later<std::int32_t>(5, weir::milliseconds(INT32_MAX - 6)), INT32_MAX - 1);
    EXPECT_EQ(later<std::int32_t>(5, nanoseconds::longest()), INT32_MAX);
    EXPECT_EQ(later<std::uint32_t>(5, weir::milliseconds(UINT32_MAX - 6)), UINT32_MAX - 1);
    EXPECT_EQ(later<std::uint32_t>(5, nanoseconds::longest()), UINT32_MAX);

    time_of<std::int64_t> moved(std::chrono::milliseconds(5));
    moved += weir::milliseconds(3);
    EXPECT_EQ(moved.time_since_epoch().count(), 8);
    EXPECT_EQ(weir::milliseconds(3) + moved, time_of<std::int64_t>(std::chrono::milliseconds(11)));
}

}  // namespace

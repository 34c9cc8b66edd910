// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <iostream>
#include <ratio>
#include <thread>

#include <gtest/gtest.h>

#include <weir/adapter/std.hpp>
#include <weir/weir.hpp>

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using std::chrono::system_clock;
using weir::nanoseconds;

// The three lines that everybody writes first; that they compile is the test.
TEST(std_chrono, takes_a_decision_in_one_short_call) {
    weir::limiter<> api{weir::quota{1'000'000, 1s, 1}};
    const auto d = api.try_acquire();
    std::this_thread::sleep_for(to_chrono(d.retry_after()));
    std::this_thread::sleep_until(steady_clock::now() + d.retry_after());
    testing::internal::CaptureStdout();
    std::cout << d;
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "admitted, 0 remaining");
}

TEST(std_chrono, time_points_are_rounded_up_to_their_ticks) {
    using std::chrono::milliseconds;
    using std::chrono::time_point;
    using coarse = time_point<system_clock, milliseconds>;
    const steady_clock::time_point start{5s};
    EXPECT_EQ(start + nanoseconds(1), steady_clock::time_point(5s + 1ns));
    EXPECT_EQ(start + nanoseconds(-1), start);
    EXPECT_EQ(nanoseconds(1) + start, start + nanoseconds(1));
    EXPECT_EQ(coarse(5ms) + nanoseconds(1), coarse(6ms));
    EXPECT_EQ(coarse(5ms) + weir::milliseconds(2), coarse(7ms));
    EXPECT_EQ(coarse(-5ms) + weir::milliseconds(2), coarse(-3ms));
    using frames = time_point<system_clock, std::chrono::duration<std::int32_t, std::ratio<1, 60>>>;
    EXPECT_EQ(frames(frames::duration(7)) + weir::seconds(1), frames(frames::duration(67)));
    using hours = time_point<system_clock, std::chrono::duration<std::uint8_t, std::ratio<3600>>>;
    EXPECT_EQ(hours(hours::duration(250)) + weir::seconds(3601), hours(hours::duration(252)));
    static_assert(std::is_same_v<decltype(coarse{} + nanoseconds{}), coarse>);
    coarse moved(5ms);
    (moved += nanoseconds(1)) += 1ms;  // and the standard's own
    EXPECT_EQ(moved, coarse(7ms));
}

TEST(std_chrono, never_is_not_in_the_past) {
    const auto never = nanoseconds::longest();
    EXPECT_EQ(steady_clock::time_point(1ns) + never, steady_clock::time_point::max());
    EXPECT_EQ(steady_clock::time_point(-1ns) + never,
              steady_clock::time_point::max() - std::chrono::nanoseconds(1));
    EXPECT_EQ(system_clock::now() + never, system_clock::time_point::max());
    steady_clock::time_point later(1ns);
    later += never;
    EXPECT_EQ(later, steady_clock::time_point::max());
    using seconds32 = std::chrono::time_point<system_clock, std::chrono::duration<std::int32_t>>;
    EXPECT_EQ(seconds32(7s) + never, seconds32::max());
    // What the standard library adds to the time itself.
    EXPECT_GT(steady_clock::now() + to_chrono(never), steady_clock::now());
    EXPECT_GT(system_clock::now() + to_chrono(never), system_clock::now());
    EXPECT_EQ(to_chrono(nanoseconds(17)), 17ns);
}

#ifdef __linux__
TEST(to_instant, is_of_the_clock_that_weir_reads) {
    const auto before = weir::steady_clock::now();
    const auto between = weir::to_instant(std::chrono::steady_clock::now());
    const auto after = weir::steady_clock::now();
    EXPECT_FALSE(earlier(between, before));
    EXPECT_FALSE(earlier(after, between));
    EXPECT_EQ(weir::to_instant(weir::to_chrono(before)), before);
}
#endif

}  // namespace

// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/adapter/system_thread.hpp>
#include <weir/clock/steady.hpp>

#ifdef _WIN32
#include <windows.h>  // its declarations are those that weir makes of the same calls
#endif

namespace {

namespace system_thread = weir::system_thread;

// A time that the system misreads is over at once, or is an error.
TEST(system_thread, waits_until_the_time_that_is_meant) {
    const std::uint32_t word = 7;
    const weir::word end = weir::steady_clock::now().count + 50'000'000;
    const weir::nanoseconds until(static_cast<std::int64_t>(end));
    int waits = 0;
    for (; weir::steady_clock::now().count < end; ++waits) system_thread::wait(&word, 7, until);
    EXPECT_LE(waits, 3) << "but for a call that came back for nothing";
}

TEST(system_thread, does_not_wait_for_what_has_happened) {
    const std::uint32_t word = 7;
    const weir::nanoseconds hour = weir::seconds(3'600);
    const auto now = static_cast<std::int64_t>(weir::steady_clock::now().count);
    system_thread::wait(&word, 8, weir::nanoseconds(now + hour.count()));
}

}  // namespace

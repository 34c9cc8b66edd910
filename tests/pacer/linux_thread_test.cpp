#include <cstdint>
#include <ctime>

#include <gtest/gtest.h>

#include <weir/adapter/linux_thread.hpp>
#include <weir/clock/steady.hpp>

namespace {

namespace linux_thread = weir::linux_thread;

// A time that the system misreads is over at once, or is an error.
TEST(linux_thread, waits_until_the_time_that_is_meant) {
    const std::uint32_t word = 7;
    const weir::word end = weir::steady_clock::now().count + 50'000'000;
    const timespec until = linux_thread::instant(weir::nanoseconds(static_cast<std::int64_t>(end)));
    int waits = 0;
    for (; weir::steady_clock::now().count < end; ++waits) linux_thread::wait(&word, 7, until);
    EXPECT_LE(waits, 3) << "but for a call that came back for nothing";
}

TEST(linux_thread, does_not_wait_for_what_has_happened) {
    const std::uint32_t word = 7;
    const weir::nanoseconds hour = weir::seconds(3'600);
    const auto now = static_cast<std::int64_t>(weir::steady_clock::now().count);
    linux_thread::wait(&word, 8, linux_thread::instant(weir::nanoseconds(now + hour.count())));
}

}  // namespace

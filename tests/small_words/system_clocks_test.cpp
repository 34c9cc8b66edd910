// SPDX-License-Identifier: MIT
// The system's clocks where words have 32 bits although there is a system (ARMv5, ARMv6): they are
// the low bits of its nanoseconds. A program of its own, since a program has words of one size.
#include <chrono>
#include <cstdint>
#include <ctime>
#include <type_traits>

#include <gtest/gtest.h>

// What a compiler says for such a target. NOLINTNEXTLINE(*-identifier*)
#define __atomic_always_lock_free(size, address) ((size) <= 4)

#include <weir/clock/coarse.hpp>
#include <weir/clock/steady.hpp>
#include <weir/clock/utc.hpp>

namespace {

static_assert(sizeof(weir::word) == 4);

// Between two readings of the standard's clock, as seen from the first of them.
template <class Clock, class Standard>
void counts_the_low_bits_of() {
    const auto before = static_cast<std::uint64_t>(Standard::now().time_since_epoch().count());
    const weir::word now = Clock::now().count;
    const auto after = static_cast<std::uint64_t>(Standard::now().time_since_epoch().count());
    EXPECT_LE(now - static_cast<weir::word>(before), after - before);
}

TEST(small_words, hold_the_low_bits_of_the_system_clocks) {
    static_assert(weir::clock<weir::coarse_clock>);
    counts_the_low_bits_of<weir::steady_clock, std::chrono::steady_clock>();
    counts_the_low_bits_of<weir::utc_clock, std::chrono::system_clock>();
    (void)weir::coarse_clock::now();
}

}  // namespace

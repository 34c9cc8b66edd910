// SPDX-License-Identifier: MIT
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/clock/systick.hpp>

namespace {

struct timer {
    struct registers {
        std::uint32_t control;
        std::uint32_t reload;
        std::uint32_t current;
    };
    static registers& get() {
        static registers r{};
        return r;
    }
};

using milliseconds = weir::systick_clock<1'000>;
static_assert(weir::clock<milliseconds>);

TEST(systick_clock, counts_interrupts) {
    using clock = weir::systick_clock<1'000, struct here>;
    EXPECT_EQ(clock::now().count, 0U);
    for (int i = 0; i < 5; ++i) clock::on_interrupt();
    EXPECT_EQ(clock::now().count, 5U);
}

TEST(systick_clock, sets_the_timer_up_for_its_frequency) {
    timer::get().current = 5;
    ASSERT_TRUE(milliseconds::start<timer>(72'000'000));
    EXPECT_EQ(timer::get().current, 0U);
    EXPECT_EQ(timer::get().reload, 71'999U);
    EXPECT_EQ(timer::get().control, 7U);
}

TEST(systick_clock, refuses_what_24_bits_cannot_count_and_what_is_no_multiple) {
    timer::get() = {};
    EXPECT_FALSE((weir::systick_clock<1>::start<timer>(1U << 25)));
    EXPECT_TRUE((weir::systick_clock<1>::start<timer>(1U << 24)));
    timer::get() = {};
    EXPECT_FALSE(milliseconds::start<timer>(72'000'001));
    EXPECT_FALSE(milliseconds::start<timer>(1'000));
    EXPECT_EQ(timer::get().control, 0U);
    EXPECT_TRUE(milliseconds::start<timer>(2'000)) << "every other cycle";
    EXPECT_EQ(timer::get().reload, 1U);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include <gtest/gtest.h>

#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/given.hpp>
#include <weir/clock/instant.hpp>
#include <weir/clock/manual.hpp>

namespace {

using weir::instant;
using weir::tick;
using clock = weir::manual_clock<struct instants>;
using other = weir::manual_clock<struct other_instants>;

template <class A, class B>
concept can_be_compared = requires(A a, B b) {
    a == b;
};
template <class A, class B>
concept can_be_ordered = requires(A a, B b) {
    earlier(a, b);
};
static_assert(can_be_compared<instant<clock>, instant<clock>>);
static_assert(can_be_ordered<instant<clock>, instant<clock>>);
static_assert(!can_be_compared<instant<clock>, instant<other>>);
static_assert(!can_be_ordered<instant<clock>, instant<other>>);
static_assert(!can_be_ordered<instant<clock>, tick> && !can_be_ordered<tick, instant<clock>>);

// What is no time at all is no business of its constructors: overloads of others stay clear.
static_assert(!std::is_convertible_v<const char*, instant<clock>>);
static_assert(std::is_same_v<decltype(std::variant<instant<clock>, std::string>("a")),
                             std::variant<instant<clock>, std::string>>);

template <class Clock, class Time>
concept can_be_set = requires(Time t) {
    Clock::set(t);
};
static_assert(can_be_set<clock, instant<clock>> && can_be_set<clock, tick>);
static_assert(!can_be_set<clock, instant<other>>);

// As a clang that is too curious would refuse to.
TEST(instant, is_one_of_a_variant) {
    const std::variant<instant<clock>, instant<other>> one = instant<other>(5);
    EXPECT_EQ(one.index(), 1U);
}

static_assert(std::is_trivially_copyable_v<instant<clock>>);
static_assert(sizeof(instant<clock>) == sizeof(weir::word));
static_assert(weir::clock<weir::given_clock<struct frames, 60>>);

// What a limiter does with it, each time that it reads a clock.
TEST(instant, is_a_tick_of_its_clock) {
    EXPECT_EQ(instant<clock>{}.count, 0U) << "if nobody says which";
    constexpr instant<clock> t(5);
    EXPECT_EQ(tick(t).count, 5U);
    EXPECT_EQ(instant<clock>(tick{7}), t + 2);
    EXPECT_TRUE(earlier(t, t + 1));
    EXPECT_FALSE(earlier(t, t));
}

TEST(instant, lives_on_a_circle) {
    constexpr instant<clock> last(weir::largest<weir::word>);
    EXPECT_EQ((last + 3).count, 2U);
    EXPECT_TRUE(earlier(last, last + 3));
    EXPECT_EQ(instant<clock>(-1), last) << "before the beginning";
}

TEST(instant, of_a_wide_number_keeps_its_low_bits) {
    constexpr std::uint64_t wide = (std::uint64_t{3} << 32) + 9;
    EXPECT_EQ(instant<clock>(wide).count, static_cast<weir::word>(wide));
}

}  // namespace

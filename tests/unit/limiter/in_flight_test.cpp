// SPDX-License-Identifier: MIT
// Calls in flight, on one thread: against a plain counter, alone and as a member of an all_of.
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/all_of.hpp>
#include <weir/limiter/begin.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/pacer/schedule.hpp>
#include <weir/weir.hpp>

#include "../../at.hpp"
#include "../../oracle/dice.hpp"

namespace {

using namespace std::chrono_literals;
using weir::all_of;
using weir::call_token;
using weir::in_flight;
using weir::in_flight_error;
using weir::quota;
using weir::seconds;
using weir::verdict;
using weir::word;

static_assert(!std::is_copy_constructible_v<call_token> && !std::is_copy_assignable_v<call_token>);
static_assert(std::is_nothrow_move_constructible_v<call_token>);
static_assert(!weir::limit<in_flight> && weir::places<in_flight>);
static_assert(sizeof(in_flight) == weir::own_line || weir::own_line < sizeof(in_flight));

constinit in_flight constant{5};

TEST(in_flight, lets_as_many_calls_begin_as_its_cap) {
    EXPECT_EQ(constant.most(), 5U);
    std::vector<call_token> all;
    for (word i = 0; i < 5; ++i) {
        EXPECT_EQ(constant.peek().remaining(), 4 - i);
        all.push_back(constant.try_begin());
        EXPECT_TRUE(all.back());
        EXPECT_EQ(constant.approx_in_use(), i + 1);
    }
    auto sixth = constant.try_begin();
    EXPECT_FALSE(sixth);
    EXPECT_EQ(constant.peek().verdict(), verdict::wait);
    EXPECT_EQ(constant.peek().retry_after(), weir::place_decision::look_again);
    all.pop_back();
    sixth = constant.try_begin();
    EXPECT_TRUE(sixth);
    all.clear();
    sixth.end();
    EXPECT_EQ(constant.approx_in_use(), 0U);
}

TEST(in_flight, gives_a_place_back_once) {
    in_flight calls{2};
    auto call = calls.try_begin();
    call.end();
    EXPECT_FALSE(call);
    call.end();
    EXPECT_EQ(calls.approx_in_use(), 0U);
    auto first = calls.try_begin();
    auto moved = std::move(first);
    first.end();  // NOLINT(bugprone-use-after-move): it has nothing left
    EXPECT_EQ(calls.approx_in_use(), 1U);
    moved = calls.try_begin();
    EXPECT_EQ(calls.approx_in_use(), 1U) << "the one that is written over ends";
    auto& same = moved;
    moved = std::move(same);
    EXPECT_TRUE(moved);
    EXPECT_EQ(calls.approx_in_use(), 1U);
    {
        const auto until_the_end = calls.try_begin();
        EXPECT_EQ(calls.approx_in_use(), 2U);
    }
    moved = {};
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

TEST(in_flight, has_a_cap_that_may_change) {
    in_flight calls{1};
    auto first = calls.try_begin();
    EXPECT_EQ(calls.set_most(3), in_flight_error::none);
    auto second = calls.try_begin();
    auto third = calls.try_begin();
    EXPECT_TRUE(third);
    EXPECT_EQ(calls.set_most(1), in_flight_error::none);
    EXPECT_EQ(calls.approx_in_use(), 3U) << "what has begun goes on";
    first.end();
    second.end();
    first = calls.try_begin();
    EXPECT_FALSE(first);
    third.end();
    first = calls.try_begin();
    EXPECT_TRUE(first);
    EXPECT_EQ(calls.set_most(0), in_flight_error::no_place);
    EXPECT_EQ(calls.set_most(in_flight::largest_most + 1), in_flight_error::too_many);
    EXPECT_EQ(calls.most(), 1U) << "a cap that is refused changes nothing";
    EXPECT_EQ(calls.set_most(in_flight::largest_most), in_flight_error::none);
    EXPECT_EQ(calls.most(), in_flight::largest_most);
    EXPECT_EQ(calls.approx_in_use(), 1U);
    first.end();
    EXPECT_EQ(calls.approx_in_use(), 0U);
}

#ifdef __cpp_exceptions
TEST(in_flight, refuses_a_cap_that_lets_no_call_begin) {
    const word none = 0;
    EXPECT_THROW(in_flight{none}, weir::refused);
    EXPECT_THROW(in_flight{in_flight::largest_most + 1}, weir::refused);
    EXPECT_EQ(in_flight::refusal(none), in_flight_error::no_place);
    try {
        in_flight calls{none};
        FAIL();
    } catch (const weir::refused& why) {
        EXPECT_EQ(std::string(why.what()), "an in_flight lets at least one call begin");
    }
}

TEST(in_flight, gives_the_place_back_if_the_call_throws) {
    in_flight calls{1};
    try {
        auto call = calls.try_begin();
        throw std::runtime_error("the call fails");
    } catch (const std::runtime_error&) {
        EXPECT_EQ(calls.approx_in_use(), 0U);
    }
}
#endif

// As a plain counter says.
TEST(in_flight, does_what_a_counter_says_in_any_order) {
    for (std::uint64_t seed = 1; seed <= 300 && !HasFailure(); ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        oracle::dice d(seed);
        word most = d.between(1, 4);
        in_flight calls{most};
        std::vector<call_token> held;
        for (int i = 0; i < 200; ++i) {
            switch (d.between(1, 6)) {
                case 1:
                case 2:
                case 3: {
                    const bool room = held.size() < most;
                    EXPECT_EQ(calls.peek().admitted(), room);
                    auto call = calls.try_begin();
                    EXPECT_EQ(static_cast<bool>(call), room);
                    if (call) held.push_back(std::move(call));
                    break;
                }
                case 4:
                case 5:
                    if (!held.empty()) {
                        std::swap(held[d.index(held.size())], held.back());
                        held.pop_back();
                    }
                    break;
                default:
                    most = d.between(1, 4);
                    EXPECT_EQ(calls.set_most(most), in_flight_error::none);
            }
            EXPECT_EQ(calls.approx_in_use(), held.size());
            EXPECT_EQ(calls.peek().remaining(), held.size() < most ? most - held.size() - 1 : 0);
        }
        held.clear();
        EXPECT_EQ(calls.approx_in_use(), 0U);
    }
}

using clock = weir::manual_clock<struct calls_time, 1'000>;
using limiter = weir::limiter<weir::gcra<>, clock>;

TEST(all_of_calls, takes_the_units_and_one_place) {
    limiter rate{quota{10, seconds(1), 10}};
    in_flight calls{2};
    all_of both{rate, calls};
    static_assert(weir::calling<decltype(both)>);
    auto first = both.try_acquire(4);
    ASSERT_TRUE(first);
    EXPECT_EQ(first.remaining(), 6U);
    EXPECT_EQ(rate.peek(0).remaining(), 6U);
    EXPECT_EQ(calls.approx_in_use(), 1U);
    auto free_of_charge = both.try_acquire(0);
    EXPECT_TRUE(free_of_charge) << "a call is one call, whatever it costs";
    EXPECT_EQ(calls.approx_in_use(), 2U);
    auto third = both.try_acquire(1);
    EXPECT_FALSE(third);
    EXPECT_EQ(third.verdict(), verdict::wait);
    EXPECT_EQ(third.refused_by(), 1U);
    EXPECT_EQ(third.remaining(), 0U);
    EXPECT_EQ(third.retry_after(), weir::place_decision::look_again);
    EXPECT_EQ(third.quota_wait(), weir::nanoseconds{});
    EXPECT_TRUE(third.place_refused());
    EXPECT_EQ(rate.peek(0).remaining(), 6U) << "all or none";
    {
        call_token token = first.take_token();
        EXPECT_EQ(calls.approx_in_use(), 2U);
    }
    EXPECT_EQ(calls.approx_in_use(), 1U);
    EXPECT_EQ(rate.peek(0).remaining(), 6U) << "units stay spent";
}

TEST(all_of_calls, holds_no_place_if_the_quota_refuses) {
    limiter rate{quota{10, seconds(1), 10}};
    in_flight calls{2};
    all_of both{calls, rate};
    const auto d = both.try_acquire(10);
    EXPECT_TRUE(d);
    const auto refused = both.try_acquire(3);
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.refused_by(), 1U);
    EXPECT_EQ(refused.retry_after(), weir::milliseconds(300));
    EXPECT_FALSE(refused.place_refused());
    EXPECT_EQ(both.try_acquire(11).verdict(), verdict::never);
    EXPECT_EQ(calls.approx_in_use(), 1U);
    EXPECT_TRUE(both.peek(0));
    EXPECT_EQ(both.peek(1, at(rate, 100)).remaining(), 0U);
}

// What another does between the place and the units.
limiter* raced_rate = nullptr;
struct interrupted {
    static void on_admitted(word) {
        if (raced_rate != nullptr) (void)std::exchange(raced_rate, nullptr)->try_acquire(5);
    }
    static void on_denied() {}
    static void on_never() {}
    static void on_retry() {}
};

TEST(all_of_calls, gives_the_place_back_if_another_member_refuses_in_a_race) {
    using watched = weir::limiter<weir::gcra<>, clock, interrupted>;
    watched first{quota{10, seconds(1), 10}};
    limiter last{quota{10, seconds(1), 5}};
    in_flight calls{1};
    all_of three{first, calls, last};
    raced_rate = &last;
    const auto d = three.try_acquire(5);
    EXPECT_FALSE(d);
    EXPECT_EQ(d.refused_by(), 2U);
    EXPECT_FALSE(d.place_refused()) << "its own place was given back before it looked";
    EXPECT_EQ(calls.approx_in_use(), 0U);
    EXPECT_EQ(first.peek(0).remaining(), 10U);
}

TEST(all_of_calls, takes_a_schedule_as_its_rate) {
    weir::schedule<clock> rate{quota{10, seconds(1), 1}, weir::catch_up::none()};
    in_flight calls{1};
    all_of both{rate, calls};
    clock::set({1'000});
    {
        const auto first = both.try_acquire(1);
        EXPECT_TRUE(first);
        EXPECT_EQ(both.try_acquire(1).refused_by(), 0U);
        clock::advance(weir::milliseconds(100));
        EXPECT_EQ(both.try_acquire(1).refused_by(), 1U);
    }
    const auto second = both.try_acquire(1);
    EXPECT_TRUE(second) << "what the cap refused cost no slot";
}

TEST(begin, waits_no_longer_than_it_may) {
    in_flight calls{1};
    auto held = weir::begin(calls);
    EXPECT_TRUE(held);
    auto other = weir::begin_for(calls, 0s);
    EXPECT_FALSE(other);
    other = weir::begin_for(calls, weir::nanoseconds(INT64_MIN));
    EXPECT_FALSE(other);
    other = weir::begin_for(calls, 1ms);
    EXPECT_FALSE(other);
    other = weir::begin_for(calls, 1ms, weir::waiting::spin);
    EXPECT_FALSE(other);
    other = weir::begin_until(calls, std::chrono::system_clock::now() + 1ms);
    EXPECT_FALSE(other);
    other = weir::begin_until(calls, std::chrono::steady_clock::now() - 1s, weir::waiting::sleep);
    EXPECT_FALSE(other);
    std::stop_source stop;
    stop.request_stop();
    other = weir::begin(calls, stop.get_token());
    EXPECT_FALSE(other);
    held.end();
    other = weir::begin_for(calls, 0s);
    EXPECT_TRUE(other) << "what is free does not wait";
    EXPECT_EQ(calls.approx_in_use(), 1U);
}

TEST(begin, says_why_there_is_no_call_of_several_limits) {
    using system_limiter = weir::limiter<weir::gcra<>, weir::steady_clock>;
    system_limiter rate{quota{1, 1h, 2}};
    in_flight calls{1};
    all_of both{rate, calls};
    auto first = weir::acquire_for(both, 1, 0s);
    EXPECT_TRUE(first);
    auto second = weir::acquire_for(both, 1, 1ms);
    EXPECT_EQ(second.how, weir::ending::too_late);
    second = weir::acquire_for(both, 1, -1s);
    EXPECT_EQ(second.how, weir::ending::too_late);
    second = weir::acquire_for(both, 2, 1min);
    EXPECT_EQ(second.how, weir::ending::too_late) << "hopeless";
    EXPECT_GT(second.wait, weir::nanoseconds(1min));
    EXPECT_EQ(std::string(weir::to_text(second).c_str()).rfind("it would have taken too long", 0),
              0U);
    second = weir::acquire_for(both, 3, 1min);
    EXPECT_EQ(second.how, weir::ending::never);
    std::stop_source stop;
    stop.request_stop();
    second = weir::acquire(both, 1, stop.get_token());
    EXPECT_EQ(second.how, weir::ending::stopped);
    EXPECT_EQ(calls.approx_in_use(), 1U);
    { const auto over = first.take_token(); }
    second = weir::acquire_until(both, 1, std::chrono::steady_clock::now() + 1h);
    EXPECT_TRUE(second);
    EXPECT_EQ(calls.approx_in_use(), 1U);
}

}  // namespace

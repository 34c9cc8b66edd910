// SPDX-License-Identifier: MIT
// The queue of those who wait for a place, on one thread: who is told, and what becomes of it.
#include <chrono>

#include <gtest/gtest.h>

#include <weir/limiter/begin.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/place_queue.hpp>

namespace {

using namespace std::chrono_literals;
using weir::in_flight;
using weir::detail::place_sleeper;
using weir::detail::place_waiter;
using queue = weir::detail::places_waited_for;

struct listener : place_waiter {
    explicit listener(bool acts = true) : place_waiter(&tell, acts) {}
    static void tell(place_waiter& who) noexcept { ++static_cast<listener&>(who).told; }
    int told = 0;
};

class place_queue : public testing::Test {
protected:
    void end_one() {
        auto call = calls_.try_begin();
        EXPECT_TRUE(call);
    }
    in_flight calls_{1};
};

TEST_F(place_queue, tells_who_came_first_of_one_place) {
    listener one;
    listener two;
    listener urgent;
    queue::join(calls_, one, false);
    queue::join(calls_, two, false);
    queue::join(calls_, urgent, true);
    for (listener* next : {&urgent, &one, &two}) {
        EXPECT_EQ(next->told, 0);
        end_one();
        EXPECT_EQ(next->told, 1);
    }
    end_one();
    EXPECT_EQ(one.told + two.told + urgent.told, 3) << "once each";
}

TEST_F(place_queue, tells_another_if_who_is_first_promises_nothing) {
    listener pacer(false);
    listener one;
    listener two;
    queue::join(calls_, pacer, false);
    queue::join(calls_, one, false);
    queue::join(calls_, two, false);
    end_one();
    EXPECT_EQ(pacer.told, 1);
    EXPECT_EQ(one.told, 1);
    EXPECT_EQ(two.told, 0);
    EXPECT_TRUE(queue::leave(calls_, two));
}

TEST_F(place_queue, tells_those_who_stay_when_others_leave) {
    listener one;
    listener two;
    listener three;
    for (listener* who : {&one, &two, &three}) queue::join(calls_, *who, false);
    EXPECT_TRUE(queue::leave(calls_, two));
    EXPECT_TRUE(queue::leave(calls_, one));
    end_one();
    EXPECT_EQ(one.told + two.told, 0);
    EXPECT_EQ(three.told, 1);
    EXPECT_FALSE(queue::leave(calls_, three)) << "it was told";
}

TEST_F(place_queue, tells_as_many_as_there_are_more_places) {
    listener one;
    listener two;
    listener three;
    for (listener* who : {&one, &two, &three}) queue::join(calls_, *who, false);
    EXPECT_EQ(calls_.set_most(3), weir::in_flight_error::none);
    EXPECT_EQ(one.told + two.told, 2);
    EXPECT_EQ(three.told, 0);
    EXPECT_TRUE(queue::leave(calls_, three));
}

TEST_F(place_queue, hears_no_more_of_who_gave_up_and_the_next_one_is_told) {
    place_sleeper impatient(calls_);
    listener next;
    impatient.join();
    queue::join(calls_, next, false);
    end_one();
    EXPECT_EQ(next.told, 0);
    impatient.step_back();
    EXPECT_EQ(next.told, 1) << "what it was told it has passed on";
    impatient.step_back();
    EXPECT_EQ(next.told, 1);
}

TEST_F(place_queue, passes_nothing_on_if_the_place_was_taken) {
    place_sleeper me(calls_);
    listener next;
    me.join();
    queue::join(calls_, next, false);
    end_one();
    me.sleep(1h, {});
    me.took_a_place();
    EXPECT_EQ(next.told, 0);
    me.join();
    me.took_a_place();
    EXPECT_EQ(next.told, 0) << "another place, and it was told of none";
    EXPECT_TRUE(queue::leave(calls_, next));
}

TEST_F(place_queue, is_first_again_if_it_was_overtaken) {
    place_sleeper me(calls_);
    listener next;
    me.join();
    queue::join(calls_, next, false);
    end_one();
    me.sleep(1h, {});
    EXPECT_FALSE(me.has_joined());
    me.join();
    end_one();
    EXPECT_EQ(next.told, 0);
    me.sleep(1h, {});
    EXPECT_FALSE(me.has_joined()) << "it was told once more";
    me.took_a_place();
    EXPECT_TRUE(queue::leave(calls_, next));
}

}  // namespace

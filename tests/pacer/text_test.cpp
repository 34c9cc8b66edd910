// SPDX-License-Identifier: MIT
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include <weir/adapter/thread_terms.hpp>
#include <weir/clock/manual.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/pacer_error.hpp>
#include <weir/pacer/schedule.hpp>

namespace {

template <class T>
std::string printed(const T& value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

// The first value that has no text is the one after the last.
template <class Enum>
void each_has_its_own(Enum last, const char* of_no_value) {
    std::set<std::string> texts;
    const int count = static_cast<int>(last) + 1;
    for (int i = 0; i < count; ++i) texts.insert(printed(static_cast<Enum>(i)));
    EXPECT_EQ(texts.size(), static_cast<std::size_t>(count));
    EXPECT_FALSE(texts.contains(of_no_value));
    EXPECT_EQ(printed(static_cast<Enum>(count)), of_no_value);
}

TEST(text, of_what_a_pacer_answers) {
    each_has_its_own(weir::pushing::no_ticket, "unknown");
    each_has_its_own(weir::pacer_error::no_keys, "unknown error");
    each_has_its_own(weir::dropped::crowded, "unknown reason");
    each_has_its_own(weir::polled::done, "unknown");
    each_has_its_own(weir::pacer_event::throttled, "unknown event");
    each_has_its_own(weir::pacer_work::emit, "unknown work");
    each_has_its_own(weir::waiting::spin, "unknown");
    each_has_its_own(weir::scheduling::round_robin, "unknown");
    EXPECT_EQ(printed(weir::pushing::full), "the lane is full");
    EXPECT_EQ(printed(weir::dropped::expired), "its deadline has passed");
}

TEST(text, of_a_push_and_of_a_poll) {
    using clock = weir::manual_clock<struct pushing>;
    clock::set({1'000});
    auto p = weir::make_pacer<int, weir::lanes<1, 2>>(
        weir::schedule<clock>{weir::per_second(1)},
        weir::sink{[](int&&) {}, [](int&&, weir::dropped) {}});
    EXPECT_EQ(printed(p.poll()), "idle");
    auto mine = p.open();
    EXPECT_EQ(printed(mine.try_push(1)), "pushed");
    EXPECT_EQ(printed(mine.try_push(2)), "pushed");
    EXPECT_EQ(printed(mine.try_push(3)), "the lane is full");
    const auto next = p.poll();
    EXPECT_EQ(printed(next), "due at tick " + std::to_string(next.at.count));
    using weir::polled;
    EXPECT_EQ(printed(weir::next_poll<clock>{polled::idle, weir::instant<clock>(), false, 3}),
              "idle, 3 slots lost");
    EXPECT_EQ(printed(weir::next_poll<clock>{polled::due, weir::instant<clock>{7}, false, 1}),
              "due at tick 7, 1 slot lost");
    p.pause();
    EXPECT_EQ(printed(p.poll()), "paused");
    p.discard();
    EXPECT_EQ(printed(p.poll()), "done");
    mine = {};
    EXPECT_EQ(printed(mine.try_push(4)),
              "the pacer had no lane left for this producer: see lanes<N>");
}

TEST(text, of_a_schedules_decision) {
    using clock = weir::manual_clock<struct scheduling>;
    weir::schedule<clock> s{weir::per_second(10)};
    EXPECT_EQ(printed(s.try_acquire(1, clock::now())), "admitted");
    EXPECT_EQ(printed(s.try_acquire(1, clock::now())), "wait 100 ms");
    EXPECT_EQ(printed(s.try_acquire(100, clock::now())), "never");
}

TEST(text, of_how_a_thread_runs) {
    EXPECT_EQ(printed(weir::thread_report{}), "runs");
    EXPECT_EQ(printed(weir::thread_report{.core = 22, .membarrier = 1}),
              "runs, but was refused a core (error 22), membarrier (error 1)");
    EXPECT_EQ(printed(weir::thread_report{.why = "it runs already"}),
              "does not run: it runs already");
    EXPECT_EQ(printed(weir::thread_report{.why = "the system gives it no thread", .thread = 11}),
              "does not run: the system gives it no thread (error 11)");
}

}  // namespace

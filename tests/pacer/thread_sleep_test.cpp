// SPDX-License-Identifier: MIT
// How long a pacer's thread sleeps: by stand-in clocks, and by counting how often it does.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <weir/adapter/awake_share.hpp>
#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/manual.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>

#include "../oracle/dice.hpp"
#include "on_a_thread.hpp"

namespace {

using namespace std::chrono_literals;
using weir::nanoseconds;
using weir::pacer_thread;
using weir::quota;
using weir::seconds;
using weir::tick;
using weir::waiting;
using weir::word;

// The system's, but for what somebody says that has gone by.
struct shifted_clock : weir::steady_clock {
    [[nodiscard]] static weir::instant<shifted_clock> now() noexcept {
        return weir::instant<shifted_clock>(steady_clock::now().count + shift_);
    }
    static inline std::atomic<word> shift_{0};
};

// One item in each interval, by a thread of its own.
template <class Clock, class Sink = counting>
struct paced {
    using pacer = weir::pacer<int, Sink&, weir::schedule<Clock>, weir::lanes<1, 16>>;

    paced(weir::nanoseconds interval, waiting how)
        : its(weir::schedule<Clock>(quota{1, interval, 1}), sink), runner(its, {.how = how}) {}

    [[nodiscard]] bool starts_with(int items) {
        for (int i = 0; i < items; ++i) {
            if (!lane.try_push(1)) return false;
        }
        return runner.start().well();
    }

    Sink sink;
    pacer its;
    pacer_thread<pacer> runner;
    typename pacer::producer_type lane = its.open();
};

// As a test does of a program that has a pacer.
TEST(pacer_thread, comes_back_soon_after_its_clock_was_moved) {
    using clock = weir::manual_clock<struct moved_by_hours>;
    for (const waiting how : {waiting::sleep, waiting::hybrid, waiting::spin}) {
        paced<clock> it(seconds(86'400), how);
        ASSERT_TRUE(it.starts_with(5));
        wait_until("all items are emitted", [&] {
            clock::advance(seconds(3'600));
            std::this_thread::sleep_for(1ms);
            return it.sink.emitted == 5;
        });
    }
}

// The first two items are so close that the thread spins for the second.
TEST(pacer_thread, does_not_spin_for_a_clock_that_stands_still) {
    using clock = weir::manual_clock<struct stands_still>;
    paced<clock> it(10us, waiting::hybrid);
    ASSERT_TRUE(it.starts_with(2));
    wait_until("it has slept ten times", [&] { return it.runner.approx_sleeps() >= 10; });
    EXPECT_EQ(it.sink.emitted, 1);
    clock::advance(seconds(1));
    wait_until("the second item is emitted", [&] { return it.sink.emitted == 2; });
}

struct stepping_clock : weir::steady_clock {
    static constexpr word step = 4'000'000;
    [[nodiscard]] static weir::instant<stepping_clock> now() noexcept {
        return weir::instant<stepping_clock>(steady_clock::now().count / step * step);
    }
    [[nodiscard]] static weir::clock_facts facts() noexcept {
        return {"steps", hertz(), nanoseconds(step), true};
    }
};

// Nor does it come back more often than a clock steps.
TEST(pacer_thread, sleeps_for_the_steps_of_a_coarse_clock) {
    paced<stepping_clock> it(100us, waiting::hybrid);
    ASSERT_TRUE(it.starts_with(10));
    wait_until("all items are emitted", [&] { return it.sink.emitted == 10; });
    EXPECT_LE(it.runner.approx_sleeps(), 20U) << "one for each step, and some to begin with";
}

// An item takes the sink all of its hour but a millisecond.
TEST(pacer_thread, does_not_sleep_as_long_again_as_the_sink_took) {
    struct slow : counting {
        void emit(int&& i) {
            shifted_clock::shift_ += 3'600'000'000'000 - 1'000'000;
            counting::emit(int{i});
        }
    };
    for (const waiting how : {waiting::sleep, waiting::hybrid}) {
        paced<shifted_clock, slow> it(seconds(3'600), how);
        ASSERT_TRUE(it.starts_with(5));
        wait_until("all five are emitted", [&] { return it.sink.emitted == 5; });
    }
}

struct slow_clock {
    static constexpr std::uint64_t lowest_hertz = 24'000'000;
    static constexpr std::uint64_t highest_hertz = lowest_hertz;
    [[nodiscard]] static std::uint64_t hertz() noexcept { return lowest_hertz; }
    [[nodiscard]] static weir::instant<slow_clock> now() noexcept {
        return weir::instant<slow_clock>(weir::steady_clock::now().count * 3 / 125);
    }
    [[nodiscard]] static weir::clock_facts facts() noexcept {
        return {"a test's", hertz(), weir::nanoseconds(42), true};
    }
};

// The longest pause in ticks is longer than the system can count nanoseconds.
TEST(pacer_thread, sleeps_through_a_pause_however_long) {
    counting sink;
    weir::pacer<int, counting&, weir::schedule<slow_clock>, weir::lanes<1, 4>> p(
        weir::schedule<slow_clock>(weir::per_second(1'000)), sink);
    pacer_thread runner(p);
    ASSERT_TRUE(runner.start().well());
    runner.run([](auto& its) { its.throttled(weir::nanoseconds::longest()); });
    std::this_thread::sleep_for(50ms);
    EXPECT_LE(runner.approx_sleeps(), 5U) << "but for a system call that came back for nothing";
}

// From 50 kHz on, the time to the next item is too short for a sleep. The class is refused here,
// but the thread keeps the share that it would have to keep under it. A core that has other things
// to do takes that share from it, and then it need not sleep: so, again until it has.
TEST(pacer_thread, sleeps_under_a_real_time_class_although_no_item_leaves_the_time) {
    for (word sleeps = 0; sleeps == 0;) {
        counting sink;
        constexpr int all = 16'384;
        weir::pacer<int, counting&, schedule, weir::lanes<1, all>> p(a_second(100'000), sink);
        pacer_thread runner(
            p, {.how = waiting::hybrid, .by = weir::scheduling::fifo, .priority = 1'000});
        auto mine = p.open();
        for (int i = 0; i < all; ++i) ASSERT_TRUE(mine.try_push(1));
        p.close();
        ASSERT_TRUE(runner.start().runs());
        runner.join();
        EXPECT_EQ(sink.emitted, all);
        sleeps = runner.approx_sleeps();
    }
}

TEST(pacer_thread, shows_the_guard_that_it_begins_with) {
    counting sink;
    weir::pacer<int, counting&, schedule, weir::lanes<1, 4>> p(a_second(1'000), sink);
    const pacer_thread runner(p, {.how = waiting::hybrid});
    EXPECT_EQ(runner.approx_guard(), weir::sleep_guard().get());
}

TEST(awake_share, leaves_a_fifth_of_the_time) {
    oracle::dice dice(1);
    std::int64_t now = 1'000'000;
    std::int64_t used = 0;
    weir::awake_share share{nanoseconds(now), nanoseconds(used)};
    for (int i = 0; i < 100'000; ++i) {
        const auto spun = static_cast<std::int64_t>(dice.roll(200'000));  // with a poll
        now += spun;
        used += spun;
        if (!share.is_over(nanoseconds(now))) continue;
        now += share.owed(nanoseconds(now), nanoseconds(used)).count();
        ASSERT_LE(used, (now - 1'000'000) * 4 / 5 + 1'000'000);
    }
    EXPECT_GE(used, (now - 1'000'000) * 4 / 5 - 1'000'000) << "nor more";
}

TEST(awake_share, owes_nothing_for_time_in_which_others_ran) {
    std::int64_t now = 0;
    std::int64_t used = 0;
    weir::awake_share share{nanoseconds(now), nanoseconds(used)};
    for (int i = 0; i < 1'000; ++i) {
        now += 1'000'000;
        used += 790'000;
        ASSERT_TRUE(share.is_over(nanoseconds(now)));
        ASSERT_EQ(share.owed(nanoseconds(now), nanoseconds(used)), nanoseconds{});
    }
    now += 3'600'000'000'000;  // and what was slept is not saved up
    EXPECT_EQ(share.owed(nanoseconds(now), nanoseconds(used)), nanoseconds{});
    EXPECT_FALSE(share.is_over(nanoseconds(now)));
    EXPECT_EQ(share.owed(nanoseconds(now + 500'000), nanoseconds(used + 500'000)),
              nanoseconds(125'000));
}

}  // namespace

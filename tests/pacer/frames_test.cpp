// SPDX-License-Identifier: MIT
// A pacer that is polled once a frame: it keeps its rate if it is told of the frames, and says how
// much it loses if it is not.
#include <cstddef>
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/pacer/pacer.hpp>

#include "../oracle/dice.hpp"
#include "recorded.hpp"

namespace {

using clock = weir::manual_clock<struct frames_tests>;
using instant = weir::instant<clock>;
using next_poll = weir::next_poll<clock>;
using weir::catch_up;
using weir::word;

constexpr word second = 1'000'000'000;
constexpr word frame = second / 60;

struct counting {
    void emit(int&&) { times.add(clock::now().count); }
    static void drop(int&&, weir::dropped) {}
    pacing::recorded times;
};

struct game {
    using schedule = weir::schedule<clock>;

    explicit game(weir::catch_up c, word rate = 300, word first = 5 * second)
        : begin(first),
          pacer(schedule(weir::per_second(static_cast<std::int64_t>(rate)), c), sink,
                {.capacity = 4'096}) {
        clock::set({first});
    }

    // Lanes that never run out, until so much time has gone by.
    void run(word time, bool jitters) {
        while (clock::now().count - begin < time) {
            for (auto* lane : {&one, &two}) {
                while (lane->approx_size() < 2'000 && lane->try_push(1)) {
                }
            }
            last = clock::now().count;
            poll();
            // Mostly up to a half longer or shorter, and now and then one is left out.
            const word jitter = dice.roll(8) == 0 ? frame : frame / 2 + dice.roll(frame);
            clock::set({clock::now().count + (jitters ? jitter : frame)});
        }
    }
    void poll() {
        const next_poll next = pacer.poll();
        lost += next.lost;
        EXPECT_EQ(pacer.approx_lost(), lost);
    }

    word begin;
    word last = 0;  // poll
    counting sink;
    weir::pacer<int, counting&, schedule, weir::lanes<2>> pacer;
    decltype(pacer)::producer_type one = pacer.open({.priority = 0});
    decltype(pacer)::producer_type two = pacer.open({.priority = 1});
    oracle::dice dice{1};
    word lost = 0;
};

TEST(pacer_in_frames, keeps_its_rate_if_it_is_told_of_them) {
    game g(catch_up::frames_per_second(60));
    g.run(600 * second, true);
    const word went = clock::now().count - g.begin;
    EXPECT_NEAR(static_cast<double>(g.sink.times.size()), 300e-9 * static_cast<double>(went), 11);
    EXPECT_EQ(g.pacer.limit().next().count, g.begin + (g.sink.times.size() * second + 299) / 300)
        << "nothing was lost, to the tick";
    EXPECT_EQ(g.lost, 0U);
    // In any window of W: (W + tau) / iv and 1, where tau is two frames.
    EXPECT_TRUE(g.sink.times.keeps(300, second, 0, 2 * frame));
    EXPECT_LE(g.sink.times.most_within(second), 311U);
}

TEST(pacer_in_frames, tells_what_it_loses_if_it_is_not) {
    for (const bool jitters : {false, true}) {
        game g(catch_up::half_an_interval());
        g.run(600 * second, jitters);
        const auto slots = static_cast<double>(g.last - g.begin) * 300e-9;
        EXPECT_LT(g.sink.times.size(), 60U * 601U)
            << "it makes good half an interval, so one a frame";
        EXPECT_NEAR(static_cast<double>(g.sink.times.size() + g.lost), slots, 2)
            << "each slot was used or counted";
    }
}

TEST(pacer_in_frames, loses_nothing_while_it_has_nothing) {
    game g(catch_up::none());
    g.poll();
    clock::set({clock::now().count + 100 * second});
    ASSERT_TRUE(g.one.try_push(1));
    g.poll();
    EXPECT_EQ(g.sink.times.size(), 1U);
    clock::set({clock::now().count + 100 * second});
    g.poll();
    ASSERT_TRUE(g.two.try_push(1));
    g.poll();
    EXPECT_EQ(g.lost, 0U);
}

TEST(pacer_in_frames, loses_no_more_slots_than_there_are_items_for) {
    game g(catch_up::none());
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(g.one.try_push(1));
    g.poll();
    clock::set({clock::now().count + 100 * second});
    g.poll();
    EXPECT_EQ(g.sink.times.size(), 2U);
    EXPECT_EQ(g.lost, 1U) << "the third could have gone";
    clock::set({clock::now().count + 100 * second});
    g.poll();
    EXPECT_EQ(g.sink.times.size(), 3U);
    EXPECT_EQ(g.lost, 1U) << "late, but all are gone";
}

TEST(pacer_in_frames, loses_nothing_by_a_pause) {
    game g(catch_up::none());
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(g.one.try_push(1));
    g.poll();
    g.pacer.pause();
    clock::set({clock::now().count + 100 * second});
    g.poll();
    g.pacer.resume();
    g.poll();
    EXPECT_EQ(g.lost, 0U) << "what it does not make good was wanted";
    g.pacer.pause();
    clock::set({clock::now().count + 100 * second});
    g.pacer.resume();
    g.poll();
    EXPECT_EQ(g.lost, 0U);
    clock::set({clock::now().count + second / 10 + 1});
    g.poll();
    EXPECT_EQ(g.lost, 29U);
}

TEST(pacer_in_frames, counts_slots_of_the_rate_at_which_they_were_lost) {
    game g(catch_up::none(), 1'000);
    for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(g.one.try_push(1));
    g.poll();
    clock::set({clock::now().count + second});
    EXPECT_EQ(g.pacer.set_rate(weir::per_second(10)), weir::pacer_error::none);
    g.poll();
    EXPECT_EQ(g.lost, 999U);
    clock::set({clock::now().count + second});
    EXPECT_EQ(g.pacer.set_rate(weir::per_second(100'000)), weir::pacer_error::none);
    g.poll();
    EXPECT_EQ(g.lost, 999U + 9U);
}

TEST(pacer_in_frames, catches_up_as_many_slots_after_a_change_of_rate_as_before) {
    using weir::catch_up;
    for (const catch_up c :
         {catch_up::none(), catch_up::half_an_interval(), catch_up::items(3),
          catch_up::within(weir::milliseconds(50)), catch_up::frames_per_second(60)}) {
        for (const std::int64_t first : {10, 1'000, 100'000}) {
            for (const std::int64_t then : {10, 1'000, 100'000}) {
                game g(c, static_cast<word>(first));
                for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(g.one.try_push(1));
                g.poll();
                const std::size_t before = g.sink.times.size();
                // Ten slots go by, and then the rate changes.
                clock::set({clock::now().count + 10 * second / static_cast<word>(first)});
                EXPECT_EQ(g.pacer.set_rate(weir::per_second(then)), weir::pacer_error::none);
                g.poll();
                const auto made_good = static_cast<double>(g.sink.times.size() - before);
                EXPECT_NEAR(made_good + static_cast<double>(g.lost), 10, 1.5)
                    << first << "/s and then " << then << "/s";
            }
        }
    }
}

TEST(pacer_in_frames, loses_nothing_when_its_rate_changes_in_time) {
    game g(catch_up::half_an_interval(), 10);
    for (int i = 0; i < 2'000; ++i) ASSERT_TRUE(g.one.try_push(1));
    g.poll();
    clock::set({clock::now().count + second / 10 + second / 25});  // less than half of one late
    EXPECT_EQ(g.pacer.set_rate(weir::per_second(100'000)), weir::pacer_error::none);
    g.poll();
    EXPECT_EQ(g.lost, 0U);
}

TEST(pacer_in_frames, counts_what_a_slow_sink_loses) {
    struct slow {
        void emit(int&&) { clock::set({clock::now().count + 10 * second}); }
        static void drop(int&&, weir::dropped) {}
    };
    clock::set({second});
    weir::pacer<int, slow, weir::schedule<clock>, weir::lanes<2>> p(
        weir::schedule<clock>(weir::per_second(10), catch_up::none()), slow{});
    auto mine = p.open();
    for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(mine.try_push(1));
    EXPECT_EQ(p.poll().what, weir::polled::due);
    EXPECT_EQ(p.poll().lost, 488U) << "256 went in each poll; as many are left";
}

TEST(pacer_in_frames, counts_for_limits_of_lanes_too) {
    game g(catch_up::none());
    game::schedule own(weir::per_second(100), catch_up::none());
    g.two.close();
    g.poll();
    g.two = g.pacer.open({.budget = &own});
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(g.two.try_push(1));
    g.poll();
    clock::set({clock::now().count + second / 10});
    g.poll();
    EXPECT_EQ(g.sink.times.size(), 2U);
    EXPECT_EQ(g.lost, 9U);
}

TEST(pacer_in_frames, counts_slots_that_are_no_whole_number_of_ticks) {
    using time = weir::fine_time<word>;
    for (const time interval : {time{0, word{1} << 62}, time{2, word{1} << 63}, time{3, 0}}) {
        weir::lost_slots<word> lost;
        word slots = 0;
        for (word at = 0; at < 9'000; at += 9) {
            lost.add({at, 5}, {at + 9, 5}, at);
            slots += lost.take(interval, 1'000);
        }
        const word parts = interval.ticks * 4 + (interval.parts >> 62);
        EXPECT_NEAR(static_cast<double>(slots), 36'000 / static_cast<double>(parts), 4);
        lost.add({0, 0}, {1'000, 0}, 0);
        EXPECT_EQ(lost.take(interval, 7), 7U);
        EXPECT_FALSE(lost.any()) << "there were no more items";
    }
}

TEST(pacer_in_frames, refuses_frames_that_are_none) {
    EXPECT_EQ(game::schedule::make(weir::per_second(1), catch_up::frames_per_second(0)).error(),
              weir::pacer_error::frames_not_positive);
    EXPECT_EQ(game::schedule::make(weir::per_second(1), catch_up::frames_per_second(-60)).error(),
              weir::pacer_error::frames_not_positive);
    EXPECT_EQ(catch_up::frames_per_second(50).time, weir::milliseconds(40));
}

}  // namespace

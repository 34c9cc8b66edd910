// SPDX-License-Identifier: MIT
// How early a thread that waits wants to be woken.
#include <gtest/gtest.h>

#include <weir/base/sleep_guard.hpp>

namespace {

using weir::microseconds;
using weir::milliseconds;
using weir::nanoseconds;
using weir::seconds;
using weir::sleep_guard;

TEST(sleep_guard, learns_how_late_it_is_woken) {
    sleep_guard g;
    EXPECT_EQ(g.get(), sleep_guard::at_first);
    for (int i = 0; i < 256; ++i) g.woke(microseconds(i % 100));
    EXPECT_GE(g.get(), microseconds(95));
    EXPECT_LE(g.get(), microseconds(97));
    for (int i = 0; i < 256; ++i) g.woke(microseconds(10));
    EXPECT_EQ(g.get(), microseconds(10)) << "and forgets";
}

TEST(sleep_guard, does_not_diverge) {
    sleep_guard g;
    for (int i = 0; i < 512; ++i) g.woke(microseconds(240));
    EXPECT_EQ(g.get(), sleep_guard::at_most);
    for (int i = 0; i < 256; ++i) g.woke(microseconds(20));
    for (int i = 0; i < 1'000; ++i) g.woke(seconds(1));
    EXPECT_EQ(g.get(), microseconds(20)) << "outliers teach nothing";
    for (int i = 0; i < 256; ++i) g.woke(nanoseconds(-5));
    EXPECT_EQ(g.get(), nanoseconds{});
}

// Each wait is of 100 us, of which 12.5 may be spun.
TEST(sleep_guard, is_shorter_where_spinning_would_take_too_much) {
    sleep_guard g;
    for (int i = 0; i < 512; ++i) {
        g.waits(microseconds(100));
        g.woke(microseconds(i % 2 == 0 ? 40 : 100));
    }
    EXPECT_GE(g.get(), microseconds(60));
    EXPECT_LE(g.get(), microseconds(66)) << "half of the waits spin for 25 us, the others not";
    for (int i = 0; i < 512; ++i) {
        g.waits(milliseconds(1));
        g.woke(microseconds(i % 2 == 0 ? 40 : 100));
    }
    EXPECT_EQ(g.get(), microseconds(100)) << "longer waits leave the time";
}

TEST(sleep_guard, learns_at_each_16th_sleep) {
    sleep_guard g;
    for (int i = 0; i < 15; ++i) g.woke(microseconds(20));
    EXPECT_EQ(g.get(), sleep_guard::at_first);
    g.woke(microseconds(20));
    EXPECT_EQ(g.get(), microseconds(20));
    for (int i = 0; i < 15; ++i) g.woke(microseconds(90));
    EXPECT_EQ(g.get(), microseconds(20));
    g.woke(microseconds(90));
    EXPECT_EQ(g.get(), microseconds(90));
}

// Half of them are woken 40 us late. An eighth of the time waited may be spun: by each of these
// twice as much.
TEST(sleep_guard, counts_with_the_waits_since_it_has_learned_last) {
    sleep_guard g;
    const auto sixteen = [&](nanoseconds wait) {
        for (int i = 0; i < 16; ++i) {
            g.waits(wait);
            g.woke(microseconds(i % 2 == 0 ? 40 : 100));
        }
    };
    sixteen(microseconds(100));
    EXPECT_GE(g.get(), microseconds(65));
    EXPECT_LE(g.get(), microseconds(66));
    for (int i = 0; i < 20; ++i) sixteen(microseconds(100));
    sixteen(microseconds(160));
    EXPECT_GE(g.get(), microseconds(80));
    EXPECT_LE(g.get(), microseconds(81));
}

TEST(sleep_guard, is_long_enough_for_97_in_100) {
    for (const int late : {7, 8}) {
        sleep_guard g;
        for (int i = 0; i < 256; ++i) g.woke(microseconds(i < late ? 90 : 20));
        EXPECT_EQ(g.get(), microseconds(late == 7 ? 20 : 90));
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
// Counts in a line that threads share: one who counts, or who looks, is stopped at each access
// while others count.
#include <cstddef>

#include <gtest/gtest.h>

#include <weir/limiter/counters.hpp>

namespace {

using weir::decision_counts;
using weir::word;

void count_each(weir::counters& to) {
    to.on_admitted(1);
    to.on_admitted(5);
    to.on_denied();
    to.on_never();
    to.on_retry();
}
constexpr decision_counts each{.admitted = 2, .units = 6, .denied = 1, .never = 1, .retries = 1};
constexpr decision_counts twice{.admitted = 4, .units = 12, .denied = 2, .never = 2, .retries = 2};

TEST(stopped_counters, lose_nothing) {
    int when = 0;
    for (;; ++when) {
        weir::counters all;
        const auto count = [&] { count_each(all); };
        if (!stopped::stop(when, count, count)) break;
        ASSERT_EQ(all.snapshot(), twice) << "stopped at " << when;
    }
    EXPECT_GT(when, 5);
}

TEST(stopped_counters, are_never_told_as_fewer_than_before_or_more_than_after) {
    int when = 0;
    for (;; ++when) {
        weir::counters all;
        count_each(all);
        decision_counts seen;
        if (!stopped::stop(
                when, [&] { seen = all.snapshot(); }, [&] { count_each(all); }))
            break;
        for (const auto part :
             {&decision_counts::admitted, &decision_counts::units, &decision_counts::denied,
              &decision_counts::never, &decision_counts::retries}) {
            ASSERT_GE(seen.*part, each.*part) << "stopped at " << when;
            ASSERT_LE(seen.*part, twice.*part) << "stopped at " << when;
        }
    }
    EXPECT_GT(when, 5);
}

}  // namespace

// SPDX-License-Identifier: MIT
// Several limits at once, asked by many threads: never more than any member allows, and with
// members that refund, no less than the strictest.
#include <atomic>
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/limiter/all_of.hpp>
#include <weir/weir.hpp>

#include "crowd.hpp"

namespace {

using weir::all_of;
using weir::quota;
using weir::seconds;
using weir::word;

constexpr int threads = 4;
using standing_clock = weir::manual_clock<struct all_of_time, 1'000'000>;

// `Last` comes second, so that two crowds take the members in opposite orders.
template <class First, class Last>
void takes_no_more_than_any_member_allows(bool exact) {
    weir::limiter<First, standing_clock> some{quota{2'000, seconds(1), 30'000}};
    weir::limiter<Last, standing_clock> fewer{quota{20'000, seconds(5)}};
    all_of here{some, fewer};
    all_of there{fewer, some};
    std::atomic<word> admitted{0};
    std::atomic<word> races{0};
    crowd(
        threads, repetitions(300),
        [&](int, int thread) {
            word mine = 0;
            word lost = 0;
            const auto n = static_cast<word>(1 + thread % 3);
            const auto take = [&](auto& both) {
                while (both.peek(n)) {
                    if (both.try_acquire(n)) {
                        mine += n;
                    } else {
                        ++lost;
                    }
                }
            };
            if (thread % 2 == 0) {
                take(here);
            } else {
                take(there);
            }
            admitted += mine;
            races += lost;
        },
        [&](int round) {
            const word total = admitted.exchange(0);
            ASSERT_LE(total, 20'000U) << "round " << round;
            if (exact) {
                ASSERT_EQ(total + fewer.peek(0).remaining(), 20'000U) << "round " << round;
                ASSERT_EQ(total + some.peek(0).remaining(), 30'000U) << "round " << round;
            }
            standing_clock::advance(seconds(20));
        });
    testing::Test::RecordProperty("races_lost", static_cast<int>(races));
}

TEST(all_of_contention, takes_what_the_strictest_allows_and_gives_back_what_was_lost) {
    takes_no_more_than_any_member_allows<weir::gcra<>, weir::leaky_bucket<>>(true);
}

TEST(all_of_contention, takes_no_more_than_any_member_allows_if_they_cannot_refund) {
    takes_no_more_than_any_member_allows<weir::gcra<>, weir::sliding_log<20'000>>(false);
    takes_no_more_than_any_member_allows<weir::token_bucket<>, weir::fixed_window<>>(false);
}

}  // namespace

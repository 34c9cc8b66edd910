// SPDX-License-Identifier: MIT
// Permits give back nothing that has drained, although others give back and take while one is
// granted or refunded. The sums of refund_ledger.hpp go once round: who was stopped meanwhile, or
// holds a permit from before, cannot tell how much has been given back since, and so gives back
// nothing.
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/gcra.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct stopped_sums, 1'024>;
using instant = weir::instant<clock>;
using limiter = weir::limiter<weir::gcra<>, clock>;

// A unit is a second, which is 2^13 fractions of a tick; so 2^51 units are all that a sum can
// count.
constexpr quota q{1, seconds(1), std::int64_t{1} << 46};
constexpr word begin = 1'000'000'000;
constexpr word large = word{1} << 45;

struct scene {
    scene() {
        clock::set({begin});
        give_back(2 * small);  // permits end whenever a quarter has come round, so not just there
    }

    // Gives so many units back, of permits that are larger by one.
    void give_back(word units) {
        auto p = limit.reserve(units + 1);
        ASSERT_TRUE(p);
        ASSERT_TRUE(limit.refund(std::move(p), units));
    }
    // The sums come round but for the units of the first permit: if they are given back too, before
    // or after, it seems that nothing was.
    void nearly_go_round() {
        for (int i = 0; i < 63; ++i) give_back(large);
        give_back(large - small);
    }

    static constexpr word small = 1'000;
    limiter limit{q};
    limiter::permit_type first;
    limiter::permit_type second;
};

// The second permit moved up when the first was given back: by then nothing of it is still to come
// (with what has been kept of the others, one each), though it looks like most.
word given_back_of_the_second(scene& s) {
    clock::set({begin + (scene::small + 100) * clock::hertz()});
    (void)s.limit.try_acquire(2 * scene::small);
    const auto before = s.limit.peek(0).ticks().reset_after();
    (void)s.limit.refund(std::move(s.second));
    return before - s.limit.peek(0).ticks().reset_after();
}

TEST(stopped_refunds, count_for_the_permit_of_who_was_stopped_while_others_gave_back) {
    for (int when = 0;; ++when) {
        scene s;
        s.first = s.limit.reserve(scene::small);
        const auto reserve = [&] { s.second = s.limit.reserve(scene::small); };
        const auto others = [&] { EXPECT_TRUE(s.limit.refund(std::move(s.first))); };
        if (!stopped::stop(when, reserve, others)) break;
        ASSERT_EQ(given_back_of_the_second(s), 0U) << "stopped at " << when;
    }
}

// All is given back, drains, and is taken anew: the state is as it was, but for its tag.
TEST(stopped_refunds, take_no_other_state_for_the_one_that_they_have_seen) {
    for (int when = 0;; ++when) {
        clock::set({begin});
        limiter limit{quota{1, seconds(1), 10}};
        auto first = limit.reserve(2);
        auto second = limit.reserve(1);
        const auto refund = [&] { (void)limit.refund(std::move(second)); };
        const auto others = [&] {
            EXPECT_TRUE(limit.refund(std::move(first)));
            clock::set({begin + 2 * clock::hertz()});
            EXPECT_TRUE(limit.try_acquire(1));
        };
        if (!stopped::stop(when, refund, others)) break;
        ASSERT_EQ(limit.peek(0).reset_after(), seconds(1)) << "stopped at " << when;
    }
}

TEST(stopped_refunds, give_all_back_although_others_came_in_between) {
    for (int when = 0;; ++when) {
        clock::set({begin});
        limiter limit{quota{1, seconds(1), 10}};
        auto mine = limit.reserve(5);
        ASSERT_TRUE(limit.try_acquire(1));
        const auto refund = [&] { (void)limit.refund(std::move(mine)); };
        const auto others = [&] { EXPECT_TRUE(limit.try_acquire(1)); };
        if (!stopped::stop(when, refund, others)) break;
        ASSERT_EQ(limit.peek(0).reset_after(), seconds(2)) << "stopped at " << when;
    }
}

TEST(stopped_refunds, end_permits_before_their_sums_come_round) {
    scene s;
    s.first = s.limit.reserve(scene::small);
    s.second = s.limit.reserve(scene::small);
    EXPECT_TRUE(s.limit.refund(std::move(s.first)));
    s.nearly_go_round();
    EXPECT_EQ(given_back_of_the_second(s), 0U);
}

TEST(stopped_refunds, end_the_permit_of_who_was_stopped_while_their_sums_came_round) {
    for (int when = 0;; ++when) {
        scene s;
        const auto reserve = [&] { s.second = s.limit.reserve(scene::small); };
        const auto others = [&] {
            s.nearly_go_round();
            s.first = s.limit.reserve(scene::small);
        };
        if (!stopped::stop(when, reserve, others)) break;
        EXPECT_TRUE(s.limit.refund(std::move(s.first)));
        ASSERT_EQ(given_back_of_the_second(s), 0U) << "stopped at " << when;
    }
}

}  // namespace

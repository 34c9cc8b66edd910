// SPDX-License-Identifier: MIT
// The concepts of limits: what is one, and that a limit of one's own serves wherever weir's do.
#include <stop_token>
#include <type_traits>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/weir.hpp>

#include "../../own_limit.hpp"

namespace {

using weir::ending;
using weir::milliseconds;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct own_limits, 1'000>;
using instant = weir::instant<clock>;
using own_limit = own::limit<clock>;
using limiter = weir::limiter<weir::gcra<>, clock>;

template <class L>
constexpr bool is_all = weir::lending<L>&& weir::reserving<L>&& weir::undoing<L>;

static_assert(is_all<own_limit> && !weir::moving_places<own_limit>);
static_assert(is_all<limiter> && !weir::moving_places<limiter>);
static_assert(is_all<weir::adjustable<clock>> && weir::moving_places<weir::adjustable<clock>>);

// Their units come back in lumps, so no places; what a token bucket was refunded could be twice.
template <class Cell>
using of = weir::limiter<Cell, clock>;
struct is_what_its_cell_can_be {
    template <class Cell>
    static constexpr bool has =
        weir::lending<of<Cell>>&& weir::reserving<of<Cell>> ==
        weir::reserving_cell<Cell>&& weir::undoing<of<Cell>> == weir::refunding_cell<Cell>;
};
using cells = weir::every_cell<4, word>;
static_assert(std::is_same_v<weir::only<is_what_its_cell_can_be, cells>, cells>);
static_assert(!weir::reserving<of<weir::sliding_log<4>>>);
static_assert(weir::reserving<of<weir::token_bucket<>>> &&
              !weir::undoing<of<weir::token_bucket<>>>);

// A lease begins with a permit of nothing.
struct without_a_permit_of_nothing : own_limit {
    struct permit_type : own_limit::permit_type {
        permit_type() = delete;
    };
    permit_type take(word, word, weir::instant<clock>) noexcept;
    permit_type reserve(word, weir::nanoseconds, weir::instant<clock>) noexcept;
};
static_assert(weir::limit<without_a_permit_of_nothing> &&
              !weir::lending<without_a_permit_of_nothing> &&
              !weir::reserving<without_a_permit_of_nothing>);

using both = weir::all_of<own_limit, limiter>;
static_assert(weir::limit<both> && !weir::lending<both> && !weir::reserving<both>);
static_assert(!weir::limit<int> && !weir::limit<weir::gcra<>>);

class own_limits : public testing::Test {
protected:
    void SetUp() override { clock::set({1'000'000}); }
};

TEST_F(own_limits, are_members_of_all_of) {
    own_limit often(5, 100);
    limiter seldom{weir::quota{1, seconds(1), 3}};
    weir::all_of all(often, seldom);
    EXPECT_TRUE(all.try_acquire(3));
    const auto refused = all.try_acquire();
    EXPECT_EQ(refused.refused_by(), 1U);
    EXPECT_EQ(refused.retry_after(), seconds(1));
    EXPECT_TRUE(often.peek(2, clock::now())) << "a refusal takes nothing from it";
    EXPECT_FALSE(often.peek(3, clock::now()));
}

// The other member admits when it is looked at and refuses when it is asked, as in a lost race.
TEST_F(own_limits, get_back_what_all_of_could_not_use) {
    struct fickle : limiter {
        using limiter::limiter;
        decision_type try_acquire(word, instant now) noexcept {
            (void)drain(now);
            return limiter::try_acquire(1, now);
        }
        // No place can be taken back.
        void undo(permit_type&& p) = delete;
    };
    static_assert(!weir::undoing<fickle>);
    for (const bool given : {false, true}) {
        own_limit often(5, 100);
        fickle other{weir::quota{1, seconds(1), 3}};
        weir::all_of all(other, often);
        EXPECT_FALSE(given ? all.try_acquire(1, clock::now()) : all.try_acquire(1));
        EXPECT_TRUE(often.peek(5, clock::now())) << "it was taken back";
    }
}

TEST_F(own_limits, lend) {
    own_limit shared(5, 100);
    {
        weir::lease mine(shared, 4);
        EXPECT_TRUE(mine.try_acquire());
        EXPECT_EQ(mine.left(), 3U);
        EXPECT_FALSE(shared.peek(2, clock::now()));
        EXPECT_FALSE(mine.try_acquire(6)) << "more than the burst";
    }
    EXPECT_TRUE(shared.peek(4, clock::now())) << "what was left went back";
    EXPECT_FALSE(shared.peek(5, clock::now()));
}

// An observer of their own is not weir's to tell.
TEST_F(own_limits, may_have_observers_of_their_own) {
    struct observed : own_limit {
        using own_limit::own_limit;
        [[nodiscard]] static int observer() { return 0; }
    };
    observed shared(1, 100);
    limiter other{weir::quota{1, seconds(1), 3}};
    weir::all_of all(shared, other);
    EXPECT_TRUE(all.try_acquire());
    EXPECT_FALSE(all.try_acquire());
    weir::lease mine(shared, 1);
    EXPECT_FALSE(mine.try_acquire());
}

TEST_F(own_limits, are_waited_for) {
    own_limit shared(1, 100);
    EXPECT_TRUE(weir::acquire(shared));
    const auto impatient = weir::acquire_for(shared, 1, milliseconds(99));
    EXPECT_EQ(impatient.how, ending::too_late);
    EXPECT_EQ(impatient.wait, milliseconds(100));
    EXPECT_EQ(weir::acquire(shared, 2).how, ending::never);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(weir::acquire(shared, 1, stop.get_token()).how, ending::stopped);
    EXPECT_FALSE(shared.peek(1, clock::now()));
    clock::advance(milliseconds(100));
    EXPECT_TRUE(weir::acquire(shared));
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/weir.hpp>

#include "../../at.hpp"

namespace {

using weir::all_of;
using weir::quota;
using weir::seconds;
using weir::verdict;

template <class Tag>
using own_clock = weir::manual_clock<Tag, 1'000>;

template <class Tag>
struct pair_of_limits {
    weir::limiter<weir::gcra<>, own_clock<Tag>> often{quota{10, seconds(1), 3}};
    weir::limiter<weir::token_bucket<>, own_clock<Tag>> seldom{quota{5, seconds(60)}};
    all_of<decltype(often), decltype(seldom)> both{often, seldom};
};

TEST(all_of, admits_what_every_member_admits) {
    pair_of_limits<struct admits> limits;
    EXPECT_TRUE(limits.both.try_acquire(3));
    EXPECT_EQ(limits.often.peek(0).remaining(), 0U);
    EXPECT_EQ(limits.seldom.peek(0).remaining(), 2U);
}

TEST(all_of, takes_nothing_if_one_member_refuses_and_says_which) {
    pair_of_limits<struct refuses> limits;
    EXPECT_TRUE(limits.both.try_acquire(3));
    const auto first = limits.both.try_acquire(2);
    EXPECT_EQ(first.verdict(), verdict::wait);
    EXPECT_EQ(first.refused_by(), 0U);
    EXPECT_EQ(first.retry_after(), weir::milliseconds(200));
    EXPECT_TRUE(limits.both.try_acquire(2, at(limits.often, 200)));
    const auto second = limits.both.try_acquire(1, at(limits.often, 1'000));
    EXPECT_EQ(second.refused_by(), 1U);
    EXPECT_EQ(second.remaining(), 0U);
    EXPECT_EQ(second.retry_after(), seconds(11))
        << "the 60 s / 5 of a token, less what has gone by";
    EXPECT_TRUE(second.of<0>().admitted());
    EXPECT_EQ(limits.often.peek(0, at(limits.often, 1'000)).remaining(), 3U);
    EXPECT_EQ(limits.both.peek(1, at(limits.often, 1'000)).refused_by(), 1U);
}

TEST(all_of, answers_with_the_longest_wait_and_the_least_that_remains) {
    pair_of_limits<struct longest> limits;
    (void)limits.often.try_acquire(3);
    (void)limits.seldom.try_acquire(4);
    const auto d = limits.both.try_acquire(2);
    EXPECT_EQ(d.refused_by(), 0U);
    EXPECT_EQ(d.retry_after(), seconds(12));
    EXPECT_EQ(d.reset_after(), seconds(48));
    EXPECT_EQ(d.remaining(), 0U);
    const auto never = limits.both.try_acquire(4);
    EXPECT_EQ(never.verdict(), verdict::never);
    EXPECT_EQ(never.retry_after(), weir::nanoseconds::longest());
    EXPECT_TRUE(limits.both.try_acquire(0));
}

// What another thread does between two members: here it is told of the first one's admission.
std::function<void()> meanwhile;
struct interrupted {
    static void on_admitted(weir::word /*units*/) {
        if (const auto other = std::exchange(meanwhile, nullptr)) other();
    }
    static void on_denied() {}
    static void on_never() {}
    static void on_retry() {}
};

template <class Last>
void gives_back_what_it_took_before_it_lost_a_race() {
    using clock = own_clock<Last>;
    weir::limiter<weir::gcra<>, clock, interrupted> first{quota{5, seconds(5)}};
    weir::limiter<Last, clock> last{quota{5, seconds(5)}};
    all_of both{first, last};
    meanwhile = [&] { (void)last.try_acquire(4); };
    const auto d = both.try_acquire(3);
    EXPECT_EQ(d.verdict(), verdict::wait);
    EXPECT_EQ(d.refused_by(), 1U);
    EXPECT_GT(d.retry_after(), seconds(0));
    EXPECT_EQ(first.peek(0).remaining(), 5U) << "given back";
    EXPECT_EQ(last.peek(0).remaining(), 1U);
}

TEST(all_of, gives_back_what_it_took_before_it_lost_a_race) {
    weir::every_cell<5, weir::word>::for_each(
        []<class Cell>() { gives_back_what_it_took_before_it_lost_a_race<Cell>(); });
}

// One unit a second, a hundred at once, and another limit that others empty at ten seconds past
// while somebody who has read the clock before is stopped between the two.
template <class First>
class late_loser {
public:
    using clock = typename First::clock_type;
    static constexpr weir::instant<clock> late{100'000};
    static constexpr weir::instant<clock> now{110'000};

    First first{quota{1, seconds(1), 100}};
    weir::limiter<weir::gcra<>, clock> last{quota{1, seconds(1), 1}};
    all_of<First, decltype(last)> both{first, last};

    late_loser() {
        clock::set(late);  // who asks it now learns no more
        (void)first.peek(0, late);
        (void)last.peek(0, late);
    }
    // What is left of the first limit when the race is lost.
    [[nodiscard]] weir::word left_after(const std::function<void()>& others) {
        meanwhile = [&] {
            others();
            EXPECT_TRUE(last.try_acquire(1, now));
        };
        EXPECT_EQ(both.try_acquire(1, late).refused_by(), 1U);
        EXPECT_FALSE(meanwhile) << "nobody raced";
        return first.peek(0, late).remaining();
    }
};

template <class First>
class all_of_at_a_given_time : public testing::Test {};
using those_that_refund =
    testing::Types<weir::limiter<weir::gcra<>, own_clock<struct late_gcra>, interrupted>,
                   weir::adjustable<own_clock<struct late_adjustable>, interrupted>>;
TYPED_TEST_SUITE(all_of_at_a_given_time, those_that_refund);

// Ten of its hundred seconds have gone by when the fifty come: to give back a unit of the first
// second would let 101 pass at once.
TYPED_TEST(all_of_at_a_given_time, gives_back_nothing_before_what_others_took_however_late_it_is) {
    late_loser<TypeParam> race;
    (void)race.left_after([&] { EXPECT_TRUE(race.first.try_acquire(50, race.now)); });
    EXPECT_EQ(race.first.acquire_up_to(100, race.now).units, 50U);
}

TYPED_TEST(all_of_at_a_given_time, gives_all_back_if_nobody_came_after) {
    late_loser<TypeParam> race;
    EXPECT_EQ(race.left_after([] {}), 100U) << "as if it had never been taken";
}

TYPED_TEST(all_of_at_a_given_time, gives_back_what_refunds_have_moved) {
    late_loser<TypeParam> race;
    auto earlier = race.first.reserve(2, seconds(0), race.late);
    const auto left =
        race.left_after([&] { EXPECT_TRUE(race.first.refund(std::move(earlier), 2, race.late)); });
    EXPECT_EQ(left, 100U);
}

TYPED_TEST(all_of_at_a_given_time, takes_nobody_for_itself_who_ends_where_it_ended) {
    late_loser<TypeParam> race;
    auto earlier = race.first.reserve(2, seconds(0), race.late);
    const auto left = race.left_after([&] {
        EXPECT_TRUE(race.first.refund(std::move(earlier), 2, race.late));
        EXPECT_TRUE(race.first.try_acquire(2, race.late));
    });
    EXPECT_EQ(left, 97U) << "it keeps its charge, as another came after";

    late_loser<TypeParam> renewed;
    const auto others = renewed.left_after([&] {
        renewed.first.reset(renewed.late);
        EXPECT_TRUE(renewed.first.try_acquire(1, renewed.late));
    });
    EXPECT_EQ(others, 99U) << "this one is another's";
}

TEST(all_of, keeps_the_charge_of_a_member_that_cannot_refund) {
    using clock = own_clock<struct keeps>;
    weir::limiter<weir::token_bucket<>, clock, interrupted> first{quota{5, seconds(5)}};
    weir::limiter<weir::fixed_window<>, clock> last{quota{5, seconds(5)}};
    all_of both{first, last};
    meanwhile = [&] { (void)last.drain(); };
    EXPECT_EQ(both.try_acquire(3).refused_by(), 1U);
    EXPECT_EQ(first.peek(0).remaining(), 2U) << "too little, never too much";
}

TEST(all_of, takes_members_with_clocks_of_their_own) {
    weir::limiter<> fast{weir::per_hour(3)};
    weir::limiter<weir::sliding_log<5>, weir::steady_clock> exact{weir::per_hour(5)};
    weir::limiter<weir::leaky_bucket<>, weir::coarse_clock> level{weir::per_hour(4)};
    all_of three{fast, exact, level};
    int admitted = 0;
    while (three.try_acquire()) ++admitted;
    EXPECT_EQ(admitted, 3);
    EXPECT_EQ(three.try_acquire().refused_by(), 0U);
    EXPECT_EQ(exact.peek(0).remaining(), 2U);
}

// Asked in a loop, one that takes twice what it looked at once for would say for ever: now.
TEST(all_of, refuses_to_take_from_the_same_limit_twice) {
    using limit = weir::limiter<weir::gcra<>, own_clock<struct twice>>;
    limit one{quota{1, seconds(1)}};
    limit other{quota{1, seconds(1)}};
    weir::limiter<weir::token_bucket<>, own_clock<struct twice>> third{quota{1, seconds(1)}};
    EXPECT_THROW(all_of(one, one), weir::refused);
    EXPECT_THROW(all_of(one, third, other, one), weir::refused);
    EXPECT_NO_THROW(all_of(one, third, other));
    EXPECT_EQ((all_of<limit, limit>::make(one, one).error()),
              weir::all_of_error::limit_given_twice);
    auto both = all_of<limit, limit>::make(one, other);
    ASSERT_TRUE(both);
    EXPECT_TRUE(both->try_acquire());
    EXPECT_FALSE(other.peek());
}

TEST(all_of, answers_how_its_members_are_after_taking) {
    using clock = own_clock<struct answers>;
    weir::limiter<weir::gcra<>, clock> level{quota{5, seconds(1)}};
    weir::limiter<weir::sliding_log<3>, clock> exact{quota{3, seconds(1)}};
    all_of both{level, exact};
    const auto peeked = both.peek();
    EXPECT_EQ(peeked.of<1>().reset_after(), seconds(1));
    EXPECT_EQ(peeked.remaining(), 2U);
    const auto taken = both.try_acquire();
    EXPECT_EQ(taken.of<0>().reset_after(), weir::milliseconds(200));
    EXPECT_EQ(taken.of<1>().reset_after(), seconds(1));
    EXPECT_EQ(taken.remaining(), 2U);
    EXPECT_EQ(taken.reset_after(), seconds(1));
}

TEST(all_of, has_its_members_count_what_they_admit_and_refuse) {
    using clock = own_clock<struct counts>;
    using limit = weir::limiter<weir::gcra<>, clock, weir::counters>;
    limit fewer{quota{1, seconds(1), 1}};
    limit more{quota{1, seconds(1), 3}};
    all_of both{fewer, more};
    EXPECT_TRUE(both.try_acquire());
    EXPECT_FALSE(both.try_acquire());
    EXPECT_FALSE(both.try_acquire(2));
    EXPECT_FALSE(both.try_acquire(1, weir::instant<clock>{1}));
    EXPECT_FALSE(both.peek()) << "which nobody counts";
    EXPECT_EQ(fewer.observer().admitted(), 1U);
    EXPECT_EQ(fewer.observer().denied(), 2U);
    EXPECT_EQ(fewer.observer().never(), 1U);
    EXPECT_EQ(more.observer().admitted(), 1U);
    EXPECT_EQ(more.observer().denied(), 0U) << "it would have admitted them";
}

TEST(all_of, has_members_of_its_members_count_too) {
    using clock = own_clock<struct deeper>;
    using limit = weir::limiter<weir::gcra<>, clock, weir::counters>;
    limit fewer{quota{1, seconds(1), 1}};
    limit more{quota{1, seconds(1), 3}};
    limit most{quota{1, seconds(1), 3}};
    all_of both{fewer, more};
    all_of all{both, most};
    EXPECT_TRUE(all.try_acquire());
    EXPECT_FALSE(all.try_acquire());
    EXPECT_FALSE(all.try_acquire(2));
    EXPECT_EQ(fewer.observer().admitted(), 1U);
    EXPECT_EQ(fewer.observer().denied(), 1U);
    EXPECT_EQ(fewer.observer().never(), 1U);
    EXPECT_EQ(more.observer().admitted(), 1U);
    EXPECT_EQ(more.observer().denied(), 0U);
    EXPECT_EQ(most.observer().denied(), 0U);
}

// Each reading is a millisecond later.
using read_clock = own_clock<struct readings>;
struct counting_clock : read_clock {
    static weir::instant<counting_clock> now() noexcept {
        advance(weir::milliseconds(1));
        return weir::instant<counting_clock>(read_clock::now().count);
    }
};

TEST(all_of, reads_a_clock_that_its_members_share_once) {
    weir::limiter<weir::gcra<>, counting_clock> one{quota{1, seconds(1)}};
    weir::limiter<weir::token_bucket<>, counting_clock> other{quota{1, seconds(1)}};
    all_of both{one, other};
    EXPECT_TRUE(both.try_acquire());
    EXPECT_EQ(read_clock::now(), weir::instant<read_clock>(1));
    EXPECT_FALSE(both.peek());
    EXPECT_EQ(read_clock::now(), weir::instant<read_clock>(2));
}

}  // namespace

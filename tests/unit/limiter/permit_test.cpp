// SPDX-License-Identifier: MIT
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "../../at.hpp"

namespace {

using namespace std::chrono_literals;
using weir::milliseconds;
using weir::nanoseconds;
using weir::quota;
using weir::seconds;
using weir::verdict;

template <class Tag>
using own_clock = weir::manual_clock<Tag, 1'000>;

TEST(reservation, starts_as_soon_as_it_conforms_in_the_order_of_the_calls) {
    weir::limiter<weir::gcra<>, own_clock<struct order>> limit{quota{1, 1s, 5}};
    const auto at_once = limit.reserve(5);
    EXPECT_EQ(at_once.wait(), seconds(0));
    const auto second = limit.reserve(2);
    const auto third = limit.reserve(1);
    EXPECT_TRUE(second);
    EXPECT_EQ(second.units(), 2U);
    EXPECT_EQ(second.wait(), seconds(2));
    EXPECT_EQ(second.start(), at(limit, 2'000));
    EXPECT_EQ(third.start(), at(limit, 3'000));
    EXPECT_FALSE(limit.try_acquire(1, at(limit, 2'999))) << "nobody overtakes";
    EXPECT_TRUE(limit.try_acquire(1, at(limit, 4'000)));
}

TEST(reservation, is_refused_at_once_with_the_wait_that_it_would_have_needed) {
    weir::limiter<weir::gcra<>, own_clock<struct refusal>> limit{quota{1, 1s, 5}};
    (void)limit.try_acquire(5);
    const auto refused = limit.reserve(3, milliseconds(2'999));
    EXPECT_FALSE(refused);
    EXPECT_EQ(refused.verdict(), verdict::wait);
    EXPECT_EQ(refused.wait(), seconds(3));
    EXPECT_EQ(refused.units(), 0U);
    EXPECT_TRUE(limit.reserve(3, seconds(3)));
    const auto never = limit.reserve(6);
    EXPECT_EQ(never.verdict(), verdict::never);
    EXPECT_EQ(never.wait(), nanoseconds::longest());
    EXPECT_FALSE(limit.reserve(1, nanoseconds(-1))) << "no time is less than none";
    EXPECT_EQ(limit.peek(0).reset_after(), seconds(8)) << "a refusal changes nothing";
}

// One at a time at a fixed interval, three may wait: the synchronous leaky bucket.
TEST(reservation, lets_no_more_units_wait_than_the_options_say) {
    weir::limiter<weir::leaky_bucket<>, own_clock<struct queue>> limit{quota{10, 1s, 1},
                                                                       {.queue = 3}};
    EXPECT_EQ(limit.reserve(1).wait(), milliseconds(0));
    EXPECT_EQ(limit.reserve(1).wait(), milliseconds(100));
    EXPECT_EQ(limit.reserve(1).wait(), milliseconds(200));
    EXPECT_EQ(limit.reserve(1).wait(), milliseconds(300));
    const auto fifth = limit.reserve(1);
    EXPECT_FALSE(fifth);
    EXPECT_EQ(fifth.wait(), milliseconds(400));
}

TEST(reservation, of_a_token_bucket_waits_for_its_tokens) {
    weir::limiter<weir::token_bucket<>, own_clock<struct tokens>> limit{quota{1, 1s, 5}};
    (void)limit.try_acquire(4);
    EXPECT_EQ(limit.reserve(3).wait(), seconds(2));
    EXPECT_EQ(limit.reserve(1).wait(), seconds(3));
    EXPECT_FALSE(limit.try_acquire(1, at(limit, 3'999)));
    EXPECT_TRUE(limit.try_acquire(1, at(limit, 4'000)));
}

TEST(refund, gives_back_what_is_still_to_come) {
    weir::limiter<weir::gcra<>, own_clock<struct back>> limit{quota{1, 1s, 5}};
    auto first = limit.reserve(2);
    auto second = limit.reserve(1);
    EXPECT_EQ(limit.refund(std::move(first)).units(), 2U);
    EXPECT_EQ(limit.peek(0).remaining(), 4U);
    // The second permit's span ended at 3 s and now ends at 1 s.
    const auto half = limit.refund(std::move(second), 1, at(limit, 500));
    EXPECT_TRUE(half);
    EXPECT_EQ(half.units(), 0U) << "no whole one";
    EXPECT_EQ(limit.peek(0, at(limit, 500)).reset_after(), seconds(0)) << "half of it had drained";
}

template <class Limiter>
void tells_what_came_back() {
    Limiter limit{quota{1, 1s, 5}};
    auto p = limit.reserve(5, nanoseconds::longest(), at(limit, 0));
    const auto& asked = p;
    EXPECT_EQ(limit.refundable(asked).units(), 5U);
    EXPECT_EQ(limit.refundable(asked, 2).units(), 2U);
    EXPECT_EQ(limit.refundable(asked, 5, at(limit, 2'500)).units(), 2U);
    EXPECT_TRUE(limit.refundable(asked, 5, at(limit, 4'999))) << "a part of the last one";
    EXPECT_EQ(limit.refundable(asked, 5, at(limit, 4'999)).units(), 0U);
    EXPECT_FALSE(limit.refundable(asked, 5, at(limit, 5'000)));
    EXPECT_FALSE(limit.refundable(asked, 0));
    EXPECT_EQ(limit.peek(0, at(limit, 0)).remaining(), 0U) << "who asks changes nothing";
    EXPECT_EQ(p.units(), 5U);

    (void)limit.reserve(1, nanoseconds::longest(), at(limit, 0));
    EXPECT_FALSE(limit.refundable(p, 5, at(limit, 0))) << "somebody waits";
    EXPECT_EQ(limit.refundable(p, 5, at(limit, 1'500)).units(), 3U);
    EXPECT_EQ(limit.refund(std::move(p), 3, at(limit, 3'500)).units(), 1U);
    EXPECT_FALSE(limit.refundable(p));  // NOLINT(bugprone-use-after-move): it holds nothing

    auto old = limit.reserve(1, nanoseconds::longest(), at(limit, 3'500));
    const Limiter another{quota{1, 1s, 5}};
    EXPECT_FALSE(another.refundable(old));
    limit.reset(at(limit, 3'500));
    EXPECT_FALSE(limit.refundable(old, 1, at(limit, 3'500)));
}

TEST(refund, tells_how_much_came_back_and_could_before) {
    tells_what_came_back<weir::limiter<weir::gcra<>, own_clock<struct told>>>();
    tells_what_came_back<weir::adjustable<own_clock<struct told>>>();
}

TEST(refund, of_the_last_who_waits_gives_all_back) {
    weir::limiter<weir::gcra<>, own_clock<struct last>> limit{quota{1, 1s, 5}};
    (void)limit.try_acquire(5);
    (void)limit.reserve(2);
    auto last = limit.reserve(3);
    EXPECT_TRUE(limit.refund(std::move(last), 2));
    EXPECT_EQ(limit.reserve(1).wait(), seconds(4));
}

// Who came in the place of one that others have been told to start after would start together with
// them.
TEST(refund, of_one_before_others_who_wait_gives_nothing) {
    weir::limiter<weir::gcra<>, own_clock<struct middle>> limit{quota{1, 1s, 1}};
    (void)limit.try_acquire(1);
    auto second = limit.reserve(1);
    const auto third = limit.reserve(1);
    EXPECT_EQ(third.wait(), seconds(2));
    EXPECT_FALSE(limit.refund(std::move(second)));
    EXPECT_EQ(limit.reserve(1).wait(), seconds(3)) << "not together with the third";
}

// A debt is a queue to those who come.
TEST(refund, of_one_before_a_debt_gives_nothing) {
    weir::limiter<weir::gcra<>, own_clock<struct debt>> limit{quota{1, 1s, 5}};
    auto p = limit.reserve(2);
    EXPECT_TRUE(limit.charge(5));
    EXPECT_FALSE(limit.refund(std::move(p)));
    EXPECT_EQ(limit.peek().retry_after(), seconds(3));
}

TEST(refund, gives_back_nothing_of_what_has_drained) {
    weir::limiter<weir::gcra<>, own_clock<struct drained>> limit{quota{1, 1s, 5}};
    auto p = limit.reserve(3);
    EXPECT_FALSE(limit.refund(std::move(p), 3, at(limit, 3'000)));
    EXPECT_EQ(limit.peek(0, at(limit, 3'000)).remaining(), 5U);
}

TEST(refund, of_a_part_leaves_the_rest) {
    weir::limiter<weir::gcra<>, own_clock<struct part>> limit{quota{1, 1s, 5}};
    auto p = limit.reserve(5);
    EXPECT_TRUE(limit.refund(std::move(p), 2));
    EXPECT_EQ(limit.peek(0).remaining(), 2U);
}

TEST(refund, twice_does_nothing) {
    weir::limiter<weir::gcra<>, own_clock<struct twice>> limit{quota{1, 1s, 5}};
    auto p = limit.reserve(2);
    (void)limit.reserve(2);
    EXPECT_TRUE(limit.refund(std::move(p)));
    EXPECT_FALSE(limit.refund(std::move(p)));  // NOLINT(bugprone-use-after-move): that is the point
    EXPECT_EQ(limit.peek(0).remaining(), 3U);
}

TEST(refund, after_the_limiter_was_reset_does_nothing) {
    weir::limiter<weir::gcra<>, own_clock<struct reset>> limit{quota{1, 1s, 5}};
    auto p = limit.reserve(5);
    limit.reset();
    (void)limit.try_acquire(5);
    EXPECT_FALSE(limit.refund(std::move(p)));
    EXPECT_EQ(limit.peek(0).remaining(), 0U);

    auto q = limit.reserve(1);
    EXPECT_TRUE(limit.restore(limit.save()));
    EXPECT_FALSE(limit.refund(std::move(q)));
}

TEST(refund, of_another_limiters_permit_does_nothing) {
    using limiter = weir::limiter<weir::gcra<>, own_clock<struct other>>;
    limiter one{quota{1, 1s, 5}};
    limiter two{quota{1, 1s, 5}};
    auto p = one.reserve(3);
    (void)two.try_acquire(3);
    EXPECT_FALSE(two.refund(std::move(p)));
    EXPECT_EQ(two.peek(0).remaining(), 2U);
    EXPECT_EQ(p.units(), 3U);  // NOLINT(bugprone-use-after-move): it was not taken
    EXPECT_TRUE(one.refund(std::move(p))) << "its owner still takes it back";
    EXPECT_EQ(one.peek(0).remaining(), 5U);
    limiter::permit_type none;
    EXPECT_FALSE(one.refund(std::move(none)));
}

// The new one was never asked for these units, so it would pass them twice.
template <class Limiter>
void takes_none_of_a_former_one() {
    const quota q{1, 1s, 5};
    std::optional<Limiter> limit(std::in_place, q);
    auto p = limit->reserve(3);
    auto early = limit->reserve(1);
    weir::lease<Limiter> lease{*limit, 1};
    EXPECT_TRUE(lease.try_acquire(0));
    limit.emplace(q);
    EXPECT_FALSE(limit->refund(std::move(early))) << "it has never been asked for anything";
    EXPECT_TRUE(limit->try_acquire(5));
    EXPECT_FALSE(limit->refund(std::move(p)));
    lease.give_back();
    EXPECT_EQ(limit->peek(0).remaining(), 0U);

    std::vector<Limiter> limits;
    limits.reserve(2);
    for (int i = 0; i < 10; ++i) {
        Limiter& last = limits.emplace_back(q);
        auto old = last.reserve(3);
        limits.pop_back();
        ASSERT_EQ(&limits.emplace_back(q), &last);
        EXPECT_TRUE(last.try_acquire(5));
        EXPECT_FALSE(last.refund(std::move(old)));
        auto its = last.reserve(1);
        limits.pop_back();
        limits.push_back(Limiter(q));
        EXPECT_TRUE(last.try_acquire(5));
        EXPECT_FALSE(last.refund(std::move(its))) << "moved to where it was";
        auto own = last.reserve(1);
        EXPECT_TRUE(last.refund(std::move(own)));
        limits.pop_back();
    }
}

TEST(refund, of_a_permit_of_what_was_in_the_same_place_before_does_nothing) {
    takes_none_of_a_former_one<weir::limiter<weir::gcra<>, own_clock<struct place>>>();
    takes_none_of_a_former_one<weir::limiter<weir::leaky_bucket<>, own_clock<struct place>>>();
    takes_none_of_a_former_one<weir::adjustable<own_clock<struct place>>>();
}

// A refund to it is at no time, at which it must not become ready.
template <class Limiter>
void begins_empty_in_the_place_of_a_former_one() {
    using clock = typename Limiter::clock_type;
    const quota q{1, 1s, 5};
    clock::set({1'000'000});
    std::optional<Limiter> limit(std::in_place, q);
    auto p = limit->reserve(1);
    auto undone = limit->reserve(1);
    limit.emplace(q, weir::options{.start = 0});
    EXPECT_FALSE(limit->refundable(p));
    EXPECT_FALSE(limit->undo(std::move(undone)));
    EXPECT_FALSE(limit->refund(std::move(p)));
    EXPECT_EQ(limit->peek(0).remaining(), 0U);
}

TEST(refund, of_a_former_ones_permit_does_not_fill_one_that_begins_empty) {
    begins_empty_in_the_place_of_a_former_one<
        weir::limiter<weir::gcra<>, own_clock<struct empty>>>();
    begins_empty_in_the_place_of_a_former_one<weir::adjustable<own_clock<struct empty>>>();
}

constinit weir::limiter<weir::gcra<>, own_clock<struct place>> at_compile_time{quota{1, 1s, 5}};

TEST(refund, to_a_constant_that_was_made_anew_does_nothing) {
    auto p = at_compile_time.reserve(3);
    std::destroy_at(&at_compile_time);
    std::construct_at(&at_compile_time, quota{1, 1s, 5});
    EXPECT_TRUE(at_compile_time.try_acquire(5));
    EXPECT_FALSE(at_compile_time.refund(std::move(p)));
}

TEST(refund, to_a_cell_that_cannot_tell_keeps_the_charge) {
    weir::limiter<weir::token_bucket<>, own_clock<struct keeps>> limit{quota{1, 1s, 5}};
    auto p = limit.reserve(3);
    EXPECT_FALSE(limit.refundable(p));
    EXPECT_FALSE(limit.refund(std::move(p)));
    EXPECT_EQ(limit.peek(0).remaining(), 2U);
}

TEST(refund, by_the_clock_of_the_limiter) {
    weir::limiter<> limit{weir::per_hour(10)};
    auto p = limit.reserve(10);
    EXPECT_EQ(limit.peek(0).remaining(), 0U);
    EXPECT_TRUE(limit.refund(std::move(p)));
    EXPECT_GE(limit.peek(0).remaining(), 9U);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <chrono>
#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/limiter/limiter.hpp>

#include "../../at.hpp"

namespace {

using namespace std::chrono_literals;
using weir::milliseconds;
using weir::nanoseconds;
using weir::quota;
using weir::quota_error;
using weir::seconds;
using weir::tick;
using weir::verdict;

template <class Tag>
using own_clock = weir::manual_clock<Tag>;

// GCRA's example of a burst of 5 at one a second, as a limiter answers it.
TEST(adjustable, answers_as_a_limiter_while_its_quota_stays) {
    using clock = own_clock<struct example>;
    weir::adjustable<clock> limit{quota{1, 1s, 5}};
    const auto answers = [&](std::int64_t at, weir::word n, weir::word remaining,
                             std::int64_t reset, std::int64_t retry) {
        clock::set({static_cast<weir::word>(milliseconds(at).count())});
        const auto d = limit.try_acquire(n);
        EXPECT_EQ(d.remaining(), remaining) << at;
        EXPECT_EQ(d.reset_after(), milliseconds(reset)) << at;
        EXPECT_EQ(d.retry_after(), retry < 0 ? nanoseconds::longest() : milliseconds(retry)) << at;
    };
    answers(0, 6, 5, 0, -1);
    answers(0, 1, 4, 1000, 0);
    answers(0, 4, 0, 5000, 0);
    answers(0, 1, 0, 5000, 1000);
    answers(3000, 1, 2, 3000, 0);
    answers(3100, 1, 1, 3900, 0);
    answers(4000, 1, 1, 4000, 0);
    answers(9500, 0, 5, 0, 0);
    answers(9500, 2, 3, 2000, 0);
    answers(9500, 5, 3, 2000, 2000);
    answers(15000, 6, 5, 0, -1);
}

TEST(adjustable, keeps_the_units_that_are_there_when_the_rate_changes) {
    using clock = own_clock<struct rate>;
    weir::adjustable<clock> limit{quota{1, 1s, 10}};
    (void)limit.try_acquire(7);
    ASSERT_EQ(limit.set_quota(quota{100, 1s, 10}), quota_error::none);
    EXPECT_EQ(limit.peek(0).remaining(), 3U);
    EXPECT_EQ(limit.peek(10).retry_after(), milliseconds(70)) << "at the new rate from now on";
    EXPECT_EQ(limit.quota(), (quota{100, 1s, 10}));
    clock::advance(30ms);
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 10}), quota_error::none);
    EXPECT_EQ(limit.peek(0).remaining(), 6U) << "and what came at the new one stays";
}

TEST(adjustable, keeps_the_units_that_are_there_when_the_burst_changes) {
    using clock = own_clock<struct burst>;
    weir::adjustable<clock> limit{quota{1, 1s, 10}};
    (void)limit.try_acquire(7);
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 100}), quota_error::none);
    EXPECT_EQ(limit.peek(0).remaining(), 3U);
    EXPECT_EQ(limit.peek(0).reset_after(), seconds(97));
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 2}), quota_error::none);
    EXPECT_EQ(limit.peek(0).remaining(), 2U) << "no more than the burst";
    EXPECT_EQ(limit.peek(3).verdict(), verdict::never);
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 10}), quota_error::none);
    EXPECT_EQ(limit.peek(0).remaining(), 2U);
}

TEST(adjustable, is_no_fuller_after_a_larger_burst_however_long_it_was_idle) {
    using clock = own_clock<struct idle>;
    weir::adjustable<clock> limit{quota{1, 1s, 10}};
    (void)limit.try_acquire(1);
    clock::advance(24h);
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 100}), quota_error::none);
    EXPECT_EQ(limit.peek(0).remaining(), 10U);
    clock::advance(5s);
    EXPECT_EQ(limit.peek(0).remaining(), 15U);
}

TEST(adjustable, keeps_a_debt_in_units) {
    using clock = own_clock<struct debt>;
    weir::adjustable<clock> limit{quota{1, 1s, 10}};
    ASSERT_TRUE(limit.charge(15));
    EXPECT_EQ(limit.peek(1).retry_after(), seconds(6));
    EXPECT_EQ(limit.debt(), 5U);
    ASSERT_EQ(limit.set_quota(quota{10, 1s, 20}), quota_error::none);
    EXPECT_EQ(limit.peek(1).retry_after(), milliseconds(600));
    EXPECT_EQ(limit.debt(), 5U);
}

TEST(adjustable, refuses_a_quota_of_which_a_tick_brings_a_part_of_the_circle) {
    using limit = weir::adjustable<weir::manual_clock<struct slowest, 1>>;
    EXPECT_EQ(limit::refusal({std::int64_t{1} << 52, 1s, 3}), quota_error::rate_too_fine);
    limit fast{quota{std::int64_t{1} << 44, 1s, 3}, {}, limit::instant(1)};
    for (weir::word now = 1; now < 40; ++now)
        ASSERT_TRUE(fast.try_acquire(3, at(fast, now))) << now;
}

// Three times as much within ten seconds: a server that fills its caches.
// However much longer than the new quota's own times they last.
TEST(adjustable, keeps_large_debts_and_long_queues_when_the_rate_falls) {
    using clock = own_clock<struct large_debt>;
    weir::adjustable<clock> limit{quota{1'000'000, 1s, 10}, {.debt = 1'000'000}};
    ASSERT_TRUE(limit.charge(10));
    ASSERT_TRUE(limit.charge(1'000'000));
    ASSERT_EQ(limit.set_quota(quota{10, 1s, 10}), quota_error::none);
    // The rate is rounded down: in a day by a nanosecond.
    const auto wait = limit.try_acquire(10).retry_after();
    EXPECT_GE(wait, seconds(100'001));
    EXPECT_LE(wait, nanoseconds(seconds(100'001).count() + 2));

    weir::adjustable<clock> queue{quota{1'000'000, 1s, 1}, {.queue = 100'000}};
    (void)queue.try_acquire();
    for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(queue.reserve(1));
    ASSERT_EQ(queue.set_quota(quota{10, 1s, 1}), quota_error::none);
    clock::advance(100s);
    EXPECT_FALSE(queue.try_acquire()) << "nobody overtakes";

    constexpr std::int64_t all = 10'000'000'000;  // more units than any guard of the new quota
    weir::adjustable<clock> fast{quota{all, 1s, all}};
    ASSERT_TRUE(fast.try_acquire(all));
    ASSERT_TRUE(fast.charge(all));
    ASSERT_EQ(fast.set_quota(quota{1, 1s, 1}), quota_error::none);
    EXPECT_FALSE(fast.try_acquire()) << "its debt is no relic";
}

TEST(adjustable, keeps_its_guard_while_the_rate_falls_evenly) {
    using clock = own_clock<struct guard>;
    clock::set({1'000'000'000'000});
    weir::adjustable<clock> limit{quota{1'000'000, 1s, 1'000}};
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 1'000}, 1h), quota_error::none);
    clock::advance(1s);
    const auto now = clock::now();
    ASSERT_TRUE(limit.try_acquire(1'000, now));
    const weir::instant<clock> late{now.count - 20'000'000};
    EXPECT_FALSE(limit.try_acquire(1, late));
    EXPECT_FALSE(limit.try_acquire(1, now));
}

// As a controller does it that looks for the rate which the other side bears.
TEST(adjustable, brings_no_more_and_no_less_however_often_the_same_quota_is_set) {
    using clock = own_clock<struct often>;
    for (const auto over : {weir::nanoseconds{}, seconds(1), seconds(30)}) {
        weir::adjustable<clock> limit{quota{1'000'000, 1s, 1}, {.start = 0}};
        ASSERT_EQ(limit.set_quota(quota{1, 1s, 1}), quota_error::none);
        weir::word admitted = 0;
        for (int i = 0; i < 200'000; ++i) {
            ASSERT_EQ(limit.set_quota(quota{1, 1s, 1}, over), quota_error::none);
            clock::advance(100us);
            admitted += limit.try_acquire() ? 1U : 0U;
        }
        EXPECT_NEAR(static_cast<double>(admitted), 20, 1);
    }
}

// Its own time comes round many times.
TEST(adjustable, limits_after_years_as_at_first) {
    using clock = own_clock<struct years>;
    for (const quota& q : {quota{1'000'000'000, 1s, 1}, quota{1, 1us, 1}, quota{1, 1h, 1}}) {
        weir::adjustable<clock> limit{q};
        const nanoseconds unit(q.period().count() / q.units());
        for (int month = 0; month < 24; ++month) {
            // Not idle: at the latest after a few days somebody comes.
            for (int day = 0; day < 10; ++day) {
                clock::advance(72h);
                (void)limit.try_acquire();
            }
            // A grain earlier at most, as the last one came after an idle time.
            const auto exact = static_cast<double>(unit.count());
            ASSERT_NEAR(static_cast<double>(limit.peek().retry_after().count()), exact,
                        exact / 1'024 + 1);
            ASSERT_NEAR(static_cast<double>(limit.reserve(1).wait().count()), exact,
                        exact / 1'024 + 1);
            clock::advance(3h);
        }
    }
}

TEST(adjustable, takes_another_ramp_whatever_ramps_there_were) {
    using clock = own_clock<struct ramps>;
    weir::adjustable<clock> limit{quota{1'000'000, 1s, 1}};
    for (const quota& q : {quota{1'000'000'000, 1s, 1}, quota{1, 1h, 1}, quota{1, 24h, 1}}) {
        ASSERT_EQ(limit.set_quota(q, 1h), quota_error::none);
        clock::advance(2h);
    }
    EXPECT_EQ(limit.set_quota(quota{1'000'000, 1s, 1}, 1h), quota_error::none);
}

TEST(adjustable, warms_up_evenly) {
    using clock = own_clock<struct warm_up>;
    weir::adjustable<clock> limit{quota{1'000, 1s, 50'000}, {.start = 0}};
    ASSERT_EQ(limit.set_quota(quota{3'000, 1s, 50'000}, 10s), quota_error::none);
    const weir::word each_second[] = {1'100, 1'300, 1'500, 1'700, 1'900, 2'100,
                                      2'300, 2'500, 2'700, 2'900, 3'000, 3'000};
    weir::word all = 0;
    weir::word expected = 0;
    for (const weir::word units : each_second) {
        clock::advance(1s);
        all += limit.acquire_up_to(50'000).units;
        expected += units;
        EXPECT_NEAR(static_cast<double>(all), static_cast<double>(expected), 1);
    }
    // While it changes an answer takes into account how.
    (void)limit.acquire_up_to(50'000);
    ASSERT_EQ(limit.set_quota(quota{1'000, 1s, 50'000}, 10s), quota_error::none);
    const nanoseconds wait = limit.peek(20'000).retry_after();
    EXPECT_GT(wait, milliseconds(9'999)) << "2000 a second on the average";
    clock::advance(nanoseconds(wait.count() - 1));
    EXPECT_FALSE(limit.peek(20'000));
    clock::advance(1ns);
    EXPECT_TRUE(limit.peek(20'000));
}

TEST(adjustable, refuses_an_invalid_quota_and_keeps_the_old_one) {
    using clock = own_clock<struct refusal>;
    weir::adjustable<clock> limit{quota{1, 1s, 10}, {.debt = 0}};
    (void)limit.try_acquire(7);
    EXPECT_EQ(limit.set_quota(quota{1, 1s, INT64_MAX}), quota_error::burst_too_long);
    EXPECT_EQ(limit.set_quota(quota{2, 1s, 10}, nanoseconds(-1)), quota_error::change_negative);
    EXPECT_EQ(limit.set_quota(quota{2, 1s, 10}, nanoseconds(INT64_MAX)),
              quota_error::change_too_long);
    EXPECT_EQ(limit.quota(), (quota{1, 1s, 10}));
    EXPECT_EQ(limit.peek(0).remaining(), 3U);
    EXPECT_EQ(limit.peek(4).retry_after(), seconds(1));
    clock::advance(1s);
    EXPECT_EQ(limit.peek(0).remaining(), 4U);
}

TEST(adjustable, refuses_to_begin_with_what_it_cannot_hold) {
    using limiter = weir::adjustable<own_clock<struct begin>>;
    EXPECT_EQ(limiter::refusal(quota{1, 1s, INT64_MAX}), quota_error::burst_too_long);
    EXPECT_EQ(limiter::refusal(quota{1, 1s}, {.start = 2}), quota_error::start_not_in_burst);
    EXPECT_EQ(limiter::refusal(quota{1, 1s}, {.guard = nanoseconds(-5)}),
              quota_error::guard_negative);
    constexpr std::int64_t least = -INT64_MAX;
    EXPECT_EQ(limiter::refusal(quota{1, 1s}, {.debt = least, .queue = least}),
              quota_error::debt_negative);
    EXPECT_EQ(limiter::refusal(quota{1, 1s}, {.queue = least}), quota_error::queue_negative);
    EXPECT_EQ(limiter::refusal(quota{1, 1s}, {.whole_periods = true}),
              quota_error::whole_periods_unknown);
    EXPECT_EQ(limiter::refusal(quota{1, 1s}), quota_error::none);
    EXPECT_EQ(limiter::refusal(quota{1, weir::seconds(3600)}), quota_error::none);
    EXPECT_EQ(limiter::refusal(quota{1'000'000'000, 1s, 1'000}), quota_error::none);
    try {
        const limiter limit(quota{1, 1s, INT64_MAX});
        FAIL();
    } catch (const weir::refused& e) {
        EXPECT_STREQ(e.what(), describe(quota_error::burst_too_long));
    }
}

TEST(adjustable, takes_rates_from_one_an_hour_to_a_billion_a_second_from_each_other) {
    using clock = own_clock<struct extremes>;
    for (const quota& from : {quota{1, 1h, 2}, quota{1'000, 1s, 2}, quota{1'000'000'000, 1s, 2}}) {
        for (const quota& to :
             {quota{1, 1h, 2}, quota{1'000, 1s, 2}, quota{1'000'000'000, 1s, 2}}) {
            weir::adjustable<clock> limit{from};
            (void)limit.try_acquire(2);
            ASSERT_EQ(limit.set_quota(to), quota_error::none);
            const nanoseconds exact(to.period().count() / to.units());
            EXPECT_NEAR(static_cast<double>(limit.peek(1).retry_after().count()),
                        static_cast<double>(exact.count()),
                        static_cast<double>(exact.count()) * 1e-5);
        }
    }
}

TEST(adjustable, admits_as_at_its_beginning_after_a_reset) {
    using clock = own_clock<struct reset>;
    weir::adjustable<clock> limit{quota{1, 1s, 10}, {.start = 4}};
    EXPECT_EQ(limit.peek(0).remaining(), 4U);
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 3}), quota_error::none);
    (void)limit.try_acquire(3);
    limit.reset();
    EXPECT_EQ(limit.peek(0).remaining(), 3U);
}

TEST(adjustable, counts_what_it_decides) {
    weir::adjustable<own_clock<struct counting>, weir::counters> limit{quota{1, 1s, 2}};
    (void)limit.try_acquire(2);
    (void)limit.try_acquire(1);
    (void)limit.try_acquire(3);
    EXPECT_EQ(limit.observer().admitted(), 1U);
    EXPECT_EQ(limit.observer().denied(), 1U);
    EXPECT_EQ(limit.observer().never(), 1U);
}

TEST(adjustable, moves_the_start_of_a_place_with_its_rate) {
    using clock = own_clock<struct places>;
    weir::adjustable<clock> limit{quota{1, 1s, 1}};
    (void)limit.try_acquire();
    const auto second = limit.reserve(1);
    const auto third = limit.reserve(1);
    EXPECT_EQ(second.wait(), seconds(1));
    EXPECT_EQ(third.start(), weir::instant<clock>{2'000'000'000});
    clock::advance(500ms);
    ASSERT_EQ(limit.set_quota(quota{10, 1s, 1}), quota_error::none);
    EXPECT_EQ(second.start(), weir::instant<clock>{550'000'000}) << "half a unit at 10 a second";
    EXPECT_EQ(third.start(), weir::instant<clock>{650'000'000});
    ASSERT_EQ(limit.set_quota(quota{10, 1s, 100}), quota_error::none);
    EXPECT_EQ(third.start(), weir::instant<clock>{650'000'000}) << "the burst is not theirs";
    clock::set({600'000'000});
    EXPECT_FALSE(limit.try_acquire()) << "nobody overtakes";
}

TEST(adjustable, promises_no_start_later_than_asked) {
    using clock = own_clock<struct patience>;
    weir::adjustable<clock> limit{quota{3, 1s, 1}};
    (void)limit.try_acquire();
    const auto refused = limit.reserve(1, milliseconds(333));
    EXPECT_EQ(refused.verdict(), verdict::wait);
    EXPECT_EQ(refused.wait(), nanoseconds(333'333'334));
    EXPECT_TRUE(limit.reserve(1, nanoseconds(333'333'334)));
    EXPECT_EQ(limit.reserve(2).verdict(), verdict::never);
    EXPECT_FALSE(limit.reserve(1, nanoseconds(-1)));
}

TEST(adjustable, lets_no_more_units_wait_than_the_options_say_whatever_the_rate) {
    using clock = own_clock<struct queue>;
    weir::adjustable<clock> limit{quota{1, 1s, 1}, {.queue = 2}};
    ASSERT_TRUE(limit.reserve(1));
    ASSERT_EQ(limit.set_quota(quota{1'000, 1s, 1}), quota_error::none);
    EXPECT_TRUE(limit.reserve(1));
    EXPECT_TRUE(limit.reserve(1));
    EXPECT_FALSE(limit.reserve(1));
}

TEST(adjustable, takes_back_what_is_still_to_come_at_the_present_rate) {
    using clock = own_clock<struct refunds>;
    weir::adjustable<clock> limit{quota{1, 1s, 10}};
    auto place = limit.reserve(10);
    ASSERT_EQ(limit.set_quota(quota{2, 1s, 10}), quota_error::none);
    clock::advance(2s);
    EXPECT_TRUE(limit.refund(std::move(place)));
    EXPECT_EQ(limit.peek(0).remaining(), 10U) << "four have drained, six come back";
    EXPECT_FALSE(limit.refund(std::move(place)));  // NOLINT(bugprone-use-after-move): once
    weir::adjustable<clock> other{quota{1, 1s, 10}};
    EXPECT_FALSE(other.refund(limit.reserve(1)));
}

// What has drained before a larger burst would look as if it were still to come.
TEST(adjustable, takes_nothing_back_from_before_a_larger_burst) {
    using clock = own_clock<struct larger>;
    weir::adjustable<clock> limit{quota{1, 1s, 10}};
    auto old = limit.reserve(5);
    clock::advance(5s);
    ASSERT_EQ(limit.set_quota(quota{1, 1s, 20}), quota_error::none);
    EXPECT_FALSE(limit.refund(std::move(old)));
    EXPECT_EQ(limit.peek(0).remaining(), 10U);
    auto fresh = limit.reserve(5);
    EXPECT_TRUE(limit.refund(std::move(fresh)));
    EXPECT_EQ(limit.peek(0).remaining(), 10U);
}

TEST(adjustable, is_a_member_of_all_of_and_has_leases) {
    using clock = own_clock<struct members>;
    weir::adjustable<clock> limit{quota{1, 1s, 10}};
    weir::limiter<weir::gcra<>, clock> other{quota{1, 1s, 3}};
    weir::all_of both(limit, other);
    EXPECT_TRUE(both.try_acquire(3));
    EXPECT_FALSE(both.try_acquire(1));
    EXPECT_EQ(limit.peek(0).remaining(), 7U);
    {
        weir::lease mine(limit, 5);
        EXPECT_TRUE(mine.try_acquire());
        EXPECT_EQ(limit.peek(0).remaining(), 2U);
    }
    EXPECT_EQ(limit.peek(0).remaining(), 6U);
}

TEST(adjustable, counts_a_late_time_as_late) {
    using clock = own_clock<struct late>;
    clock::set({10'000'000'000});
    weir::adjustable<clock> limit{quota{1, 1s, 5}};
    (void)limit.try_acquire(5);
    ASSERT_EQ(limit.set_quota(quota{2, 1s, 5}), quota_error::none);
    EXPECT_FALSE(limit.try_acquire(1, weir::instant<clock>{9'000'000'000}));
    EXPECT_FALSE(limit.try_acquire(1, weir::instant<clock>{10'499'999'999}));
    EXPECT_TRUE(limit.try_acquire(1, weir::instant<clock>{10'500'000'000}));
    // A change at a time that has been left behind brings nothing twice.
    ASSERT_EQ(limit.set_quota(quota{2, 1s, 5}, {}, weir::instant<clock>{5'000'000'000}),
              quota_error::none);
    EXPECT_EQ(limit.peek(0, weir::instant<clock>{10'500'000'000}).remaining(), 0U);
}

TEST(adjustable, moves_with_its_state_and_quota) {
    using clock = own_clock<struct moving>;
    weir::adjustable<clock> first{quota{1, 1s, 3}};
    ASSERT_EQ(first.set_quota(quota{10, 1s, 3}), quota_error::none);
    EXPECT_TRUE(first.try_acquire(3));
    weir::adjustable<clock> second{std::move(first)};
    EXPECT_EQ(second.try_acquire().retry_after(), milliseconds(100));
    EXPECT_EQ(second.quota(), (quota{10, 1s, 3}));
    weir::adjustable<clock> third{quota{1, 1s, 5}};
    auto place = third.reserve(5);
    third = std::move(second);
    EXPECT_FALSE(third.refund(std::move(place))) << "a permit from before";
    EXPECT_EQ(third.try_acquire().retry_after(), milliseconds(100));
    EXPECT_EQ(third.quota(), (quota{10, 1s, 3}));
    ASSERT_EQ(third.set_quota(quota{1, 1s, 3}), quota_error::none);
    EXPECT_EQ(third.try_acquire().retry_after(), seconds(1));
}

}  // namespace

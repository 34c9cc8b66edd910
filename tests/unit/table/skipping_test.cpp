// SPDX-License-Identifier: MIT
// A limit in front of which calls are skipped, in virtual time: how many, which, and what it costs
// in units.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/array.hpp>
#include <weir/table/skipping.hpp>
#include <weir/table/striped.hpp>

#include "../../oracle/dice.hpp"
#include "../../own_limit.hpp"

namespace {

using weir::hours;
using weir::microseconds;
using weir::nanoseconds;
using weir::per_second;
using weir::quota;
using weir::seconds;
using weir::skipping;
using weir::word;

using clock = weir::manual_clock<struct skips>;
using limiter = weir::limiter<weir::gcra<>, clock, weir::counters>;

static_assert(weir::limit<skipping<limiter>>);
static_assert(weir::limit<skipping<weir::striped<limiter>>>);
static_assert(weir::limit<skipping<weir::adjustable<clock>>>);
static_assert(weir::limit<skipping<own::limit<clock>>>);

constinit weir::limiter<weir::gcra<>, clock> global{per_second(1000)};
constinit skipping global_skips(global);

class a_limit_with_skips : public testing::Test {
protected:
    void SetUp() override { clock::set(weir::tick{1'000'000'000'000}); }

    // Asks once every `apart`, and says how often the limit was asked.
    static word asked(limiter& l, skipping<limiter>& s, int calls, nanoseconds apart) {
        const auto all = [&] { return l.observer().admitted() + l.observer().denied(); };
        const word before = all();
        for (int i = 0; i < calls; ++i) {
            clock::advance(apart);
            (void)s.try_acquire();
        }
        return all() - before;
    }
};

TEST_F(a_limit_with_skips, may_be_a_constinit_global) { EXPECT_TRUE(global_skips.try_acquire()); }

TEST_F(a_limit_with_skips, skips_as_many_calls_as_come_in_an_eighth_of_the_wait) {
    limiter l{quota{1, seconds(1), 1}};
    skipping s(l);
    EXPECT_TRUE(s.try_acquire());
    EXPECT_EQ(asked(l, s, 1, microseconds(10)), 1U);
    EXPECT_EQ(asked(l, s, 1, microseconds(10)), 1U);
    // 1 s less 20 us, an eighth of which is 12 497 calls; 64 at most.
    EXPECT_EQ(asked(l, s, 64, microseconds(10)), 0U);
    EXPECT_EQ(asked(l, s, 1, microseconds(10)), 1U);
    EXPECT_EQ(s.approx_skipped(), 64U);
    l.reset();
    (void)l.drain();
    EXPECT_EQ(asked(l, s, 64, weir::milliseconds(10)), 0U);
    // 350 ms are left, and the last 65 calls were 10 ms apart: an eighth is 4 calls.
    EXPECT_EQ(asked(l, s, 1, weir::milliseconds(10)), 1U);
    EXPECT_EQ(asked(l, s, 4, weir::milliseconds(10)), 0U);
    // 300 ms: 3 calls.
    EXPECT_EQ(asked(l, s, 1, weir::milliseconds(10)), 1U);
    EXPECT_EQ(asked(l, s, 3, weir::milliseconds(10)), 0U);
    EXPECT_EQ(asked(l, s, 1, weir::milliseconds(10)), 1U);
    EXPECT_EQ(s.approx_skipped(), 64U + 64 + 4 + 3);
}

// A loop that refreshes its time once a turn asks often at the same time.
TEST_F(a_limit_with_skips, asks_while_the_clock_stands_still) {
    limiter alone{quota{100, seconds(1), 2}};
    limiter l{quota{100, seconds(1), 2}};
    skipping s(l);
    int without = 0;
    int with = 0;
    for (int frame = 0; frame < 6000; ++frame) {
        clock::advance(microseconds(16'667));
        for (int i = 0; i < 4; ++i) {
            without += alone.try_acquire() ? 1 : 0;
            with += s.try_acquire() ? 1 : 0;
        }
    }
    EXPECT_GE(without, 9000);
    EXPECT_GE(with, without - without / 20);
}

// As many threads as places, and one more, which asks seldom.
TEST_F(a_limit_with_skips, skips_nothing_after_a_denial_of_another_thread) {
    limiter l{quota{10, seconds(1), 1}};
    skipping<limiter, 1> s(l);
    (void)s.try_acquire();
    for (int i = 0; i < 100; ++i) {
        clock::advance(microseconds(1));
        (void)s.try_acquire();
    }
    std::thread([&] {
        (void)s.try_acquire();
        clock::advance(seconds(1));
        EXPECT_TRUE(s.try_acquire());
    }).join();
}

TEST_F(a_limit_with_skips, says_of_more_units_what_the_limit_says) {
    limiter l{quota{10, seconds(1), 10}};
    skipping s(l);
    (void)l.drain();
    for (int i = 0; i < 5; ++i) {
        clock::advance(microseconds(1));
        EXPECT_EQ(s.try_acquire().verdict(), weir::verdict::wait);
        EXPECT_EQ(s.try_acquire(11).verdict(), weir::verdict::never);
        EXPECT_EQ(s.try_acquire(10).retry_after(), l.peek(10).retry_after());
    }
}

TEST_F(a_limit_with_skips, says_the_wait_of_the_last_denial) {
    limiter l{quota{1, seconds(1), 1}};
    skipping s(l);
    (void)asked(l, s, 3, microseconds(1));
    const auto its = l.peek();
    clock::advance(microseconds(5));
    const auto d = s.try_acquire();
    EXPECT_FALSE(d);
    EXPECT_EQ(d.verdict(), weir::verdict::wait);
    EXPECT_EQ(d.retry_after(), its.retry_after());
    EXPECT_EQ(d.shared(), nullptr);
    clock::advance(seconds(1));
    EXPECT_FALSE(s.try_acquire());
    EXPECT_TRUE(s.peek());
    EXPECT_TRUE(s.try_acquire(1, clock::now()));
}

TEST_F(a_limit_with_skips, asks_for_other_units_and_for_what_never_passes) {
    limiter l{quota{1, seconds(1), 10}};
    skipping s(l);
    (void)l.acquire_up_to(7);
    for (int i = 0; i < 3; ++i) {
        clock::advance(microseconds(1));
        EXPECT_FALSE(s.try_acquire(4));
    }
    const auto skipped = s.approx_skipped();
    EXPECT_GT(skipped, 0U);
    EXPECT_NE(s.try_acquire(0).shared(), nullptr);
    EXPECT_TRUE(s.try_acquire(3));
    EXPECT_EQ(s.approx_skipped(), skipped);
    EXPECT_FALSE(s.try_acquire(5));
    EXPECT_EQ(s.approx_skipped(), skipped);
    l.reset();
    skipping other(l);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(other.try_acquire(11).verdict(), weir::verdict::never);
    EXPECT_EQ(other.approx_skipped(), 0U);
}

TEST_F(a_limit_with_skips, skips_nothing_where_units_come_faster_than_calls) {
    limiter l{quota{1'000'000, seconds(1), 1}};
    skipping s(l);
    EXPECT_EQ(asked(l, s, 10'000, microseconds(1)), 10'000U);
    EXPECT_EQ(asked(l, s, 10'000, nanoseconds(130)), 10'000U);
}

// What a caller that hammers may lose if it suddenly asks seldom, or if units come from elsewhere.
TEST_F(a_limit_with_skips, denies_no_more_than_64_calls_wrongly) {
    oracle::dice d(1);
    unsigned most = 0;
    for (int round = 0; round < 2000; ++round) {
        limiter l{quota{1, seconds(1), 1}};
        skipping s(l);
        (void)l.drain();
        for (word calls = d.roll(300); calls != 0; --calls) {
            clock::advance(nanoseconds(static_cast<std::int64_t>(d.roll(100))));
            EXPECT_FALSE(s.try_acquire());
        }
        if (d.roll(2) == 0) {
            l.reset();
        } else {
            clock::advance(hours(1));
        }
        unsigned wrong = 0;
        while (!s.try_acquire()) {
            clock::advance(hours(1));
            ++wrong;
        }
        most = std::max(most, wrong);
    }
    EXPECT_EQ(most, 64U);
}

// To the unit what the limit itself would pass, less at most 0.3 %.
template <class Shared, class Front>
void passes_the_rate(Shared& alone, Front& front, nanoseconds apart, word calls) {
    word by_itself = 0;
    word with_skips = 0;
    for (word i = 0; i < calls; ++i) {
        clock::advance(apart);
        by_itself += alone.try_acquire() ? 1U : 0U;
        with_skips += front.try_acquire() ? 1U : 0U;
    }
    EXPECT_LE(with_skips, by_itself);
    EXPECT_GE(with_skips * 1000, by_itself * 997) << by_itself;
    EXPECT_GT(front.approx_skipped() * 100, (calls - with_skips) * 70);
}

template <class Cell>
class a_cell_with_skips : public testing::Test {};
using every = weir::every_cell<256, word>::as<testing::Types>;
TYPED_TEST_SUITE(a_cell_with_skips, every);

TYPED_TEST(a_cell_with_skips, passes_its_rate) {
    clock::set(weir::tick{1'000'000'000'000});
    const quota q{256, weir::milliseconds(1), 256};
    weir::limiter<TypeParam, clock> alone{q};
    weir::limiter<TypeParam, clock> l{q};
    skipping s(l);
    passes_the_rate(alone, s, nanoseconds(1), 4'000'000);
}

TEST_F(a_limit_with_skips, passes_its_rate_in_stripes) {
    limiter l{quota{1'000'000, seconds(1), 640}};
    weir::striped<limiter, 4> all(l);
    skipping s(all);
    while (s.try_acquire()) {
    }
    word passed = 0;
    for (int i = 0; i < 4'000'000; ++i) {
        clock::advance(nanoseconds(25));
        passed += s.try_acquire() ? 1U : 0U;
    }
    EXPECT_LE(passed, 100'000U);
    EXPECT_GE(passed, 99'700U);
    EXPECT_GT(s.approx_skipped(), 2'800'000U);
}

TEST_F(a_limit_with_skips, is_another_count_for_each_thread) {
    limiter l{quota{1, seconds(1), 1}};
    skipping<limiter, 1> s(l);
    (void)l.drain();
    for (int i = 0; i < 3; ++i) {
        clock::advance(microseconds(1));
        EXPECT_FALSE(s.try_acquire());
    }
    EXPECT_EQ(s.try_acquire().shared(), nullptr);
    // It shares the place, but not the count.
    std::thread([&] { EXPECT_NE(s.try_acquire().shared(), nullptr); }).join();
    EXPECT_NE(s.try_acquire().shared(), nullptr);
}

TEST_F(a_limit_with_skips, stands_in_front_of_an_entry_and_in_all_of) {
    weir::limiter_array<2, weir::gcra<>, clock> all{quota{1, seconds(1), 1}};
    skipping s(all[1]);
    limiter other{per_second(1000)};
    weir::all_of both(s, other);
    EXPECT_TRUE(both.try_acquire());
    EXPECT_FALSE(both.try_acquire());
    EXPECT_TRUE(all[0].try_acquire());
    EXPECT_EQ(other.peek(0).remaining(), 999U);
}

}  // namespace

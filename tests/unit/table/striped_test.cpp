// SPDX-License-Identifier: MIT
// A striped limit in virtual time: its bounds over random histories, and what becomes of leases.
// The test chooses the caller's stripe, as threads do elsewhere.
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/given.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/array.hpp>
#include <weir/table/striped.hpp>

#include "../../most_within.hpp"
#include "../../oracle/dice.hpp"
#include "../../own_limit.hpp"

namespace {

using weir::microseconds;
using weir::nanoseconds;
using weir::per_second;
using weir::quota;
using weir::seconds;
using weir::striped;
using weir::word;

using clock = weir::manual_clock<struct stripes>;
using instant = weir::instant<clock>;
using limiter = weir::limiter<weir::gcra<>, clock, weir::counters>;

constexpr word begin = 1'000'000'000'000;

struct chosen {
    using stock = weir::exchanged_stock;
    static inline std::size_t stripe_ = 0;
    static std::size_t mine(std::size_t stripes) noexcept { return stripe_ & (stripes - 1); }
};

template <class Limit, std::size_t Stripes = 4>
using in_stripes = striped<Limit, Stripes, chosen>;

// --- it is a limit

template <class L>
constexpr bool is_all = weir::lending<L>&& weir::reserving<L>&& weir::undoing<L>;

static_assert(is_all<striped<limiter>> && !weir::moving_places<striped<limiter>>);
static_assert(weir::moving_places<striped<weir::adjustable<clock>>>);
static_assert(is_all<striped<own::limit<clock>>>);
using log_limiter = weir::limiter<weir::sliding_log<64>, clock>;
static_assert(weir::lending<striped<log_limiter>> && !weir::reserving<striped<log_limiter>>);
static_assert(weir::limit<striped<striped<limiter>>>);

constinit weir::limiter<weir::gcra<>, clock> global{per_second(1000)};
constinit striped global_stripes(global);

class a_striped_limit : public testing::Test {
protected:
    void SetUp() override {
        clock::set(weir::tick{begin});
        chosen::stripe_ = 0;
    }
    [[nodiscard]] static word remaining(const limiter& l) { return l.peek(0).remaining(); }
};

TEST_F(a_striped_limit, may_be_a_constinit_global) {
    EXPECT_TRUE(global_stripes.try_acquire());
    EXPECT_EQ(global.peek(0).remaining() + global_stripes.approx_left(), 999U);
}

// --- leases

TEST_F(a_striped_limit, spends_a_lease_without_the_shared_limit) {
    limiter shared{per_second(1000)};
    in_stripes<limiter> all(shared);
    EXPECT_TRUE(all.try_acquire());
    EXPECT_EQ(remaining(shared), 1000U - 16);
    EXPECT_EQ(all.approx_left(), 15U);
    EXPECT_EQ(shared.observer().admitted(), 1U);
    for (int i = 0; i < 15; ++i) {
        const auto d = all.try_acquire();
        EXPECT_TRUE(d);
        EXPECT_EQ(d.verdict(), weir::verdict::admitted);
        EXPECT_EQ(d.retry_after(), nanoseconds{});
        EXPECT_EQ(d.shared(), nullptr);
    }
    EXPECT_EQ(shared.observer().admitted(), 1U);
    EXPECT_EQ(all.approx_restocks(), 1U);
}

TEST_F(a_striped_limit, doubles_a_lease_that_lasts_less_than_100_us_up_to_its_bound) {
    limiter shared{per_second(1000)};
    in_stripes<limiter> all(shared);
    const auto lease = [&] {
        const word restocks = all.approx_restocks();
        while (all.approx_restocks() == restocks) EXPECT_TRUE(all.try_acquire());
        return all.approx_left() + 1;
    };
    EXPECT_EQ(lease(), 16U);
    EXPECT_EQ(lease(), 32U);
    clock::advance(microseconds(100));
    EXPECT_EQ(lease(), 32U);
    clock::advance(microseconds(99));
    EXPECT_EQ(lease(), 64U);
    EXPECT_EQ(lease(), 1000U / 8);
    EXPECT_EQ(lease(), 1000U / 8);
}

TEST_F(a_striped_limit, takes_no_lease_larger_than_it_is_told) {
    limiter shared{per_second(1000)};
    in_stripes<limiter> all(shared, 5);
    for (int i = 0; i < 50; ++i) {
        EXPECT_TRUE(all.try_acquire());
        EXPECT_LE(all.approx_left(), 4U);
    }
    EXPECT_EQ(all.approx_restocks(), 10U);
}

TEST_F(a_striped_limit, takes_a_whole_lease_or_what_is_asked_for_and_halves_the_next) {
    limiter shared{quota{1, seconds(1), 1000}};
    in_stripes<limiter> all(shared);
    (void)shared.acquire_up_to(1000 - 15);
    // A lease of 16 is not there.
    EXPECT_TRUE(all.try_acquire());
    EXPECT_EQ(all.approx_left(), 0U);
    EXPECT_EQ(remaining(shared), 14U);
    // One of 8 is.
    EXPECT_TRUE(all.try_acquire());
    EXPECT_EQ(all.approx_left(), 7U);
    EXPECT_EQ(remaining(shared), 6U);
}

TEST_F(a_striped_limit, goes_to_the_shared_limit_for_more_than_a_lease) {
    limiter shared{per_second(80)};
    in_stripes<limiter> all(shared);
    EXPECT_TRUE(all.try_acquire(11));
    EXPECT_EQ(all.approx_left(), 0U);
    EXPECT_EQ(remaining(shared), 69U);
    EXPECT_TRUE(all.try_acquire(10));  // the largest lease
    EXPECT_EQ(all.approx_restocks(), 1U);
    EXPECT_EQ(all.try_acquire(81).verdict(), weir::verdict::never);
    EXPECT_EQ(all.try_acquire(81).retry_after(), nanoseconds::longest());
}

TEST_F(a_striped_limit, has_no_leases_where_the_burst_has_none_for_each_stripe) {
    limiter shared{per_second(7)};
    in_stripes<limiter> all(shared);
    for (int i = 0; i < 7; ++i) EXPECT_TRUE(all.try_acquire());
    EXPECT_FALSE(all.try_acquire());
    EXPECT_EQ(all.approx_restocks(), 0U);
}

TEST_F(a_striped_limit, only_looks_if_nothing_is_asked_for) {
    limiter shared{per_second(1000)};
    in_stripes<limiter> all(shared);
    const auto d = all.try_acquire(0);
    EXPECT_TRUE(d);
    ASSERT_NE(d.shared(), nullptr);
    EXPECT_EQ(d.shared()->remaining(), 1000U);
    EXPECT_EQ(all.approx_left(), 0U);
}

TEST_F(a_striped_limit, peeks_at_the_stripe_and_then_at_the_shared_limit) {
    limiter shared{per_second(1000)};
    in_stripes<limiter> all(shared);
    EXPECT_TRUE(all.peek(1000));
    EXPECT_FALSE(all.peek(1001));
    EXPECT_TRUE(all.try_acquire());
    (void)shared.drain();
    EXPECT_TRUE(all.peek(15));
    EXPECT_FALSE(all.peek(16));
    EXPECT_EQ(all.peek(16).retry_after(), shared.peek(16).retry_after());
    chosen::stripe_ = 1;
    EXPECT_FALSE(all.peek());
    EXPECT_EQ(all.approx_left(), 15U);
}

// --- what is left goes back

TEST_F(a_striped_limit, gives_back_what_is_left_in_all_stripes) {
    limiter shared{per_second(1000)};
    {
        in_stripes<limiter> all(shared);
        for (chosen::stripe_ = 0; chosen::stripe_ < 3; ++chosen::stripe_)
            EXPECT_TRUE(all.try_acquire());
        all.give_back();
        EXPECT_EQ(all.approx_left(), 0U);
        EXPECT_EQ(remaining(shared), 997U);
        all.give_back();
        EXPECT_EQ(remaining(shared), 997U);
        EXPECT_TRUE(all.try_acquire());
        EXPECT_EQ(remaining(shared), 997U - 16);
    }
    EXPECT_EQ(remaining(shared), 996U);
}

TEST_F(a_striped_limit, gives_back_at_the_end_by_a_time_that_nobody_reads) {
    using given = weir::given_clock<struct no_stripes, 1000>;
    using weir::instant;
    const instant<given> now(1'000'000);
    weir::limiter<weir::gcra<>, given> shared{per_second(1000)};
    {
        in_stripes<weir::limiter<weir::gcra<>, given>> all(shared);
        EXPECT_TRUE(all.try_acquire(1, now));
    }
    EXPECT_EQ(shared.peek(0, now).remaining(), 999U);
}

TEST_F(a_striped_limit, is_as_at_the_beginning_after_a_reset) {
    limiter shared{per_second(1000)};
    in_stripes<limiter> all(shared);
    while (all.try_acquire()) {
    }
    chosen::stripe_ = 1;
    EXPECT_FALSE(all.try_acquire());
    all.reset();
    EXPECT_EQ(remaining(shared), 1000U);
    EXPECT_TRUE(all.try_acquire());
    EXPECT_EQ(all.approx_left(), 15U);
    all.reset();
    EXPECT_EQ(all.approx_left(), 0U);
    EXPECT_EQ(remaining(shared), 1000U);
    EXPECT_TRUE(all.try_acquire());
    EXPECT_EQ(all.approx_left(), 15U);
}

// --- other limits, and other users of them

TEST_F(a_striped_limit, waits_and_reserves_in_the_shared_limits_order) {
    limiter shared{quota{1000, seconds(1), 100}};
    in_stripes<limiter> all(shared);
    (void)shared.drain();
    auto place = all.reserve(1);
    EXPECT_EQ(place.wait(), weir::milliseconds(1));
    EXPECT_EQ(shared.reserve(1).wait(), weir::milliseconds(2));
    EXPECT_FALSE(all.undo(std::move(place)));  // somebody has come since
    clock::advance(seconds(1));
    EXPECT_EQ(weir::acquire_for(all, 1, nanoseconds{}).how, weir::ending::acquired);
    EXPECT_EQ(remaining(shared), 99U);
}

TEST_F(a_striped_limit, is_a_member_of_all_of) {
    limiter shared{per_second(1000)};
    limiter other{quota{1, seconds(1), 2}};
    in_stripes<limiter> many(shared);
    weir::all_of both(many, other);
    EXPECT_TRUE(both.try_acquire(2));
    EXPECT_FALSE(both.try_acquire(2));
    EXPECT_EQ(remaining(shared) + many.approx_left(), 998U);
}

template <class Limit>
void passes_its_burst(Limit& shared, word burst) {
    in_stripes<Limit> all(shared);
    word passed = 0;
    for (std::size_t tries = 0; tries < 10 * burst; ++tries) {
        chosen::stripe_ = tries / 3;
        if (all.try_acquire()) ++passed;
    }
    EXPECT_EQ(passed + all.approx_left(), burst);
    EXPECT_EQ(all.approx_left(), 0U);
}

TEST_F(a_striped_limit, shares_an_adjustable_limit_or_one_of_ones_own) {
    weir::adjustable<clock> changing{quota{1, seconds(1), 300}};
    passes_its_burst(changing, 300);
    own::limit<clock> own(300, 1'000'000'000);
    passes_its_burst(own, 300);
}

TEST_F(a_striped_limit, shares_an_entry_of_an_array_that_is_given_by_value) {
    using layout = weir::array_layout;
    weir::limiter_array<2, weir::gcra<>, clock, layout{.refunds = true}> all{per_second(1000)};
    {
        striped in(all[1]);
        EXPECT_TRUE(in.try_acquire());
        EXPECT_EQ(all[1].peek(0).remaining() + in.approx_left(), 999U);
        EXPECT_GT(in.approx_left(), 0U);
    }
    EXPECT_EQ(all[1].peek(0).remaining(), 999U);
    EXPECT_EQ(all[0].peek(0).remaining(), 1000U);
}

template <class Cell>
class a_striped_cell : public testing::Test {};
using every = weir::every_cell<256, word>::as<testing::Types>;
TYPED_TEST_SUITE(a_striped_cell, every);

TYPED_TEST(a_striped_cell, passes_its_burst) {
    clock::set(weir::tick{begin});
    weir::limiter<TypeParam, clock> shared{quota{256, seconds(1), 256}};
    passes_its_burst(shared, 256);
}

// --- the bounds, over random histories

struct passage {
    word at;
    word units;
};

// Hammers, idles, and changes stripes, for many times the burst. `each` sees each decision.
template <class Striped, class Each>
void ask_at_random(Striped& all, unsigned seed, int rounds, Each each) {
    oracle::dice d(seed);
    for (int round = 0; round < rounds; ++round) {
        const word calls = 1 + d.roll(40);
        const word step = d.roll(3) == 0 ? 0 : d.roll(30'000);  // ns
        const bool holds_one = d.roll(2) == 0;
        for (word i = 0; i < calls; ++i) {
            if (!holds_one) chosen::stripe_ = d.index(4);
            const word n = d.roll(8) == 0 ? d.roll(30) : 1;
            each(n, all.try_acquire(n));
            clock::advance(nanoseconds(static_cast<std::int64_t>(step)));
        }
        chosen::stripe_ = d.index(4);
        if (d.roll(20) == 0) clock::advance(weir::milliseconds(2));
        if (d.roll(200) == 0) all.give_back();
    }
}

// The most that passed in windows of some lengths, in units above what the rate brings in them.
[[nodiscard]] word most_above_the_rate(const std::vector<passage>& all, const quota& q) {
    word most = 0;
    for (const word length : {1U, 1'000U, 50'000U, 200'000U, 1'000'000U, 5'000'000U}) {
        const word by_rate = length * static_cast<word>(q.units()) / 1'000'000'000;
        const word passed = most_within(length, all, &passage::at, &passage::units);
        most = std::max(most, passed - std::min(passed, by_rate));
    }
    return most;
}

[[nodiscard]] std::vector<passage> passages_of(const quota& shared_one, unsigned seed) {
    clock::set(weir::tick{begin});
    limiter shared{shared_one};
    in_stripes<limiter> all(shared);
    std::vector<passage> passed;
    ask_at_random(all, seed, 4000, [&](word n, const auto& d) {
        if (n != 0 && d) passed.push_back({clock::now().count, n});
    });
    return passed;
}

TEST_F(a_striped_limit, keeps_burst_and_rate_in_every_window) {
    const quota whole{1'000'000, seconds(1), 600};
    const quota shared = in_stripes<limiter>::shared_quota(whole);
    word most = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        const word some = most_above_the_rate(passages_of(shared, seed), whole);
        EXPECT_LE(some, 600U + 1) << "seed " << seed;
        most = std::max(most, some);
    }
    EXPECT_GT(most, 400U) << "no window came near the bound, so nothing was shown";
    // Units that lie in stripes do count: with all of the burst the bound is passed.
    most = 0;
    for (unsigned seed = 0; seed < 20; ++seed)
        most = std::max(most, most_above_the_rate(passages_of(whole, seed), whole));
    EXPECT_GT(most, 600U + 1);
    EXPECT_LE(most, 600U + 4 * (600U / 8) + 1);
}

TEST_F(a_striped_limit, spends_what_was_taken_and_no_more) {
    const quota q{1, weir::hours(24), 5000};
    for (unsigned seed = 0; seed < 20; ++seed) {
        clock::set(weir::tick{begin});
        limiter shared{q};
        in_stripes<limiter> all(shared);
        word spent = 0;
        ask_at_random(all, seed, 1000, [&](word n, const auto& d) {
            spent += d ? n : 0;
            ASSERT_EQ(spent + all.approx_left() + remaining(shared), 5000U) << "seed " << seed;
        });
        ASSERT_GT(spent, 4800U);
    }
}

TEST_F(a_striped_limit, denies_only_what_the_shared_limit_denies_or_shortly_after) {
    unsigned by_shared = 0;
    unsigned shortly_after = 0;
    for (unsigned seed = 0; seed < 20; ++seed) {
        clock::set(weir::tick{begin});
        limiter shared{quota{1'000'000, seconds(1), 400}};
        in_stripes<limiter> all(shared);
        std::array<word, 4> denied_at{};
        ask_at_random(all, seed, 10'000, [&](word n, const auto& d) {
            if (d) return;
            const word now = clock::now().count;
            const auto its = shared.peek(n);
            if (!its) {
                ++by_shared;
                denied_at.at(chosen::stripe_) = now;
                ASSERT_EQ(d.retry_after(), its.retry_after());
            } else {
                ++shortly_after;
                const word since = now - denied_at.at(chosen::stripe_);
                ASSERT_LT(since, 100'000U);
                ASSERT_GT(d.retry_after(), nanoseconds{});
                ASSERT_LE(d.retry_after() + nanoseconds(static_cast<std::int64_t>(since)),
                          microseconds(100));
            }
            ASSERT_LT(all.approx_left(), word{4} * (400 / 8) + n);
        });
    }
    EXPECT_GT(by_shared, 1000U);
    EXPECT_GT(shortly_after, 100U);
}

TEST_F(a_striped_limit, passes_whoever_comes_back_after_the_time_it_was_told) {
    oracle::dice d(3);
    limiter shared{quota{1'000'000, seconds(1), 400}};
    in_stripes<limiter> all(shared);
    for (int round = 0; round < 5000; ++round) {
        chosen::stripe_ = d.index(4);
        const word n = 1 + d.roll(60);
        auto how = all.try_acquire(n);
        for (int tries = 0; !how; ++tries) {
            // Once by the shared limit's denial, and once by the end of a back-off.
            ASSERT_LT(tries, 2);
            clock::advance(how.retry_after());
            how = all.try_acquire(n);
        }
    }
}

TEST_F(a_striped_limit, passes_the_rate_to_one_core_alone) {
    limiter shared{quota{1'000'000, seconds(1), 640}};
    in_stripes<limiter> all(shared);
    while (all.try_acquire()) {
    }
    word passed = 0;
    for (int i = 0; i < 1'000'000; ++i) {
        passed += all.try_acquire() ? 1U : 0U;
        clock::advance(nanoseconds(100));
    }
    EXPECT_LE(passed, 100'000U);
    EXPECT_GE(passed, 99'900U);
    EXPECT_LT(shared.observer().admitted(), passed / 4) << "it went to the shared limit too often";
}

// --- how much the shared limit has

TEST_F(a_striped_limit, leaves_room_for_all_leases_in_the_shared_quota) {
    using small_one = striped<limiter, 4>;
    for (std::int64_t burst = 1; burst < 300; ++burst) {
        for (const word lease : {word{1}, word{2}, word{7}, weir::largest<word>}) {
            const quota q = small_one::shared_quota({10, seconds(1), burst}, lease);
            EXPECT_EQ(q.units(), 10);
            const auto shared = static_cast<word>(q.burst());
            const word all = shared + 4 * std::min(lease, shared / 8);
            EXPECT_LE(all, static_cast<word>(burst)) << lease;
            EXPECT_GE(shared, static_cast<word>(burst) * 2 / 3) << lease;
        }
    }
    EXPECT_EQ(small_one::shared_quota(per_second(1000)).burst(), 666);
    EXPECT_EQ(small_one::shared_quota(per_second(1000), 10).burst(), 960);
    EXPECT_EQ(small_one::shared_quota(per_second(7)).burst(), 7);
}

// --- the policy

TEST(stripe_of_thread, is_another_one_for_each_of_as_many_threads) {
    std::set<std::size_t> all;
    for (int i = 0; i < 8; ++i) {
        std::thread([&] {
            const std::size_t mine = weir::stripe_of_thread::mine(8);
            EXPECT_EQ(weir::stripe_of_thread::mine(8), mine);
            all.insert(mine);
        }).join();
    }
    EXPECT_EQ(all.size(), 8U);
    EXPECT_EQ(*all.rbegin(), 7U);
}

TEST(exchanged_stock, is_restocked_by_one_at_a_time_and_serves_others_meanwhile) {
    using restock = weir::exchanged_stock::restock;
    weir::exchanged_stock s;
    EXPECT_FALSE(s.try_take(1));
    EXPECT_EQ(s.begin_restock(1), restock::begun);
    EXPECT_EQ(s.begin_restock(1), restock::occupied);
    s.end_restock(5);
    EXPECT_EQ(s.units(), 5U);
    EXPECT_EQ(s.begin_restock(2), restock::served);
    EXPECT_EQ(s.begin_restock(4), restock::begun);
    EXPECT_TRUE(s.try_take(1));
    EXPECT_EQ(s.begin_restock(2), restock::served);
    EXPECT_EQ(s.units(), 0U);
    s.end_restock(7);
    EXPECT_EQ(s.begin_restock(weir::largest<word>), restock::begun);
    EXPECT_EQ(s.take_all(), 7U);
    EXPECT_EQ(s.begin_restock(1), restock::occupied);
    s.end_restock(0);
    EXPECT_EQ(s.begin_restock(1), restock::begun);
}

TEST(restock_pace, backs_off_by_another_time_in_each_stripe) {
    std::array<weir::restock_pace<clock>, 16> all;
    std::set<word> times;
    for (auto& one : all) {
        one.back_off(1, microseconds(40), instant(begin));
        const word quiet = one.quiet(1, instant(begin));
        EXPECT_GE(quiet, 20'000U);
        EXPECT_LE(quiet, 40'000U);
        times.insert(quiet);
        EXPECT_EQ(one.quiet(1, instant(begin + quiet)), 0U);
        EXPECT_EQ(one.quiet(1, instant(begin - 1)), 0U);  // a late time
        one.back_off(3, seconds(1), instant(begin));
        EXPECT_LE(one.quiet(3, instant(begin)), 100'000U);
        EXPECT_EQ(one.quiet(2, instant(begin)), 0U);  // fewer than were denied
    }
    EXPECT_GT(times.size(), 8U);
}

}  // namespace

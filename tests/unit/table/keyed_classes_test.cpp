// SPDX-License-Identifier: MIT
// Keyed tables with a quota for each class. Compared with exact models in oracle/.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/given.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/table/keyed.hpp>

#include "../../keyed_layouts.hpp"
#include "../../oracle/dice.hpp"

namespace {

using weir::keyed_limits;
using weir::keyed_options;
using weir::microseconds;
using weir::milliseconds;
using weir::per_minute;
using weir::per_second;
using weir::quota_error;
using weir::seconds;
using weir::seed;
using weir::when_full;
using weir::word;

constexpr word beginning = 1'000'000'000'000;
constexpr seed fixed(20261120);

struct classes_clock {};
using clock = weir::manual_clock<classes_clock>;

enum class kind { guest, member };

template <class Layout>
class keyed_classes : public testing::Test {
protected:
    template <std::size_t Places>
    using table = keyed_limits<Places, clock,
                               weir::keyed_layout{.exact = Layout::layout.exact, .classes = 2}>;
    template <std::size_t Places>
    using table_of_one =
        keyed_limits<Places, clock,
                     weir::keyed_layout{.exact = Layout::layout.exact, .classes = 1}>;
    static constexpr std::size_t line = table<weir::any_size>::places_in_line;

    // Guests: a unit takes 6 s; members: 50 ms.
    template <std::size_t Places = 64>
    [[nodiscard]] static auto some(when_full policy = when_full::deny,
                                   const keyed_options& o = {}) {
        return table<Places>({per_minute(10), per_second(20)}, policy, fixed, o);
    }
    void SetUp() override { clock::set(weir::tick{beginning}); }
};
using layouts = testing::Types<compact_table, exact_table>;
TYPED_TEST_SUITE(keyed_classes, layouts);

[[nodiscard]] ::testing::AssertionResult is_about(weir::nanoseconds time, weir::nanoseconds exact,
                                                  weir::nanoseconds longer) {
    if (time >= exact && time <= exact + longer) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << time.count() << " ns";
}

// --- a key of a class is a limit

TYPED_TEST(keyed_classes, have_a_quota_each) {
    auto all = this->some();
    EXPECT_EQ(all.limit(1, kind::guest).drain(), 10U);
    EXPECT_EQ(all.limit(2, kind::member).drain(), 20U);
    EXPECT_EQ(all.limit(3, 1).drain(), 20U);
    EXPECT_EQ(all.limit(1, kind::guest).quota(), per_minute(10));
    EXPECT_EQ(all.limit(2, kind::member).burst(), 20U);
    // A granule of a member is 13 us, and one of a guest 1.5 ms.
    EXPECT_TRUE(
        is_about(all.limit(1, kind::guest).peek().retry_after(), seconds(6), milliseconds(2)));
    EXPECT_TRUE(is_about(all.limit(2, kind::member).peek().retry_after(), milliseconds(50),
                         microseconds(13)));
    clock::advance(milliseconds(6'002));
    EXPECT_EQ(all.limit(1, kind::guest).drain(), 1U);
    EXPECT_EQ(all.limit(2, kind::member).drain(), 20U);
}

TYPED_TEST(keyed_classes, have_keys_that_can_be_asked_what_a_limiter_can) {
    auto all = this->some();
    using entry = typename decltype(all)::entry;
    static_assert(weir::limit<entry> && weir::lending<entry> && weir::limit_view<entry>);
    static_assert(!weir::reserving<entry>);
    const auto guest = [&](int key) { return all.limit(key, kind::guest); };
    EXPECT_EQ(guest(1).acquire_up_to(15).units, 10U);
    EXPECT_EQ(guest(1).acquire_up_to(15).units, 0U);
    EXPECT_TRUE(guest(2).charge(15));
    EXPECT_EQ(guest(2).debt(), 5U);
    EXPECT_FALSE(guest(2).charge(6));
    EXPECT_EQ(guest(3).try_acquire(11).verdict(), weir::verdict::never);
    EXPECT_EQ(guest(3).try_acquire(11).retry_after(), weir::nanoseconds::longest());
    EXPECT_EQ(guest(4).charge(21).verdict(), weir::verdict::never);
    EXPECT_EQ(guest(5).peek(3).remaining(), 7U);
    EXPECT_EQ(guest(5).drain(), 10U);
    guest(5).reset();
    EXPECT_TRUE(guest(5).try_acquire(10));
    EXPECT_EQ(weir::acquire_for(guest(5), 1, milliseconds(1)).how, weir::ending::too_late);

    EXPECT_TRUE(weir::all_of(guest(10), all.limit(11, kind::member)).try_acquire(10));
    EXPECT_FALSE(weir::all_of(guest(10), guest(12)).try_acquire());
    EXPECT_EQ(guest(12).drain(), 10U);
    weir::lease some(guest(13), 4);
    EXPECT_TRUE(some.try_acquire());
    EXPECT_EQ(guest(13).drain(), 6U);
    EXPECT_FALSE(guest(13).take(5, 4, clock::now()));

    auto with_observer = keyed_limits<64, clock, weir::keyed_layout{.classes = 1}, weir::counters>(
        per_second(1), when_full::deny, fixed);
    (void)with_observer[1].try_acquire(1);
    (void)with_observer[1].try_acquire(1);
    EXPECT_EQ(with_observer.observer().admitted(), 1U);
    EXPECT_EQ(with_observer.observer().denied(), 1U);
}

// Each operation, beside an adjustable limit for each key, whose quota changes with the classes'.
TYPED_TEST(keyed_classes, have_keys_that_answer_as_adjustable_limits_do) {
    using adjustable = weir::adjustable<clock>;
    constexpr weir::quota first = per_second(128).with_burst(5);
    constexpr int keys = 3;
    typename TestFixture::template table<256> all({first, first}, when_full::deny, fixed,
                                                  {.guard = weir::nanoseconds{}});
    std::vector<std::unique_ptr<adjustable>> limits;
    limits.reserve(keys);
    for (int i = 0; i < keys; ++i) limits.push_back(std::make_unique<adjustable>(first));
    std::array<weir::quota, 2> now_of{first, first};
    oracle::dice d(7);
    const auto same = [](const auto& one, const auto& other) {
        EXPECT_EQ(one.verdict(), other.verdict());
        EXPECT_EQ(one.remaining(), other.remaining());
        if (other.verdict() == weir::verdict::never) return;
        // To the granule, which is 4 us or less.
        const std::int64_t apart = one.retry_after().count() - other.retry_after().count();
        EXPECT_LE(std::abs(apart), 5'000);
    };
    for (int round = 0; round < 20'000 && !this->HasFailure(); ++round) {
        const auto key = static_cast<int>(d.roll(keys));
        auto& own = *limits.at(static_cast<std::size_t>(key));
        const auto its = all.limit(key, key == 0 ? 0 : 1);
        auto limit = its;
        const word n = d.roll(6);
        // In 512ths of a second, so that nothing is rounded.
        clock::advance(weir::nanoseconds(static_cast<std::int64_t>(d.roll(40)) * 1'953'125));
        switch (d.roll(8)) {
            case 0: same(limit.charge(n), own.charge(n)); break;
            case 1: EXPECT_EQ(limit.acquire_up_to(n).units, own.acquire_up_to(n).units); break;
            case 2: EXPECT_EQ(limit.drain(), own.drain()); break;
            case 3: EXPECT_EQ(limit.debt(), own.debt()); break;
            case 4: same(limit.peek(n), own.peek(n)); break;
            case 5: {
                if (!d.one_in(4)) break;
                const weir::quota next = per_second(std::int64_t{64} << d.roll(3)).with_burst(5);
                const auto of_class = static_cast<std::size_t>(d.roll(2));
                now_of.at(of_class) = next;
                EXPECT_EQ(all.set_quota(of_class, next), quota_error::none);
                for (std::size_t k = 0; k < keys; ++k) {
                    if ((k == 0 ? 0U : 1U) == of_class) {
                        EXPECT_EQ(limits.at(k)->set_quota(next), quota_error::none);
                    }
                }
                EXPECT_EQ(limit.quota(), now_of.at(key == 0 ? 0 : 1));
                break;
            }
            default: same(limit.try_acquire(n), own.try_acquire(n));
        }
    }
}

TYPED_TEST(keyed_classes, of_which_there_is_one_are_a_table_whose_quota_changes) {
    typename TestFixture::template table_of_one<64> all(per_second(10), when_full::deny, fixed);
    EXPECT_TRUE(all[1].try_acquire(7));
    EXPECT_EQ(all.set_quota(per_minute(60).with_burst(40)), quota_error::none);
    EXPECT_EQ(all[1].drain(), 3U);
    EXPECT_TRUE(is_about(all[1].peek().retry_after(), seconds(1), milliseconds(1)));
    EXPECT_EQ(all[2].drain(), 40U);
    EXPECT_EQ(all[1].quota(), per_minute(60).with_burst(40));
}

// --- a quota changes

TYPED_TEST(keyed_classes, keep_units_when_their_quota_changes) {
    auto all = this->some();
    const auto left = [&](int key) { return all.limit(key, kind::member).peek(0).remaining(); };
    EXPECT_TRUE(all.limit(1, kind::member).try_acquire(13));
    EXPECT_TRUE(all.limit(2, kind::member).charge(35));
    EXPECT_TRUE(all.limit(3, kind::guest).try_acquire(4));
    for (const weir::quota& q : {per_second(50), per_second(1000).with_burst(7),
                                 weir::per_hour(1).with_burst(400), per_second(100'000)}) {
        EXPECT_EQ(all.set_quota(kind::member, q, weir::nanoseconds{}, clock::now()),
                  q.burst() > 512 ? quota_error::burst_too_long : quota_error::none);
        EXPECT_EQ(left(1), 7U);
        EXPECT_EQ(left(2), 0U);
        EXPECT_EQ(all.limit(2, kind::member).debt(), 15U);
        EXPECT_EQ(all.limit(3, kind::guest).peek(0).remaining(), 6U);
    }
    EXPECT_EQ(all.set_quota(kind::member, per_second(50)), quota_error::none);
    clock::advance(milliseconds(101));
    EXPECT_EQ(left(1), 12U);
    EXPECT_EQ(all.limit(2, kind::member).debt(), 10U);
}

TYPED_TEST(keyed_classes, have_all_of_a_larger_burst_for_keys_without_a_place) {
    auto all = this->some();
    EXPECT_TRUE(all.limit(1, kind::member).try_acquire(1));
    clock::advance(seconds(1));
    EXPECT_EQ(all.set_quota(kind::member, per_second(20).with_burst(30)), quota_error::none);
    // It would have come to 39 with a burst of 40.
    EXPECT_EQ(all.limit(1, kind::member).peek(0).remaining(), 30U);
    EXPECT_EQ(all.limit(2, kind::member).drain(), 30U);
    EXPECT_EQ(all.set_quota(kind::member, per_second(20).with_burst(100)), quota_error::none);
    EXPECT_EQ(all.limit(1, kind::member).drain(), 39U);
    EXPECT_EQ(all.limit(2, kind::member).drain(), 0U);
}

TYPED_TEST(keyed_classes, change_evenly_if_they_are_told_to) {
    auto all = this->some();
    EXPECT_EQ(all.limit(1, kind::member).drain(), 20U);
    EXPECT_EQ(all.set_quota(kind::member, per_second(60).with_burst(200), seconds(2)),
              quota_error::none);
    clock::advance(milliseconds(1'001));
    // (20 + 40) / 2 and (20 + 60) / 2 units a second.
    EXPECT_EQ(all.limit(1, kind::member).drain(), 30U);
    clock::advance(seconds(1));
    EXPECT_EQ(all.limit(1, kind::member).drain(), 50U);
    clock::advance(seconds(1));
    EXPECT_EQ(all.limit(1, kind::member).drain(), 60U);
}

TYPED_TEST(keyed_classes, refuse_quotas_that_have_no_room) {
    auto all = this->some();
    const auto change = [&](const weir::quota& q, weir::nanoseconds over = {}) {
        return all.set_quota(kind::member, q, over);
    };
    EXPECT_EQ(change(per_second(20), seconds(-1)), quota_error::change_negative);
    EXPECT_EQ(change(per_second(1).with_burst(513)), quota_error::burst_too_long);
    EXPECT_EQ(change(per_second(1).with_burst(512)), quota_error::burst_too_long);  // the guard
    EXPECT_EQ(change(per_second(1).with_burst(511)), quota_error::none);
    EXPECT_EQ(change(per_second(20), seconds(1'000'000'000)), quota_error::change_too_long);
    EXPECT_EQ(change(per_second(20)), quota_error::none);
    EXPECT_EQ(all.limit(1, kind::member).quota(), per_second(20));
    EXPECT_DEATH((void)all.limit(1, 2), "a keyed table has no such class");
    EXPECT_DEATH((void)all.set_quota(-1, per_second(1)), "a keyed table has no such class");

    using some = typename TestFixture::template table<64>;
    EXPECT_EQ(some::refusal({per_second(1), per_minute(1)}), quota_error::none);
    EXPECT_EQ(some::refusal({per_second(1), per_second(1)}, {.room = 2}),
              quota_error::burst_too_long);
    EXPECT_EQ(some::refusal({per_second(1), per_second(1)}, {.room = 3}), quota_error::none);
    EXPECT_EQ(some::refusal({per_second(1), per_second(1)}, {.room = -3}),
              quota_error::burst_too_long);
    EXPECT_EQ(some::refusal({per_second(1), per_second(8'000'000)}), quota_error::none);
    EXPECT_EQ(some::refusal({per_second(1), per_second(9'000'000)}), quota_error::burst_too_long);
    EXPECT_EQ(some::refusal({per_second(1), per_second(9'000'000)}, {.debt = 0}),
              quota_error::none);
    EXPECT_EQ(some::refusal({per_second(1), per_second(1)}, {.debt = -1}),
              quota_error::debt_negative);
    EXPECT_EQ(some::refusal({per_second(1), per_second(1)}, {.guard = milliseconds(-1)}),
              quota_error::guard_negative);
    EXPECT_THROW(some({per_second(1), per_second(9'000'000)}, when_full::deny, fixed),
                 weir::refused);
}

// --- a key's class changes

TYPED_TEST(keyed_classes, keep_the_units_of_a_key_that_comes_with_another_class) {
    auto all = this->some();
    clock::advance(milliseconds(12'345));  // so that the classes' times are apart
    EXPECT_TRUE(all.limit(1, kind::guest).try_acquire(7));
    EXPECT_EQ(all.limit(1, kind::member).peek(0).remaining(), 3U);
    EXPECT_TRUE(all.limit(1, kind::member).try_acquire(2));
    EXPECT_EQ(all.limit(1, kind::guest).peek(0).remaining(), 1U);
    // It is a member now, whose units come faster, until a guest takes some.
    clock::advance(milliseconds(151));
    EXPECT_EQ(all.limit(1, kind::guest).drain(), 4U);
    clock::advance(milliseconds(151));
    EXPECT_EQ(all.limit(1, kind::member).drain(), 0U);
    clock::advance(milliseconds(6'002));
    EXPECT_EQ(all.limit(1, kind::member).drain(), 1U);

    EXPECT_TRUE(all.limit(2, kind::member).charge(25));
    EXPECT_EQ(all.limit(2, kind::guest).debt(), 5U);
    EXPECT_FALSE(all.limit(2, kind::guest).peek());
    // 6 units, which come as a member's until the key takes some.
    EXPECT_TRUE(is_about(all.limit(2, kind::guest).peek().retry_after(), milliseconds(300),
                         milliseconds(2)));
    all.limit(2, kind::guest).reset();
    EXPECT_EQ(all.limit(2, kind::member).drain(), 20U);
}

// --- places

TYPED_TEST(keyed_classes, leave_each_place_alone_as_long_as_its_own_class_needs_it) {
    auto all = this->template some<TestFixture::line>();
    for (std::size_t i = 0; i < this->line; ++i)
        EXPECT_TRUE(all.limit(i, i == 1 ? kind::guest : kind::member).try_acquire(1));
    const auto refused = all.limit(100, kind::guest).try_acquire();
    EXPECT_EQ(refused.remaining(), 0U);
    EXPECT_TRUE(is_about(refused.retry_after(), milliseconds(60), microseconds(30)));
    clock::advance(milliseconds(59));
    EXPECT_FALSE(all.limit(100, kind::guest).try_acquire());
    EXPECT_EQ(all.statistics().occupied, this->line);
    clock::advance(milliseconds(2));
    EXPECT_EQ(all.statistics().occupied, 1U);
    for (std::size_t i = 0; i + 1 < this->line; ++i)
        EXPECT_TRUE(all.limit(100 + i, kind::guest).try_acquire());
    const auto guests = all.limit(200, kind::member).try_acquire();
    EXPECT_TRUE(is_about(guests.retry_after(), milliseconds(6'010 - 61), milliseconds(4)));
    EXPECT_EQ(all.limit(1, kind::guest).peek(0).remaining(), 9U);
    clock::advance(guests.retry_after());
    EXPECT_TRUE(all.limit(200, kind::member).try_acquire());
    EXPECT_EQ(all.statistics().steals, this->line);
}

TYPED_TEST(keyed_classes, free_a_place_by_the_quota_of_the_present) {
    // Guests sleep for 6 s, or for 3 s since their quota is twice as high from the middle on.
    for (const bool changes : {false, true}) {
        auto all = this->template some<TestFixture::line>();
        for (std::size_t i = 0; i < this->line; ++i)
            EXPECT_TRUE(all.limit(i, kind::guest).try_acquire());
        if (changes) {
            EXPECT_EQ(all.set_quota(kind::guest, per_minute(20).with_burst(10)), quota_error::none);
        }
        const auto early = milliseconds(changes ? 3'008 : 6'008);
        EXPECT_TRUE(is_about(all.limit(100, kind::member).peek().retry_after(),
                             early + milliseconds(2), milliseconds(5)));
        clock::advance(early);
        EXPECT_FALSE(all.limit(100, kind::member).try_acquire());
        clock::advance(milliseconds(7));
        EXPECT_TRUE(all.limit(100, kind::member).try_acquire());
    }
    // An idle key is not idle in a larger bucket, so its place is not free until that is full.
    auto all = this->template some<TestFixture::line>();
    for (std::size_t i = 0; i < this->line; ++i)
        EXPECT_TRUE(all.limit(i, kind::member).try_acquire());
    clock::advance(milliseconds(61));
    EXPECT_EQ(all.set_quota(kind::member, per_second(20).with_burst(21)), quota_error::none);
    EXPECT_FALSE(all.limit(100, kind::member).try_acquire());
    clock::advance(milliseconds(50));
    EXPECT_TRUE(all.limit(100, kind::member).try_acquire());
}

// Whoever is late by the guard, with the quota of before or a time of before, finds no key that was
// forgotten since.
TYPED_TEST(keyed_classes, keep_the_guard_while_they_change) {
    struct change {
        weir::quota from;
        weir::quota to;
    };
    const auto guard = milliseconds(50);
    for (const change& c : {change{per_second(20), per_second(20).with_burst(10)},
                            {per_second(100).with_burst(20), per_second(10).with_burst(20)},
                            {per_second(10).with_burst(20), per_second(100).with_burst(20)}}) {
        typename TestFixture::template table<TestFixture::line> all(
            {c.from, per_second(20)}, when_full::deny, fixed, {.guard = guard});
        const auto its = [&](std::size_t key) { return all.limit(key, 0); };
        for (std::size_t i = 0; i < this->line; ++i) EXPECT_TRUE(its(i).try_acquire(5));
        // One tick before it would be idle for whoever knows the former quota alone.
        const weir::nanoseconds until_idle = its(0).peek(20).retry_after();
        clock::advance(weir::nanoseconds(until_idle.count() - 600'000));
        const auto late = clock::now();
        ASSERT_EQ(its(0).peek(0).remaining(), 19U);
        clock::advance(milliseconds(2));
        EXPECT_EQ(all.set_quota(0, c.to), quota_error::none);
        // For so long such a thread may decide.
        clock::advance(milliseconds(47));
        EXPECT_FALSE(all.limit(100, 1).try_acquire());
        EXPECT_EQ(its(0).peek(0, late).remaining(), std::min<word>(20U, its(0).burst()));
        // From then on the new one alone says how long a place is kept.
        clock::advance(milliseconds(13));
        EXPECT_TRUE(all.limit(100, 1).try_acquire());
    }
}

TYPED_TEST(keyed_classes, forgive_whoever_is_idle_first_in_whichever_class) {
    auto all = this->template some<TestFixture::line>(when_full::forgive_least);
    // The guest has fewer units to wait for, and waits for longer.
    EXPECT_TRUE(all.limit(0, kind::guest).try_acquire(1));
    for (std::size_t i = 1; i < this->line; ++i)
        EXPECT_TRUE(all.limit(i, kind::member).try_acquire(word{i == 2 ? 2U : 3U}));
    EXPECT_TRUE(all.limit(100, kind::guest).try_acquire(10));
    EXPECT_EQ(all.limit(0, kind::guest).peek(0).remaining(), 9U);
    for (std::size_t i = 1; i < this->line; ++i)
        EXPECT_EQ(all.limit(i, kind::member).peek(0).remaining(), i == 2 ? 20U : 17U) << i;
    EXPECT_TRUE(is_about(all.statistics().forgiven, milliseconds(110), microseconds(30)));
    EXPECT_EQ(all.statistics().full, 1U);
}

TYPED_TEST(keyed_classes, tell_which_keys_are_not_idle) {
    auto all = this->some();
    EXPECT_TRUE(all.limit(1, kind::guest).try_acquire(2));
    EXPECT_TRUE(all.limit(2, kind::member).try_acquire(2));
    std::vector<std::int64_t> after;
    const auto keep = [&](const weir::kept_key& k) { after.push_back(k.idle_after.count()); };
    all.for_each(keep);
    ASSERT_EQ(after.size(), 2U);
    std::sort(after.begin(), after.end());
    EXPECT_TRUE(is_about(weir::nanoseconds(after[0]), milliseconds(100), microseconds(20)));
    EXPECT_TRUE(is_about(weir::nanoseconds(after[1]), seconds(12), milliseconds(2)));
    clock::advance(milliseconds(112));
    EXPECT_EQ(all.clear_idle(), 1U);
    EXPECT_EQ(all.clear_idle(), 0U);
    EXPECT_EQ(all.limit(1, kind::guest).drain(), 8U);
    EXPECT_EQ(all.set_quota(kind::guest, per_second(10)), quota_error::none);
    clock::advance(milliseconds(1'012));
    EXPECT_EQ(all.clear_idle(), 1U);
}

// --- time

TYPED_TEST(keyed_classes, keep_what_they_know_wherever_the_clock_begins) {
    for (const word begin : {word{0}, ~word{0} - 1'000'000'000}) {
        clock::set(weir::tick{begin});
        auto all = this->template some<TestFixture::line>();
        for (std::size_t i = 0; i < this->line; ++i)
            EXPECT_EQ(all.limit(i, kind::member).drain(), 20U);
        EXPECT_FALSE(all.limit(9, kind::guest).try_acquire());
        clock::advance(milliseconds(1'020));
        for (std::size_t i = 0; i < this->line; ++i)
            EXPECT_EQ(all.limit(i, kind::member).drain(), 20U);
        EXPECT_EQ(all.set_quota(kind::member, per_second(40).with_burst(20)), quota_error::none);
        clock::advance(milliseconds(102));
        EXPECT_EQ(all.limit(0, kind::member).drain(), 4U);
    }
}

TYPED_TEST(keyed_classes, begin_anew_after_a_long_sleep) {
    for (const int days : {1, 7, 13, 77, 78, 100, 1000}) {
        auto all = this->template some<TestFixture::line>();
        EXPECT_EQ(all.limit(1, kind::member).drain(), 20U);
        EXPECT_EQ(all.limit(2, kind::guest).drain(), 10U);
        clock::advance(seconds(86'400LL * days + 12'345));
        EXPECT_EQ(all.limit(1, kind::member).drain(), 20U) << days;
        EXPECT_EQ(all.limit(2, kind::member).drain(), 20U) << days;
    }
}

// A relic of a member is busy again when 2^27 units have come: for no longer than the room, and
// twice that for whoever looks for a place.
TYPED_TEST(keyed_classes, meet_relics_with_the_stated_odds) {
    typename TestFixture::template table<TestFixture::line> all(
        {per_second(1000), per_second(1000)}, when_full::deny, fixed, {.room = 3'000});
    for (std::size_t i = 0; i < this->line; ++i) (void)all.limit(i, kind::member).try_acquire(1);
    constexpr std::int64_t circle = (std::int64_t{1} << 27U);  // units, or ms
    const auto begin = clock::now();
    const auto state = [&](std::int64_t units) {
        const auto then = begin + static_cast<word>((circle + units) * 1'000'000);
        return all.limit(0, kind::guest).peek(0, then).remaining();
    };
    EXPECT_EQ(state(-6'010), 1000U);
    EXPECT_LT(state(-5'000), 1000U);
    EXPECT_LT(state(-500), 1000U);
    EXPECT_EQ(state(10), 1000U);
    const auto places = [&](std::int64_t units) {
        const auto then = begin + static_cast<word>((circle + units) * 1'000'000);
        return all.statistics(then).occupied;
    };
    EXPECT_EQ(places(-6'010), 0U);
    EXPECT_EQ(places(-5'000), this->line);
    EXPECT_EQ(places(20), 0U);
}

TYPED_TEST(keyed_classes, take_the_place_of_a_thread_that_has_died_after_some_seconds) {
    using keys =
        std::conditional_t<TypeParam::layout.exact, weir::exact_keys<>, weir::compact_keys<>>;
    using some = typename TestFixture::template table<weir::any_size>;
    typename some::line memory[1];
    some all(memory, {per_minute(10), per_second(20)}, when_full::deny, fixed);
    // Ticks of a nanosecond, of which 2^30 are a unit of the claims' time.
    for (auto& place : memory[0].place) {
        const auto other = keys::key_of(42);
        const std::uint64_t claim = weir::key_word::claim(clock::now().count << 10U, 1, other.tag);
        keys::state(place).store_relaxed(claim);
        EXPECT_TRUE(keys::sign(place, claim, other));
    }
    const auto refused = all.limit(1, kind::guest).try_acquire();
    EXPECT_FALSE(refused);
    EXPECT_TRUE(is_about(refused.retry_after(), seconds(6), milliseconds(2)));
    clock::advance(milliseconds(900));
    EXPECT_FALSE(all.limit(1, kind::member).try_acquire());
    clock::advance(milliseconds(1'300));
    EXPECT_TRUE(all.limit(1, kind::member).try_acquire());
    EXPECT_EQ(all.statistics().steals, 1U);
}

// A refusal does not move the key, so its units come as fast as before, and the wait says so.
TYPED_TEST(keyed_classes, say_how_long_a_key_waits_that_comes_with_another_class) {
    typename TestFixture::template table<TestFixture::line> all({per_minute(10), per_second(20)},
                                                                when_full::deny, fixed);
    const kind both[] = {kind::guest, kind::member};
    for (int i = 0; i < 2; ++i) {
        const kind before = both[i];
        const kind after = both[1 - i];
        (void)all.limit(i, before).drain();
        const weir::nanoseconds wait = all.limit(i, after).try_acquire().retry_after();
        EXPECT_TRUE(
            is_about(wait, before == kind::guest ? seconds(6) : milliseconds(50), milliseconds(4)));
        clock::advance(weir::nanoseconds(wait.count() - 5'000'000));
        EXPECT_FALSE(all.limit(i, after).try_acquire());
        clock::advance(milliseconds(5));
        EXPECT_TRUE(all.limit(i, after).try_acquire());
    }
}

// What is held is the quota, within a granule of it each time and never above.
TYPED_TEST(keyed_classes, hold_the_rate) {
    typename TestFixture::template table<TestFixture::line> all(
        {per_second(3), per_second(3)}, when_full::deny, fixed, {.room = 1'000'000});
    for (const weir::quota& q : {per_second(3), per_second(1'000), per_second(333'333),
                                 per_minute(7), weir::per_hour(1), per_second(7)}) {
        EXPECT_EQ(all.set_quota(kind::member, q), quota_error::none);
        const std::int64_t exact = q.period().count() / q.units();
        (void)all.limit(1, kind::member).drain();
        std::int64_t waited = 0;
        for (int i = 0; i < 1000; ++i) {
            const auto wait = all.limit(1, kind::member).peek().retry_after();
            waited += wait.count();
            clock::advance(wait);
            ASSERT_TRUE(all.limit(1, kind::member).try_acquire());
        }
        EXPECT_GE(waited, exact * 999);
        EXPECT_LE(waited, exact * 1001 + 2'000) << exact;
    }
}

TEST(keyed_classes_of_a_given_clock, are_told_the_time) {
    using events = weir::given_clock<struct class_events, 1'000'000>;
    keyed_limits<64, events, weir::keyed_layout{.classes = 2}> all({per_second(10), per_second(20)},
                                                                   when_full::deny, fixed);
    const weir::instant<events> begin(5'000'000);
    EXPECT_EQ(all.limit(1, kind::guest).drain(begin), 10U);
    EXPECT_EQ(all.set_quota(kind::guest, per_second(100), seconds(0), begin + 500'000),
              quota_error::none);
    EXPECT_EQ(all.limit(1, kind::guest).drain(begin + 600'010), 15U);
}

}  // namespace

// SPDX-License-Identifier: MIT
// What a server says is left: what becomes of it in each kind of limit.
#include <cstdint>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/array.hpp>
#include <weir/table/keyed.hpp>

namespace {

using weir::milliseconds;
using weir::minutes;
using weir::nanoseconds;
using weir::obeyed;
using weir::options;
using weir::per_second;
using weir::quota;
using weir::seconds;
using weir::word;

using clock = weir::manual_clock<struct told>;

// At the beginning of a second, and of a minute.
class a_limit_that_is_told : public testing::Test {
protected:
    void SetUp() override { clock::set(weir::tick{6'000'000'000'000}); }
};

// How many units pass if somebody asks every millisecond, until that time is over.
template <class Limit>
[[nodiscard]] word pass_within(Limit&& limit, nanoseconds time) {
    word all = 0;
    for (nanoseconds t{}; t < time; t = t + milliseconds(1)) {
        all += limit.acquire_up_to(1'000U).units;
        clock::advance(milliseconds(1));
    }
    return all;
}

template <class Cell>
class every_cell_that_is_told : public a_limit_that_is_told {};
using all_cells = weir::only<weir::are_told, weir::every_cell<100, word>>;
TYPED_TEST_SUITE(every_cell_that_is_told, all_cells::as<testing::Types>);

TYPED_TEST(every_cell_that_is_told, has_so_many_units_if_no_time_is_told) {
    weir::limiter<TypeParam, clock> api{quota{100, seconds(1)}};
    const auto less = api.set_remaining(7);
    EXPECT_TRUE(less);
    EXPECT_EQ(less.how(), obeyed::whole);
    EXPECT_EQ(less.remaining(), 7U);
    EXPECT_EQ(api.peek(0).remaining(), 7U);
    EXPECT_EQ(api.set_remaining(70).remaining(), 70U);  // it may rise
    const auto more = api.set_remaining(5'000);         // to the burst
    EXPECT_TRUE(more);
    EXPECT_EQ(more.how(), obeyed::needless);
    EXPECT_EQ(more.remaining(), 100U);
    EXPECT_EQ(api.set_remaining(9, nanoseconds(-1)).remaining(), 9U);
}

TYPED_TEST(every_cell_that_is_told, lets_pass_until_the_reset_what_it_is_told) {
    for (const unsigned units : {0U, 1U, 30U, 99U, 100U}) {
        this->SetUp();
        weir::limiter<TypeParam, clock> api{quota{100, seconds(1)}};
        (void)api.drain();
        const auto is = api.set_remaining(units, seconds(1));
        EXPECT_TRUE(is) << to_text(is).c_str();
        EXPECT_EQ(is.obeyed_for(), seconds(1));
        EXPECT_EQ(pass_within(api, seconds(1)), units);
        EXPECT_GT(pass_within(api, seconds(2)), 99U);  // and it is over
    }
}

TYPED_TEST(every_cell_that_is_told, never_passes_more_than_its_quota) {
    weir::limiter<TypeParam, clock> api{quota{100, seconds(1)}};
    EXPECT_EQ(api.set_remaining(100'000, minutes(1)).how(), obeyed::needless);
    EXPECT_LE(pass_within(api, seconds(10)), 1'100U);
}

TYPED_TEST(every_cell_that_is_told, is_only_lowered_by_what_comes_late) {
    weir::limiter<TypeParam, clock> api{quota{100, seconds(1)}};
    (void)api.try_acquire(60);
    const auto late = api.lower_remaining(95);  // sent before the 60
    EXPECT_EQ(late.how(), obeyed::needless);
    EXPECT_EQ(late.remaining(), 40U);
    const auto now = api.lower_remaining(11);
    EXPECT_EQ(now.how(), obeyed::whole);
    EXPECT_EQ(now.remaining(), 11U);
    EXPECT_EQ(api.lower_remaining(12).remaining(), 11U);
    EXPECT_EQ(pass_within(api, milliseconds(1)), 11U);
}

TYPED_TEST(every_cell_that_is_told, obeys_what_was_lowered_until_the_reset) {
    weir::limiter<TypeParam, clock> api{quota{100, seconds(1)}};
    (void)api.try_acquire(10);
    EXPECT_TRUE(api.lower_remaining(20, seconds(1)));
    EXPECT_LE(pass_within(api, seconds(1)), 20U);
    EXPECT_GT(pass_within(api, seconds(2)), 99U);
}

TYPED_TEST(every_cell_that_is_told, says_how_long_it_obeys_if_that_is_not_until_the_reset) {
    weir::limiter<TypeParam, clock> api{quota{100, seconds(1)}, {.debt = 0, .queue = 0}};
    (void)api.try_acquire(1);
    for (const bool lowers : {false, true}) {
        const auto is =
            lowers ? api.lower_remaining(0, minutes(10)) : api.set_remaining(0, minutes(10));
        EXPECT_FALSE(is);
        EXPECT_EQ(is.how(), obeyed::in_part);
        EXPECT_LE(is.obeyed_for(), seconds(2));
        EXPECT_EQ(pass_within(api, is.obeyed_for()), 0U);
    }
}

TEST_F(a_limit_that_is_told, as_a_meter_brings_the_units_as_late_as_its_rate_does) {
    weir::limiter<weir::gcra<>, clock> api{quota{10, seconds(1)}};
    const auto is = api.set_remaining(3, seconds(1));
    EXPECT_EQ(is.remaining(), 0U);
    EXPECT_EQ(api.try_acquire().retry_after(), milliseconds(700));
    EXPECT_EQ(api.debt(), 6U);  // what it must not lend before the reset
    clock::advance(nanoseconds(999'999'999));
    EXPECT_EQ(api.peek(0).remaining(), 3U);
    clock::advance(nanoseconds(1));
    EXPECT_EQ(api.peek(0).remaining(), 4U);
}

TEST_F(a_limit_that_is_told, as_a_bucket_has_the_units_now_and_is_refilled_at_the_reset) {
    weir::limiter<weir::token_bucket<>, clock> api{quota{10, seconds(1)}};
    EXPECT_EQ(api.set_remaining(3, minutes(1)).remaining(), 3U);
    EXPECT_TRUE(api.try_acquire(3));
    EXPECT_EQ(api.try_acquire().retry_after(), minutes(1));
    // More than the bucket holds: refills go on when those before the reset bring the rest.
    EXPECT_EQ(api.set_remaining(15, minutes(1)).remaining(), 10U);
    EXPECT_TRUE(api.try_acquire(10));
    EXPECT_EQ(api.try_acquire().retry_after(), milliseconds(59'500));
}

TEST_F(a_limit_that_is_told, refills_whole_periods_when_the_server_does) {
    weir::limiter<weir::token_bucket<>, clock> api{quota{100, minutes(1)}, {.whole_periods = true}};
    EXPECT_EQ(api.set_remaining(3, seconds(20)).remaining(), 3U);
    clock::advance(nanoseconds(19'999'999'999));
    EXPECT_EQ(api.acquire_up_to(100).units, 3U);
    clock::advance(nanoseconds(100));
    EXPECT_EQ(api.acquire_up_to(100).units, 100U);
    EXPECT_NEAR(static_cast<double>(api.try_acquire().retry_after().count()), 60e9, 1e3);
}

TEST_F(a_limit_that_is_told, ends_its_window_when_the_server_does) {
    weir::limiter<weir::fixed_window<>, clock> api{quota{100, minutes(1)}};
    EXPECT_TRUE(api.try_acquire(50));
    EXPECT_EQ(api.set_remaining(3, seconds(20)).remaining(), 3U);
    EXPECT_TRUE(api.try_acquire(3));
    EXPECT_NEAR(static_cast<double>(api.try_acquire().retry_after().count()), 20e9, 1e3);
    // What is only lowered keeps its own window if that ends later.
    clock::advance(seconds(30));
    EXPECT_TRUE(api.try_acquire(1));
    EXPECT_EQ(api.lower_remaining(3, seconds(20)).remaining(), 3U);
    EXPECT_TRUE(api.try_acquire(3));
    EXPECT_NEAR(static_cast<double>(api.try_acquire().retry_after().count()), 60e9, 1e3);
    // And ends with the server's if that is later.
    EXPECT_EQ(api.lower_remaining(0, seconds(90)).how(), obeyed::whole);
    EXPECT_NEAR(static_cast<double>(api.try_acquire().retry_after().count()), 90e9, 1e3);
}

TEST_F(a_limit_that_is_told, keeps_its_window_whoever_is_late) {
    weir::limiter<weir::fixed_window<>, clock> api{quota{100, minutes(1)}};
    (void)api.peek();
    const auto late = clock::now();
    clock::advance(seconds(30));
    EXPECT_TRUE(api.try_acquire(50));
    // This reset is more than a window ahead of a late clock, and yet within the window.
    EXPECT_TRUE(api.lower_remaining(3, seconds(80), late));
    clock::advance(seconds(59));
    EXPECT_LE(api.peek(0).remaining(), 3U);
}

TEST_F(a_limit_that_is_told, keeps_the_windows_of_its_clock) {
    weir::limiter<weir::aligned_window<>, clock> api{quota{100, minutes(1)}};
    clock::advance(seconds(50));
    EXPECT_EQ(api.set_remaining(3).remaining(), 3U);
    EXPECT_TRUE(api.try_acquire(3));
    EXPECT_EQ(api.try_acquire().retry_after(), seconds(10));
    // A reset in the window after this one uses this one up.
    const auto longer = api.set_remaining(3, seconds(11));
    EXPECT_TRUE(longer);
    EXPECT_EQ(longer.remaining(), 0U);
    EXPECT_EQ(api.try_acquire().retry_after(), seconds(10));
}

TEST_F(a_limit_that_is_told, is_banned_for_as_long_as_its_debt_reaches) {
    weir::limiter<weir::fixed_window<>, clock> api{quota{10, seconds(1)}, {.debt = 1'000}};
    EXPECT_TRUE(api.set_remaining(0, seconds(100)));
    EXPECT_EQ(pass_within(api, seconds(100)), 0U);
    EXPECT_EQ(api.acquire_up_to(100).units, 10U);
}

TEST_F(a_limit_that_is_told, gives_nothing_back_for_permits_from_before) {
    weir::limiter<weir::gcra<>, clock> api{quota{10, seconds(1)}};
    for (const bool lowers : {false, true}) {
        api.reset();
        auto before = api.reserve(5);
        auto whole = api.reserve(5);
        ASSERT_TRUE(before && whole);
        // Nor if the limit was stricter anyway.
        if (lowers) {
            EXPECT_EQ(api.lower_remaining(2).how(), obeyed::needless);
        } else {
            EXPECT_EQ(api.set_remaining(2).remaining(), 2U);
        }
        const word there = api.peek(0).remaining();
        EXPECT_FALSE(api.refundable(before));
        EXPECT_FALSE(api.undo(std::move(whole)));
        EXPECT_FALSE(api.refund(std::move(before)));
        EXPECT_EQ(api.peek(0).remaining(), there);
        auto after = api.reserve(1);
        EXPECT_EQ(api.refund(std::move(after)).units(), 1U);
    }
}

TEST_F(a_limit_that_is_told, may_never_have_been_asked_before) {
    static constinit weir::limiter<weir::token_bucket<>, clock> fresh{per_second(10)};
    EXPECT_EQ(fresh.set_remaining(4, seconds(1)).remaining(), 4U);
    static constinit weir::limiter<weir::gcra<>, clock> lowered{per_second(10)};
    EXPECT_EQ(lowered.lower_remaining(4).remaining(), 4U);
}

TEST_F(a_limit_that_is_told, counts_in_words_of_32_bits_too) {
    using cell = weir::gcra<std::uint32_t>;
    using ticking = weir::manual_clock<struct in_32_bits, 1'000'000>;
    weir::limiter<cell, ticking> api{quota{100, seconds(1), 10}};
    // Everywhere on the word's circle.
    for (int i = 0; i < 400; ++i) {
        ticking::advance(milliseconds(std::int64_t{997} * i));
        api.reset();
        EXPECT_TRUE(api.set_remaining(2, milliseconds(100)));
        word all = 0;
        for (int ms = 0; ms < 100; ++ms) {
            all += api.acquire_up_to(100).units;
            ticking::advance(milliseconds(1));
        }
        EXPECT_LE(all, 2U);
        EXPECT_GE(all, 1U);  // the last one comes in the last millisecond
    }
    const auto is = api.set_remaining(0, seconds(100'000'000));
    EXPECT_EQ(is.how(), obeyed::in_part);
    EXPECT_GT(is.obeyed_for(), nanoseconds{});
    EXPECT_FALSE(api.set_remaining(weir::largest<word>, seconds(100'000'000)));
}

TEST_F(a_limit_that_is_told, says_so_in_a_sentence) {
    weir::limiter<weir::token_bucket<>, clock> api{quota{10, seconds(1)}};
    EXPECT_STREQ(to_text(api.set_remaining(3, seconds(1))).c_str(),
                 "obeyed until the reset, 3 remaining");
    EXPECT_STREQ(to_text(api.set_remaining(10'000, seconds(1))).c_str(),
                 "the limit lets no more pass anyway, 10 remaining");
    EXPECT_EQ(std::string(to_text(api.set_remaining(1, minutes(100))).c_str()).substr(0, 35),
              "obeyed, but not until the reset: fo");
    EXPECT_STREQ(describe(obeyed::no_place), "the table has no place for the key");
    EXPECT_STREQ(describe(static_cast<obeyed>(77)), "unknown outcome");
}

TEST_F(a_limit_that_is_told, may_change_its_quota) {
    weir::adjustable<clock> api{quota{10, seconds(1)}};
    EXPECT_EQ(api.set_remaining(3).remaining(), 3U);
    EXPECT_TRUE(api.set_remaining(3, seconds(1)));
    EXPECT_EQ(pass_within(api, seconds(1)), 3U);
    EXPECT_EQ(api.set_remaining(1'000'000, seconds(1)).how(), obeyed::needless);
    EXPECT_EQ(api.peek(0).remaining(), 10U);
    // A quota that is set later counts from then on, before the reset too.
    EXPECT_TRUE(api.set_remaining(0, seconds(1)));
    EXPECT_EQ(api.set_quota(quota{20, seconds(1), 10}), weir::quota_error::none);
    clock::advance(milliseconds(499));
    EXPECT_EQ(api.peek(0).remaining(), 0U);
    clock::advance(milliseconds(1));
    EXPECT_EQ(api.peek(0).remaining(), 1U);
    const auto is = api.lower_remaining(0, seconds(1'000'000));
    EXPECT_EQ(is.how(), obeyed::in_part);
    EXPECT_GT(is.obeyed_for(), minutes(59));
    EXPECT_EQ(api.lower_remaining(0, nanoseconds::longest()).how(), obeyed::in_part);
}

TEST_F(a_limit_that_is_told, may_lie_in_an_array) {
    weir::limiter_array<4, weir::gcra<>, clock, weir::array_layout{.refunds = true}> all{
        quota{10, seconds(1)}};
    auto before = all[1].reserve(1);
    EXPECT_EQ(all[1].set_remaining(3).remaining(), 3U);
    EXPECT_EQ(all[1].lower_remaining(2).remaining(), 2U);
    EXPECT_EQ(all[2].peek(0).remaining(), 10U);
    EXPECT_FALSE(all[1].refund(std::move(before)));
}

// One place, once the others are taken.
template <class Table>
void fill_up(Table& table) {
    for (unsigned key = 100; key < 1'100; ++key) (void)table[key].try_acquire(10);
}

TEST_F(a_limit_that_is_told, may_be_that_of_a_key) {
    using keyed = weir::keyed_limits<64, clock>;
    keyed all{quota{10, seconds(1)}, weir::when_full::deny, weir::seed(1)};
    EXPECT_EQ(all[7U].lower_remaining(99).how(), obeyed::needless);
    EXPECT_EQ(all.statistics().occupied, 0U);  // nothing has to be kept
    EXPECT_EQ(all[7U].lower_remaining(3).remaining(), 3U);
    EXPECT_EQ(all.statistics().occupied, 1U);
    EXPECT_EQ(all[7U].lower_remaining(4).how(), obeyed::needless);
    EXPECT_EQ(all[7U].set_remaining(6).remaining(), 6U);
    EXPECT_EQ(all[7U].peek(0).remaining(), 6U);
    EXPECT_EQ(all[8U].peek(0).remaining(), 10U);
    EXPECT_TRUE(all[7U].set_remaining(3, seconds(1)));
    EXPECT_LE(pass_within(all[7U], seconds(1)), 3U);
    const auto is = all[7U].lower_remaining(0, minutes(10));  // the debt is the burst
    EXPECT_EQ(is.how(), obeyed::in_part);
    EXPECT_GE(is.obeyed_for(), seconds(1));
    EXPECT_EQ(all[7U].set_remaining(99).how(), obeyed::needless);  // it is forgotten
    EXPECT_EQ(all.statistics().occupied, 0U);
    fill_up(all);
    EXPECT_EQ(all[7U].set_remaining(3).how(), obeyed::no_place);
    EXPECT_EQ(all[7U].lower_remaining(3).how(), obeyed::no_place);

    keyed lets{quota{10, seconds(1)}, weir::when_full::allow, weir::seed(1)};
    fill_up(lets);
    EXPECT_FALSE(lets[7U].set_remaining(3));
    EXPECT_EQ(lets[7U].lower_remaining(3).how(), obeyed::no_place);
}

TEST_F(a_limit_that_is_told, may_be_that_of_a_key_that_is_kept_exactly) {
    weir::keyed_limits<64, clock, weir::keyed_layout{.exact = true}> all{
        quota{10, seconds(1)}, weir::when_full::deny, weir::seed(1)};
    for (unsigned key = 0; key < 40; ++key) {
        EXPECT_EQ(all[key].set_remaining(key % 10).remaining(), key % 10);
        EXPECT_EQ(all[key].set_remaining(key % 7).remaining(), key % 7);
        EXPECT_LE(all[key].lower_remaining(4).remaining(), 4U);
    }
    for (unsigned key = 0; key < 40; ++key)
        EXPECT_EQ(all[key].peek(0).remaining(), key % 7 < 4 ? key % 7 : 4);
}

TEST_F(a_limit_that_is_told, may_be_that_of_a_key_with_a_class) {
    weir::keyed_limits<64, clock, weir::keyed_layout{.classes = 2}> all{
        {quota{10, seconds(1)}, quota{20, seconds(1)}}, weir::when_full::deny, weir::seed(1)};
    auto key = all.limit(7U, 1);
    EXPECT_EQ(key.set_remaining(13).remaining(), 13U);
    EXPECT_EQ(all.limit(7U, 0).peek(0).remaining(), 10U);  // it keeps its units
    EXPECT_EQ(key.lower_remaining(5).remaining(), 5U);
    EXPECT_TRUE(key.set_remaining(3, seconds(1)));
    EXPECT_LE(pass_within(key, seconds(1)), 3U);
    EXPECT_EQ(key.lower_remaining(0, nanoseconds::longest()).how(), obeyed::in_part);

    weir::keyed_limits<64, clock, weir::keyed_layout{.quota_per_call = true}> each{
        weir::quota_range{quota{20, seconds(1)}, quota{10, seconds(1), 20}}, weir::when_full::deny,
        weir::seed(1)};
    const auto ten = each.prepare(quota{10, seconds(1)});
    ASSERT_TRUE(ten);
    EXPECT_EQ(each.limit(7U, *ten).set_remaining(4).remaining(), 4U);
}

}  // namespace

// SPDX-License-Identifier: MIT
// The protocol between threads, one race at a time: these atomics let "another thread" act between
// the decision and its compare-exchange.
#include <functional>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/gcra.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/cell/leaky_bucket.hpp>
#include <weir/cell/one_word.hpp>
#include <weir/cell/refund_ledger.hpp>
#include <weir/cell/token_bucket.hpp>
#include <weir/limiter/counters.hpp>

namespace {

using weir::quota;
using weir::seconds;
using weir::tick;

// What the other thread does, once, before the next compare-exchange.
std::function<void()> meanwhile;

template <class T>
class interrupted {
public:
    constexpr interrupted() noexcept = default;
    constexpr explicit interrupted(T value) noexcept : value_(value) {}

    T load_relaxed() const noexcept { return value_; }
    T load_acquire() const noexcept { return value_; }
    void store_release(T value) noexcept { value_ = value; }
    bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        return try_exchange_relaxed(expected, desired);
    }
    bool try_exchange_relaxed(T& expected, T desired) noexcept {
        if (const auto other = std::exchange(meanwhile, nullptr)) other();
        if (value_ != expected) {
            expected = value_;
            return false;
        }
        value_ = desired;
        return true;
    }

private:
    T value_{};
};

template <class Cell>
class race : public testing::Test {
public:
    void SetUp() override { cell.fill(now, 5, rate); }
    void TearDown() override { EXPECT_FALSE(meanwhile) << "nobody raced"; }

    tick now{1'000'000};
    typename Cell::rate rate = *Cell::rate::make(quota{1, seconds(1), 5}, 1'000, {.debt = 3});
    weir::counters races;
    Cell cell;
};
using cells = weir::only<weir::reserve_units, weir::every_cell_by<interrupted, 1, weir::word>>;
TYPED_TEST_SUITE(race, cells::as<testing::Types>);

TYPED_TEST(race, lost_by_an_admission_makes_it_decide_anew) {
    meanwhile = [&] { EXPECT_TRUE(this->cell.try_acquire(this->now, 2, this->rate)); };
    const auto d = this->cell.try_acquire(this->now, 3, this->rate, this->races);
    EXPECT_TRUE(d);
    EXPECT_EQ(d.remaining(), 0U);
    EXPECT_EQ(d.reset_after(), 5'000U);
    EXPECT_EQ(this->races.retries(), 1U);
}

TYPED_TEST(race, lost_for_the_last_units_ends_in_a_denial_that_changes_nothing) {
    meanwhile = [&] { EXPECT_TRUE(this->cell.try_acquire(this->now, 4, this->rate)); };
    const auto d = this->cell.try_acquire(this->now, 3, this->rate, this->races);
    EXPECT_FALSE(d);
    EXPECT_EQ(d.retry_after(), 2'000U);
    EXPECT_EQ(this->cell.peek(this->now, 0, this->rate).remaining(), 1U);
}

TYPED_TEST(race, lost_by_a_partial_grant_leaves_it_the_rest) {
    meanwhile = [&] { EXPECT_TRUE(this->cell.try_acquire(this->now, 3, this->rate)); };
    EXPECT_EQ(this->cell.acquire_up_to(this->now, 9, this->rate, this->races).units, 2U);
    EXPECT_EQ(this->races.retries(), 1U);
    meanwhile = [&] { this->cell.fill(this->now, 3, this->rate); };
    EXPECT_EQ(this->cell.acquire_up_to(this->now, 0, this->rate).units, 0U);
    EXPECT_TRUE(meanwhile) << "nothing is written for nothing";
    meanwhile = nullptr;
}

TYPED_TEST(race, lost_by_a_charge_adds_to_the_others_debt) {
    meanwhile = [&] { EXPECT_TRUE(this->cell.charge(this->now, 6, this->rate)); };
    EXPECT_TRUE(this->cell.charge(this->now, 2, this->rate, this->races));
    EXPECT_EQ(this->races.retries(), 1U);
    EXPECT_EQ(this->cell.try_acquire(this->now, 1, this->rate).retry_after(), 4'000U);
}

TYPED_TEST(race, between_two_first_decisions_keeps_what_the_winner_took) {
    TypeParam fresh;
    meanwhile = [&] {
        fresh.start(this->now, 5, this->rate);
        EXPECT_TRUE(fresh.try_acquire(this->now, 4, this->rate));
    };
    fresh.start(this->now, 5, this->rate);
    EXPECT_EQ(fresh.peek(this->now, 0, this->rate).remaining(), 1U);
}

// A cell that is busy stays as it is when it is settled; but what a refund has asked before, the
// time and whether its permit lives, no longer holds.
// The reset may replace the very state that granted it.
TEST(refund_ledger, gives_nothing_for_a_permit_that_was_taken_while_a_reset_was_under_way) {
    const tick now{1'000'000};
    const auto rate = *weir::gcra<>::rate::make(quota{1, seconds(1), 5}, 1'000);
    weir::gcra<> cell;
    cell.fill(now, 5, rate);
    weir::refund_ledger<weir::word> ledger;
    const auto back = [&](const auto& mark, const auto& place) {
        return ledger.refundable(
            cell, mark, place.next, rate.cost(1), [=] { return now; }, rate);
    };
    ledger.begin_reset();
    ledger.begin_reset();
    const auto during = ledger.now();
    const auto place = cell.reserve(now, 1, 0, rate);
    EXPECT_EQ(back(during, place), 0U);
    ledger.end_reset();
    EXPECT_EQ(back(during, place), 0U);
    const auto between = ledger.now();
    EXPECT_EQ(back(between, place), 0U);
    ledger.end_reset();
    EXPECT_EQ(back(during, place), 0U);
    EXPECT_EQ(back(between, place), 0U);
    EXPECT_EQ(back(ledger.now(), place), rate.cost(1));
}

TEST(settled_cell, is_another_one_to_a_refund_that_is_under_way) {
    const tick now{1'000'000};
    const auto rate = *weir::gcra<>::rate::make(quota{1, seconds(1), 5}, 1'000);
    weir::gcra<weir::word, interrupted> cell;
    cell.fill(now, 5, rate);
    weir::refund_ledger<weir::word> ledger;
    const auto mark = ledger.now();
    const auto place = cell.reserve(now, 2, 0, rate);
    bool settled = false;
    meanwhile = [&] {
        ledger.begin_reset();
        cell.settle({1'001'500}, rate);
        settled = true;
    };
    const auto back = ledger.give_back(
        cell, mark, place.next, rate.cost(2), true, [=] { return now; }, rate);
    EXPECT_EQ(back, 0U);
    EXPECT_TRUE(settled);
    EXPECT_EQ(cell.peek(now, 0, rate).remaining(), 3U);
}

TEST(one_word, writes_nothing_where_it_is_told_nothing_new) {
    using bucket = weir::token_bucket<weir::word, interrupted>;
    const auto rate = *bucket::rate::make(quota{1, seconds(1), 5}, 1'000);
    bucket cell;
    cell.fill({1'000'000}, 5, rate);
    meanwhile = [] { ADD_FAILURE() << "it is exchanged"; };
    EXPECT_EQ(cell.lower_remaining({1'000'000}, 5, 0, rate).how, weir::obeyed::needless);
    meanwhile = nullptr;
    const auto told = cell.lower_remaining({1'000'000}, 4, 0, rate);
    EXPECT_EQ(told.how, weir::obeyed::whole);
    EXPECT_EQ(told.after.remaining(), 4U);
    EXPECT_EQ(told.after.retry_after(), 0U);
}

}  // namespace

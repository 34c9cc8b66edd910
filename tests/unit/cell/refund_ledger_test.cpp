// SPDX-License-Identifier: MIT
// What a ledger of refunds does when several are under way, one access after the other; and the
// orders by which who takes a permit sees, in the cell's state, whatever its mark counts. They
// matter where an exchange's write may be seen after what comes behind it, as on ARM: no machine
// that runs these tests shows that, nor does the model checker. litmus/landed_refund says by ARM's
// own model which orders it takes; here the header is held to them.
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/atomic.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/refund_ledger.hpp>

namespace {

std::vector<std::string> seen;
std::function<void()> before_exchange;  // once
bool fails_for_nothing = false;         // once

template <class T>
class noted : public weir::atomic<T> {
    using base = weir::atomic<T>;

public:
    using base::base;

    [[nodiscard]] T load_acquire() const noexcept {
        seen.emplace_back("load acquire");
        return base::load_acquire();
    }
    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        if (before_exchange) std::exchange(before_exchange, nullptr)();
        if (std::exchange(fails_for_nothing, false)) return false;
        return base::try_exchange_relaxed(expected, desired);
    }
    [[nodiscard]] bool try_exchange_acq_rel(T& expected, T desired) noexcept {
        const bool done = base::try_exchange_acq_rel(expected, desired);
        if (done) seen.emplace_back("exchange");
        return done;
    }
    T fetch_add_release(T amount) noexcept {
        seen.emplace_back("add release");
        return base::fetch_add_release(amount);
    }
    T fetch_add_relaxed(T amount) noexcept {
        seen.emplace_back("add");
        return base::fetch_add_relaxed(amount);
    }
};

using steps = std::vector<std::string>;
using cell = weir::gcra<std::uint64_t, noted>;

class refund_orders : public testing::Test {
protected:
    static constexpr std::uint64_t kilohertz = 1'000;
    static constexpr weir::tick now{100'000};

    refund_orders() { (void)ledger_.now(); }  // which gives it its number

    steps of_refund(std::uint64_t units) {
        const auto mark = ledger_.now();
        const auto granted = limit_.reserve(now, units, 0, rate_);
        EXPECT_TRUE(limit_.try_acquire(now, 1, rate_));
        seen.clear();
        const auto clock = [] { return now; };
        EXPECT_NE(
            ledger_.give_back(limit_, mark, granted.next, rate_.cost(units), true, clock, rate_),
            0U);
        return seen;
    }

    cell::rate rate_ = cell::rate::make(weir::quota{1, weir::seconds(1), 5}, kilohertz).value();
    cell limit_;
    weir::refund_ledger<std::uint64_t, noted> ledger_;
};

TEST_F(refund_orders, is_announced_after_a_look_and_before_it_lands_and_counted_after_it_has) {
    EXPECT_EQ(of_refund(2), (steps{"load acquire", "add", "exchange", "add release"}));
}

TEST_F(refund_orders, a_permit_takes_along_what_the_state_that_follows_has) {
    seen.clear();
    (void)ledger_.now();
    EXPECT_EQ(seen, (steps{"load acquire", "load acquire"}));
}

TEST_F(refund_orders, a_reset_has_ended_when_its_state_is_there) {
    seen.clear();
    ledger_.begin_reset();
    limit_.fill(now, 1, rate_);
    ledger_.end_reset();
    EXPECT_EQ(seen, (steps{"add", "exchange", "add release"}));
}

// The compiler has made it, and two threads number it at once.
TEST(refund_ledger, takes_one_number_however_many_are_first) {
    static constinit weir::refund_ledger<std::uint64_t, noted> ledger;
    weir::refund_ledger<std::uint64_t, noted>::mark other{};
    before_exchange = [&] { other = ledger.now(); };
    const auto mine = ledger.now();
    EXPECT_EQ(mine.generation, other.generation);
    EXPECT_FALSE(ledger.ended(other));
    EXPECT_FALSE(ledger.ended(mine));
}

TEST(refund_ledger, takes_a_number_though_an_exchange_fails_for_nothing) {
    static constinit weir::refund_ledger<std::uint64_t, noted> ledger;
    fails_for_nothing = true;
    EXPECT_NE(ledger.now().generation, 0U);
}

class undoing : public refund_orders {
protected:
    static constexpr std::uint64_t depth = 5;

    auto reserve(std::uint64_t units) {
        const auto mark = ledger_.now();
        return std::pair{mark, limit_.reserve(now, units, 0, rate_).next};
    }
    template <class Granted>
    std::uint64_t undo(const Granted& g, std::uint64_t units) {
        return ledger_.undo(limit_, g.first, g.second, rate_.cost(units), rate_);
    }
    [[nodiscard]] std::uint64_t remaining() const { return limit_.peek(now, 0, rate_).remaining(); }
};

TEST_F(undoing, gives_all_of_the_last_permit_back) {
    const auto last = reserve(3);
    EXPECT_EQ(remaining(), depth - 3);
    EXPECT_EQ(undo(last, 3), rate_.cost(3));
    EXPECT_EQ(remaining(), depth);
}

TEST_F(undoing, gives_nothing_back_of_what_others_came_after) {
    const auto first = reserve(3);
    (void)reserve(1);
    EXPECT_EQ(undo(first, 3), 0U);
    EXPECT_EQ(remaining(), depth - 4);
}

// What came before it was given back, so it lies earlier than where it was granted.
TEST_F(undoing, gives_all_of_the_last_permit_back_where_it_has_moved_to) {
    const auto first = reserve(3);
    const auto last = reserve(1);
    const auto clock = [] { return now; };
    ASSERT_NE(
        ledger_.give_back(limit_, first.first, first.second, rate_.cost(3), true, clock, rate_),
        0U);
    EXPECT_EQ(undo(last, 1), rate_.cost(1));
    EXPECT_EQ(remaining(), depth);
}

TEST_F(undoing, gives_nothing_back_from_before_a_reset) {
    const auto before = reserve(3);
    ledger_.begin_reset();
    limit_.fill(now, depth - 3, rate_);
    ledger_.end_reset();
    EXPECT_EQ(undo(before, 3), 0U);
    EXPECT_EQ(remaining(), depth - 3);
}

// The sums have come round a quarter of the circle, which ended all permits of the time before; the
// new ones are as good as ever.
TEST_F(refund_orders, gives_back_in_each_quarter_of_the_sums) {
    const auto large =
        cell::rate::make({1, weir::seconds(1), std::int64_t{1} << 46}, kilohertz, {});
    ASSERT_TRUE(large);
    rate_ = *large;
    const auto clock = [] { return now; };
    const auto reserve = [&](std::uint64_t units) {
        const auto mark = ledger_.now();
        return std::pair{mark, limit_.reserve(now, units, 0, rate_).next};
    };
    const auto give_back = [&](const auto& g, std::uint64_t units, bool whole) {
        return ledger_.give_back(limit_, g.first, g.second, rate_.cost(units), whole, clock, rate_);
    };
    const std::uint64_t many = std::uint64_t{1} << 45U;
    for (int i = 0; i < 200; ++i) {
        const auto first = reserve(10);
        const auto second = reserve(10);
        ASSERT_EQ(give_back(first, 10, true), rate_.cost(10)) << i;
        ASSERT_EQ(give_back(second, 10, true), rate_.cost(10)) << i;
        ASSERT_EQ(give_back(reserve(many + 1), many, false), rate_.cost(many)) << i;
    }
}

}  // namespace

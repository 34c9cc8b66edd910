// SPDX-License-Identifier: MIT
// The orders by which who takes a permit sees, in the cell's state, whatever its mark counts. They
// matter where an exchange's write may be seen after what comes behind it, as on ARM: no machine
// that runs these tests shows that, nor does the model checker. litmus/landed_refund says by ARM's
// own model which orders it takes; here the header is held to them.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/atomic.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/refund_ledger.hpp>

namespace {

std::vector<std::string> seen;

template <class T>
class noted : public weir::atomic<T> {
    using base = weir::atomic<T>;

public:
    using base::base;

    [[nodiscard]] T load_acquire() const noexcept {
        seen.emplace_back("load acquire");
        return base::load_acquire();
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

    refund_orders() { (void)ledger.now(); }  // which gives it its number

    steps of_refund(std::uint64_t units) {
        const auto mark = ledger.now();
        const auto granted = limit.reserve(now, units, 0, rate);
        EXPECT_TRUE(limit.try_acquire(now, 1, rate));
        seen.clear();
        const auto clock = [] { return now; };
        EXPECT_NE(ledger.give_back(limit, mark, granted.next, rate.cost(units), true, clock, rate),
                  0U);
        return seen;
    }

    cell::rate rate = cell::rate::make(weir::quota{1, weir::seconds(1), 5}, kilohertz).value();
    cell limit;
    weir::refund_ledger<std::uint64_t, noted> ledger;
};

TEST_F(refund_orders, is_announced_after_a_look_and_before_it_lands_and_counted_after_it_has) {
    EXPECT_EQ(of_refund(2), (steps{"load acquire", "add", "exchange", "add release"}));
}

TEST_F(refund_orders, a_permit_takes_along_what_the_state_that_follows_has) {
    seen.clear();
    (void)ledger.now();
    EXPECT_EQ(seen, (steps{"load acquire", "load acquire"}));
}

TEST_F(refund_orders, a_reset_has_ended_when_its_state_is_there) {
    seen.clear();
    ledger.begin_reset();
    limit.fill(now, 1, rate);
    ledger.end_reset();
    EXPECT_EQ(seen, (steps{"add", "exchange", "add release"}));
}

}  // namespace

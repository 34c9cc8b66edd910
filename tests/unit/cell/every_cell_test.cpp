// SPDX-License-Identifier: MIT
// What holds for each cell, whatever its state is.
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>

namespace {

template <class Cell>
class every_cell : public testing::Test {};
using cells = weir::every_cell<16, weir::word, std::uint32_t>::as<testing::Types>;
TYPED_TEST_SUITE(every_cell, cells);

// Also where time 0 and no units would be a word that nobody has used.
TYPED_TEST(every_cell, starts_once_at_time_0) {
    const auto rate = *TypeParam::rate::make(weir::quota{10, weir::seconds(1)}, 1'000);
    TypeParam cell;
    cell.start({0}, 10, rate);
    ASSERT_TRUE(cell.try_acquire({0}, 10, rate));
    cell.start({0}, 10, rate);
    EXPECT_FALSE(cell.try_acquire({0}, 1, rate));
}

TYPED_TEST(every_cell, tells_what_it_owes_beyond_its_burst) {
    const auto rate =
        *TypeParam::rate::make(weir::quota{10, weir::seconds(1)}, 1'000, {.debt = 10});
    const weir::tick now{20'000};
    TypeParam cell;
    cell.start(now, 10, rate);
    EXPECT_EQ(cell.debt(now, rate), 0U);
    ASSERT_TRUE(cell.charge(now, 10, rate));
    EXPECT_EQ(cell.debt(now, rate), 0U) << "it is empty, and owes nothing";
    ASSERT_TRUE(cell.charge(now, 4, rate));
    EXPECT_EQ(cell.debt(now, rate), 4U);
    EXPECT_FALSE(cell.charge(now, 11, rate));
    EXPECT_EQ(cell.debt(now, rate), 4U);
    EXPECT_EQ(cell.debt({now.count + 2'000}, rate), 0U);
}

TYPED_TEST(every_cell, takes_from_least_to_most_units_or_none) {
    const auto rate = *TypeParam::rate::make(weir::quota{10, weir::seconds(1)}, 1'000);
    const weir::tick now{20'000};
    TypeParam cell;
    cell.start(now, 10, rate);
    EXPECT_EQ(cell.take_up_to(now, 3, 3, rate).units, 3U);
    EXPECT_EQ(cell.take_up_to(now, 1, 0, rate).units, 1U);
    EXPECT_EQ(cell.take_up_to(now, 9, 2, rate).units, 6U);
    const auto too_few = cell.take_up_to(now, 9, 2, rate);
    EXPECT_EQ(too_few.units, 0U);
    EXPECT_EQ(too_few.how.verdict, weir::verdict::wait);
}

// Three units are there, but nothing is at least three and at most two.
TYPED_TEST(every_cell, never_takes_fewer_units_than_the_least) {
    const auto rate = *TypeParam::rate::make(weir::quota{10, weir::seconds(1)}, 1'000);
    const weir::tick now{20'000};
    TypeParam cell;
    cell.start(now, 10, rate);
    const auto none = cell.take_up_to(now, 2, 3, rate);
    EXPECT_EQ(none.units, 0U);
    EXPECT_EQ(none.how.verdict, weir::verdict::never);
    EXPECT_EQ(none.how.wait, 0U);
    EXPECT_EQ(cell.peek(now, 0, rate).remaining(), 10U) << "and nothing is lost";
}

// It is told for ever, with no time that somebody might wait for.
TYPED_TEST(every_cell, never_passes_more_than_its_burst_and_then_tells_no_wait) {
    const auto rate = *TypeParam::rate::make(weir::quota{10, weir::seconds(1)}, 1'000, {.debt = 5});
    const weir::tick now{20'000};
    TypeParam cell;
    cell.start(now, 10, rate);
    EXPECT_TRUE(cell.peek(now, 10, rate));
    EXPECT_EQ(cell.try_acquire(now, 11, rate).verdict(), weir::verdict::never);
    EXPECT_EQ(cell.charge(now, 16, rate).verdict(), weir::verdict::never);
    const auto none = cell.take_up_to(now, 20, 11, rate);
    EXPECT_EQ(none.how.verdict, weir::verdict::never);
    EXPECT_EQ(none.how.wait, 0U);
    EXPECT_EQ(cell.peek(now, 0, rate).remaining(), 10U);
}

TYPED_TEST(every_cell, is_restored_to_no_state_that_it_cannot_be_in) {
    using word = typename TypeParam::word_type;
    const auto rate = *TypeParam::rate::make(weir::quota{10, weir::seconds(1)}, 1'000);
    const weir::tick now{20'000};
    TypeParam cell;
    cell.start(now, 10, rate);
    ASSERT_TRUE(cell.try_acquire(now, 4, rate));
    const auto most = rate.most_state();
    EXPECT_FALSE(cell.restore(now, {static_cast<word>(most.units + 1), 0}, rate));
    EXPECT_FALSE(cell.restore(now, {most.units, static_cast<word>(most.ticks + 1)}, rate));
    EXPECT_EQ(cell.peek(now, 0, rate).remaining(), 6U) << "nothing has changed";
    EXPECT_TRUE(cell.restore(now, most, rate));
}

}  // namespace

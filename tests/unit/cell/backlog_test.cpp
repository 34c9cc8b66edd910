// SPDX-License-Identifier: MIT
// The numbers of a backlog that no decision shows alone: which rates may lie beside each other,
// when a state may be forgotten, and where exactly a bound is.
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/cell/backlog.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/obeyed.hpp>

namespace {

using weir::obeyed;
using weir::quota;
using weir::quota_error;
using weir::seconds;
using weir::tick;
using rate = weir::gcra<std::uint64_t>::rate;

constexpr std::uint64_t kilohertz = 1'000;
constexpr weir::options nothing_ahead{.debt = 0, .queue = 0, .guard = seconds(2)};

[[nodiscard]] rate made(const quota& q, const weir::options& o = nothing_ahead) {
    return rate::make(q, kilohertz, o).value();
}

TEST(backlogs, lie_beside_each_other_if_one_is_as_fine_and_the_other_no_longer) {
    const rate r = made({1, seconds(1), 5});
    const auto beside = [&](const quota& q) { return r.beside(q, kilohertz, nothing_ahead); };
    EXPECT_EQ(beside({2, seconds(1), 10}).error(), quota_error::none) << "exactly as long";
    EXPECT_EQ(beside({2, seconds(1), 11}).error(), quota_error::burst_too_long);
    EXPECT_EQ(beside({2'000, seconds(1), 5}).error(), quota_error::rate_too_fine)
        << "half a tick, and its times are in whole ones";

    // A state that is as far ahead as any of the one is busy for the other, and a late now too.
    const auto shorter = beside({2, seconds(1), 1});
    ASSERT_TRUE(shorter);
    EXPECT_EQ(shorter->shift(), r.shift());
    const auto full = r.take(0, {100'000}, 5).next;
    EXPECT_EQ(shorter->take(full, {98'000}, 1).verdict, weir::verdict::wait);
}

TEST(backlogs, lie_beside_the_one_beyond_them) {
    const quota fast{100, seconds(1), 10};
    const quota slow{1, seconds(1), 50};
    const auto beyond = rate::beyond(fast, slow, kilohertz, nothing_ahead);
    ASSERT_TRUE(beyond);
    EXPECT_TRUE(beyond->beside(fast, kilohertz, nothing_ahead));
    EXPECT_TRUE(beyond->beside(slow, kilohertz, nothing_ahead));
    EXPECT_EQ(rate::beyond({100, seconds(1), 10'000}, slow, kilohertz, nothing_ahead).error(),
              quota_error::burst_too_long)
        << "the burst of the fast one takes longer";
    EXPECT_EQ(rate::beyond({1'000'000'000'000, seconds(1)}, slow, kilohertz, {}).error(),
              rate::make({1'000'000'000'000, seconds(1)}, kilohertz).error());
    EXPECT_EQ(rate::beyond(fast, {1, seconds(3'600), std::int64_t{1} << 50}, kilohertz, {}).error(),
              quota_error::burst_too_long);
}

TEST(backlogs, that_count_units_look_as_many_ahead_as_they_are_told) {
    const rate r = rate::in_units(8, 5, 2, 100);
    EXPECT_EQ(r.period(), 8U);
    EXPECT_EQ(r.burst(), 5U);
    EXPECT_EQ(r.longest(), 0U) << "nobody reserves by it";
    EXPECT_EQ(r.take(1'000 + 100 * 8, {1'000}, 1).verdict, weir::verdict::wait);
    EXPECT_EQ(r.take(1'000 + 101 * 8, {1'000}, 1).verdict, weir::verdict::admitted) << "a relic";
    EXPECT_EQ(r.shift(), 0U);
    EXPECT_EQ(r.charge(0, {1'000}, 7).verdict, weir::verdict::admitted);
    EXPECT_EQ(r.charge(0, {1'000}, 8).verdict, weir::verdict::never);
}

// A relic counts as idle, and nothing else does: no state lies further ahead of a clock that is
// late by the guard than the burst.
template <class Word>
class relic_of : public testing::Test {};
using words = testing::Types<std::uint64_t, std::uint32_t>;
TYPED_TEST_SUITE(relic_of, words);

TYPED_TEST(relic_of, a_backlog_begins_a_tick_beyond_what_burst_and_guard_explain) {
    using cell = weir::gcra<TypeParam>;
    const auto r = cell::rate::make({1, seconds(1), 5}, kilohertz, nothing_ahead).value();
    for (const auto& [late, busy] : {std::pair{2'000U, true}, {2'001U, false}}) {
        cell c;
        c.fill({100'000}, 0, r);
        EXPECT_NE(c.try_acquire({100'000 - late}, 1, r).admitted(), busy) << late;
    }
}

TEST(backlogs, may_be_forgotten_when_no_late_clock_finds_them_busy) {
    const rate r = made({1, seconds(1), 5});
    const auto guard = std::int64_t{2'000} << r.shift();
    const auto part = std::int64_t{1} << r.shift();
    const tick now{100'000};
    const auto until = [&](std::uint64_t state, std::uint64_t later) {
        return r.until_forgotten(state, {now.count + later});
    };
    const auto full = r.take(0, now, 5).next;
    const auto busy = std::int64_t{5'000} << r.shift();
    EXPECT_EQ(until(full, 0), busy + guard);
    EXPECT_EQ(until(full, 5'000), guard) << "idle, but not for a clock that is late";
    EXPECT_EQ(until(full, 7'000), 0);
    EXPECT_EQ(until(full, 7'001), -part);
    EXPECT_EQ(r.until_forgotten(full, {now.count - 2'000}), busy + 2 * guard)
        << "as who is late by the guard sees it";
    EXPECT_EQ(r.until_forgotten(full, {now.count - 4'001}), INT64_MIN) << "a relic";
    EXPECT_EQ(r.until_forgotten(full, {now.count + (std::uint64_t{1} << 59U)}),
              (std::int64_t{7'000} << r.shift()) - (std::int64_t{1} << 62U));
}

// The reset is as far ahead as the burst lets it be, or a tick further.
TEST(backlogs, obey_a_server_up_to_the_tick_that_they_can_look_ahead) {
    const rate r = made({1, seconds(1), 5});
    const tick now{100'000};
    const auto whole = r.lowered(0, now, 0, 1'000, false);
    EXPECT_EQ(whole.how, obeyed::whole);
    EXPECT_EQ(whole.ticks, 1'000U);
    EXPECT_EQ(r.take(whole.next, {now.count + 999}, 1).verdict, weir::verdict::wait);
    EXPECT_EQ(r.take(whole.next, {now.count + 1'000}, 1).verdict, weir::verdict::admitted);
    const auto part = r.lowered(0, now, 0, 1'001, false);
    EXPECT_EQ(part.how, obeyed::in_part);
    EXPECT_EQ(part.ticks, 1'000U);
    EXPECT_EQ(part.next, whole.next);
    // What is as strict already is left as it is.
    const auto again = r.lowered(whole.next, now, 0, 1'000, false);
    EXPECT_EQ(again.how, obeyed::needless);
    EXPECT_EQ(again.next, whole.next);
}

}  // namespace

// SPDX-License-Identifier: MIT
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/kinds.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/lease.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/array.hpp>

#include "../../oracle/dice.hpp"

namespace {

using weir::array_layout;
using weir::limiter_array;
using weir::per_second;

template <class Tag>
using own_clock = weir::manual_clock<Tag>;

// --- an entry is a limit like any other

constexpr std::size_t places = 8;

template <class Cell>
constexpr array_layout most_of{.refunds = weir::refunding_cell<Cell>};

template <class Cell>
[[nodiscard]] weir::quota quota_of() {
    const weir::quota q = per_second(places);
    return weir::period_cell<Cell> ? q : q.with_burst(5);
}

// Three entries beside three limiters, asked the same at the same times.
template <class Cell>
class array_of : public testing::Test {
protected:
    using test_clock = own_clock<array_of>;
    using array = limiter_array<3, Cell, test_clock, most_of<Cell>>;
    using limiter = weir::limiter<Cell, test_clock>;

    // Both answer the same, and keep the same.
    template <class Ask>
    void ask(std::size_t i, Ask ask) {
        EXPECT_EQ(ask(entry(i)), ask(limits_.at(i))) << "entry " << i;
        EXPECT_EQ(entry(i).save(), limits_.at(i).save()) << "entry " << i;
    }
    [[nodiscard]] auto entry(std::size_t i) { return (*array_)[i]; }

    std::unique_ptr<array> array_ = std::make_unique<array>(quota_of<Cell>());
    std::array<limiter, 3> limits_{limiter(quota_of<Cell>()), limiter(quota_of<Cell>()),
                                   limiter(quota_of<Cell>())};
};
using every = weir::every_cell<places, weir::word>::as<testing::Types>;
TYPED_TEST_SUITE(array_of, every);

TYPED_TEST(array_of, cells_has_entries_that_answer_as_limiters_do) {
    using clock = own_clock<array_of<TypeParam>>;
    clock::set(weir::tick{1'000'000'000'000});
    oracle::dice d(20);
    for (int round = 0; round < 5000; ++round) {
        const std::size_t i = d.index(3);
        const weir::word n = d.roll(places + 2);
        clock::advance(weir::microseconds(static_cast<std::int64_t>(d.roll(200'000))));
        switch (d.roll(9)) {
            case 0:
            case 1:
            case 2:
                this->ask(i,
                          [n](auto&& l) { return std::string(to_text(l.try_acquire(n)).c_str()); });
                break;
            case 3: this->ask(i, [n](auto&& l) { return l.acquire_up_to(n).units; }); break;
            case 4:
                this->ask(i, [n](auto&& l) { return std::string(to_text(l.charge(n)).c_str()); });
                break;
            case 5:
                this->ask(i, [n](auto&& l) { return std::string(to_text(l.peek(n)).c_str()); });
                break;
            case 6: this->ask(i, [](auto&& l) { return l.debt(); }); break;
            case 7:
                if (d.roll(8) != 0) break;
                this->ask(i, [](auto&& l) {
                    l.reset();
                    return 0;
                });
                break;
            default:
                if (d.roll(8) != 0) break;
                this->ask(i, [](auto&& l) { return l.drain(); });
        }
    }
}

TYPED_TEST(array_of, cells_reserves_and_refunds_as_limiters_do) {
    if constexpr (weir::refunding_cell<TypeParam>) {
        using clock = own_clock<array_of<TypeParam>>;
        clock::set(weir::tick{1'000'000'000'000});
        oracle::dice d(21);
        for (int round = 0; round < 2000; ++round) {
            const std::size_t i = d.index(3);
            const weir::word n = d.roll(places);
            const weir::word unused = d.roll(places);
            const auto give_back = d.roll(2) == 0;
            clock::advance(weir::microseconds(static_cast<std::int64_t>(d.roll(400'000))));
            this->ask(i, [=](auto&& l) {
                auto place = l.reserve(n, weir::seconds(2));
                const std::string told(to_text(place).c_str());
                if (!give_back) return told + std::to_string(l.refundable(place).units());
                return told + std::to_string(l.refund(std::move(place), unused).units());
            });
        }
    }
}

// --- what only an array has

struct fresh_tag {};

TEST(limiter_array, takes_eight_bytes_for_an_entry) {
    using some = limiter_array<1000>;
    using more = limiter_array<2000>;
    EXPECT_EQ(sizeof(more) - sizeof(some), 1000 * sizeof(weir::word));
    EXPECT_EQ(sizeof(limiter_array<2, weir::gcra<>, own_clock<fresh_tag>,
                                   array_layout{.apart = true}>::place),
              weir::cache_line);
    EXPECT_LE(sizeof(limiter_array<2, weir::gcra<>, own_clock<fresh_tag>,
                                   array_layout{.refunds = true}>::place),
              40U);
}

constinit limiter_array<64> global{per_second(10)};

TEST(limiter_array, works_as_a_constinit_global) {
    EXPECT_EQ(global.size(), 64U);
    EXPECT_TRUE(global[63].try_acquire(10));
    EXPECT_FALSE(global[63].try_acquire(10));
    EXPECT_TRUE(global[0].try_acquire(10));
}

TEST(limiter_array, has_entries_that_serve_wherever_a_limit_does) {
    struct tag {};
    using lean = limiter_array<4, weir::gcra<>, own_clock<tag>>;
    using refunding = limiter_array<4, weir::gcra<>, own_clock<tag>, array_layout{.refunds = true}>;
    static_assert(weir::limit<lean::entry> && weir::lending<lean::entry> &&
                  weir::reserving<lean::entry> && !weir::undoing<lean::entry>);
    static_assert(weir::undoing<refunding::entry>);

    refunding limits{per_second(10)};
    weir::limiter<weir::gcra<>, own_clock<tag>> whole{per_second(10)};
    auto both = weir::all_of(limits[0], whole);
    EXPECT_TRUE(both.try_acquire(10));
    EXPECT_FALSE(both.try_acquire(1));
    {
        weir::lease mine(limits[2], 4);
        EXPECT_TRUE(mine.try_acquire());
    }
    EXPECT_EQ(limits[2].drain(), 9U);  // the lease has given back what it did not spend
    EXPECT_TRUE(weir::acquire_for(limits[3], 10, weir::nanoseconds{}));
    EXPECT_FALSE(weir::acquire_for(limits[3], 10, weir::nanoseconds{}));
}

// What is built of an entry keeps a copy, so the entry may be gone.
TEST(limiter_array, has_entries_that_are_kept_by_value) {
    struct tag {};
    limiter_array<4, weir::gcra<>, own_clock<tag>> limits{per_second(10)};
    weir::limiter<weir::gcra<>, own_clock<tag>> whole{per_second(100)};
    const auto made = [&](std::size_t i) {
        auto entry = limits[i];
        return weir::all_of(entry, whole);
    };
    auto both = made(2);
    EXPECT_TRUE(both.try_acquire(10));
    EXPECT_EQ(limits[2].drain(), 0U);
    EXPECT_EQ(limits[1].drain(), 10U);
}

TEST(limiter_array, gives_nothing_back_for_a_permit_of_another_entry) {
    struct tag {};
    limiter_array<2, weir::gcra<>, own_clock<tag>, array_layout{.refunds = true}> limits{
        per_second(10)};
    (void)limits[0].try_acquire(5);
    auto place = limits[0].reserve(5);
    EXPECT_FALSE(limits[1].refund(std::move(place)));
    EXPECT_EQ(place.units(), 5U);  // NOLINT(bugprone-use-after-move): it was left as it is
    EXPECT_TRUE(limits[0].refund(std::move(place)));
}

TEST(limiter_array, without_ledgers_gives_nothing_back) {
    struct tag {};
    limiter_array<1, weir::gcra<>, own_clock<tag>> limits{per_second(10)};
    (void)limits[0].try_acquire(5);
    auto place = limits[0].reserve(5);
    EXPECT_FALSE(limits[0].refund(std::move(place)));
    EXPECT_EQ(limits[0].drain(), 0U);
}

TEST(limiter_array, is_reset_as_a_whole_or_by_entry) {
    struct tag {};
    limiter_array<3, weir::gcra<>, own_clock<tag>> limits{per_second(10)};
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(limits[i].drain(), 10U);
    limits[1].reset();
    EXPECT_EQ(limits[1].drain(), 10U);
    EXPECT_EQ(limits[2].drain(), 0U);
    limits.reset();
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(limits[i].drain(), 10U);
}

// Each cell begins when the array does, whichever entry is asked first.
template <class Cell>
class array_start : public testing::Test {};
TYPED_TEST_SUITE(array_start, every);

TYPED_TEST(array_start, of_all_entries_is_the_first_decision) {
    using clock = own_clock<array_start<TypeParam>>;
    for (const weir::word begin : {weir::word{0}, weir::word{5'000'000'000}, ~weir::word{0}}) {
        clock::set(weir::tick{begin});
        limiter_array<3, TypeParam, clock> full{quota_of<TypeParam>()};
        limiter_array<3, TypeParam, clock> empty{quota_of<TypeParam>(), {.start = 0}};
        weir::limiter<TypeParam, clock> one{quota_of<TypeParam>(), {.start = 0}};
        (void)full[1].peek();
        (void)empty[1].peek();
        (void)one.peek();
        clock::advance(weir::milliseconds(300));
        EXPECT_EQ(full[2].drain(), full[2].burst()) << begin;
        EXPECT_EQ(empty[2].drain(), one.drain()) << begin;
    }
}

TEST(limiter_array, has_a_quota_for_each_class) {
    struct tag {};
    limiter_array<3, weir::gcra<>, own_clock<tag>, array_layout{.classes = 2}> limits{
        {per_second(10), per_second(100)}};
    own_clock<tag>::set(weir::tick{1'000'000'000});
    EXPECT_EQ(limits[0].drain(), 10U);
    limits.begin_as(1, 1);
    EXPECT_EQ(limits.class_of(0), 0U);
    EXPECT_EQ(limits.class_of(1), 1U);
    EXPECT_EQ(limits[1].drain(), 100U);
    EXPECT_EQ(limits[1].quota(), per_second(100));
    own_clock<tag>::advance(weir::milliseconds(100));
    EXPECT_EQ(limits[0].drain(), 1U);
    EXPECT_EQ(limits[1].drain(), 10U);
    limits[1].reset();
    EXPECT_EQ(limits[1].drain(), 100U) << "a reset keeps the class";
    enum class kind { guest, member };
    limits.begin_as(1, kind::guest);
    EXPECT_EQ(limits[1].drain(), 10U);
    EXPECT_EQ(limits[2].drain(), 10U);
}

TEST(limiter_array, starts_a_class_that_is_not_full_when_that_class_begins) {
    struct tag {};
    limiter_array<4, weir::token_bucket<>, own_clock<tag>, array_layout{.classes = 2}> limits{
        {per_second(10), per_second(100)}, {.start = 0}};
    own_clock<tag>::set(weir::tick{1'000'000'000});
    EXPECT_EQ(limits[0].drain(), 0U);
    limits.begin_as(1, 1);
    EXPECT_EQ(limits[1].drain(), 0U);
    own_clock<tag>::advance(weir::milliseconds(100));
    EXPECT_EQ(limits[1].drain(), 10U);
    EXPECT_EQ(limits[2].drain(), 1U);
}

TEST(limiter_array, starts_only_the_entries_of_the_class_that_begins) {
    struct tag {};
    limiter_array<2, weir::token_bucket<>, own_clock<tag>, array_layout{.classes = 2}> limits{
        {per_second(10), per_second(100)}, {.start = 0}};
    own_clock<tag>::set(weir::tick{1'000'000'000});
    limits.begin_as(1, 1);
    own_clock<tag>::advance(weir::milliseconds(500));
    EXPECT_EQ(limits[1].drain(), 50U);
    EXPECT_EQ(limits[0].drain(), 0U) << "its class begins here";
    own_clock<tag>::advance(weir::milliseconds(500));
    EXPECT_EQ(limits[0].drain(), 5U);
}

TEST(limiter_array, takes_memory_that_is_given_or_allocates_it_once) {
    struct tag {};
    using array = limiter_array<weir::any_size, weir::gcra<>, own_clock<tag>>;
    std::array<array::place, 5> memory{};
    array given(memory, per_second(10));
    array own(7, per_second(10));
    EXPECT_EQ(given.size(), 5U);
    EXPECT_EQ(own.size(), 7U);
    EXPECT_EQ(given[4].drain(), 10U);
    EXPECT_EQ(own[6].drain(), 10U);
    EXPECT_EQ(given[0].drain(), 10U);
}

TEST(limiter_array, counts_what_all_entries_decide) {
    struct tag {};
    limiter_array<3, weir::gcra<>, own_clock<tag>, array_layout{}, weir::counters> limits{
        per_second(1)};
    for (std::size_t i = 0; i < 3; ++i) {
        (void)limits[i].try_acquire();
        (void)limits[i].try_acquire();
    }
    EXPECT_EQ(limits.observer().admitted(), 3U);
    EXPECT_EQ(limits.observer().denied(), 3U);
}

TEST(limiter_array_death, ends_the_program_for_an_index_that_it_does_not_have) {
    EXPECT_DEATH((void)global[64].try_acquire(), "an array of 64 limits has no entry 64");
    struct tag {};
    limiter_array<2, weir::gcra<>, own_clock<tag>, array_layout{.classes = 2}> limits{
        {per_second(10), per_second(100)}};
    EXPECT_DEATH(limits.begin_as(2, 0), "an array of 2 limits has no entry 2");
    EXPECT_DEATH((void)limits.class_of(9), "an array of 2 limits has no entry 9");
    EXPECT_DEATH(limits.begin_as(1, 2), "an array of limits has no such class");
}

TEST(limiter_array, refuses_a_quota_that_a_cell_cannot_hold) {
    using windows = limiter_array<2, weir::fixed_window<>>;
    const weir::quota q = per_second(10).with_burst(3);
    EXPECT_EQ(windows::refusal(q), weir::quota_error::burst_not_the_window);
    EXPECT_THROW(windows{q}, weir::refused);
}

// Two entries of one place are one limit: asked for twice as many units, it would never pass.
TEST(limiter_array, gives_one_entry_to_all_of_only_once) {
    struct tag {};
    limiter_array<2, weir::gcra<>, own_clock<tag>, array_layout{.refunds = true}> limits{
        per_second(1)};
    auto one = limits[0];
    auto again = limits[0];
    auto other = limits[1];
    using both = weir::all_of<decltype(one), decltype(one)>;
    EXPECT_EQ(both::make(one, again).error(), weir::all_of_error::limit_given_twice);
    EXPECT_TRUE(both::make(one, other));
}

// Memory that another array has used: a level's slots, when the next level begins.
TEST(limiter_array, begins_anew_in_memory_that_another_array_has_used) {
    struct tag {};
    using array =
        limiter_array<weir::any_size, weir::gcra<>, own_clock<tag>, array_layout{.classes = 2}>;
    own_clock<tag>::set(weir::tick{1'000'000'000'000});
    std::array<array::place, 3> memory{};
    {
        array before(memory, {per_second(10), per_second(100)});
        EXPECT_EQ(before[0].drain(), 10U);
        before.begin_as(1, 1);
    }
    array limits(memory, {per_second(10), per_second(100)});
    EXPECT_EQ(limits.class_of(1), 0U) << "all entries begin in the first class";
    EXPECT_EQ(limits[0].drain(), 10U);
}

TEST(limiter_array, gives_nothing_back_for_a_permit_of_an_array_that_was_in_its_memory) {
    struct tag {};
    using array =
        limiter_array<weir::any_size, weir::gcra<>, own_clock<tag>, array_layout{.refunds = true}>;
    own_clock<tag>::set(weir::tick{1'000'000'000'000});
    std::array<array::place, 3> memory{};
    array::entry::permit_type place;
    {
        array before(memory, per_second(10));
        EXPECT_EQ(before[0].drain(), 10U);
        place = before[0].reserve(5);
    }
    array limits(memory, per_second(10), {.start = 0});
    EXPECT_FALSE(limits[0].refund(std::move(place)));
    EXPECT_EQ(limits[2].drain(), 0U) << "nor does that begin the array, at time 0";
}

// At these times the word 0 looks like a backlog to a rule a little later, and not yet now.
TEST(limiter_array, is_full_where_nobody_has_used_it_wherever_its_clock_stands) {
    struct tag {};
    using clock = weir::manual_clock<tag, 1'000'000>;
    using cell = weir::gcra<std::uint32_t>;
    constexpr weir::quota q{1, weir::seconds(1), 60};
    for (weir::word before = 100; before < 160; ++before) {
        clock::set(weir::tick{(weir::word{1} << 32U) - before * 1'000'000});
        limiter_array<2, cell, clock> limits{q};
        weir::limiter<cell, clock> one{q};
        (void)limits[0].peek();
        (void)one.peek();
        clock::advance(weir::seconds(12));
        ASSERT_EQ(one.drain(), 60U) << before;
        ASSERT_EQ(limits[1].drain(), 60U) << before << " s before the clock comes round";
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
// Observers that count: which call counts as what, and that no count is lost whichever thread it
// comes from.
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <weir/cell/gcra.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/array.hpp>

namespace {

using weir::decision_counts;
using weir::quota;
using weir::seconds;
using weir::word;

template <class Observer>
class an_observer_that_counts : public testing::Test {
protected:
    using clock = weir::manual_clock<Observer>;
    using limit = weir::limiter<weir::gcra<>, clock, Observer>;

    void SetUp() override { clock::set(weir::tick{1'000'000'000'000}); }

    static constexpr quota ten{10, seconds(10)};
};
// With lines for each thread, for some, and for none.
using observers = testing::Types<weir::stats, weir::basic_counters<1>, weir::counters>;
TYPED_TEST_SUITE(an_observer_that_counts, observers);

TYPED_TEST(an_observer_that_counts, counts_decisions_and_the_units_of_those_that_admit) {
    typename TestFixture::limit l(this->ten);
    EXPECT_EQ(l.observer().snapshot(), decision_counts{});
    (void)l.try_acquire(3);
    EXPECT_EQ(l.observer().snapshot(), (decision_counts{.admitted = 1, .units = 3}));
    (void)l.acquire_up_to(5);
    EXPECT_EQ(l.observer().units(), 8U);
    (void)l.acquire_up_to(5);  // two are left
    EXPECT_EQ(l.observer().units(), 10U);
    (void)l.acquire_up_to(5);
    (void)l.try_acquire();
    (void)l.try_acquire(11);
    EXPECT_EQ(l.observer().snapshot(),
              (decision_counts{.admitted = 3, .units = 10, .denied = 2, .never = 1}));
    (void)l.charge(4);
    EXPECT_EQ(l.observer().units(), 14U);
    EXPECT_EQ(l.observer().admitted(), 4U);
    (void)l.peek();
    (void)l.peek(11);
    EXPECT_EQ(l.observer().snapshot(),
              (decision_counts{.admitted = 4, .units = 14, .denied = 2, .never = 1}));
}

TYPED_TEST(an_observer_that_counts, counts_what_is_reserved_and_taken) {
    typename TestFixture::limit l(this->ten);
    auto permit = l.reserve(2);
    EXPECT_EQ(l.observer().snapshot(), (decision_counts{.admitted = 1, .units = 2}));
    EXPECT_TRUE(l.refund(std::move(permit)));
    EXPECT_EQ(l.observer().units(), 2U) << "a refund counts nothing";
    (void)l.take(2, 20, TestFixture::clock::now());
    EXPECT_EQ(l.observer().snapshot(), (decision_counts{.admitted = 2, .units = 12}));
    (void)l.take(2, 20, TestFixture::clock::now());
    EXPECT_EQ(l.observer().denied(), 1U);
}

TYPED_TEST(an_observer_that_counts, brings_its_counts_along_when_it_moves) {
    typename TestFixture::limit l(this->ten);
    (void)l.try_acquire(3);
    (void)l.try_acquire(8);
    std::thread([&] { (void)l.try_acquire(11); }).join();
    const decision_counts before = l.observer().snapshot();
    auto moved = std::move(l);
    EXPECT_EQ(moved.observer().snapshot(), before);
    (void)moved.try_acquire();
    EXPECT_EQ(moved.observer().admitted(), 2U);
}

TYPED_TEST(an_observer_that_counts, hears_of_all_entries_of_an_array) {
    weir::limiter_array<3, weir::gcra<>, typename TestFixture::clock, weir::array_layout{},
                        TypeParam>
        all{this->ten};
    (void)all[0].try_acquire(4);
    (void)all[2].try_acquire(5);
    EXPECT_EQ(all.observer().snapshot(), (decision_counts{.admitted = 2, .units = 9}));
}

// One after the other, so each takes over the line of the one before it.
TYPED_TEST(an_observer_that_counts, keeps_the_counts_of_threads_that_have_ended) {
    typename TestFixture::limit l(quota{1'000, seconds(1)});
    for (int i = 0; i < 100; ++i) std::thread([&] { (void)l.try_acquire(2); }).join();
    EXPECT_EQ(l.observer().snapshot(), (decision_counts{.admitted = 100, .units = 200}));
}

TYPED_TEST(an_observer_that_counts, counts_what_a_thread_does_after_its_end) {
    typename TestFixture::limit l(this->ten);
    struct late {
        ~late() { (void)to->try_acquire(2); }
        typename TestFixture::limit* to = nullptr;
    };
    std::thread([&] {
        static thread_local late after_the_end;
        after_the_end.to = &l;
        (void)l.try_acquire(1);
    }).join();
    EXPECT_EQ(l.observer().snapshot(), (decision_counts{.admitted = 2, .units = 3}));
}

constinit weir::limiter<weir::gcra<>, weir::manual_clock<struct global>, weir::stats> global_limit{
    weir::per_second(1)};

TEST(stats, may_be_part_of_a_constinit_global) {
    EXPECT_TRUE(global_limit.try_acquire());
    EXPECT_EQ(global_limit.observer().admitted(), 1U);
}

static_assert(sizeof(weir::counters) == weir::own_line || !weir::has_lines);
static_assert(sizeof(weir::stats) == 17 * weir::cache_line || !weir::has_lines);

}  // namespace

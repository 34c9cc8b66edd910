// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <weir/pacer/lane.hpp>

#include "../stress/crowd.hpp"

namespace {

using weir::holder;
using weir::lane;
using weir::pushing;

static_assert(!std::is_copy_constructible_v<lane<int>>);
static_assert(!std::is_move_constructible_v<lane<int>>);

template <class Lane>
pushing push(Lane& l, int value) {
    return l.try_push(1, value);
}

TEST(lane, holds_exactly_its_capacity_in_order) {
    lane<int, 3> fixed;
    lane<int> made(3);
    const auto fill = [](auto& l) {
        EXPECT_EQ(l.capacity(), 3U);
        for (int round = 0; round < 5; ++round) {
            for (int i = 0; i < 3; ++i) EXPECT_EQ(push(l, i), pushing::pushed);
            EXPECT_EQ(push(l, 3), pushing::full);
            EXPECT_EQ(l.approx_size(), 3U);
            for (int i = 0; i < 3; ++i) {
                EXPECT_EQ(l.available(), static_cast<std::size_t>(3 - i));
                EXPECT_EQ(l.front(), i);
                EXPECT_EQ(l.take(), i);
            }
            EXPECT_EQ(l.available(), 0U);
        }
    };
    fill(fixed);
    fill(made);
}

TEST(lane, of_no_places_is_always_full) {
    lane<int> none(0);
    EXPECT_EQ(push(none, 1), pushing::full);
    EXPECT_EQ(none.available(), 0U);
}

TEST(lane, takes_items_that_can_only_be_moved_and_keeps_nothing_of_them) {
    lane<std::unique_ptr<int>, 2> l;
    auto first = std::make_unique<int>(1);
    auto second = std::make_unique<int>(2);
    auto third = std::make_unique<int>(3);
    EXPECT_EQ(l.try_push(1, std::move(first)), pushing::pushed);
    EXPECT_EQ(l.try_push(1, std::move(second)), pushing::pushed);
    EXPECT_EQ(l.try_push(1, std::move(third)), pushing::full);
    EXPECT_EQ(first, nullptr);
    ASSERT_NE(third, nullptr) << "what is refused stays with who pushed it";
    EXPECT_EQ(*l.take(), 1);
    EXPECT_EQ(l.try_push(1, std::move(third)), pushing::pushed);
    EXPECT_EQ(*l.take(), 2);
    EXPECT_EQ(*l.take(), 3);
}

TEST(lane, destroys_what_is_left_in_it) {
    const auto counted = std::make_shared<int>(0);
    {
        lane<std::shared_ptr<int>, 4> fixed;
        lane<std::shared_ptr<int>> made(4);
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(fixed.try_push(1, std::shared_ptr(counted)), pushing::pushed);
            EXPECT_EQ(made.try_push(1, std::shared_ptr(counted)), pushing::pushed);
        }
        (void)fixed.take();
        EXPECT_EQ(counted.use_count(), 6);
    }
    EXPECT_EQ(counted.use_count(), 1);
}

// Counts those that live, moved from or not.
struct living {
    explicit living(int* count) : count_(count) { ++*count_; }
    living(living&& other) noexcept : count_(other.count_) { ++*count_; }
    living& operator=(living&&) = delete;
    ~living() { --*count_; }

private:
    int* count_;
};

TEST(lane, ends_the_life_of_each_item_once) {
    int alive = 0;
    {
        lane<living, 4> fixed;
        lane<living> made(4);
        for (int i = 0; i < 6; ++i) {
            (void)fixed.try_push(1, living(&alive));
            (void)made.try_push(1, living(&alive));
        }
        EXPECT_EQ(alive, 8);
        for (int i = 0; i < 3; ++i) {
            (void)fixed.take();
            (void)made.take();
        }
        EXPECT_EQ(alive, 2);
    }
    EXPECT_EQ(alive, 0);
}

TEST(lane, counts_units) {
    lane<int, 4> l;
    EXPECT_EQ(l.try_push(100, 1), pushing::pushed);
    EXPECT_EQ(l.try_push(20, 2), pushing::pushed);
    EXPECT_EQ(l.approx_units(), 120U);
    EXPECT_EQ(l.take(100), 1);
    EXPECT_EQ(l.approx_units(), 20U);
}

TEST(lane, is_held_by_one_at_a_time) {
    lane<int, 4> l;
    EXPECT_EQ(l.held_by(), holder::nobody);
    EXPECT_TRUE(l.open());
    EXPECT_FALSE(l.open());
    EXPECT_EQ(l.held_by(), holder::nobody) << "not yet: what goes with it is still being written";
    l.opened();
    EXPECT_EQ(l.held_by(), holder::producer);
    EXPECT_EQ(push(l, 1), pushing::pushed);
    l.close();
    EXPECT_FALSE(l.open()) << "it is not empty";
    EXPECT_EQ(l.held_by(), holder::left);
    EXPECT_EQ(l.take(), 1);
    l.retire();
    EXPECT_EQ(l.held_by(), holder::nobody);
    EXPECT_TRUE(l.open());
}

// Pushes to the same lane while it is being pushed: what a second producer does, at a moment that
// repeats.
struct intruder {
    lane<intruder, 4>* target;
    pushing* answer;

    intruder(lane<intruder, 4>* t, pushing* a) : target(t), answer(a) {}
    intruder(intruder&& other) noexcept
        : target(std::exchange(other.target, nullptr)), answer(other.answer) {
        if (target == nullptr) return;
        lane<intruder, 4>* const again = std::exchange(target, nullptr);
        *answer = again->try_push(1, intruder(nullptr, nullptr));
    }
    intruder& operator=(intruder&&) = delete;
    ~intruder() = default;
};

TEST(lane, finds_a_second_producer_in_debug_builds) {
    if (!lane<intruder, 4>::sees_misuse) GTEST_SKIP() << "a release build";
    lane<intruder, 4> l;
    pushing answer = pushing::full;
    EXPECT_EQ(l.try_push(1, intruder(&l, &answer)), pushing::pushed);
    EXPECT_EQ(answer, pushing::misused);
    EXPECT_EQ(l.available(), 1U) << "and the first push is whole";
    EXPECT_EQ(l.try_push(1, intruder(nullptr, nullptr)), pushing::pushed) << "it is over";
}

TEST(lane, passes_all_items_in_order_from_one_thread_to_another) {
    lane<std::unique_ptr<int>> l(64);
    const int total = repetitions(1'000'000);
    std::jthread producer([&] {
        for (int i = 0; i < total; ++i) {
            auto item = std::make_unique<int>(i);
            while (l.try_push(1, std::move(item)) != pushing::pushed) std::this_thread::yield();
        }
    });
    for (int i = 0; i < total;) {
        const std::size_t there = l.available();
        if (there == 0) std::this_thread::yield();
        for (std::size_t k = 0; k < there; ++k, ++i) ASSERT_EQ(*l.take(1), i);
    }
    EXPECT_EQ(l.available(), 0U);
}

// Boost asks for the index that is pushed at first, and the taker may pass it before it asks for
// the other.
TEST(lane, does_not_look_full_to_others_when_the_taker_overtakes_them) {
    lane<int> l(1'024);
    std::atomic<bool> over{false};
    std::jthread producer([&] {
        while (!over) {
            if (l.approx_size() < 2) (void)push(l, 1);
        }
    });
    std::jthread taker([&] {
        while (!over) {
            if (l.available() != 0) (void)l.take(1);
        }
    });
    std::size_t most = 0;
    for (int i = repetitions(5'000'000); i > 0; --i) most = std::max(most, l.approx_size());
    over = true;
    EXPECT_LE(most, 512U);
}

TEST(lane, goes_from_hand_to_hand_without_losing_an_item) {
    lane<int> l(8);
    constexpr int producers = 3;
    constexpr int each = 5;  // items per holding
    const int holdings = repetitions(20'000);
    std::atomic<int> taken{0};
    std::atomic<long long> sum{0};
    {
        std::vector<std::jthread> threads;
        threads.reserve(producers);
        for (int p = 0; p < producers; ++p) {
            threads.emplace_back([&] {
                for (int i = 0; i < holdings; ++i) {
                    while (!l.open()) std::this_thread::yield();
                    l.opened();
                    for (int k = 0; k < each; ++k) {
                        while (push(l, k) != pushing::pushed) std::this_thread::yield();
                    }
                    l.close();
                }
            });
        }
        const int total = producers * holdings * each;
        while (taken < total) {
            const holder held = l.held_by();
            const std::size_t there = held == holder::nobody ? 0 : l.available();
            for (std::size_t k = 0; k < there; ++k) {
                sum += l.take(1);
                ++taken;
            }
            if (held == holder::left) l.retire();
            if (there == 0) std::this_thread::yield();
        }
        EXPECT_EQ(taken, total);
        EXPECT_EQ(sum, static_cast<long long>(producers) * holdings * 10);
    }
}

}  // namespace

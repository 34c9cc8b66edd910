// SPDX-License-Identifier: MIT
// Many threads, far more keys than places, tiny tables: no key gets more than its burst where the
// table denies, and where it forgives, all together get no more beyond that than was forgiven. The
// clock stands still, or is moved by one thread while the others use times that are late.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/manual.hpp>
#include <weir/table/keyed.hpp>

#include "../keyed_layouts.hpp"
#include "../oracle/dice.hpp"
#include "crowd.hpp"
#include "moving_time.hpp"

namespace {

using weir::when_full;

constexpr weir::word burst = 3;
const weir::quota each = weir::per_second(10).with_burst(burst);

struct keyed_stress_clock {};
using clock = weir::manual_clock<keyed_stress_clock>;
template <class Subject, int Threads>
struct by_threads : Subject {
    static constexpr int threads = Threads;
};

template <class Subject>
class keyed_stress : public testing::Test {
protected:
    using table = weir::keyed_limits<weir::any_size, clock, Subject::layout>;
    static constexpr std::size_t keys = 96;

    // Each thread asks for all keys, each in an order of its own, until all are refused. Fresh in
    // each round.
    template <class Judge>
    void rounds(std::size_t places, when_full policy, Judge judge) {
        clock::set(weir::tick{1'000'000'000'000});
        auto all = std::make_unique<table>(places, each, policy, weir::seed(1));
        std::array<std::atomic<weir::word>, keys> passed{};
        crowd(
            Subject::threads, repetitions(1'500),
            [&](int round, int thread) {
                oracle::dice d(static_cast<std::uint64_t>(round * 8 + thread));
                // Most of them want the same few keys at first: there they enter them together.
                for (std::size_t i = 0; i < 4 * keys; ++i) {
                    const std::size_t k = i < 16 ? i / 4 : d.index(keys);
                    if ((*all)[Subject::key(k)].try_acquire()) ++passed.at(k);
                    if (d.one_in(64)) std::this_thread::yield();
                }
            },
            [&](int round) {
                std::array<weir::word, keys> got{};
                for (std::size_t k = 0; k < keys; ++k) got.at(k) = passed.at(k).exchange(0);
                judge(got, *all, round);
                all = std::make_unique<table>(places, each, policy,
                                              weir::seed(static_cast<std::uint64_t>(round)));
            });
    }
};
using subjects = testing::Types<by_threads<compact_table, 2>, by_threads<compact_table, 4>,
                                by_threads<exact_table, 2>, by_threads<exact_table, 4>,
                                by_threads<exact_table_of_equal_tags, 4>>;
TYPED_TEST_SUITE(keyed_stress, subjects);

TYPED_TEST(keyed_stress, never_passes_more_than_a_burst_where_it_denies) {
    for (const std::size_t places : {8U, 16U, 64U}) {
        weir::word in_all = 0;
        this->rounds(places, when_full::deny, [&](const auto& got, auto& all, int round) {
            weir::word units = 0;
            for (std::size_t k = 0; k < got.size(); ++k) {
                ASSERT_LE(got.at(k), burst) << "key " << k << ", round " << round;
                units += got.at(k);
            }
            ASSERT_LE(units, places * burst) << "round " << round;
            ASSERT_EQ(all.statistics().steals, 0U);
            in_all += units;
        });
        EXPECT_GT(in_all, 0U);
    }
}

// More than twenty million admissions, with two threads and four, in both layouts.
TYPED_TEST(keyed_stress, passes_no_more_beyond_than_was_forgiven) {
    const auto admissions = static_cast<weir::word>(repetitions(1'500'000));
    for (const std::size_t places : {8U, 16U, 64U}) {
        weir::word in_all = 0;
        while (in_all < admissions && !this->HasFailure()) {
            this->rounds(
                places, when_full::forgive_least, [&](const auto& got, auto& all, int round) {
                    weir::word beyond = 0;
                    for (const weir::word g : got) {
                        beyond += g > burst ? g - burst : 0;
                        in_all += g;
                    }
                    ASSERT_LE(static_cast<std::int64_t>(beyond) * weir::milliseconds(100).count(),
                              all.statistics().forgiven.count())
                        << round;
                    ASSERT_GT(all.statistics().steals, 0U);
                });
        }
    }
}

TYPED_TEST(keyed_stress, holds_the_quota_while_places_change_hands_and_times_are_late) {
    constexpr std::size_t some = 64;
    constexpr std::uint64_t late = 40'000'000;
    clock::set(weir::tick{1'000'000'000'000});
    typename TestFixture::table all(8, each, when_full::deny, weir::seed(3),
                                    {.guard = weir::milliseconds(70)});
    moving_time<clock> time(TypeParam::threads);
    std::vector<std::vector<std::uint64_t>> passed_at(some);
    std::mutex mutex;
    crowd(
        TypeParam::threads, 1,
        [&](int, int thread) {
            oracle::dice d(static_cast<std::uint64_t>(thread) + 1);
            std::vector<std::vector<std::uint64_t>> mine(some);
            for (int i = 0; i < repetitions(200'000); ++i) {
                const std::uint64_t at = time.next(thread, d.roll(moving_time<clock>::furthest));
                const weir::instant<clock> now(at - d.roll(late));
                const std::size_t k = d.index(some);
                while (all[TypeParam::key(k)].try_acquire(1, now)) mine.at(k).push_back(now.count);
                if (i % 16 == 0) std::this_thread::yield();
            }
            time.end(thread);
            const std::lock_guard lock(mutex);
            for (std::size_t k = 0; k < some; ++k)
                passed_at.at(k).insert(passed_at.at(k).end(), mine.at(k).begin(), mine.at(k).end());
        },
        [](int) {});
    EXPECT_EQ(keys_beyond(passed_at, each), 0);
    EXPECT_GT(all.statistics().steals, 0U);
}

// A key has used its burst, and 205 ms later it asks again. For the other threads 305 ms have
// passed by then, so it seems to be idle, and they all want its place, which is the only one.
class late_key : public testing::TestWithParam<int> {
    using table = weir::keyed_limits<weir::any_size, clock>;

protected:
    // What passes of the key then, in each round.
    template <class Judge>
    void rounds(weir::nanoseconds guard, Judge judge) {
        constexpr int key = 0;
        const weir::instant<clock> start(1'000'000'000'000);
        std::unique_ptr<table> all;
        const auto begin = [&] {
            all = std::make_unique<table>(8, each, when_full::deny, weir::seed(7),
                                          weir::keyed_options{.guard = guard});
            (void)(*all)[key].drain(start);
            for (int k = 1; k < 8; ++k) (void)(*all)[k].charge(2 * burst, start);
        };
        begin();
        std::atomic<weir::word> passed{0};
        crowd(
            GetParam(), repetitions(20'000),
            [&](int, int thread) {
                (void)(*all)[100 + thread].try_acquire(1, start + 305'000'000);
                (*all)[1 + thread].reset(start);  // so there is another place
                passed += (*all)[key].acquire_up_to(burst, start + 205'000'000).units;
            },
            [&](int) {
                judge(passed.exchange(0));
                begin();
            });
    }
};
INSTANTIATE_TEST_SUITE_P(threads, late_key, testing::Values(2, 4));

TEST_P(late_key, gets_what_came_back_by_its_own_time) {
    rounds(weir::milliseconds(110), [](weir::word passed) { ASSERT_EQ(passed, 2U); });
}

// Each thread asks for the key after it has looked for a place, so whoever comes first finds the
// place taken.
TEST_P(late_key, gets_more_without_a_guard) {
    rounds(weir::nanoseconds{}, [](weir::word passed) { ASSERT_EQ(passed, burst); });
}

}  // namespace

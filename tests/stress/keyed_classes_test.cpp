// SPDX-License-Identifier: MIT
// Keyed tables with classes, by many threads, in tiny tables: some acquire while others change the
// quotas of the classes, and keys come with one class and another. No key gets more than its burst
// and what the rates have brought.
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

using weir::quota_error;
using weir::word;

constexpr word burst = 3;

struct classes_stress_clock {};
using clock = weir::manual_clock<classes_stress_clock>;

[[nodiscard]] weir::quota at_rate(std::int64_t rate) {
    return weir::per_second(rate).with_burst(burst);
}

template <class Subject>
class keyed_classes_stress : public testing::Test {
protected:
    using table = weir::keyed_limits<weir::any_size, clock, with_two_classes<Subject>::layout>;

    [[nodiscard]] static auto made(std::size_t places, std::uint64_t seed,
                                   const weir::keyed_options& o = {}) {
        const weir::quota quotas[] = {at_rate(10), at_rate(20)};
        return std::make_unique<table>(places, quotas, weir::when_full::deny, weir::seed(seed), o);
    }
};
using subjects = testing::Types<compact_table, exact_table_of_equal_tags>;
TYPED_TEST_SUITE(keyed_classes_stress, subjects);

// The clock stands still, so no rate brings anything.
TYPED_TEST(keyed_classes_stress, never_pass_more_than_a_burst_while_rates_change) {
    constexpr std::size_t keys = 24;
    constexpr int threads = 4;
    clock::set(weir::tick{1'000'000'000'000});
    std::array<std::atomic<word>, keys> passed{};
    std::atomic<word> changes{0};
    word in_all = 0;
    auto all = this->made(16, 1);
    crowd(
        threads, repetitions(4'000),
        [&](int round, int thread) {
            oracle::dice d(static_cast<std::uint64_t>(round * 8 + thread));
            for (std::size_t i = 0; i < 4 * keys; ++i) {
                const std::size_t k = i < 16 ? i / 4 : d.index(keys);
                if (all->limit(TypeParam::key(k), d.index(2)).try_acquire()) ++passed.at(k);
                if (d.one_in(16)) {
                    const auto q = at_rate(1 + static_cast<std::int64_t>(d.roll(1'000)));
                    changes += all->set_quota(d.index(2), q) == quota_error::none ? 1U : 0U;
                }
                if (d.one_in(64)) std::this_thread::yield();
            }
        },
        [&](int round) {
            for (std::size_t k = 0; k < keys; ++k) {
                const word got = passed.at(k).exchange(0);
                ASSERT_LE(got, burst) << "key " << k << ", round " << round;
                in_all += got;
            }
            ASSERT_EQ(all->statistics().steals, 0U);
            all = this->made(16, static_cast<std::uint64_t>(round));
        });
    EXPECT_GT(in_all, 0U);
    EXPECT_GT(changes, 0U);
}

// Time goes on, and places change hands. One thread changes the rate of a class, so it knows what
// that brings; the keys of the other class lie among those.
TYPED_TEST(keyed_classes_stress, pass_no_more_than_the_rates_bring) {
    constexpr std::size_t keys = 32;
    constexpr std::uint64_t late = 40'000'000;
    constexpr int threads = 4;
    constexpr word begin = 1'000'000'000'000;
    clock::set(weir::tick{begin});
    const auto all = this->made(8, 3, {.guard = weir::milliseconds(70)});
    moving_time<clock> time(threads);
    double brought = 0;  // units; by thread 0, as the next two
    word since = begin;
    std::int64_t rate = 10;
    const auto bring = [&](word now) {
        brought += static_cast<double>(rate) * static_cast<double>(now - since) / 1e9;
        since = now;
    };
    std::vector<std::vector<std::uint64_t>> passed_at(keys);
    std::mutex mutex;
    crowd(
        threads, 1,
        [&](int, int thread) {
            oracle::dice d(static_cast<std::uint64_t>(thread) + 1);
            std::vector<std::vector<std::uint64_t>> mine(keys);
            for (int i = 0; i < repetitions(200'000); ++i) {
                const word at = time.next(thread, d.roll(moving_time<clock>::furthest));
                if (thread == 0) {
                    bring(at);
                    rate = 1 + static_cast<std::int64_t>(d.roll(40));
                    ASSERT_EQ(all->set_quota(0, at_rate(rate), {}, weir::instant<clock>(at)),
                              quota_error::none);
                }
                const weir::instant<clock> now(at - d.roll(late));
                const std::size_t k = d.index(d.one_in(2) ? 2 : keys);
                auto limit = all->limit(TypeParam::key(k), k % 2);
                while (limit.try_acquire(1, now)) mine.at(k).push_back(now.count);
                if (i % 16 == 0) std::this_thread::yield();
            }
            time.end(thread);
            const std::lock_guard lock(mutex);
            for (std::size_t k = 0; k < keys; ++k)
                passed_at.at(k).insert(passed_at.at(k).end(), mine.at(k).begin(), mine.at(k).end());
        },
        [](int) {});
    bring(clock::now().count);
    std::size_t most = 0;
    for (std::size_t k = 0; k < keys; k += 2) {
        // And a unit that the former rate brings until a change is known.
        const std::size_t passed = passed_at.at(k).size();
        EXPECT_LE(static_cast<double>(passed), static_cast<double>(burst) + brought + 1) << k;
        most = std::max(most, passed);
        passed_at.at(k).clear();
    }
    EXPECT_GT(static_cast<double>(most), brought / 5) << "too little to tell";
    const auto part = weir::nanoseconds(50'000'000 / 4'096 + 1);
    EXPECT_EQ(keys_beyond(passed_at, at_rate(20), part), 0);
    EXPECT_GT(all->statistics().steals, 0U);
}

}  // namespace

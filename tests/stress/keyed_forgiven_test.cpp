// SPDX-License-Identifier: MIT
// What a key gets beyond its quota is paid for by what was forgiven to this very key. The table
// does not tell that by key, so the test looks at it from outside: it keeps a ledger of the places
// that are taken, by atomics that see each exchange of a key's word for another key's claim. The
// clock stands still.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <thread>

#include <gtest/gtest.h>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/table/key_cell.hpp>
#include <weir/table/key_hash.hpp>
#include <weir/table/key_layout.hpp>
#include <weir/table/key_places.hpp>
#include <weir/table/key_turns.hpp>
#include <weir/table/key_word.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"

namespace {

namespace key_word = weir::key_word;

constexpr weir::word burst = 3;
constexpr weir::tick now{1'000'000'000'000};
constexpr std::size_t keys = 48;
const key_word::rate each =
    key_word::rate::make(weir::per_second(10).with_burst(burst), 1'000'000'000,
                         {.debt = 0, .queue = 0, .guard = weir::nanoseconds{}})
        .value();

// By a key's tag: for how long it still would have been busy when it lost its place, in fractions.
struct ledger {
    std::map<std::uint64_t, std::atomic<std::int64_t>> forgiven;  // made before the threads begin
    std::atomic<std::uint64_t> taken{0};
} noted;

template <class T>
class sees_thefts : public weir::atomic<T> {
public:
    using weir::atomic<T>::atomic;

    [[nodiscard]] bool try_exchange_relaxed(T& expected, T desired) noexcept {
        const T before = expected;
        if (!weir::atomic<T>::try_exchange_relaxed(expected, desired)) return false;
        if (before == 0 || key_word::is_claim(before) || !key_word::is_claim(desired)) return true;
        const auto its = noted.forgiven.find(before & tag);
        const std::int64_t left = each.until_forgotten(before, now);
        if (its != noted.forgiven.end() && left > 0) its->second += left;
        ++noted.taken;
        return true;
    }

private:
    // In the exact layout without the version.
    static constexpr T tag = key_word::tag_mask & ~T{0x7E};
};

template <template <template <class> class> class Layout, int Threads>
struct by_threads {
    static constexpr int threads = Threads;
    using cell = weir::key_cell<sees_thefts, Layout>;
    using layout = Layout<sees_thefts>;
};

template <class Subject>
class keyed_ledger : public testing::Test {};
using subjects =
    testing::Types<by_threads<weir::compact_keys, 2>, by_threads<weir::compact_keys, 4>,
                   by_threads<weir::exact_keys, 2>, by_threads<weir::exact_keys, 4>>;
TYPED_TEST_SUITE(keyed_ledger, subjects);

TYPED_TEST(keyed_ledger, no_key_gets_more_beyond_than_it_was_forgiven) {
    using places = typename TypeParam::cell::places;
    using layout = typename TypeParam::layout;
    struct table {
        std::array<typename places::line, 2> lines;
        std::array<typename places::turns, places::stripes> turns;
    };
    // Keys whose tags differ, in either layout.
    std::array<std::uint64_t, keys> hashes{};
    std::array<std::uint64_t, keys> tags{};
    noted.forgiven.clear();
    const weir::key_hash hash(weir::seed(5));
    std::size_t found = 0;
    for (std::uint64_t number = 0; found < keys; ++number) {
        const std::uint64_t tag = layout::key_of(hash(number)).tag & ~std::uint64_t{0x7E};
        if (!noted.forgiven.try_emplace(tag, 0).second) continue;
        hashes.at(found) = hash(number);
        tags.at(found++) = tag;
    }
    auto all = std::make_unique<table>();
    const auto limit = [&](std::size_t k) {
        return typename TypeParam::cell(
            {all->lines, all->lines.size(), all->turns.data(), hashes.at(k)},
            weir::when_full::forgive_least);
    };
    std::array<std::atomic<weir::word>, keys> passed{};
    std::uint64_t beyond = 0;
    crowd(
        TypeParam::threads, repetitions(3'000),
        [&](int round, int thread) {
            oracle::dice d(static_cast<std::uint64_t>(round * 8 + thread));
            for (std::size_t i = 0; i < 4 * keys; ++i) {
                // Half of the requests are for few keys, so that these meet their thieves.
                const std::size_t k = d.one_in(2) ? d.index(6) : d.index(keys);
                if (limit(k).try_acquire(now, 1, each).verdict() == weir::verdict::admitted)
                    ++passed.at(k);
                if (d.one_in(64)) std::this_thread::yield();
            }
        },
        [&](int round) {
            for (std::size_t k = 0; k < keys; ++k) {
                const weir::word got = passed.at(k).exchange(0);
                const auto own = static_cast<weir::word>(noted.forgiven.at(tags.at(k)).exchange(0));
                // The word's time lies up to a granule behind the clock's at each theft.
                const weir::word more = got > burst ? got - burst : 0;
                ASSERT_LE(each.cost(more), own) << "key " << k << ", round " << round;
                beyond += more;
            }
            all = std::make_unique<table>();
        });
    EXPECT_GT(beyond, 0U);
    EXPECT_GT(noted.taken.exchange(0), 0U);
}

}  // namespace

// SPDX-License-Identifier: MIT
// Counts of many threads: none is lost, and nobody who looks at them sees one go back. Some threads
// live for a few decisions only, and there are fewer lines than threads.
#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/gcra.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/limiter/limiter.hpp>

#include "crowd.hpp"

namespace {

using weir::decision_counts;
using weir::word;

bool goes_back(const decision_counts& from, const decision_counts& to) {
    return to.admitted < from.admitted || to.units < from.units || to.denied < from.denied ||
           to.never < from.never || to.retries < from.retries;
}

template <class Observer>
class counts_of_many_threads : public testing::Test {
protected:
    using clock = weir::manual_clock<Observer>;
    using limit = weir::limiter<weir::gcra<>, clock, Observer>;

    // What a thread has been told.
    struct told {
        std::atomic<word> admitted{0};
        std::atomic<word> units{0};
        std::atomic<word> denied{0};
        std::atomic<word> never{0};
    };
    void ask(limit& l, word n) {
        const auto d = l.try_acquire(n);
        switch (d.verdict()) {
            case weir::verdict::admitted:
                told_.admitted += 1;
                told_.units += n;
                break;
            case weir::verdict::wait: told_.denied += 1; break;
            case weir::verdict::never: told_.never += 1; break;
        }
    }
    void expect_all_of(const limit& l) {
        const decision_counts all = l.observer().snapshot();
        EXPECT_EQ(all.admitted, told_.admitted.load());
        EXPECT_EQ(all.units, told_.units.load());
        EXPECT_EQ(all.denied, told_.denied.load());
        EXPECT_EQ(all.never, told_.never.load());
    }

    told told_;
};
using observers = testing::Types<weir::stats, weir::basic_counters<2>, weir::counters>;
TYPED_TEST_SUITE(counts_of_many_threads, observers);

TYPED_TEST(counts_of_many_threads, are_exact_and_never_go_back) {
    TestFixture::clock::set(weir::tick{1'000'000'000});
    typename TestFixture::limit l(weir::quota{1'000'000, weir::seconds(1)});
    std::atomic<bool> is_over = false;
    std::jthread reader([&] {
        decision_counts last;
        while (!is_over) {
            const decision_counts now = l.observer().snapshot();
            EXPECT_FALSE(goes_back(last, now));
            last = now;
        }
    });
    constexpr int threads = 6;
    constexpr int rounds = 20;
    crowd(
        threads, repetitions(rounds),
        [&](int round, int thread) {
            for (int i = 0; i < 20'000; ++i) {
                const auto n = static_cast<word>(1 + (i + thread) % 3);
                this->ask(l, (i + round) % 100 == 0 ? 2'000'000 : n);
            }
        },
        [&](int round) {
            this->expect_all_of(l);
            if (round % 4 == 3) TestFixture::clock::advance(weir::seconds(1));
        });
    is_over = true;
}

// A thread that comes takes the line of one that goes, at the same moment as others do.
TYPED_TEST(counts_of_many_threads, survive_threads_that_come_and_go) {
    TestFixture::clock::set(weir::tick{1'000'000'000});
    typename TestFixture::limit l(weir::quota{1'000'000, weir::seconds(1)});
    crowd(
        4, repetitions(1'000),
        [&](int, int thread) {
            std::jthread([&] {
                for (int i = 0; i < 50; ++i) this->ask(l, 1 + static_cast<word>(thread));
            });
        },
        [&](int) {});
    this->expect_all_of(l);
}

}  // namespace

// SPDX-License-Identifier: MIT
// A striped limit that threads hammer: to the unit, what they spent and what lies in the stripes is
// what was taken from the shared limit, and they get all of it.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/clock/manual.hpp>
#include <weir/limiter/limiter.hpp>
#include <weir/table/striped.hpp>

#include "../oracle/dice.hpp"
#include "crowd.hpp"

namespace {

using weir::quota;
using weir::word;

constexpr std::size_t units = 4096;
constexpr std::size_t stripes = 2;

using standing_clock = weir::manual_clock<struct striped_stress>;

// Threads change stripes all the time, so any two meet in one.
struct any_stripe {
    using stock = weir::exchanged_stock;
    static inline thread_local std::size_t calls_ = 0;
    static std::size_t mine(std::size_t all) noexcept { return ++calls_ / 5 % all; }
};

template <class Cell>
class striped_stress_of : public testing::Test {
protected:
    using limiter = weir::limiter<Cell, standing_clock>;
    struct one {
        limiter shared{quota{units, weir::seconds(1), units}};
        weir::striped<limiter, stripes, any_stripe> all{shared, 24};
    };

    // Each thread asks for 1 to 3 units at a time until there are none.
    template <class Act>
    void all_get(int threads, Act now_and_then, bool may_lose) {
        standing_clock::set(weir::tick{1'000'000'000'000});
        auto s = std::make_unique<one>();
        std::atomic<word> passed{0};
        crowd(
            threads, repetitions(1000),
            [&](int round, int thread) {
                oracle::dice d(static_cast<std::uint64_t>(round * 16 + thread));
                word mine = 0;
                for (int vain = 0; vain < 100;) {
                    const word n = 1 + d.roll(3);
                    if (s->all.try_acquire(n)) {
                        mine += n;
                    } else {
                        ++vain;
                    }
                    if (d.roll(64) == 0) now_and_then(s->all);
                }
                passed += mine;
            },
            [&](int round) {
                const word left = s->all.approx_left();
                const word there = s->shared.peek(0).remaining();
                const word all = passed.exchange(0) + left + there;
                if (may_lose) {
                    ASSERT_LE(all, units) << "in round " << round;
                } else {
                    ASSERT_EQ(all, units) << "in round " << round;
                    ASSERT_EQ(there, 0U) << "in round " << round;
                }
                ASSERT_LT(left, stripes * 3);
                s = std::make_unique<one>();
            });
    }
};
using every = weir::every_cell<units, word>::as<testing::Types>;
TYPED_TEST_SUITE(striped_stress_of, every);

constexpr auto nothing = [](auto&) {};

TYPED_TEST(striped_stress_of, two_threads_spends_what_was_taken) {
    this->all_get(2, nothing, false);
}
TYPED_TEST(striped_stress_of, four_threads_spends_what_was_taken) {
    this->all_get(4, nothing, false);
}
TYPED_TEST(striped_stress_of, four_threads_that_give_back_brings_no_unit) {
    this->all_get(
        4, [](auto& all) { all.give_back(); }, true);
}

}  // namespace

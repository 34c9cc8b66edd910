// SPDX-License-Identifier: MIT
// Two names of one algorithm: gcra schedules, the leaky bucket meters, and both answer the same.
#include <cstdint>

#include <gtest/gtest.h>

#include "effort.hpp"
#include "history.hpp"

namespace {

using namespace oracle;

template <class Word>
void expect_twins() {
    std::uint64_t refused = 0;
    const std::uint64_t histories = scaled(500);
    for (std::uint64_t seed = 0; seed < histories; ++seed) {
        dice chaos(series() << 32U | seed);
        const auto start = any_opening<weir::gcra<Word>>(chaos, refused);
        weir::gcra<Word> one;
        weir::leaky_bucket<Word> other;
        integer now = start.now;
        one.start(tick_of(now), static_cast<Word>(start.about.start()), start.rate);
        other.start(tick_of(now), static_cast<Word>(start.about.start()), start.rate);
        integer wait = 0;
        for (int step = 0; step < 200; ++step) {
            now += chaos.chance(30) ? wait : chaos.chance(50) ? 0 : chaos.magnitude(2 * wait + 9);
            const auto n = static_cast<Word>(chaos.magnitude(start.about.burst + 1));
            const bool charge = chaos.chance(20);
            const auto a = charge ? one.charge(tick_of(now), n, start.rate)
                                  : one.try_acquire(tick_of(now), n, start.rate);
            const auto b = charge ? other.charge(tick_of(now), n, start.rate)
                                  : other.try_acquire(tick_of(now), n, start.rate);
            ASSERT_EQ(answer_of(a), answer_of(b)) << seed << ": " << text_of(start.about);
            wait = answer_of(a).verdict == outcome::wait ? integer{a.retry_after()} : 0;
        }
    }
}

TEST(twins, gcra_and_leaky_bucket_answer_the_same) {
    expect_twins<std::uint64_t>();
    expect_twins<std::uint32_t>();
}

}  // namespace

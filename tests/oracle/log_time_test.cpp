// SPDX-License-Identifier: MIT
// A sliding log whose clock has come round or was set back: no period holds more units than the
// quota's, a log of which more is taken is never freer, and whoever waits as long as he was told
// passes, and no tick earlier.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/sliding_log.hpp>

#include "dice.hpp"
#include "effort.hpp"
#include "seeds.hpp"

namespace {

using oracle::dice;
using oracle::scaled;
using oracle::series;
using weir::milliseconds;
using weir::quota;
using weir::seconds;
using weir::tick;

constexpr std::uint64_t kilohertz = 1'000;
constexpr std::int64_t period = 1'000;  // ticks
constexpr std::int64_t hour = 3'600 * 1'000;

template <class Log>
class log_time : public testing::Test {
public:
    static constexpr std::int64_t units = 4;
    using rate = typename Log::rate;

    // After how many ticks its times come round.
    [[nodiscard]] static std::int64_t circle(const rate& r) {
        const auto granule =
            static_cast<std::uint64_t>(r.down({std::uint64_t{1} << r.coarseness()}));
        const std::uint64_t granules =
            (std::uint64_t{1} << (weir::bits_of<typename Log::word_type> - 1)) / granule * 2;
        return static_cast<std::int64_t>(granules << r.coarseness());
    }
};
using logs =
    testing::Types<weir::sliding_log<4, std::uint32_t>, weir::sliding_log<9, std::uint64_t>>;
TYPED_TEST_SUITE(log_time, logs);

// All clocks are late by no more than the guard, and nothing happens for a circle, more or less.
TYPED_TEST(log_time, that_has_come_round_passes_no_more_in_any_period_however_late_its_clocks_are) {
    const std::uint64_t histories = scaled(100'000);
    std::uint64_t passed = 0;
    for (std::uint64_t i = 0; i < histories; ++i) {
        dice chaos(series() << 32U | i);
        static constexpr std::int64_t guards[] = {0, 100, 500, 1'000, 2'000, 5'000};
        const std::int64_t guard = chaos.one_of(guards);
        const std::int64_t debt = chaos.chance(50) ? this->units : 0;
        const auto r = *TypeParam::rate::make(quota{this->units, seconds(1)}, kilohertz,
                                              {.debt = debt, .guard = milliseconds(guard)});
        const std::int64_t begin = 100'000 + static_cast<std::int64_t>(chaos.roll(5'000));
        TypeParam log;
        log.start({static_cast<weir::word>(begin)}, static_cast<typename TypeParam::word_type>(4),
                  r);
        std::vector<std::int64_t> nows;
        std::string told;
        const auto ask = [&](std::int64_t now) {
            const auto n = static_cast<typename TypeParam::word_type>(1 + chaos.roll(4));
            const tick at{static_cast<weir::word>(now)};
            const bool charged = debt != 0 && chaos.chance(10);
            if (charged) {
                (void)log.charge(at, n, r);
            } else if (log.try_acquire(at, n, r)) {
                nows.insert(nows.end(), static_cast<std::size_t>(n), now);
                told += std::to_string(n) + "@" + std::to_string(now - begin) + " ";
            }
        };
        std::int64_t latest = begin;
        for (auto k = chaos.roll(6); k > 0; --k) {
            ask(latest);
            latest += static_cast<std::int64_t>(chaos.roll(1'500));
        }
        latest =
            begin + TestFixture::circle(r) + 6'000 - static_cast<std::int64_t>(chaos.roll(20'000));
        for (int k = 0; k < 12; ++k) {
            const auto late = static_cast<std::int64_t>(
                chaos.chance(50)   ? 0
                : chaos.chance(50) ? static_cast<std::uint64_t>(guard)
                                   : chaos.roll(static_cast<std::uint64_t>(guard) + 1));
            ask(latest - late);
            if (chaos.chance(40)) latest += static_cast<std::int64_t>(chaos.roll(1'200));
        }
        std::sort(nows.begin(), nows.end());
        for (std::size_t k = this->units; k < nows.size(); ++k) {
            ASSERT_GE(nows[k] - nows[k - this->units], period)
                << "seed " << (series() << 32U | i) << ", guard " << guard << ": " << told;
        }
        passed += nows.size();
    }
    EXPECT_GT(passed, histories * 4);
}

// Units that were taken some time ago, and of which `taken` more are taken now.
TYPED_TEST(log_time, that_is_set_back_is_never_freer_for_being_fuller) {
    const auto r = *TypeParam::rate::make(quota{this->units, seconds(1)}, kilohertz,
                                          {.debt = 0, .guard = seconds(30)});
    using count = typename TypeParam::word_type;
    const std::int64_t begin = 10 * hour;
    for (std::int64_t earlier = 0; earlier <= this->units; ++earlier) {
        for (std::int64_t ago = 5'000; ago <= 200'000; ago += 39'000) {
            for (std::int64_t back = 0; back <= 300'000; back += 500) {
                count before = 0;
                for (std::int64_t taken = 0; taken <= this->units; ++taken) {
                    TypeParam log;
                    log.start({static_cast<weir::word>(begin - ago)},
                              static_cast<count>(this->units), r);
                    if (earlier != 0) {
                        ASSERT_TRUE(log.try_acquire({static_cast<weir::word>(begin - ago)},
                                                    static_cast<count>(earlier), r));
                    }
                    if (taken != 0) {
                        ASSERT_TRUE(log.try_acquire({static_cast<weir::word>(begin)},
                                                    static_cast<count>(taken), r));
                    }
                    const tick now{static_cast<weir::word>(begin - back)};
                    // One by one, as each may change what the next one finds.
                    count free = 0;
                    while (free < this->units && log.try_acquire(now, 1, r)) ++free;
                    if (taken > 1) {
                        ASSERT_LE(free, before)
                            << taken << " of " << this->units << " taken, " << earlier
                            << " of them " << ago << " ms ago, set back by " << back << " ms";
                    }
                    if (earlier == 0 && taken == 0) {
                        ASSERT_EQ(free, this->units) << back;
                    }
                    before = free;
                }
            }
        }
    }
}

// The clock jumps by a circle, more or less, or is set back by a few guards. After each jump the
// log is asked at a few times that may be late.
TYPED_TEST(log_time, says_to_the_tick_when_who_was_refused_will_pass) {
    using word = typename TypeParam::word_type;
    const std::uint64_t histories = scaled(50'000);
    std::uint64_t refused = 0;
    for (std::uint64_t i = 0; i < histories; ++i) {
        dice chaos(series() << 32U | i);
        // The last one makes a log of 32 bits count granules of several ticks.
        static constexpr std::int64_t guards[] = {0, 1, 24, 100, 1'000, 1'000'000};
        const std::int64_t guard = chaos.one_of(guards);
        const auto length =
            (guard < 1'000'000 ? 1 : 10'000) + static_cast<std::int64_t>(chaos.roll(200));
        const std::int64_t debt = chaos.chance(50) ? this->units : 0;
        const auto r = *TypeParam::rate::make(quota{this->units, milliseconds(length)}, kilohertz,
                                              {.debt = debt, .guard = milliseconds(guard)});
        std::int64_t now = 100'000 + static_cast<std::int64_t>(chaos.roll(5'000));
        const auto at = [](std::int64_t time) { return tick{static_cast<weir::word>(time)}; };
        const auto told = [&](std::int64_t wait) {
            return "seed " + std::to_string(series() << 32U | i) + ", period " +
                   std::to_string(length) + ", guard " + std::to_string(guard) + ", debt " +
                   std::to_string(debt) + ", wait " + std::to_string(wait);
        };
        TypeParam log;
        log.start(at(now), static_cast<word>(this->units), r);
        for (int jumps = 0; jumps < 3; ++jumps) {
            for (auto k = 1 + chaos.roll(8); k > 0; --k) {
                const auto n = static_cast<word>(1 + chaos.roll(this->units));
                if (debt != 0 && chaos.chance(20)) {
                    const auto d = log.charge(at(now), n, r);
                    if (!d) {
                        ++refused;
                        // No peek tells when a debt will be granted: a refusal changes nothing.
                        const auto wait = static_cast<std::int64_t>(d.retry_after());
                        ASSERT_FALSE(log.charge(at(now + wait - 1), n, r)) << told(wait);
                        if (chaos.chance(30)) {
                            now += wait;
                            ASSERT_TRUE(log.charge(at(now), n, r)) << told(wait);
                        }
                    }
                } else if (const auto d = log.try_acquire(at(now), n, r); !d) {
                    ++refused;
                    const auto wait = static_cast<std::int64_t>(d.retry_after());
                    const auto earlier = static_cast<std::int64_t>(chaos.roll(d.retry_after()));
                    ASSERT_FALSE(log.peek(at(now + earlier), n, r))
                        << told(wait) << ", after " << earlier;
                    ASSERT_FALSE(log.peek(at(now + wait - 1), n, r)) << told(wait);
                    ASSERT_TRUE(log.peek(at(now + wait), n, r)) << told(wait);
                }
                now += static_cast<std::int64_t>(
                    chaos.roll(static_cast<std::uint64_t>(length) * 3 / 2));
                if (chaos.chance(20))
                    now -= static_cast<std::int64_t>(
                        chaos.roll(static_cast<std::uint64_t>(guard) + 1));
            }
            const auto back = static_cast<std::int64_t>(
                chaos.roll(static_cast<std::uint64_t>(3 * guard + 3 * length)));
            now += (chaos.chance(50) ? TestFixture::circle(r) : 0) - back;
        }
    }
    EXPECT_GT(refused, histories * 2);
}

}  // namespace

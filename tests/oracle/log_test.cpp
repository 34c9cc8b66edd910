// SPDX-License-Identifier: MIT
// Sliding logs against their model, on random histories, and how a quota becomes granules of time.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>
#include <weir/cell/sliding_log.hpp>

#include "complaint.hpp"
#include "effort.hpp"
#include "log_history.hpp"

namespace {

using namespace oracle;

using logs =
    testing::Types<weir::sliding_log<4'096, std::uint64_t>, weir::sliding_log<4'096, std::uint32_t>,
                   weir::sliding_log<0, std::uint64_t>, weir::sliding_log<0, std::uint32_t>>;

struct log_names {
    template <class Log>
    static std::string GetName(int /*index*/) {  // NOLINT(readability-identifier-naming): gtest's
        const std::string width = sizeof(typename Log::word_type) == 8 ? "64" : "32";
        return (requires(Log log) { Log(nullptr, 0); } ? "given" : "own") + width;
    }
};

template <class Log>
class log_oracle : public testing::Test {
protected:
    static void expect_agreement(std::uint64_t seed, tally& sum) {
        expect_no(log_disagreement<Log>(dice(seed), sum), seed);
    }
};

// The model itself, on an example that a person has worked out: three units in ten granules of four
// ticks.
TEST(log_model, gives_the_answers_of_an_example) {
    log_model m({3, 10, 2, 10, 80});
    const auto ok = outcome::admitted;
    const auto wait = outcome::wait;
    EXPECT_EQ(m.try_acquire(0, 4), (answer{outcome::never, 3, 0, 0}));
    EXPECT_EQ(m.try_acquire(1, 2), (answer{ok, 1, 43, 0})) << "recorded at 4";
    EXPECT_EQ(m.try_acquire(9, 2), (answer{wait, 1, 35, 35}));
    EXPECT_EQ(m.try_acquire(8, 1), (answer{ok, 0, 40, 0})) << "recorded at 8";
    EXPECT_EQ(m.try_acquire(43, 3), (answer{wait, 0, 5, 5})) << "43 asks as 40";
    EXPECT_EQ(m.try_acquire(44, 3), (answer{wait, 2, 4, 4}));
    EXPECT_EQ(m.acquire_up_to(44, 3).units, 2);
    EXPECT_EQ(m.save(45), (saved_state{3, 39})) << "as if all had come at 44";
    EXPECT_EQ(m.charge(48, 2), (answer{ok, 0, 76, 0})) << "recorded at 84, when both fit";
    EXPECT_EQ(m.charge(48, 2), (answer{wait, 0, 76, 36})) << "due at 124, 40 ahead at most";
}

TYPED_TEST_SUITE(log_oracle, logs, log_names);

TYPED_TEST(log_oracle, agrees_with_the_exact_model_on_random_histories) {
    tally sum;
    if (const auto seed = only_seed()) return this->expect_agreement(*seed, sum);

    const std::uint64_t enough = scaled(4'000'000);
    for (std::uint64_t i = 0; sum.events < enough && !this->HasFailure(); ++i) {
        this->expect_agreement(series() << 32U | i, sum);
    }
    if (this->HasFailure()) return;

    // Histories in which little happens would agree as well.
    EXPECT_GT(sum.admitted, sum.events / 4);
    EXPECT_GT(sum.waits, sum.events / 10);
    EXPECT_GT(sum.nevers, sum.events / 100);
    EXPECT_GT(sum.late, sum.events / 100);
    EXPECT_GT(sum.histories, sum.events / 1000);
    EXPECT_GT(sum.wraps, sum.histories / 2);
    EXPECT_LT(sum.refused, sum.histories);
    this->RecordProperty("events", std::to_string(sum.events));
    std::cout << sum.events << " events in " << sum.histories << " histories: " << sum.admitted
              << " admitted, " << sum.waits << " to wait, " << sum.nevers << " never, " << sum.late
              << " late; " << sum.wraps << " histories wrap; " << sum.refused
              << " quotas refused\n";
}

// The model takes the period as the log holds it, so this is the other half of the proof.
TYPED_TEST(log_oracle, holds_no_period_shorter_and_no_guard_or_debt_smaller_than_asked) {
    using weir::options;
    std::uint64_t refused = 0;
    for (std::uint64_t seed = 0; seed < scaled(100'000); ++seed) {
        dice chaos(series() << 32U | seed);
        const auto start = any_log_opening<TypeParam>(chaos, refused);
        const scenario& s = start.about;
        const log_scale<typename TypeParam::rate> scale(start.rate);
        const integer second = 1'000'000'000;
        const auto ticks = [&](integer time) {
            return ceiling_of(time * integer{s.hertz}, second);
        };
        const auto granules = [&](integer time) { return ceiling_of(time, scale.ticks(1)); };
        const integer period = ticks(s.period);
        ASSERT_EQ(scale.period, granules(period)) << text_of(s);
        ASSERT_TRUE(scale.coarseness == 0 || scale.period >= 100) << text_of(s);
        const integer debts = ceiling_of(s.debt(), s.burst);
        const integer rounded = scale.coarseness != 0 && debts != 0 ? 1 : 0;
        ASSERT_EQ(scale.debt, debts * scale.period + rounded) << text_of(s);
        // By default an hour or 50 ms, or what the word has room for.
        const bool asked = s.options.guard != options::by_word;
        const integer wished =
            sizeof(typename TypeParam::word_type) == 8 ? 3'600 * second : 50'000'000;
        const integer guard = ticks(asked ? integer{s.options.guard.count()} : wished);
        ASSERT_TRUE(asked ? scale.guard() >= guard : scale.guard() <= guard + scale.ticks(2))
            << text_of(s);
        // That long an idle log may wait for a time that has come round, so that must stay rare,
        // unless it is the clock's own circle already that it comes round on.
        const bool own = scale.ticks(scale.circle) <= integer{weir::largest<weir::word>};
        ASSERT_LE(scale.longest, scale.circle / (own ? 1'000 : 4)) << text_of(s);
    }
}

// A rate of 1000 units; any period from 30 to 300 us is as good as its neighbours.
TEST(log_of_32_bits, takes_any_period_between_two_that_it_takes) {
    using log = weir::sliding_log<0, std::uint32_t>;
    for (std::int64_t period = 30'000; period < 300'000; ++period) {
        const weir::quota quota{1'000, weir::nanoseconds(period)};
        ASSERT_TRUE(log::rate::make(quota, 1'000'000'000)) << period << " ns";
    }
}

TEST(log_of_32_bits, does_not_take_a_huge_debt_for_none) {
    using log = weir::sliding_log<0, std::uint32_t>;
    const weir::quota quota{10, weir::seconds(1)};
    const auto made = log::rate::make(quota, 1'000, {.debt = std::int64_t{1} << 32U});
    ASSERT_FALSE(made) << "a debt of " << (*made).debt();
    EXPECT_EQ(made.error(), weir::quota_error::burst_too_long);
}

}  // namespace

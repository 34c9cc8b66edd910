// SPDX-License-Identifier: MIT
// A limit whose quota changes, by what it tells and by what it lets pass.
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>

#include "adjustable_history.hpp"
#include "complaint.hpp"
#include "dice.hpp"
#include "effort.hpp"

namespace {

using oracle::dice;
using weir::quota;
using weir::seconds;

TEST(adjustable, answers_as_the_exact_model_whatever_its_quota_becomes) {
    const std::uint64_t histories = oracle::only_seed() ? 1 : oracle::scaled(2'000);
    for (std::uint64_t i = 0; i < histories; ++i) {
        const std::uint64_t seed = oracle::only_seed().value_or((oracle::series() << 32U) + i);
        oracle::expect_no(oracle::adjustable_disagreement(dice(seed), 1'000), seed);
        ASSERT_FALSE(HasFailure());
    }
}

// Any clock and any rates, where time does not divide into grains: within one grain of the exact
// number of units, a thousandth of a unit, over any number of changes.
TEST(adjustable, admits_what_the_rates_bring_to_a_thousandth_of_a_unit) {
    using clock_of_host = weir::manual_clock<struct adjustable_sums, 2'596'134'000>;
    const std::uint64_t histories = oracle::scaled(300);
    for (std::uint64_t i = 0; i < histories; ++i) {
        dice d((oracle::series() << 32U) + i);
        const auto any_quota = [&] {
            return quota{1 + static_cast<std::int64_t>(d.magnitude(100'000)), seconds(1), 1'000};
        };
        std::uint64_t now = d.next();
        quota q = any_quota();
        weir::adjustable<clock_of_host> limit(q, {.start = 0}, weir::instant<clock_of_host>{now});
        long double brought = 0;
        std::uint64_t admitted = 0;
        for (int step = 0; step < 2'000; ++step) {
            // Short enough for the bucket not to run over.
            const long double longest = 900.0L / static_cast<long double>(q.units());
            const auto ticks = d.roll(static_cast<std::uint64_t>(longest * 2'596'134'000));
            now += ticks;
            brought += static_cast<long double>(ticks) * static_cast<long double>(q.units()) /
                       2'596'134'000.0L;
            admitted += limit.acquire_up_to(1'000, weir::instant<clock_of_host>{now}).units;
            if (d.chance(5)) {
                q = any_quota();
                ASSERT_EQ(limit.set_quota(q, {}, weir::instant<clock_of_host>{now}),
                          weir::quota_error::none);
            }
        }
        // Each change may cost a grain or bring one; what is less than a unit is not admitted yet.
        const long double grains = 150.0L / 1024;
        ASSERT_LE(static_cast<long double>(admitted), brought + grains);
        ASSERT_GE(static_cast<long double>(admitted), brought - 1 - grains);
    }
}

}  // namespace

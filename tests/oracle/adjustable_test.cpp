// A limit whose quota changes against an exact model that knows only how many units there are.
#include <algorithm>
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/adjustable.hpp>

#include "dice.hpp"
#include "effort.hpp"

namespace {

using oracle::dice;
using weir::nanoseconds;
using weir::quota;
using weir::seconds;
using weir::tick;
using weir::verdict;
using weir::word;

// Of such a clock a tick brings a whole 1024th of a unit at the rates below, so that nothing needs
// rounding.
constexpr std::uint64_t hertz = 1U << 20U;
using clock_type = weir::manual_clock<struct adjustable_oracle, hertz>;
using limiter = weir::adjustable<clock_type>;

constexpr std::int64_t unit = 1024;

struct setting {
    std::int64_t rate;  // 1024ths of a unit per tick
    std::int64_t burst;

    [[nodiscard]] quota as_quota() const { return {rate * unit, seconds(1), burst}; }
};

// Refills and takes, and nothing else.
class model {
public:
    explicit model(const setting& s) : setting_(s), there_(s.burst * unit) {}

    void pass(std::int64_t ticks) {
        there_ = std::min(there_ + ticks * setting_.rate, setting_.burst * unit);
    }
    bool take(std::int64_t n, std::int64_t debt) {
        if (n != 0 && there_ + debt * unit < n * unit) return false;
        there_ -= n * unit;
        return true;
    }
    void change(const setting& s) {
        setting_ = s;
        there_ = std::min(there_, s.burst * unit);
    }

    [[nodiscard]] std::int64_t remaining() const {
        return std::max<std::int64_t>(there_, 0) / unit;
    }
    [[nodiscard]] std::int64_t ticks_until(std::int64_t n) const {
        const std::int64_t missing = std::max<std::int64_t>(n * unit - there_, 0);
        return (missing + setting_.rate - 1) / setting_.rate;
    }
    [[nodiscard]] const setting& now() const { return setting_; }

private:
    setting setting_;
    std::int64_t there_;
};

setting any_setting(dice& d) {
    return {1 + static_cast<std::int64_t>(d.magnitude(5'000)),
            1 + static_cast<std::int64_t>(d.magnitude(100'000))};
}

void replay(std::uint64_t seed, int steps) {
    dice d(seed);
    const setting begin = any_setting(d);
    std::uint64_t now = d.next();
    limiter limit(begin.as_quota(), {}, tick{now});
    model exact(begin);
    for (int i = 0; i < steps; ++i) {
        const auto passed = static_cast<std::int64_t>(d.chance(30) ? 0 : d.magnitude(200'000));
        now += static_cast<std::uint64_t>(passed);
        exact.pass(passed);
        const std::int64_t burst = exact.now().burst;
        const auto n = static_cast<std::int64_t>(d.magnitude(burst + 1));
        const auto units = static_cast<word>(n);
        if (d.chance(10)) {
            const setting next = any_setting(d);
            ASSERT_EQ(limit.set_quota(next.as_quota(), {}, tick{now}), weir::error::none);
            exact.change(next);
        } else if (d.chance(20)) {
            const std::int64_t there = std::min(n, exact.remaining());
            ASSERT_EQ(static_cast<std::int64_t>(limit.acquire_up_to(units, tick{now}).units),
                      there);
            exact.take(there, 0);
        } else if (d.chance(10)) {
            const bool allowed = exact.take(n, burst);
            ASSERT_EQ(limit.charge(units, tick{now}).admitted(), allowed);
        } else {
            const auto answer = limit.try_acquire(units, tick{now});
            const bool never = n > burst;
            const bool admitted = !never && exact.take(n, 0);
            ASSERT_EQ(answer.verdict(), never      ? verdict::never
                                        : admitted ? verdict::admitted
                                                   : verdict::wait);
            if (!never && !admitted) {
                ASSERT_EQ(static_cast<std::int64_t>(answer.ticks().retry_after()),
                          exact.ticks_until(n));
            }
        }
        const auto look = limit.peek(0, tick{now});
        ASSERT_EQ(static_cast<std::int64_t>(look.remaining()), exact.remaining());
        ASSERT_EQ(static_cast<std::int64_t>(look.ticks().reset_after()),
                  exact.ticks_until(exact.now().burst));
    }
}

TEST(adjustable, answers_as_the_exact_model_whatever_its_quota_becomes) {
    if (const auto seed = oracle::only_seed()) return replay(*seed, 1'000);
    const std::uint64_t histories = oracle::scaled(2'000);
    for (std::uint64_t i = 0; i < histories; ++i) {
        const std::uint64_t seed = (oracle::series() << 32U) + i;
        replay(seed, 1'000);
        if (testing::Test::HasFailure()) FAIL() << "WEIR_TEST_SEED=" << seed;
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
        weir::adjustable<clock_of_host> limit(q, {.start = 0}, tick{now});
        long double brought = 0;
        std::uint64_t admitted = 0;
        for (int step = 0; step < 2'000; ++step) {
            // Short enough for the bucket not to run over.
            const long double longest = 900.0L / static_cast<long double>(q.units());
            const auto ticks = d.roll(static_cast<std::uint64_t>(longest * 2'596'134'000));
            now += ticks;
            brought += static_cast<long double>(ticks) * static_cast<long double>(q.units()) /
                       2'596'134'000.0L;
            admitted += limit.acquire_up_to(1'000, tick{now}).units;
            if (d.chance(5)) {
                q = any_quota();
                ASSERT_EQ(limit.set_quota(q, {}, tick{now}), weir::error::none);
            }
        }
        // Each change may cost a grain or bring one; what is less than a unit is not admitted yet.
        const long double grains = 150.0L / 1024;
        ASSERT_LE(static_cast<long double>(admitted), brought + grains);
        ASSERT_GE(static_cast<long double>(admitted), brought - 1 - grains);
    }
}

}  // namespace

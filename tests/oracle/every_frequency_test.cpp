// SPDX-License-Identifier: MIT
// A quota that compiles works on every machine. The compiler knows of a clock's frequency only the
// bounds; so what `refusal` lets pass for them, `make` must accept at each frequency between them.
#include <cstdint>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include "cells.hpp"
#include "dice.hpp"
#include "effort.hpp"
#include "history.hpp"

namespace {

using namespace oracle;

using weir::hertz_bounds;
using weir::quota_error;

constexpr std::int64_t second = 1'000'000'000;

// Those of default_clock on x86-64 and AArch64, and of smaller machines.
constexpr hertz_bounds widest{1'000'000, 10'000'000'000};
constexpr hertz_bounds microcontrollers{1'000'000, 480'000'000};
constexpr hertz_bounds slow{1'000, 1'000'000};
constexpr hertz_bounds slowest{1, 50'000};

template <class Cell>
class every_frequency : public testing::Test {};
TYPED_TEST_SUITE(every_frequency, every_cell<0>::as<testing::Types>);

// Quotas as people write them: 1, 1.5, 2, 2.5, 5 and 7.5 times a power of ten.
template <class Cell>
[[nodiscard]] std::vector<scenario> round_quotas() {
    std::vector<scenario> all;
    for (const std::int64_t period : {second, 60 * second, 3'600 * second, 86'400 * second}) {
        for (std::int64_t power = 1; power <= second; power *= 10) {
            for (const std::int64_t tenths : {10, 15, 20, 25, 50, 75}) {
                if (tenths * power % 10 != 0) continue;
                const std::int64_t units = tenths * power / 10;
                all.push_back({units, period, units, 1, {}});
                if (weir::period_cell<Cell>) continue;
                all.push_back({units, period, 2 * units, 1, {}});
                if (units >= 10) all.push_back({units, period, units / 10, 1, {}});
                all.push_back({units, period, 1, 1, {}});
            }
        }
    }
    return all;
}

[[nodiscard]] std::vector<weir::options> some_options(bool portions) {
    std::vector<weir::options> all{{}, {.debt = 0}};
    for (const std::int64_t guard : {std::int64_t{0}, second / 1'000, second, 86'400 * second}) {
        all.push_back({.guard = weir::nanoseconds(guard)});
    }
    all.push_back({.queue = 0, .guard = weir::seconds(60)});
    all.push_back({.debt = 0, .queue = 1'000});
    if (portions) all.push_back({.whole_periods = true});
    return all;
}

// Whole megahertz most often, as they are sold; or any, as many of each size.
[[nodiscard]] std::uint64_t any_frequency(dice& chaos, hertz_bounds within) {
    constexpr std::uint64_t megahertz = 1'000'000;
    const std::uint64_t lowest = (within.lowest + megahertz - 1) / megahertz;
    const std::uint64_t highest = within.highest / megahertz;
    if (lowest <= highest && chaos.roll(4) != 0) {
        return megahertz * (lowest + chaos.roll(highest - lowest + 1));
    }
    std::uint64_t top = within.highest;
    while (top / 2 > within.lowest && chaos.roll(2) == 0) top /= 2;
    return within.lowest + chaos.roll(top - within.lowest + 1);
}

TYPED_TEST(every_frequency, between_the_bounds_can_hold_what_they_promise) {
    using rate = typename TypeParam::rate;
    constexpr bool wide = sizeof(typename TypeParam::word_type) == 8;
    const bool portions = requires(rate r) { r.portion(); };
    const std::vector<scenario> quotas = round_quotas<TypeParam>();
    const std::vector<weir::options> options = some_options(portions);
    const std::uint64_t frequencies = scaled(60);
    dice chaos(series());
    std::uint64_t promised = 0;
    std::uint64_t refused = 0;
    std::uint64_t needlessly = 0;
    std::uint64_t broken = 0;
    for (const hertz_bounds within : {widest, microcontrollers, slow, slowest}) {
        for (const scenario& about : quotas) {
            for (const weir::options& o : options) {
                scenario s = about;
                s.options = o;
                const bool good = weir::refusal<rate>(s.quota(), within, o) == quota_error::none;
                std::uint64_t failed = 0;
                for (std::uint64_t i = 0; i < frequencies; ++i) {
                    s.hertz = any_frequency(chaos, within);
                    if (rate::make(s.quota(), s.hertz, o)) continue;
                    ++failed;
                    if (good && ++broken <= 5) ADD_FAILURE() << text_of(s);
                }
                ++(good ? promised : refused);
                const bool ends = rate::make(s.quota(), within.lowest, o) &&
                                  rate::make(s.quota(), within.highest, o);
                if (!good && failed == 0 && ends) ++needlessly;
            }
        }
    }
    std::cout << promised << " promised, " << broken << " times broken; " << refused
              << " refused, of which " << needlessly << " seem good\n";
    EXPECT_EQ(broken, 0U);
    EXPECT_GT(promised, wide ? 1'000U : 100U);
}

// The same for any quota, any options and any bounds.
TYPED_TEST(every_frequency, of_any_bounds_holds_whatever_quota_they_promise) {
    using rate = typename TypeParam::rate;
    const bool portions = requires(rate r) { r.portion(); };
    const std::uint64_t quotas = scaled(6'000);
    std::uint64_t promised = 0;
    std::uint64_t broken = 0;
    for (std::uint64_t seed = 0; seed < quotas; ++seed) {
        dice chaos(series() << 32U | seed);
        scenario s = weir::period_cell<TypeParam> ? any_window_scenario(chaos)
                                                  : any_scenario(chaos, portions);
        hertz_bounds within{1 + static_cast<std::uint64_t>(chaos.magnitude(5'000'000'000)), 0};
        within.highest = within.lowest * (2 + chaos.roll(chaos.chance(50) ? 3 : 10'000));
        if (weir::refusal<rate>(s.quota(), within, s.options) != quota_error::none) continue;
        ++promised;
        for (int i = 0; i < 200; ++i) {
            s.hertz = any_frequency(chaos, within);
            if (rate::make(s.quota(), s.hertz, s.options)) continue;
            if (++broken <= 5) ADD_FAILURE() << text_of(s);
        }
    }
    EXPECT_EQ(broken, 0U);
    EXPECT_GT(promised, quotas / 200);
}

}  // namespace

// SPDX-License-Identifier: MIT
// Leases of every cell against its exact model, on random histories. What a lease takes from the
// limit, the model passes too, and only then. A refusal changes neither the limit nor the lease,
// and says what the model says of what the lease lacks. All leases together hold no more than their
// sizes: by so much more may pass in a span of time than the limit lets pass.
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

#include <gtest/gtest.h>

#include <weir/limiter/lease.hpp>
#include <weir/weir.hpp>

#include "cells.hpp"
#include "dice.hpp"
#include "duel.hpp"
#include "effort.hpp"
#include "log_duel.hpp"
#include "log_model.hpp"
#include "scenario.hpp"
#include "seeds.hpp"
#include "shape.hpp"

namespace {

using namespace oracle;
using weir::word;

constexpr std::uint64_t kilohertz = 1'000;
constexpr std::int64_t second = 1'000'000'000;

template <class Cell>
[[nodiscard]] auto exact(const scenario& s) {
    const auto r = *Cell::rate::make(s.quota(), s.hertz, s.options);
    if constexpr (weir::log_cell<Cell>) {
        const log_scale<typename Cell::rate> scale(r);
        return log_model(
            {s.burst, scale.period, scale.coarseness, scale.debt, integer{r.most_state().ticks}});
    } else {
        return model_of(r, s);
    }
}

template <class Cell>
class lease_history {
public:
    using clock = weir::manual_clock<Cell, kilohertz>;
    using limiter = weir::limiter<Cell, clock>;

    explicit lease_history(std::uint64_t seed)
        : chaos_(seed), about_(any(chaos_)), model_(exact<Cell>(about_)) {
        clock::set({static_cast<word>(now_)});
        (void)limit_.peek(0);
        model_.fill(now_, about_.burst);
    }

    // One request; true if all is as it should be.
    [[nodiscard]] testing::AssertionResult step() {
        pass_time();
        const auto who = static_cast<std::size_t>(chaos_.roll(leases_.size() + 1));
        const word n = any_units();
        if (who == leases_.size()) {
            const bool got = limit_.try_acquire(n).admitted();
            if (got == is_admitted(n)) return testing::AssertionSuccess();
            return wrong("the limit itself", n);
        }
        auto& mine = leases_[who];
        const word left = mine.left();
        const integer there = model_.peek(now_, 0).remaining;
        const bool possible = integer{n} <= about_.burst && integer{n} - integer{left} <= there;
        const bool got = mine.try_acquire(n);
        if (got != (n <= left || possible)) return wrong("the answer", n);
        const word taken = got ? mine.left() + n - left : 0;
        if (!got && mine.left() != left) return wrong("a refusal changed the lease", n);
        if (mine.left() > sizes_[who]) return wrong("it holds more than its size", n);
        if (integer{mine.left()} > about_.burst) return wrong("it holds more than the burst", n);
        if (taken != 0 && !is_admitted(taken)) return wrong("more than there was", n);
        if (integer{limit_.peek(0).remaining()} != model_.peek(now_, 0).remaining)
            return wrong("what remains", n);
        if (limit_.peek(0).ticks().reset_after() != word_of(model_.peek(now_, 0).reset_after))
            return wrong("when it is as good as new", n);
        (got ? admitted_ : refused_) += 1;
        return testing::AssertionSuccess();
    }

    [[nodiscard]] static std::uint64_t admitted() { return admitted_; }
    [[nodiscard]] static std::uint64_t refused() { return refused_; }

private:
    [[nodiscard]] static scenario any(dice& chaos) {
        scenario s;
        s.hertz = kilohertz;
        s.period = second * static_cast<std::int64_t>(1 + chaos.roll(10));
        s.units = 1 + static_cast<std::int64_t>(chaos.roll(40));
        s.burst = weir::period_cell<Cell> ? s.units : 1 + static_cast<std::int64_t>(chaos.roll(60));
        return s;
    }

    [[nodiscard]] word any_units() {
        const auto burst = static_cast<word>(about_.burst);
        switch (chaos_.roll(12)) {
            case 0: return 0;
            case 1: return burst;
            case 2: return burst + 1 + chaos_.roll(2 * burst);
            case 3: return ~word{0} - chaos_.roll(3);
            case 4: return 1 + chaos_.roll(burst);
            case 5:
            case 6: return 1 + chaos_.roll(8);
            default: return 1;
        }
    }

    void pass_time() {
        if (chaos_.chance(60)) return;
        const auto period = static_cast<std::uint64_t>(about_.period / (second / 1'000));
        now_ += integer{chaos_.chance(10) ? chaos_.roll(3 * period) : chaos_.roll(period / 8 + 2)};
        clock::set({static_cast<word>(now_)});
    }

    bool is_admitted(word n) {
        return model_.try_acquire(now_, integer{n}).verdict == outcome::admitted;
    }
    [[nodiscard]] static word word_of(integer x) { return static_cast<word>(x); }

    [[nodiscard]] testing::AssertionResult wrong(const char* what, word n) const {
        return testing::AssertionFailure()
               << what << ": " << n << " units at " << text_of(now_) << ", " << text_of(about_)
               << ", leases of " << sizes_[0] << " and " << sizes_[1];
    }

    static inline std::uint64_t admitted_ = 0;
    static inline std::uint64_t refused_ = 0;

    dice chaos_;
    scenario about_;
    decltype(exact<Cell>(about_)) model_;
    integer now_ = 1'000'000;
    std::array<word, 2> sizes_{chaos_.roll(70), chaos_.roll(9)};
    limiter limit_{about_.quota()};
    std::array<weir::lease<limiter>, 2> leases_{weir::lease(limit_, sizes_[0]),
                                                weir::lease(limit_, sizes_[1])};
};

template <class Cell>
class leases_of : public testing::Test {};
TYPED_TEST_SUITE(leases_of, every_cell<40>::as<testing::Types>);

TYPED_TEST(leases_of, take_what_the_exact_model_passes_or_nothing) {
    const std::uint64_t histories = scaled(2'000);
    for (std::uint64_t i = 0; i < histories; ++i) {
        const std::uint64_t seed = series() << 32U | i;
        lease_history<TypeParam> history(only_seed().value_or(seed));
        for (int k = 0; k < 200; ++k) ASSERT_TRUE(history.step()) << "seed " << seed;
        if (only_seed()) return;
    }
    EXPECT_GT(lease_history<TypeParam>::admitted(), histories * 20);
    EXPECT_GT(lease_history<TypeParam>::refused(), histories * 20);
}

}  // namespace

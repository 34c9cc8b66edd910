// SPDX-License-Identifier: MIT
// A token bucket that refills in whole periods, by counting what passes: in no span more than its
// portions bring, in the order of the calls, and no portion is lost to those who wait.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/token_bucket.hpp>

#include "dice.hpp"
#include "effort.hpp"
#include "exact.hpp"
#include "scenario.hpp"

namespace {

using namespace oracle;

// At a thousand ticks a second.
[[nodiscard]] scenario any_portions(dice& chaos) {
    scenario s;
    s.hertz = 1'000;
    s.units = 1 + static_cast<std::int64_t>(chaos.roll(12));
    s.period = (1 + static_cast<std::int64_t>(chaos.roll(40))) * 1'000'000;
    s.burst = 1 + static_cast<std::int64_t>(chaos.roll(30));
    s.options.debt = static_cast<std::int64_t>(chaos.roll(30));
    s.options.queue = static_cast<std::int64_t>(chaos.roll(100));
    s.options.start = static_cast<std::int64_t>(chaos.up_to(integer{s.burst}));
    s.options.guard = weir::milliseconds(20);
    s.options.whole_periods = true;
    return s;
}

// What has passed, and when by the latest clock that has taken anything.
struct passed {
    std::uint64_t when;
    std::uint64_t units;
};

template <class Word>
class portions : public testing::Test {
protected:
    using cell_type = weir::token_bucket<Word>;
    static constexpr std::uint64_t guard = 20;

    void begin(const scenario& s, std::uint64_t now) {
        rate_ = cell_type::rate::make(s.quota(), s.hertz, s.options).value();
        cell_.fill({now}, static_cast<Word>(s.start()), rate_);
        now_ = latest_ = seen_ = last_start_ = now;
        all_.clear();
    }

    // Whoever is late passes at the latest time that the cell has seen.
    void pass(std::uint64_t start, std::uint64_t units) {
        if (units == 0) return;
        seen_ = std::max(seen_, now_);
        all_.push_back({std::max(seen_, start), units});
    }
    void pass_at_once(std::uint64_t units) {
        pass(now_, units);
        EXPECT_TRUE(units == 0 || last_start_ <= seen_) << "it overtakes who waits";
    }

    void ask(dice& chaos, const scenario& s) {
        const auto n = static_cast<Word>(chaos.up_to(integer{s.burst + 2}));
        const weir::tick now{now_};
        switch (chaos.roll(5)) {
            case 0: return pass_at_once(cell_.acquire_up_to(now, n, rate_).units);
            case 1:
                if (cell_.try_acquire(now, n, rate_)) pass_at_once(n);
                return;
            case 2: {
                // Debts do not wait, but they make all others wait.
                const auto more = static_cast<Word>(n + chaos.roll(10));
                if (cell_.charge(now, more, rate_)) pass(now_, more);
                return;
            }
            default: break;
        }
        const auto how = cell_.reserve(now, n, Word{10'000}, rate_);
        if (how.verdict != weir::verdict::admitted) return;
        if (how.wait == 0) return pass_at_once(n);
        const std::uint64_t start = now_ + weir::ticks(how.wait, rate_.shift());
        EXPECT_GE(start, last_start_);
        last_start_ = start;
        pass(start, n);
    }

    // Of any two portions one comes a period after the other at least. Instants are told in ticks,
    // rounded up.
    [[nodiscard]] integer portions_within(std::uint64_t span) const {
        return (integer{span + 1} << rate_.shift()) / integer{rate_.period()} + 1;
    }

    void expect_no_more_than_the_portions_bring(const scenario& s) {
        std::stable_sort(all_.begin(), all_.end(),
                         [](const passed& a, const passed& b) { return a.when < b.when; });
        for (std::size_t i = 0; i < all_.size(); ++i) {
            integer sum = 0;
            for (std::size_t j = i; j < all_.size(); ++j) {
                sum += integer{all_[j].units};
                const integer came =
                    portions_within(all_[j].when - all_[i].when) * integer{rate_.portion()};
                ASSERT_LE(sum, s.burst + s.debt() + came) << text_of(s);
            }
        }
    }

    typename cell_type::rate rate_;
    cell_type cell_;
    std::uint64_t now_ = 0;
    std::uint64_t latest_ = 0;
    std::uint64_t seen_ = 0;
    std::uint64_t last_start_ = 0;
    std::vector<passed> all_;
};

using words = testing::Types<std::uint64_t, std::uint32_t>;
TYPED_TEST_SUITE(portions, words);

TYPED_TEST(portions, bring_all_that_passes_and_whoever_waits_passes_in_order) {
    const std::uint64_t histories = scaled(5'000);
    for (std::uint64_t seed = 0; seed < histories && !this->HasFailure(); ++seed) {
        dice chaos(series() << 32U | seed);
        const scenario s = any_portions(chaos);
        this->begin(s, 1'000 + chaos.roll(1'000'000));
        for (int step = 0; step < 200; ++step) {
            this->ask(chaos, s);
            if (chaos.chance(60)) this->latest_ += chaos.roll(30);
            this->now_ = this->latest_ - (chaos.chance(20) ? chaos.roll(this->guard + 1) : 0);
        }
        this->expect_no_more_than_the_portions_bring(s);
        ASSERT_FALSE(this->HasFailure()) << "seed " << seed << ": " << text_of(s);
    }
}

TYPED_TEST(portions, are_not_lost_to_those_who_wait) {
    const std::uint64_t histories = scaled(5'000);
    for (std::uint64_t seed = 0; seed < histories; ++seed) {
        dice chaos(series() << 32U | seed);
        scenario s = any_portions(chaos);
        s.options.start = 0;
        s.options.queue = 1'000;
        const std::uint64_t begin = (1 + chaos.roll(1'000)) << 10U;  // a point of every grid
        this->begin(s, begin);
        std::uint64_t now = begin;
        integer sum = 0;
        while (sum < 900) {
            const auto n = static_cast<TypeParam>(1 + chaos.up_to(integer{s.burst - 1}));
            sum += integer{n};
            const auto how = this->cell_.reserve({now}, n, TypeParam{100'000}, this->rate_);
            ASSERT_EQ(how.verdict, weir::verdict::admitted) << text_of(s);
            const integer needed = ceiling_of(sum, integer{this->rate_.portion()});
            const integer fractions = needed * integer{this->rate_.period()};
            const integer ticks = ceiling_of(fractions, integer{1} << this->rate_.shift());
            const std::uint64_t start = now + weir::ticks(how.wait, this->rate_.shift());
            ASSERT_EQ(integer{start}, integer{begin} + ticks) << text_of(s);
            if (now + 1 < start) now += chaos.roll(2);  // somebody waits all the time
        }
    }
}

}  // namespace

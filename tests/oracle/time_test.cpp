// Clocks as they are: each test is named after what is wrong with the clock. A limiter reads it
// while true time goes on, everybody asks for more than there is, and what passes is compared with
// what the quota allows in true time. And nobody is denied for ever.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <type_traits>

#include <gtest/gtest.h>

#include <weir/limiter/adjustable.hpp>
#include <weir/weir.hpp>

#include "dice.hpp"
#include "mistakes.hpp"

namespace {

using oracle::dice;
using weir::seconds;
using weir::word;

// Nanoseconds.
constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t hour = 3'600 * second;
constexpr std::int64_t beginning = 1'000 * hour;

constexpr std::int64_t units = 100;  // a second, and the burst

// What may pass beside the rate: the burst once, and around the end of a window twice.
template <class Cell>
constexpr std::int64_t bursts = 1;
template <class Word>
constexpr std::int64_t bursts<weir::fixed_window<Word>> = 2;
template <class Word>
constexpr std::int64_t bursts<weir::aligned_window<Word>> = 2;
template <class Word>
constexpr std::int64_t bursts<weir::sliding_window<Word>> = 2;

// What comes back at one instant: a unit, or all those of a period.
template <class Cell>
constexpr std::int64_t portion = bursts<Cell> == 2 ? units : 1;
template <std::size_t Places, class Word>
constexpr std::int64_t portion<weir::sliding_log<Places, Word>> = units;

// How much of the rate gets who comes as early as he is told: what came together at a sliding
// window's end counts as if it had come evenly.
template <class Cell>
constexpr double share = 1;
template <class Word>
constexpr double share<weir::sliding_window<Word>> = 0.75;

template <class Cell, bool Narrow>
struct held {
    using cell = Cell;
    static constexpr bool wide = sizeof(typename Cell::word_type) == 8;
    static constexpr bool is_log = portion<Cell> == units && bursts<Cell> == 1;

    static constexpr std::uint64_t hertz = wide ? 1'000'000'000 : 1'000'000;
    static constexpr weir::options options =
        Narrow ? weir::options{.queue = 0, .guard = weir::milliseconds(5)} : weir::options{};
    // How far the clock may run back unnoticed.
    static constexpr std::int64_t guard = Narrow ? 5 * millisecond : wide ? hour : 50 * millisecond;
    // By how much of it the rate may lie below the quota.
    static constexpr double rounding = wide ? 5e-6 : 2e-3;
};
template <class Cell>
using guarded = held<Cell, true>;
template <class Cell>
using usual = held<Cell, false>;

// Says that it makes so many ticks in a second.
class crooked_clock : public weir::manual_clock<struct crooked> {
public:
    static constexpr std::uint64_t lowest_hertz = 900'000;
    static constexpr std::uint64_t highest_hertz = 1'100'000'000;
    [[nodiscard]] static weir::instant<crooked_clock> now() noexcept {
        return weir::instant<crooked_clock>(manual_clock::now().count);
    }
    [[nodiscard]] static std::uint64_t hertz() noexcept { return hertz_; }

    static inline std::uint64_t hertz_ = 0;
};

template <class Held>
class flooded {
public:
    using cell = typename Held::cell;

    // The clock is fast by so many millionths: it takes its ticks for longer than they are. (By a
    // hair less, as its frequency is rounded up.)
    explicit flooded(std::int64_t ppm = 0) {
        const auto millionths = static_cast<std::uint64_t>(1'000'000 + ppm);
        crooked_clock::hertz_ = (Held::hertz * 1'000'000 + millionths - 1) / millionths;
        limit_ = std::make_unique<weir::limiter<cell, crooked_clock>>(
            weir::quota{units, seconds(1)}, Held::options);
        set(beginning);
        EXPECT_EQ(limit_->peek(0).remaining(), static_cast<word>(units));
    }

    // How many pass in that time, of more than there are; `read` says what is read at a true time.
    template <class Reading>
    double pass(std::int64_t from, std::int64_t to, Reading read, std::int64_t step = millisecond) {
        word passed = 0;
        for (std::int64_t t = from; t < to; t += step) {
            for (int i = 0; i < 3; ++i) {
                set(read(t));
                passed += limit_->acquire_up_to(2).units;
            }
        }
        return static_cast<double>(passed);
    }

    // The same by the clock alone, of all that come as early as they are told.
    double pass_early(std::int64_t time) {
        constexpr auto some = static_cast<word>(units / 5);
        word passed = 0;
        word now = at(beginning);
        for (const word end = at(beginning + time); weir::earlier(now, end);) {
            crooked_clock::set({now});
            const auto decision = limit_->try_acquire(some);
            passed += decision ? some : 0;
            now += static_cast<word>(weir::to_ticks<crooked_clock>(decision.retry_after()));
        }
        return static_cast<double>(passed);
    }

    static constexpr bool reserves = weir::reserving<weir::limiter<cell, crooked_clock>>;

    // All that there is, the debt and all that may wait.
    void owe_all(std::int64_t time) {
        set(time);
        limit_->reset();
        EXPECT_TRUE(limit_->try_acquire(units));
        (void)limit_->charge(units);
        if constexpr (reserves) {
            while (limit_->reserve(1)) {
            }
        }
    }
    [[nodiscard]] std::int64_t denies_at(std::int64_t time) const {
        set(time);
        return limit_->peek().retry_after().count();
    }
    [[nodiscard]] bool passes_at(std::int64_t time) const {
        set(time);
        return limit_->peek().admitted();
    }
    void reset_at(std::int64_t time) {
        set(time);
        limit_->reset();
    }

    [[nodiscard]] static double allowed(std::int64_t time) {
        return static_cast<double>(time) / second * static_cast<double>(units);
    }
    static constexpr double once = static_cast<double>(bursts<cell> * units);

private:
    [[nodiscard]] static word at(std::int64_t ns) {
        return static_cast<word>(ns) / (second / Held::hertz);
    }
    static void set(std::int64_t ns) { crooked_clock::set({at(ns)}); }

    std::unique_ptr<weir::limiter<cell, crooked_clock>> limit_;
};

template <class Held>
class clock_that : public testing::Test, public flooded<Held> {};

using limits = testing::Types<
    guarded<weir::gcra<>>, guarded<weir::leaky_bucket<>>, guarded<weir::token_bucket<>>,
    guarded<weir::fixed_window<>>, guarded<weir::aligned_window<>>, guarded<weir::sliding_window<>>,
    guarded<weir::sliding_log<units>>, usual<weir::gcra<>>, usual<weir::token_bucket<>>,
    usual<weir::fixed_window<>>, usual<weir::aligned_window<>>, usual<weir::sliding_window<>>,
    usual<weir::sliding_log<units>>, usual<weir::gcra<std::uint32_t>>,
    usual<weir::token_bucket<std::uint32_t>>, usual<weir::fixed_window<std::uint32_t>>,
    usual<weir::sliding_log<units, std::uint32_t>>>;
TYPED_TEST_SUITE(clock_that, limits);

TYPED_TEST(clock_that, is_right_lets_pass_what_the_quota_says) {
    const double passed =
        this->pass(beginning, beginning + 60 * second, [](std::int64_t t) { return t; });
    EXPECT_LE(passed, this->once + this->allowed(60 * second));
    EXPECT_GE(passed, this->allowed(58 * second));
}

// The system's clock is set forward: as if that time had passed, in which no more than the burst
// can be saved up.
TYPED_TEST(clock_that, jumps_forward_brings_a_burst_at_most) {
    double bound = 0;
    double passed = 0;
    std::int64_t t = beginning;
    for (std::int64_t jump = 0; jump < 20; ++jump) {
        const std::int64_t ahead = jump * 37 * second + jump * 123'456'789;
        passed += this->pass(t, t + 10 * second, [=](std::int64_t now) { return now + ahead; });
        bound += this->once + this->allowed(10 * second);
        t += 10 * second;
    }
    EXPECT_LE(passed, bound);
    EXPECT_GE(passed, this->allowed(199 * second));
}

// The system's clock is set back: within the guard nothing passes that should not, and what is
// denied comes when the clock is where it was; beyond it (and the debt and those who may wait,
// which are as far ahead) the state is a relic, and the limit as good as new.
TYPED_TEST(clock_that, is_set_back_brings_a_burst_at_most_and_stops_nobody_for_ever) {
    std::int64_t t = beginning + 10 * second;
    double passed = this->pass(beginning, t, [](std::int64_t time) { return time; });
    double bound = this->once + this->allowed(10 * second);
    std::int64_t before = 0;
    for (const std::int64_t back :
         {millisecond, 4 * millisecond, 100 * millisecond, second, 60 * second, hour, 24 * hour}) {
        const auto read = [=](std::int64_t time) { return time - back; };
        const std::int64_t by = back - before;
        const std::int64_t late = by <= TypeParam::guard ? by : 0;
        const double meanwhile = this->pass(t, t + late, read, 10 * millisecond);
        const double then = this->pass(t + late, t + late + 10 * second, read);
        EXPECT_LE(meanwhile,
                  late == 0 ? 0. : static_cast<double>(portion<typename TypeParam::cell>))
            << "by " << by << " ns";
        EXPECT_GE(then, this->allowed(8 * second)) << "stuck after " << by << " ns";
        passed += meanwhile + then;
        bound += this->allowed(late + 10 * second) + (late == 0 ? this->once : 0);
        EXPECT_LE(passed, bound) << "by " << by << " ns";
        t += late + 10 * second;
        before = back;
    }
}

// How long a limit that owes all that it may owe denies after its clock was set back, at most: its
// burst, its debt or those who wait, and the guard, which a log counts twice. `reset` ends it.
TYPED_TEST(clock_that, is_set_back_denies_for_as_long_as_is_said_and_a_reset_ends_it) {
    constexpr std::int64_t period = second;  // of the burst, and of the debt
    const std::int64_t queued =
        flooded<TypeParam>::reserves && TypeParam::options.queue != 0 ? TypeParam::guard : 0;
    const std::int64_t ahead = std::max(period, queued);
    const std::int64_t guards = TypeParam::is_log ? 2 : 1;
    const std::int64_t least = ahead + guards * TypeParam::guard;
    std::int64_t longest = 0;
    for (int part = 0; part <= 48; ++part) {
        flooded<TypeParam> limit;
        limit.owe_all(beginning);
        const std::int64_t back = TypeParam::guard / 16 * part;
        const std::int64_t denied = limit.denies_at(beginning - back);
        longest = std::max(longest, denied);
        EXPECT_TRUE(limit.passes_at(beginning - back + denied)) << "back by " << back;
        limit.owe_all(beginning);
        limit.reset_at(beginning - back);
        EXPECT_EQ(limit.denies_at(beginning - back), 0) << "back by " << back;
    }
    // The windows of the clock are late by whole windows, and 32-bit words round up by some more.
    const std::int64_t rounding =
        std::is_same_v<typename TypeParam::cell, weir::aligned_window<>> ||
                std::is_same_v<typename TypeParam::cell, weir::sliding_window<>>
            ? period
        : TypeParam::wide ? 0
                          : (period + least) / 100;
    EXPECT_LE(longest, period + least + rounding);
    EXPECT_GE(longest, least - least / 100) << "less than is said";
    std::cout << "denied for " << static_cast<double>(longest) / second << " s at most\n";
}

// Its state counts units, and only what is very many of them ahead is a relic.
TEST(adjustable_clock_that, is_set_back_denies_for_all_of_it_and_a_reset_ends_it) {
    using clock = weir::manual_clock<struct adjustable_set_back>;
    for (const std::int64_t back : {second, hour, 24 * hour, 20 * 24 * hour}) {
        clock::set({static_cast<word>(beginning)});
        weir::adjustable<clock> limit{weir::quota{units, seconds(1)}};
        (void)limit.acquire_up_to(units);
        clock::set({static_cast<word>(beginning - back)});
        const auto denied = limit.peek(units).retry_after().count();
        EXPECT_GE(denied, back);
        EXPECT_LE(denied, back + second + millisecond);
        limit.reset();
        EXPECT_TRUE(limit.try_acquire(units));
    }
}

// A machine that is suspended: the counter stops, and true time does not.
TYPED_TEST(clock_that, stops_while_the_machine_is_suspended_denies_at_most_that_long) {
    const double before =
        this->pass(beginning, beginning + 5 * second, [](std::int64_t t) { return t; });
    const double suspended = this->pass(beginning + 5 * second, beginning + 15 * second,
                                        [](std::int64_t) { return beginning + 5 * second; });
    const double after = this->pass(beginning + 15 * second, beginning + 25 * second,
                                    [](std::int64_t t) { return t - 10 * second; });
    EXPECT_LE(suspended, static_cast<double>(portion<typename TypeParam::cell>));
    EXPECT_LE(before + suspended + after, this->once + this->allowed(15 * second));
    EXPECT_GE(after, this->allowed(9 * second)) << "it goes on when the clock does";
}

// And one that leaps when the machine wakes up.
TYPED_TEST(clock_that, leaps_after_a_suspension_brings_a_burst_at_most) {
    const double before =
        this->pass(beginning, beginning + 5 * second, [](std::int64_t t) { return t; });
    const double suspended = this->pass(beginning + 5 * second, beginning + 15 * second,
                                        [](std::int64_t) { return beginning + 5 * second; });
    const double after = this->pass(beginning + 15 * second, beginning + 25 * second,
                                    [](std::int64_t t) { return t; });
    EXPECT_LE(before + suspended + after, 2 * this->once + this->allowed(15 * second));
}

TYPED_TEST(clock_that, differs_between_cores_by_a_millisecond_brings_nothing) {
    dice d(1);
    const double passed = this->pass(beginning, beginning + 60 * second, [&](std::int64_t t) {
        return t + static_cast<std::int64_t>(d.roll(2 * millisecond)) - millisecond;
    });
    EXPECT_LE(passed, this->once + this->allowed(60 * second + millisecond));
    EXPECT_GE(passed, this->allowed(58 * second));
}

// Four milliseconds back in each eight, and on.
std::int64_t runs_backwards(std::int64_t t) {
    const std::int64_t part = t % (8 * millisecond);
    return t - part + (part < 4 * millisecond ? part : 8 * millisecond - part);
}

TYPED_TEST(clock_that, runs_backwards_brings_nothing_within_the_guard) {
    const double passed = this->pass(beginning, beginning + 60 * second, runs_backwards);
    EXPECT_LE(passed, this->once + this->allowed(60 * second));
    EXPECT_GE(passed, this->allowed(58 * second));
}

// Long enough for 100 millionths to be more than two bursts.
constexpr std::int64_t long_time = 100'000 * second;

double faster(double passed, double ppm) { return passed * (1 + ppm / 1e6); }

TYPED_TEST(clock_that, is_calibrated_wrongly_by_500_ppm_brings_so_much_more_at_most) {
    const double quota = this->allowed(long_time);
    const double right = flooded<TypeParam>().pass_early(long_time);
    EXPECT_LE(right, this->once + quota);
    EXPECT_GE(right, quota * share<typename TypeParam::cell> * (1 - TypeParam::rounding));
    for (const int ppm : {-500, 500}) {
        const double passed = flooded<TypeParam>(ppm).pass_early(long_time);
        EXPECT_LE(passed, this->once + faster(quota, ppm));
        EXPECT_LE(passed, this->once + faster(right, ppm + TypeParam::rounding * 1e6));
        EXPECT_GE(passed, faster(right, ppm - TypeParam::rounding * 1e6) - this->once);
    }
}

// What the tests above must find.

TYPED_TEST(clock_that, is_wrong_by_more_than_is_said_is_found) {
    const double right = flooded<TypeParam>().pass_early(long_time);
    const double more = TypeParam::wide ? 600 : 3'000;  // a 32-bit word rounds down by up to that
    const double passed = flooded<TypeParam>(static_cast<std::int64_t>(more)).pass_early(long_time);
    EXPECT_GT(passed, this->once + faster(right, 500));
}

TEST(trusting_cell, is_found_by_a_clock_that_runs_backwards) {
    flooded<guarded<oracle::trusting_gcra>> cell;
    const double passed = cell.pass(beginning, beginning + 60 * second, runs_backwards);
    EXPECT_GT(passed, 2 * (cell.once + cell.allowed(60 * second)));
}

TEST(trusting_cell, is_found_by_a_clock_that_is_set_back) {
    flooded<usual<oracle::trusting_gcra>> cell;
    const std::int64_t end = beginning + 10 * second;
    const std::int64_t back = 100 * millisecond;
    (void)cell.pass(beginning, end, [](std::int64_t t) { return t; });
    EXPECT_GT(cell.pass(end, end + back, [=](std::int64_t t) { return t - back; }), 1);
}

}  // namespace

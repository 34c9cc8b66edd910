// SPDX-License-Identifier: MIT
// Clocks as they are: each test is named after what is wrong with the clock. A limiter reads it
// while true time goes on, everybody asks for more than there is, and what passes is compared with
// what the quota allows in true time. And nobody is denied for ever.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/weir.hpp>

#include "cells.hpp"
#include "dice.hpp"
#include "mistakes.hpp"
#include "shape.hpp"

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

// A limiter of any cell: the tests are compiled once for all of them.
class any_limit {
public:
    struct answer {
        bool admitted;
        weir::nanoseconds retry_after;
    };

    any_limit() = default;
    any_limit(const any_limit&) = delete;
    any_limit& operator=(const any_limit&) = delete;
    virtual ~any_limit() = default;

    virtual word acquire_up_to(word n) = 0;
    virtual answer try_acquire(word n) = 0;
    virtual bool charge(word n) = 0;
    virtual bool reserve(word n) = 0;  // false of one that does not
    [[nodiscard]] virtual answer peek(word n) const = 0;
    [[nodiscard]] virtual word remaining() const = 0;
    virtual void reset() = 0;
};

template <class Cell>
class limit_of final : public any_limit {
public:
    using limiter = weir::limiter<Cell, crooked_clock>;

    explicit limit_of(const weir::options& o) : limit_(weir::quota{units, seconds(1)}, o) {}

    word acquire_up_to(word n) override { return limit_.acquire_up_to(n).units; }
    answer try_acquire(word n) override { return told(limit_.try_acquire(n)); }
    bool charge(word n) override { return limit_.charge(n).admitted(); }
    bool reserve([[maybe_unused]] word n) override {
        if constexpr (weir::reserving<limiter>) return static_cast<bool>(limit_.reserve(n));
        return false;
    }
    [[nodiscard]] answer peek(word n) const override { return told(limit_.peek(n)); }
    [[nodiscard]] word remaining() const override { return limit_.peek(0).remaining(); }
    void reset() override { limit_.reset(); }

private:
    static answer told(const auto& decision) {
        return {decision.admitted(), decision.retry_after()};
    }

    limiter limit_;
};

// A cell with its options, and what may be expected of it.
struct subject {
    std::string name;
    bool wide;
    weir::options options;
    // How far the clock may run back unnoticed. A log counts it twice.
    std::int64_t guard;
    std::int64_t guards;
    // By how much of it the rate may lie below the quota.
    double rounding;
    // What may pass beside the rate: the burst once, and around the end of a window twice.
    std::int64_t bursts;
    // What comes back at one instant: a unit, or all those of a period.
    std::int64_t portion;
    // How much of the rate gets who comes as early as he is told: what came together at a sliding
    // window's end counts as if it had come evenly.
    double share;
    bool reserves;
    bool counts_windows;
    std::unique_ptr<any_limit> (*make)(const weir::options&);

    [[nodiscard]] std::uint64_t hertz() const { return wide ? 1'000'000'000 : 1'000'000; }
};

template <class Cell>
[[nodiscard]] subject usual() {
    constexpr bool wide = sizeof(typename Cell::word_type) == 8;
    constexpr bool is_log = weir::log_cell<Cell>;
    constexpr bool by_period = weir::period_cell<Cell>;
    return {.name = oracle::name_of<Cell, units>(),
            .wide = wide,
            .options = {},
            .guard = wide ? hour : 50 * millisecond,
            .guards = is_log ? 2 : 1,
            .rounding = wide ? 5e-6 : 2e-3,
            .bursts = by_period && !is_log ? 2 : 1,
            .portion = by_period ? units : 1,
            .share = oracle::counts_in_word<Cell> == 2 ? 0.75 : 1,
            .reserves = weir::reserving_cell<Cell>,
            .counts_windows = oracle::counts_windows<Cell>,
            .make = [](const weir::options& o) -> std::unique_ptr<any_limit> {
                return std::make_unique<limit_of<Cell>>(o);
            }};
}
template <class Cell>
[[nodiscard]] subject guarded() {
    subject s = usual<Cell>();
    s.name += "_guarded";
    s.options = {.queue = 0, .guard = weir::milliseconds(5)};
    s.guard = 5 * millisecond;
    return s;
}

[[nodiscard]] std::vector<subject> subjects() {
    std::vector<subject> all;
    weir::every_cell<units, word>::for_each([&]<class Cell>() { all.push_back(guarded<Cell>()); });
    weir::every_cell<units, word, std::uint32_t>::for_each(
        [&]<class Cell>() { all.push_back(usual<Cell>()); });
    return all;
}

class flooded {
public:
    // The clock is fast by so many millionths: it takes its ticks for longer than they are. (By a
    // hair less, as its frequency is rounded up.)
    explicit flooded(const subject& about, std::int64_t ppm = 0) : about_(about) {
        const auto millionths = static_cast<std::uint64_t>(1'000'000 + ppm);
        crooked_clock::hertz_ = (about.hertz() * 1'000'000 + millionths - 1) / millionths;
        limit_ = about.make(about.options);
        set(beginning);
        EXPECT_EQ(limit_->remaining(), static_cast<word>(units));
    }

    // How many pass in that time, of more than there are; `read` says what is read at a true time.
    template <class Reading>
    double pass(std::int64_t from, std::int64_t to, Reading read, std::int64_t step = millisecond) {
        word passed = 0;
        for (std::int64_t t = from; t < to; t += step) {
            for (int i = 0; i < 3; ++i) {
                set(read(t));
                passed += limit_->acquire_up_to(2);
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
            passed += decision.admitted ? some : 0;
            now += static_cast<word>(weir::to_ticks<crooked_clock>(decision.retry_after));
        }
        return static_cast<double>(passed);
    }

    // All that there is, the debt and all that may wait.
    void owe_all(std::int64_t time) {
        set(time);
        limit_->reset();
        EXPECT_TRUE(limit_->try_acquire(units).admitted);
        (void)limit_->charge(units);
        while (limit_->reserve(1)) {
        }
    }
    [[nodiscard]] std::int64_t denies_at(std::int64_t time) const {
        set(time);
        return limit_->peek(1).retry_after.count();
    }
    [[nodiscard]] bool passes_at(std::int64_t time) const {
        set(time);
        return limit_->peek(1).admitted;
    }
    void reset_at(std::int64_t time) {
        set(time);
        limit_->reset();
    }

    [[nodiscard]] const subject& about() const { return about_; }
    [[nodiscard]] double once() const { return static_cast<double>(about_.bursts * units); }
    [[nodiscard]] static double allowed(std::int64_t time) {
        return static_cast<double>(time) / second * static_cast<double>(units);
    }

private:
    [[nodiscard]] word at(std::int64_t ns) const {
        return static_cast<word>(ns) / (second / about_.hertz());
    }
    void set(std::int64_t ns) const { crooked_clock::set({at(ns)}); }

    subject about_;
    std::unique_ptr<any_limit> limit_;
};

class clock_that : public testing::TestWithParam<subject>, public flooded {
protected:
    clock_that() : flooded(GetParam()) {}
};
INSTANTIATE_TEST_SUITE_P(each, clock_that, testing::ValuesIn(subjects()),
                         [](const auto& of) { return of.param.name; });

TEST_P(clock_that, is_right_lets_pass_what_the_quota_says) {
    const double passed =
        pass(beginning, beginning + 60 * second, [](std::int64_t t) { return t; });
    EXPECT_LE(passed, once() + allowed(60 * second));
    EXPECT_GE(passed, allowed(58 * second));
}

// The system's clock is set forward: as if that time had passed, in which no more than the burst
// can be saved up.
TEST_P(clock_that, jumps_forward_brings_a_burst_at_most) {
    double bound = 0;
    double passed = 0;
    std::int64_t t = beginning;
    for (std::int64_t jump = 0; jump < 20; ++jump) {
        const std::int64_t ahead = jump * 37 * second + jump * 123'456'789;
        passed += pass(t, t + 10 * second, [=](std::int64_t now) { return now + ahead; });
        bound += once() + allowed(10 * second);
        t += 10 * second;
    }
    EXPECT_LE(passed, bound);
    EXPECT_GE(passed, allowed(199 * second));
}

// The system's clock is set back: within the guard nothing passes that should not, and what is
// denied comes when the clock is where it was; beyond it (and the debt and those who may wait,
// which are as far ahead) the state is a relic, and the limit as good as new.
TEST_P(clock_that, is_set_back_brings_a_burst_at_most_and_stops_nobody_for_ever) {
    std::int64_t t = beginning + 10 * second;
    double passed = pass(beginning, t, [](std::int64_t time) { return time; });
    double bound = once() + allowed(10 * second);
    std::int64_t before = 0;
    for (const std::int64_t back :
         {millisecond, 4 * millisecond, 100 * millisecond, second, 60 * second, hour, 24 * hour}) {
        const auto read = [=](std::int64_t time) { return time - back; };
        const std::int64_t by = back - before;
        const std::int64_t late = by <= about().guard ? by : 0;
        const double meanwhile = pass(t, t + late, read, 10 * millisecond);
        const double then = pass(t + late, t + late + 10 * second, read);
        EXPECT_LE(meanwhile, late == 0 ? 0. : static_cast<double>(about().portion))
            << "by " << by << " ns";
        EXPECT_GE(then, allowed(8 * second)) << "stuck after " << by << " ns";
        passed += meanwhile + then;
        bound += allowed(late + 10 * second) + (late == 0 ? once() : 0);
        EXPECT_LE(passed, bound) << "by " << by << " ns";
        t += late + 10 * second;
        before = back;
    }
}

// How long a limit that owes all that it may owe denies after its clock was set back, at most: its
// burst, its debt or those who wait, and the guard, which a log counts twice. `reset` ends it.
TEST_P(clock_that, is_set_back_denies_for_as_long_as_is_said_and_a_reset_ends_it) {
    constexpr std::int64_t period = second;  // of the burst, and of the debt
    const std::int64_t queued = about().reserves && about().options.queue != 0 ? about().guard : 0;
    const std::int64_t ahead = std::max(period, queued);
    const std::int64_t least = ahead + about().guards * about().guard;
    std::int64_t longest = 0;
    for (int part = 0; part <= 48; ++part) {
        flooded limit(about());
        limit.owe_all(beginning);
        const std::int64_t back = about().guard / 16 * part;
        const std::int64_t denied = limit.denies_at(beginning - back);
        longest = std::max(longest, denied);
        EXPECT_TRUE(limit.passes_at(beginning - back + denied)) << "back by " << back;
        limit.owe_all(beginning);
        limit.reset_at(beginning - back);
        EXPECT_EQ(limit.denies_at(beginning - back), 0) << "back by " << back;
    }
    // The windows of the clock are late by whole windows, others may begin one ahead; and 32-bit
    // words round up by some more.
    const std::int64_t rounding = about().counts_windows ? period
                                  : about().wide         ? 0
                                                         : (period + least) / 100;
    EXPECT_LE(longest, period + least + rounding);
    EXPECT_GE(longest, least - least / 100) << "less than is said";
    std::cout << "denied for " << static_cast<double>(longest) / second << " s at most\n";
}

// Its state counts units, and only what is very many of them ahead is a relic.
TEST(adjustable_clock_that, is_set_back_denies_for_all_of_it_and_a_reset_ends_it) {
    using clock = weir::manual_clock<struct adjustable_set_back>;
    for (const std::int64_t back : {second, hour, 24 * hour, 20 * (24 * hour)}) {
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
TEST_P(clock_that, stops_while_the_machine_is_suspended_denies_at_most_that_long) {
    const double before = pass(beginning, beginning + 5 * second, [](std::int64_t t) { return t; });
    const double suspended = pass(beginning + 5 * second, beginning + 15 * second,
                                  [](std::int64_t) { return beginning + 5 * second; });
    const double after = pass(beginning + 15 * second, beginning + 25 * second,
                              [](std::int64_t t) { return t - 10 * second; });
    EXPECT_LE(suspended, static_cast<double>(about().portion));
    EXPECT_LE(before + suspended + after, once() + allowed(15 * second));
    EXPECT_GE(after, allowed(9 * second)) << "it goes on when the clock does";
}

// And one that leaps when the machine wakes up.
TEST_P(clock_that, leaps_after_a_suspension_brings_a_burst_at_most) {
    const double before = pass(beginning, beginning + 5 * second, [](std::int64_t t) { return t; });
    const double suspended = pass(beginning + 5 * second, beginning + 15 * second,
                                  [](std::int64_t) { return beginning + 5 * second; });
    const double after =
        pass(beginning + 15 * second, beginning + 25 * second, [](std::int64_t t) { return t; });
    EXPECT_LE(before + suspended + after, 2 * once() + allowed(15 * second));
}

TEST_P(clock_that, differs_between_cores_by_a_millisecond_brings_nothing) {
    dice d(1);
    const double passed = pass(beginning, beginning + 60 * second, [&](std::int64_t t) {
        return t + static_cast<std::int64_t>(d.roll(2 * millisecond)) - millisecond;
    });
    EXPECT_LE(passed, once() + allowed(60 * second + millisecond));
    EXPECT_GE(passed, allowed(58 * second));
}

// Four milliseconds back in each eight, and on.
std::int64_t runs_backwards(std::int64_t t) {
    const std::int64_t part = t % (8 * millisecond);
    return t - part + (part < 4 * millisecond ? part : 8 * millisecond - part);
}

TEST_P(clock_that, runs_backwards_brings_nothing_within_the_guard) {
    const double passed = pass(beginning, beginning + 60 * second, runs_backwards);
    EXPECT_LE(passed, once() + allowed(60 * second));
    EXPECT_GE(passed, allowed(58 * second));
}

// Long enough for 100 millionths to be more than two bursts.
constexpr std::int64_t long_time = 100'000 * second;

double faster(double passed, double ppm) { return passed * (1 + ppm / 1e6); }

TEST_P(clock_that, is_calibrated_wrongly_by_500_ppm_brings_so_much_more_at_most) {
    const double quota = allowed(long_time);
    const double right = flooded(about()).pass_early(long_time);
    EXPECT_LE(right, once() + quota);
    EXPECT_GE(right, quota * about().share * (1 - about().rounding));
    for (const int ppm : {-500, 500}) {
        const double passed = flooded(about(), ppm).pass_early(long_time);
        EXPECT_LE(passed, once() + faster(quota, ppm));
        EXPECT_LE(passed, once() + faster(right, ppm + about().rounding * 1e6));
        EXPECT_GE(passed, faster(right, ppm - about().rounding * 1e6) - once());
    }
}

// A virtual machine moves to one whose counter is a tenth faster, and the frequency that was
// measured stays: from then on all is that much faster, and the move itself brings nothing. Back on
// a slower one all is slower.
TEST_P(clock_that, changes_its_frequency_brings_so_much_more_at_most) {
    constexpr std::int64_t move = beginning + 60 * second;
    constexpr std::int64_t end = move + 60 * second;
    for (const std::int64_t tenths : {-1, 1}) {
        flooded limit(about());
        const auto read = [=](std::int64_t t) {
            return t < move ? t : t + (t - move) / 10 * tenths;
        };
        const double before = limit.pass(beginning, move, read);
        const double after = limit.pass(move, end, read);
        const double by_the_clock = allowed(read(end) - move);
        EXPECT_LE(before + after, once() + allowed(60 * second) + by_the_clock);
        EXPECT_LE(after, once() + by_the_clock);
        EXPECT_GE(after, by_the_clock - 2 * once());
    }
}

// A leap second that is spread over the 1000 seconds before it: the clock is slow by a thousandth,
// or fast if it is a second that is left out, and then right again.
TEST_P(clock_that, is_smeared_over_a_leap_second_brings_a_second_more_at_most) {
    constexpr std::int64_t smear = 1'000 * second;
    for (const std::int64_t leap : {-1, 1}) {
        flooded limit(about());
        const auto read = [=](std::int64_t t) {
            return t + std::min(t - beginning, smear) / 1'000 * leap;
        };
        constexpr std::int64_t end = beginning + smear + 10 * second;
        const double passed = limit.pass(beginning, end, read, 10 * millisecond);
        const double by_the_clock = allowed(read(end) - beginning);
        EXPECT_LE(passed, once() + by_the_clock);
        // A window opens up to a step after the one before it has ended.
        EXPECT_GE(passed, by_the_clock * about().share * 0.98 - once());
    }
}

// What the tests above must find.

TEST_P(clock_that, is_wrong_by_more_than_is_said_is_found) {
    const double right = flooded(about()).pass_early(long_time);
    const double more = about().wide ? 600 : 3'000;  // a 32-bit word rounds down by up to that
    const double passed = flooded(about(), static_cast<std::int64_t>(more)).pass_early(long_time);
    EXPECT_GT(passed, once() + faster(right, 500));
}

TEST(trusting_cell, is_found_by_a_clock_that_runs_backwards) {
    flooded cell(guarded<oracle::trusting_gcra>());
    const double passed = cell.pass(beginning, beginning + 60 * second, runs_backwards);
    EXPECT_GT(passed, 2 * (cell.once() + cell.allowed(60 * second)));
}

TEST(trusting_cell, is_found_by_a_clock_that_is_set_back) {
    flooded cell(usual<oracle::trusting_gcra>());
    const std::int64_t end = beginning + 10 * second;
    const std::int64_t back = 100 * millisecond;
    (void)cell.pass(beginning, end, [](std::int64_t t) { return t; });
    EXPECT_GT(cell.pass(end, end + back, [=](std::int64_t t) { return t - back; }), 1);
}

}  // namespace

// Clocks as they are: each test is named after what is wrong with the clock. True time goes on in
// steps of a millisecond, everybody asks for more than there is, and what passes is compared with
// what the quota allows in true time. And nobody is denied for ever.
#include <cstdint>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include <weir/weir.hpp>

#include "cells.hpp"
#include "dice.hpp"
#include "effort.hpp"

namespace {

using oracle::dice;
using weir::seconds;
using weir::tick;
using weir::word;

// Nanoseconds.
constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t hour = 3'600 * second;
constexpr std::int64_t beginning = 1'000 * hour;

constexpr std::int64_t units = 100;  // a second

template <class Cell>
class clock_that : public testing::Test {
protected:
    using rate = typename Cell::rate;
    using reading = std::function<std::int64_t(std::int64_t)>;  // what is read at a true time

    clock_that() { cell_->fill(at(beginning), static_cast<word>(burst), rate_); }

    // How many pass in that time, of more than there are.
    double pass(std::int64_t from, std::int64_t to, const reading& read) {
        double passed = 0;
        for (std::int64_t t = from; t < to; t += millisecond) {
            for (int i = 0; i < 3; ++i) passed += take(at(read(t)));
        }
        return passed;
    }

    [[nodiscard]] static double allowed(std::int64_t time) {
        return static_cast<double>(time) / second * static_cast<double>(units);
    }

    // What may pass beside the rate: the burst once, and a window's may come twice.
    static constexpr double once = 2 * static_cast<double>(units) + 1;
    static constexpr std::int64_t burst = units;

private:
    [[nodiscard]] static tick at(std::int64_t ns) { return {static_cast<word>(ns)}; }
    double take(tick now) { return static_cast<double>(cell_->acquire_up_to(now, 2, rate_).units); }

    rate rate_ = *rate::make(weir::quota{units, seconds(1), burst}, second,
                             {.waiting = 0, .guard = weir::milliseconds(5)});
    std::unique_ptr<Cell> cell_ = std::make_unique<Cell>();
};

using cells =
    testing::Types<weir::gcra<>, weir::leaky_bucket<>, weir::token_bucket<>, weir::fixed_window<>,
                   weir::aligned_window<>, weir::sliding_window<>, weir::sliding_log<units>>;
TYPED_TEST_SUITE(clock_that, cells);

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

// The system's clock is set back: within the guard nothing passes that should not; beyond it (and
// the debt and those who may wait, which are as far ahead) the state is a relic, and the limit as
// good as new.
TYPED_TEST(clock_that, is_set_back_brings_a_burst_at_most_and_stops_nobody) {
    double bound = 0;
    double passed = 0;
    std::int64_t t = beginning;
    for (const std::int64_t back :
         {millisecond, 4 * millisecond, 100 * millisecond, second, 60 * second, hour, 24 * hour}) {
        const double now =
            this->pass(t, t + 10 * second, [=](std::int64_t time) { return time - back; });
        bound += this->once + this->allowed(10 * second);
        passed += now;
        EXPECT_GE(now, this->allowed(5 * second)) << "stuck after " << back << " ns";
        t += 10 * second;
    }
    EXPECT_LE(passed, bound);
}

// A machine that is suspended: the counter stops, and true time does not.
TYPED_TEST(clock_that, stops_while_the_machine_is_suspended_denies_at_most_that_long) {
    const double before =
        this->pass(beginning, beginning + 5 * second, [](std::int64_t t) { return t; });
    const double suspended = this->pass(beginning + 5 * second, beginning + 15 * second,
                                        [](std::int64_t) { return beginning + 5 * second; });
    const double after = this->pass(beginning + 15 * second, beginning + 25 * second,
                                    [](std::int64_t t) { return t - 10 * second; });
    EXPECT_LE(suspended, this->once);
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
    EXPECT_LE(before + suspended + after, 2 * this->once + this->allowed(25 * second));
}

TYPED_TEST(clock_that, differs_between_cores_by_a_millisecond_brings_nothing) {
    dice d(1);
    const double passed = this->pass(beginning, beginning + 60 * second, [&](std::int64_t t) {
        return t + static_cast<std::int64_t>(d.roll(2 * millisecond)) - millisecond;
    });
    EXPECT_LE(passed, this->once + this->allowed(60 * second + millisecond));
    EXPECT_GE(passed, this->allowed(58 * second));
}

TYPED_TEST(clock_that, runs_backwards_brings_nothing_within_the_guard) {
    // Four milliseconds back in each eight, and on.
    const double passed = this->pass(beginning, beginning + 60 * second, [](std::int64_t t) {
        const std::int64_t part = t % (8 * millisecond);
        return t - part + (part < 4 * millisecond ? part : 8 * millisecond - part);
    });
    EXPECT_LE(passed, this->once + this->allowed(60 * second));
    EXPECT_GE(passed, this->allowed(58 * second));
}

TYPED_TEST(clock_that, is_calibrated_wrongly_by_500_ppm_brings_so_much_more_at_most) {
    std::int64_t begin = beginning;
    for (const std::int64_t ppm : {-500, 500}) {
        const double passed = this->pass(begin, begin + 60 * second, [=](std::int64_t t) {
            return t + (t - begin) / 1'000'000 * ppm;
        });
        begin += 60 * second;
        const double exact = this->allowed(60 * second) * (1 + static_cast<double>(ppm) / 1e6);
        EXPECT_LE(passed, this->once + exact);
        EXPECT_GE(passed, exact - 2 * static_cast<double>(units));
    }
}

}  // namespace

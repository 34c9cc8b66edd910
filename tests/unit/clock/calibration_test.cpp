// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/clock/calibration.hpp>
#include <weir/clock/clock.hpp>

#if defined(__x86_64__) || defined(__aarch64__)

namespace {

using weir::bracket;
using weir::fitted_line;

constexpr double ppm = 1e-6;

// Brackets around the true instants of a counter that makes three ticks in a nanosecond.
struct brackets {
    fitted_line line;

    // The clock was read `off` nanoseconds from the middle.
    bool add(std::uint64_t time, std::uint64_t width = 100, std::int64_t off = 0) {
        const std::uint64_t middle = 3 * time;
        return line.add({middle - width / 2, time + static_cast<std::uint64_t>(off),
                         middle - width / 2 + width});
    }
    [[nodiscard]] double wrong_by() const { return line.slope() / 3 - 1; }
};

TEST(fitted_line, finds_an_exact_slope) {
    brackets some;
    for (std::uint64_t i = 0; i < 1'000; ++i) EXPECT_TRUE(some.add(1'000'000 + 50 * i));
    EXPECT_NEAR(some.wrong_by(), 0, 1e-12);
    EXPECT_TRUE(some.line.is_within(1e-9));
    EXPECT_EQ(some.line.brackets(), 1'000);
    EXPECT_EQ(some.line.span(), 999 * 50);
}

TEST(fitted_line, says_by_how_much_noise_may_turn_it) {
    brackets some;
    for (std::uint64_t i = 0; i < 1'000; ++i)
        some.add(1'000'000 + 100 * i, 100, i % 2 == 0 ? 10 : -10);
    // The standard error is 10 ns / (100 us x sqrt(1000 / 12)).
    EXPECT_TRUE(some.line.is_within(11.0 * ppm));
    EXPECT_FALSE(some.line.is_within(10.9 * ppm));
    EXPECT_NEAR(some.wrong_by(), 0, 11 * ppm);
}

TEST(fitted_line, leaves_out_brackets_that_were_interrupted) {
    brackets some;
    for (std::uint64_t i = 0; i < 1'000; ++i) {
        const bool interrupted = i % 10 == 9;
        const bool added = interrupted ? some.add(1'000'000 + 100 * i, 151, 20)
                                       : some.add(1'000'000 + 100 * i, i % 10 == 0 ? 150 : 100);
        EXPECT_EQ(added, !interrupted);
    }
    EXPECT_EQ(some.line.brackets(), 900);
    EXPECT_NEAR(some.wrong_by(), 0, 1e-12);
}

TEST(fitted_line, begins_anew_when_all_before_turn_out_to_have_been_interrupted) {
    brackets some;
    some.add(1'000'000, 10'000, 1'000);
    for (std::uint64_t i = 0; i < 10; ++i) some.add(1'100'000 + 100 * i, 151, 10);
    for (std::uint64_t i = 0; i < 100; ++i) some.add(1'200'000 + 100 * i, 100);
    EXPECT_EQ(some.line.brackets(), 100);
    EXPECT_EQ(some.line.span(), 99 * 100);
    EXPECT_NEAR(some.wrong_by(), 0, 1e-12);
}

TEST(fitted_line, does_not_mind_time_that_was_stolen_between_brackets) {
    brackets some;
    for (std::uint64_t i = 0; i < 1'000; ++i) {
        some.add(1'000'000 + 100 * i + (i < 500 ? 0 : 30'000'000), 100, i % 2 == 0 ? 10 : -10);
    }
    EXPECT_NEAR(some.wrong_by(), 0, 0.1 * ppm);
    EXPECT_TRUE(some.line.is_within(0.1 * ppm));
}

TEST(fitted_line, has_no_slope_where_a_clock_stands_still_or_goes_back) {
    fitted_line still;
    fitted_line no_ticks;
    fitted_line clock_back;
    fitted_line counter_back;
    for (std::uint64_t i = 0; i < 1'000; ++i) {
        still.add({3 * i, 5'000, 3 * i + 10});
        no_ticks.add({7, 5'000 + i, 7});
        clock_back.add({3 * i, 5'000 - i, 3 * i + 10});
        counter_back.add({9'000 - 3 * i, 5'000 + i, 9'000 - 3 * i - 1});
    }
    EXPECT_EQ(still.slope(), 0);
    EXPECT_FALSE(still.is_within(1));
    EXPECT_EQ(no_ticks.slope(), 0);
    EXPECT_FALSE(no_ticks.is_within(1));
    EXPECT_FALSE(clock_back.is_within(1));
    EXPECT_FALSE(counter_back.is_within(1));
    EXPECT_FALSE(fitted_line().is_within(1));
    EXPECT_EQ(fitted_line().slope(), 0);
}

// Each reading takes the world on. The clock is read at some moment within its reading.
struct world {
    static inline std::uint64_t time_;  // nanoseconds
    static inline std::uint64_t ticks_per_microsecond_;
    static inline std::uint64_t takes_;      // a reading, in nanoseconds
    static inline std::uint64_t noise_;      // how much longer one of the clock takes
    static inline std::uint64_t reads_;      // of the clock
    static inline std::uint64_t jumps_at_;   // at this one time is stolen
    static inline std::uint64_t jumps_by_;   // so much of it
    static inline std::uint64_t fast_from_;  // from this one on all take half as long
    static inline std::uint64_t slow_from_;  // and twice as long
    static inline std::uint64_t behind_;     // how far the clock is
    static inline std::uint64_t stands_from_;
    static inline std::uint64_t moves_at_;  // from this one on another core's counter is read
    static inline std::int64_t differs_;    // which is so many ticks ahead
    static inline std::uint64_t seed_;

    static void begin() {
        time_ = 1'000'000;
        reads_ = 0;
        ticks_per_microsecond_ = 3'000;
        takes_ = 50;
        noise_ = 0;
        jumps_at_ = UINT64_MAX;
        fast_from_ = UINT64_MAX;
        slow_from_ = UINT64_MAX;
        behind_ = 0;
        stands_from_ = UINT64_MAX;
        moves_at_ = UINT64_MAX;
        differs_ = 0;
        seed_ = 1;
    }
    static std::uint64_t some(std::uint64_t most) {
        seed_ = seed_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        return most == 0 ? 0 : (seed_ >> 33U) % (most + 1);
    }

    struct counter {
        static weir::instant<counter> now() noexcept {
            time_ += takes_;
            const std::int64_t more = reads_ < moves_at_ ? 0 : differs_;
            return weir::instant<counter>(static_cast<weir::word>(
                time_ * ticks_per_microsecond_ / 1'000 + static_cast<std::uint64_t>(more)));
        }
    };
    struct reference {
        static weir::instant<reference> now() noexcept {
            if (++reads_ == jumps_at_) time_ += jumps_by_;
            if (reads_ == fast_from_) takes_ /= 2;
            if (reads_ == slow_from_) takes_ *= 2;
            const std::uint64_t before = some(noise_);
            const std::uint64_t then =
                time_ + before < stands_from_ ? time_ + before : stands_from_;
            time_ += noise_;
            return weir::instant<reference>(static_cast<weir::word>(then - behind_));
        }
    };
    using calibration = weir::calibration<counter, reference>;

    static double measure(const bracket& anchor = {}) {
        reads_ = 0;
        return static_cast<double>(calibration::measure(anchor));
    }
};

class calibration : public testing::Test {
protected:
    calibration() { world::begin(); }

    static constexpr double hertz = 3e9;
    static constexpr std::uint64_t round = world::calibration::round;
    static constexpr std::uint64_t all = round * world::calibration::most_rounds;
};

TEST_F(calibration, finds_the_frequency_of_a_counter_in_the_shortest_span) {
    world::takes_ = 60;
    EXPECT_NEAR(world::measure(), hertz, 1);
    EXPECT_EQ(world::reads_, 2 * round) << "a round takes 120 us";
    world::begin();
    world::ticks_per_microsecond_ = 17;  // a step is wider than a reading
    EXPECT_NEAR(world::measure(), 17e6, 17e6 * 10 * ppm);
}

TEST_F(calibration, goes_on_until_noise_does_not_matter) {
    world::noise_ = 100;
    EXPECT_NEAR(world::measure(), hertz, hertz * 5 * ppm);
    // The standard error of a round is 29 ns / (200 us x sqrt(1000 / 12)) = 15.9 ppm.
    EXPECT_EQ(world::reads_, 5 * round);
}

TEST_F(calibration, gives_up_at_the_longest_span) {
    world::noise_ = 20'000;  // as under an emulator: 20 ms each
    EXPECT_EQ(world::measure(), 0);
    EXPECT_EQ(world::reads_, 2 * round);
    world::begin();
    world::noise_ = 4'000;
    EXPECT_EQ(world::measure(), 0);
    EXPECT_EQ(world::reads_, 7 * round);
}

TEST_F(calibration, does_not_mind_time_that_is_stolen) {
    for (const std::uint64_t at : {2U, 500U, 1'000U, 1'999U}) {
        for (const std::uint64_t stolen : {150'000U, 15'000'000U, 400'000'000U}) {
            world::begin();
            world::noise_ = 10;
            world::jumps_at_ = at;
            world::jumps_by_ = stolen;
            EXPECT_NEAR(world::measure(), hertz, hertz * 5 * ppm) << at << ", " << stolen;
            EXPECT_LE(world::reads_, 3 * round) << at << ", " << stolen;
        }
    }
}

TEST_F(calibration, wants_many_brackets_on_its_line) {
    world::takes_ = 100;
    world::fast_from_ = round - 4;  // all before turn out to have been interrupted
    world::jumps_at_ = round - 1;
    world::jumps_by_ = 1'000'000;
    EXPECT_NEAR(world::measure(), hertz, 1);
    EXPECT_EQ(world::reads_, 2 * round);
}

TEST_F(calibration, begins_anew_where_the_core_becomes_slower) {
    world::slow_from_ = 300;  // none is narrow from then on
    EXPECT_NEAR(world::measure(), hertz, 1);
    EXPECT_LE(world::reads_, 4 * round);
}

// A reading takes longer each time: there is always one that was narrower.
struct ever_slower : world::reference {
    static weir::instant<ever_slower> now() noexcept {
        if (world::reads_ % 1'000 == 1) world::takes_ *= 2;
        return weir::instant<ever_slower>(world::reference::now().count);
    }
};

TEST_F(calibration, begins_anew_a_few_times_only) {
    EXPECT_EQ((weir::calibration<world::counter, ever_slower>::measure()), 0U);
    EXPECT_LE(world::reads_, 10 * round);
}

TEST_F(calibration, gives_up_where_the_frequency_is_no_number_of_64_bits) {
    world::ticks_per_microsecond_ = 2'000'000'000'000;
    EXPECT_EQ(world::measure(), 0);
}

TEST_F(calibration, gives_up_where_the_clock_stands_still_from_the_beginning_or_later) {
    for (const std::uint64_t after : {0U, 1U, 100'000U, 199'000U}) {
        world::begin();
        world::stands_from_ = world::time_ + after;
        EXPECT_EQ(world::measure(), 0) << after;
        EXPECT_EQ(world::reads_, all);
    }
}

TEST_F(calibration, gives_up_where_the_counter_stands_still) {
    world::ticks_per_microsecond_ = 0;
    EXPECT_EQ(world::measure(), 0);
    world::begin();
    world::ticks_per_microsecond_ = 0;
    world::stands_from_ = 0;
    EXPECT_EQ(world::measure(), 0) << "the clock too";
    EXPECT_EQ(world::reads_, all);
}

// A reading of this clock goes back by as much as the counter went on.
struct backwards {
    static weir::instant<backwards> now() noexcept {
        ++world::reads_;
        return weir::instant<backwards>(static_cast<weir::word>(100'000'000'000U - world::time_));
    }
};

TEST_F(calibration, gives_up_where_a_clock_goes_back) {
    EXPECT_EQ((weir::calibration<world::counter, backwards>::measure()), 0U);
    EXPECT_EQ(world::reads_, all);
    world::begin();
    EXPECT_EQ((weir::calibration<backwards, world::reference>::measure()), 0U);
    EXPECT_LE(world::reads_, 3 * all);
}

// A step in the counter looks like a slope. It is at most so steep that the line is still taken for
// straight: what noise may do is a hundredth of that.
constexpr std::int64_t differences[] = {-30'000, -3'000, -300, -30, 30, 300, 3'000, 30'000};
constexpr double most_by_another_core = 200;  // millionths

TEST_F(calibration, is_off_by_200_ppm_at_most_if_the_thread_moves_to_a_core_that_differs) {
    double worst = 0;
    for (const std::int64_t ticks : differences) {
        for (std::uint64_t at = 1; at < 5 * round; at += 67) {
            world::begin();
            world::noise_ = 20;
            world::moves_at_ = at;
            world::differs_ = ticks;
            const double off = std::abs(world::measure() - hertz) / hertz / ppm;
            EXPECT_LE(off, most_by_another_core) << ticks << " ticks at " << at;
            worst = std::max(worst, off);
        }
    }
    EXPECT_GE(worst, 50) << "it is stated as worse than it is";
}

class anchor : public calibration {
protected:
    // The anchor is read; time goes by; so many brackets are needed then.
    static double brackets_after(std::uint64_t nanoseconds, std::uint64_t asleep = 0) {
        world::behind_ = 0;
        const bracket early = world::calibration::read_anchor();
        world::time_ += nanoseconds;
        world::behind_ = asleep;
        EXPECT_NEAR(world::measure(early), hertz, hertz * 10 * ppm);
        return static_cast<double>(world::reads_);
    }
    static constexpr double fewest = round;
};

TEST_F(anchor, is_the_narrowest_of_some_brackets) {
    world::noise_ = 40;
    world::jumps_at_ = 1;
    world::jumps_by_ = 1'000;
    const bracket best = world::calibration::read_anchor();
    EXPECT_EQ(best.width(), 3 * (world::takes_ + world::noise_));
    EXPECT_LE(world::reads_, 32U);
}

TEST_F(anchor, spares_the_span_when_two_brackets_are_far_enough_apart) {
    EXPECT_EQ(brackets_after(5'000'000), fewest);  // a width of 50 ns in 5 ms are 10 ppm
    EXPECT_EQ(brackets_after(9'900'000'000), fewest);
}

TEST_F(anchor, is_right_within_what_is_stated_however_its_brackets_were_read) {
    world::takes_ = 25;
    world::noise_ = 50;
    for (std::uint64_t i = 0; i < 100; ++i) {
        world::seed_ = i;
        EXPECT_EQ(brackets_after(7'500'000), fewest);
    }
}

TEST_F(anchor, is_not_used_if_there_is_none) {
    world::time_ = 5'000'000'000;
    EXPECT_NEAR(world::measure(), hertz, 1);
    EXPECT_GT(world::reads_, round);
}

TEST_F(anchor, is_not_used_when_it_is_too_near_or_too_old) {
    EXPECT_GT(brackets_after(4'800'000), 1.5 * fewest);
    EXPECT_GT(brackets_after(10'000'100'000), 1.5 * fewest);
}

TEST_F(anchor, is_not_used_if_the_machine_was_asleep_meanwhile) {
    EXPECT_GT(brackets_after(10'000'000, 1'000'000), 1.5 * fewest);
    EXPECT_GT(brackets_after(9'000'000'000, 2'000'000), 1.5 * fewest);
}

// Between the anchor and the measurement.
TEST_F(anchor, is_off_by_200_ppm_at_most_if_the_thread_moves_to_a_core_that_differs) {
    for (const std::int64_t ticks : differences) {
        for (std::uint64_t later = 1'000'000; later < 10'000'000'000; later *= 2) {
            world::begin();
            world::noise_ = 20;
            const bracket early = world::calibration::read_anchor();
            world::time_ += later;
            world::moves_at_ = 0;
            world::differs_ = ticks;
            const double off = std::abs(world::measure(early) - hertz) / hertz / ppm;
            EXPECT_LE(off, most_by_another_core + 10) << ticks << " ticks after " << later;
        }
    }
}

TEST_F(anchor, is_not_used_if_a_clock_was_set_back) {
    EXPECT_GT(brackets_after(10'000'000, 100'000'000), 1.5 * fewest);
}

}  // namespace

#endif

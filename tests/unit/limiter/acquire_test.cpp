// SPDX-License-Identifier: MIT
// Waiting with clocks that are set back, stand still between steps or hardly move, and until times
// that are further away than a duration can tell.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <stop_token>
#include <thread>

#include <gtest/gtest.h>

#include <weir/clock/manual.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/adjustable.hpp>
#include <weir/limiter/all_of.hpp>
#include <weir/weir.hpp>

namespace {

using namespace std::chrono_literals;
using weir::acquire;
using weir::acquire_for;
using weir::acquire_until;
using weir::ending;
using weir::milliseconds;
using weir::nanoseconds;
using weir::quota;
using weir::waiting;
using weir::word;

// Of nanoseconds. Each reading is 100 us after the one before, and from the n-th on as much earlier
// as it was set back.
template <class Tag>
struct clock_set_back {
    static constexpr std::uint64_t lowest_hertz = nanoseconds::per_second;
    static constexpr std::uint64_t highest_hertz = nanoseconds::per_second;
    static constexpr word beginning = 1'000'000'000'000;

    static inline word readings_ = 0;
    static inline word last_right_ = 0;
    static inline word error_ = 0;

    static weir::instant<clock_set_back> now() noexcept {
        const word right = beginning + readings_ * 100'000;
        return weir::instant<clock_set_back>(++readings_ > last_right_ ? right - error_ : right);
    }
    static constexpr std::uint64_t hertz() noexcept { return highest_hertz; }
    static weir::clock_facts facts() noexcept {
        return {"set back", hertz(), nanoseconds(1), false};
    }
};

TEST(waiting, is_not_given_up_because_the_clock_runs_back_by_a_tick) {
    using clock = clock_set_back<struct by_a_tick>;
    weir::limiter<weir::fixed_window<>, clock> limit{quota{1, 1ms}};
    ASSERT_TRUE(limit.try_acquire(1, weir::instant<clock>(clock::beginning)));
    clock::last_right_ = 1;
    clock::error_ = 100'001;
    EXPECT_TRUE(acquire_for(limit, 1, 5s));
}

TEST(waiting, does_not_outlast_its_patience_if_the_clock_is_set_back_meanwhile) {
    using clock = clock_set_back<struct meanwhile>;
    weir::limiter<weir::aligned_window<>, clock> limit{quota{1, 1ms}};
    ASSERT_TRUE(limit.try_acquire(1, weir::instant<clock>(clock::beginning)));
    clock::last_right_ = 2;
    clock::error_ = 20'000'000;
    const auto late = acquire_for(limit, 1, 5ms);
    EXPECT_EQ(late.how, ending::too_late);
    EXPECT_GT(late.wait, nanoseconds(20ms));
}

// A limit whose quota becomes lower while somebody waits for a place.
struct slower_limit {
    using clock_type = clock_set_back<struct slower>;
    using instant = weir::instant<clock_type>;
    struct permit_type {
        const slower_limit* of;
        [[nodiscard]] instant start(instant /*now*/) const noexcept {
            const word ms = of->is_slower ? 50 : 2;
            return instant(clock_type::beginning + ms * 1'000'000);
        }
    };

    template <class... Args>
    void nap(const Args&... /*all*/) noexcept {
        is_slower = true;
    }

    bool is_slower = false;
};

TEST(waiting, is_given_up_when_a_lower_quota_moves_the_place_beyond_its_patience) {
    using clock = slower_limit::clock_type;
    clock::last_right_ = UINT64_MAX;
    const auto last = slower_limit::instant(clock::beginning + 5'000'000);
    slower_limit limit;
    const slower_limit::permit_type place{&limit};
    EXPECT_EQ(weir::detail::wait_for(limit, place, last, {}, waiting::sleep), ending::too_late);
    EXPECT_TRUE(limit.is_slower);
}

TEST(waiting, says_how_it_ended) {
    EXPECT_STREQ(to_text(weir::acquisition{ending::acquired, {}}).c_str(), "acquired");
    EXPECT_STREQ(to_text(weir::acquisition{ending::too_late, 5ms}).c_str(),
                 "it would have taken too long: 5 ms");
}

// Two ticks in a nanosecond, or one: it is not sure. Each reading is 10 us after the one before.
struct unsure_clock {
    static constexpr std::uint64_t lowest_hertz = 1'000'000'000;
    static constexpr std::uint64_t highest_hertz = 2'000'000'000;
    static constexpr word step = 20'000;

    static inline word count_ = 0;

    static weir::instant<unsure_clock> now() noexcept {
        return weir::instant<unsure_clock>(count_ += step);
    }
    static constexpr std::uint64_t hertz() noexcept { return highest_hertz; }
    static constexpr std::uint64_t least_hertz() noexcept { return lowest_hertz; }
    static weir::clock_facts facts() noexcept { return {"unsure", hertz(), nanoseconds(1), true}; }
};

TEST(waiting, asks_again_when_it_may_pass_by_a_clock_that_is_not_sure_of_its_frequency) {
    weir::limiter<weir::fixed_window<>, unsure_clock> limit{quota{1, 1ms}};
    ASSERT_TRUE(limit.try_acquire());
    const word began = unsure_clock::count_;
    EXPECT_TRUE(acquire_for(limit, 1, 3ms, waiting::spin));
    EXPECT_LE(unsure_clock::count_ - began, 2'000'000 + 4 * unsure_clock::step);
}

TEST(waiting, sleeps_for_the_time_that_is_most_likely) {
    weir::detail::waiter<unsure_clock> me(waiting::sleep);
    nanoseconds slept{};
    me.doze(
        weir::instant<unsure_clock>(7), weir::instant<unsure_clock>(3'000'007),
        [&](nanoseconds time) { slept = time; }, [] { return true; });
    EXPECT_EQ(slept, milliseconds(2)) << "between 1.5 and 3";
}

// One unit in each period, by a limit that reserves, by one that does not, and by one whose quota
// may change.
template <class Clock, class Test>
void with_each_limit(nanoseconds period, Test test) {
    const quota q{1, period, 1};
    test(weir::limiter<weir::gcra<>, Clock>{q});
    test(weir::limiter<weir::sliding_log<1>, Clock>{q});
    test(weir::adjustable<Clock>{q});
}

// Counts how often it is read.
struct coarse_clock {
    static constexpr std::uint64_t lowest_hertz = nanoseconds::per_second;
    static constexpr std::uint64_t highest_hertz = nanoseconds::per_second;
    static constexpr word step = 5'000'000;

    static inline std::atomic<int> readings_{0};

    static weir::instant<coarse_clock> now() noexcept {
        ++readings_;
        return weir::instant<coarse_clock>(weir::steady_clock::now().count / step * step);
    }
    static constexpr std::uint64_t hertz() noexcept { return highest_hertz; }
    static weir::clock_facts facts() noexcept {
        return {"steps", hertz(), nanoseconds(step), true};
    }
};

TEST(waiting, does_not_spin_for_the_next_step_of_a_coarse_clock) {
    with_each_limit<coarse_clock>(50us, [](auto&& limit) {
        constexpr int times = 5;
        coarse_clock::readings_ = 0;
        for (int i = 0; i < times; ++i) EXPECT_TRUE(acquire(limit));
        EXPECT_LE(coarse_clock::readings_, 4 * times) << "one nap each";
    });
}

// Stands still, at one tick in a millisecond, and counts how often it is read.
struct standing_clock {
    static constexpr std::uint64_t lowest_hertz = 1'000;
    static constexpr std::uint64_t highest_hertz = 1'000;

    static inline std::atomic<int> readings_{0};

    static weir::instant<standing_clock> now() noexcept {
        ++readings_;
        return weir::instant<standing_clock>(1'000'000'000);
    }
    static constexpr std::uint64_t hertz() noexcept { return highest_hertz; }
    static weir::clock_facts facts() noexcept { return {"stands", hertz(), milliseconds(1), true}; }
};

template <class Limiter>
void sleeps_until_it_is_stopped(Limiter&& limit) {
    ASSERT_TRUE(limit.try_acquire());
    standing_clock::readings_ = 0;
    std::jthread waiter([&](const std::stop_token& stop) {
        EXPECT_EQ(acquire(limit, 1, stop).how, ending::stopped);
    });
    while (standing_clock::readings_ == 0) std::this_thread::yield();
    std::this_thread::sleep_for(10ms);  // in which a loop would read it thousands of times
    waiter.request_stop();
    waiter.join();
    EXPECT_LE(standing_clock::readings_, 10);
}

TEST(waiting, sleeps_through_centuries) {
    const quota q{1, nanoseconds(INT64_MAX - 1), 1};
    sleeps_until_it_is_stopped(weir::limiter<weir::gcra<>, standing_clock>{q, {.queue = 1}});
    sleeps_until_it_is_stopped(weir::limiter<weir::sliding_log<1>, standing_clock>{q});
    sleeps_until_it_is_stopped(weir::adjustable<standing_clock>{q, {.queue = 1}});
}

// Of nanoseconds, set by hand, and counts how often it is read.
struct hand_set_clock : standing_clock {
    static constexpr std::uint64_t lowest_hertz = nanoseconds::per_second;
    static constexpr std::uint64_t highest_hertz = nanoseconds::per_second;

    static inline std::atomic<word> now_{1'000'000'000};

    static weir::instant<hand_set_clock> now() noexcept {
        ++readings_;
        return weir::instant<hand_set_clock>(now_.load());
    }
    static constexpr std::uint64_t hertz() noexcept { return highest_hertz; }
    static weir::clock_facts facts() noexcept {
        return {"set by hand", hertz(), nanoseconds(1), false};
    }
};

// A nap takes a millisecond, and there are two readings to it.
bool naps_at_most() {
    const auto begin = std::chrono::steady_clock::now();
    const int before = hand_set_clock::readings_;
    std::this_thread::sleep_for(10ms);
    const int readings = hand_set_clock::readings_ - before;
    const auto time = std::chrono::steady_clock::now() - begin;
    return readings <= 3 * (time / 1ms + 2);
}

// Its start is so close that the thread spins for it.
TEST(waiting, does_not_spin_for_a_clock_that_stands_still) {
    with_each_limit<hand_set_clock>(10us, [](auto&& limit) {
        ASSERT_TRUE(limit.try_acquire());
        std::atomic<bool> ended{false};
        std::jthread waiter([&] {
            EXPECT_TRUE(acquire(limit));
            ended = true;
        });
        while (!naps_at_most()) {  // if it spins for ever, so does this
        }
        EXPECT_FALSE(ended);
        hand_set_clock::now_ += 10'000;
    });
}

// As a test does of a program that waits.
TEST(waiting, comes_back_soon_after_its_clock_was_moved) {
    using clock = weir::manual_clock<struct moved_by_hours>;
    with_each_limit<clock>(30min, [](auto&& limit) {
        ASSERT_TRUE(limit.try_acquire());
        std::atomic<bool> ended{false};
        std::jthread waiter([&](const std::stop_token& stop) {
            EXPECT_TRUE(acquire(limit, 1, stop)) << "it sleeps by another clock";
            ended = true;
        });
        while (!ended) {
            clock::advance(1min);
            std::this_thread::sleep_for(1ms);
        }
    });
}

TEST(waiting, waits_for_several_limits_at_once) {
    using clock = weir::manual_clock<struct several_limits>;
    weir::limiter<weir::gcra<>, clock> often{quota{10, 1s, 2}};
    weir::limiter<weir::sliding_log<4>, clock> seldom{quota{4, 1min}};
    weir::all_of both{often, seldom};
    EXPECT_TRUE(acquire_for(both, 2, 0s));
    EXPECT_EQ(often.peek(0).remaining(), 0U);
    EXPECT_EQ(seldom.peek(0).remaining(), 2U);
    const auto late = acquire_for(both, 2, 199ms);
    EXPECT_EQ(late.how, ending::too_late);
    EXPECT_EQ(late.wait, milliseconds(200));
    EXPECT_EQ(acquire(both, 3).how, ending::never);
    std::stop_source stop;
    stop.request_stop();
    EXPECT_EQ(acquire(both, 1, stop.get_token()).how, ending::stopped);
    EXPECT_EQ(seldom.peek(0).remaining(), 2U) << "who was refused took none";

    clock::advance(1s);
    EXPECT_TRUE(acquire_until(both, 2, std::chrono::steady_clock::now() + 1h));
    const auto begin = clock::now();
    std::atomic<bool> ended{false};
    std::thread waits([&] {
        EXPECT_TRUE(acquire_for(both, 1, 1min, waiting::sleep));
        EXPECT_GE(clock::now().count - begin.count, 59'000'000'000U);
        ended = true;
    });
    while (!ended) {
        clock::advance(1s);
        std::this_thread::sleep_for(1ms);
    }
    waits.join();
}

// The system's, and counts how often it is read.
struct counting_clock : weir::steady_clock {
    static inline std::atomic<int> readings_{0};
    static weir::instant<counting_clock> now() noexcept {
        ++readings_;
        return weir::instant<counting_clock>(steady_clock::now().count);
    }
};

TEST(waiting, only_sleeps_if_it_is_told_to) {
    with_each_limit<counting_clock>(100us, [](auto&& limit) {
        constexpr int times = 100;
        (void)acquire(limit);
        counting_clock::readings_ = 0;
        std::stop_source stop;
        for (int i = 0; i < times; ++i) {
            const std::stop_token token = i % 2 == 0 ? std::stop_token() : stop.get_token();
            EXPECT_TRUE(acquire(limit, 1, waiting::sleep, token));
        }
        EXPECT_LE(counting_clock::readings_, 6 * times) << "it spins";
    });
}

TEST(waiting, acquires_in_each_way) {
    weir::limiter<weir::gcra<>, weir::steady_clock> limit{quota{10'000, 1s, 1}};
    weir::adjustable<weir::steady_clock> moving{quota{10'000, 1s, 1}};
    for (const waiting how : {waiting::sleep, waiting::hybrid, waiting::spin}) {
        for (int i = 0; i < 50; ++i) {
            EXPECT_TRUE(acquire(limit, 1, how));
            EXPECT_TRUE(acquire_for(moving, 1, 10s, how));
            const auto soon = std::chrono::steady_clock::now() + 10s;
            EXPECT_TRUE(acquire_until(limit, 1, soon, how));
            EXPECT_TRUE(acquire_for(limit, 1, 10s, how, std::stop_token()));
            EXPECT_TRUE(acquire_until(limit, 1, soon, how, std::stop_token()));
        }
    }
}

// In constants, where an overflow does not compile.
constexpr std::chrono::system_clock::time_point in_2026 = std::chrono::sys_days(2026y / 1 / 1);

constexpr nanoseconds until(std::chrono::year y) {
    return weir::detail::time_until(std::chrono::sys_days(y / 1 / 1), in_2026);
}

static_assert(until(2027y) == 365 * 24h);
static_assert(until(2025y) == -365 * 24h);
static_assert(until(2290y) == nanoseconds::longest());
static_assert(until(32'767y) == nanoseconds::longest());
static_assert(until(1700y) < nanoseconds());
static_assert(until(-32'767y) < nanoseconds());
static_assert(weir::detail::time_until(std::chrono::sys_seconds::max(), in_2026) ==
              nanoseconds::longest());
static_assert(weir::detail::time_until(in_2026 + std::chrono::duration<double>(1.5), in_2026) ==
              1500ms);

TEST(waiting, ends_in_the_right_century) {
    using std::chrono::sys_days;
    weir::limiter<weir::gcra<>, weir::steady_clock> limit{quota{1'000, 1s, 1}};
    weir::limiter<weir::gcra<>, weir::steady_clock> spent{weir::per_hour(1)};
    (void)spent.drain();
    for (const auto past : {1600y, 1677y, 1678y, 1750y, 1969y}) {
        EXPECT_EQ(acquire_until(spent, 1, sys_days(past / 1 / 1)).how, ending::too_late)
            << static_cast<int>(past);
    }
    for (const auto future : {2200y, 2262y, 2263y, 2290y, 2320y, 9999y}) {
        (void)limit.drain();
        EXPECT_TRUE(acquire_until(limit, 1, sys_days(future / 1 / 1))) << static_cast<int>(future);
    }
    (void)limit.drain();
    const auto soon = std::chrono::file_clock::now() + 1min;
    EXPECT_TRUE(acquire_until(limit, 1, soon)) << "by a clock that counts to zero, in 2174";
}

}  // namespace

// How long a pacer's thread sleeps: by stand-in clocks, and by counting how often it does.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>

#include "on_a_thread.hpp"

namespace {

using namespace std::chrono_literals;
using weir::pacer_thread;
using weir::quota;
using weir::seconds;
using weir::tick;
using weir::waiting;
using weir::word;

// The system's, but for what somebody says that has gone by.
struct shifted_clock : weir::steady_clock {
    [[nodiscard]] static tick now() noexcept { return {steady_clock::now().count + shift}; }
    static inline std::atomic<word> shift{0};
};

// An item takes the sink all of its hour but a millisecond.
TEST(pacer_thread, does_not_sleep_as_long_again_as_the_sink_took) {
    struct slow : counting {
        void emit(int&& i) {
            shifted_clock::shift += 3'600'000'000'000 - 1'000'000;
            counting::emit(std::move(i));
        }
    };
    for (const waiting how : {waiting::sleep, waiting::hybrid}) {
        slow sink;
        weir::pacer<int, slow&, weir::schedule<shifted_clock>, weir::lanes<1, 16>> p(
            weir::schedule<shifted_clock>(quota{1, seconds(3'600), 1}), sink);
        pacer_thread runner(p, {.how = how});
        auto mine = p.open();
        for (int i = 0; i < 5; ++i) ASSERT_TRUE(mine.try_push(1));
        ASSERT_TRUE(runner.start().well());
        EXPECT_TRUE(comes_true([&] { return sink.emitted == 5; }));
    }
}

struct slow_clock {
    static constexpr std::uint64_t lowest_hertz = 24'000'000;
    static constexpr std::uint64_t highest_hertz = lowest_hertz;
    [[nodiscard]] static std::uint64_t hertz() noexcept { return lowest_hertz; }
    [[nodiscard]] static tick now() noexcept { return {weir::steady_clock::now().count * 3 / 125}; }
    [[nodiscard]] static weir::clock_facts facts() noexcept {
        return {"a test's", hertz(), weir::nanoseconds(42), true};
    }
};

// The longest pause in ticks is longer than the system can count nanoseconds.
TEST(pacer_thread, sleeps_through_a_pause_however_long) {
    counting sink;
    weir::pacer<int, counting&, weir::schedule<slow_clock>, weir::lanes<1, 4>> p(
        weir::schedule<slow_clock>(weir::per_second(1'000)), sink);
    pacer_thread runner(p);
    ASSERT_TRUE(runner.start().well());
    runner.run([](auto& its) { its.throttled(weir::nanoseconds::longest()); });
    std::this_thread::sleep_for(50ms);
    EXPECT_LE(runner.approx_sleeps(), 5U) << "but for a system call that came back for nothing";
}

}  // namespace

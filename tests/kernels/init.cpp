// SPDX-License-Identifier: MIT
// The only program of a machine that has just booted: checks weir on this kernel, says how it went
// and switches the machine off. A static program, in an initramfs of which it is the only file.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <sys/reboot.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <weir/adapter/armv7_counter.hpp>
#include <weir/adapter/pacer_thread.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/weir.hpp>

namespace {

#ifdef __arm__
using counter_clock = weir::armv7_clock;
#else
using counter_clock = weir::default_clock;
#endif

int mistakes = 0;

void check(bool holds, const char* what) {
    std::printf("weir: %s: %s\n", holds ? "passed" : "FAILED", what);
    if (!holds) ++mistakes;
}

// Threads on both cores that take from one cell until nothing is left, again and again.
template <class Cell>
void threads_get_together_exactly_what_is_there(const char* name) {
    constexpr int threads = 4;
    constexpr int rounds = 50;
    constexpr std::int64_t burst = 2'000;
    const auto rate = *Cell::rate::make(weir::quota{burst, weir::seconds(1)}, 1'000'000);
    static Cell cell;
    weir::tick now{1'000'000'000};
    bool exact = true;
    for (int round = 0; round < rounds; ++round) {
        cell.fill(now, burst, rate);
        std::atomic<std::int64_t> admitted = 0;
        {
            std::vector<std::jthread> crowd;
            crowd.reserve(threads);
            for (int thread = 0; thread < threads; ++thread) {
                crowd.emplace_back([&] {
                    std::int64_t mine = 0;
                    while (cell.try_acquire(now, 1, rate)) ++mine;
                    admitted += mine;
                });
            }
        }
        exact = exact && admitted == burst;
        now.count += 10'000'000;
    }
    check(exact, name);
}

void the_counter_keeps_pace_with_the_system_clock() {
    const auto facts = counter_clock::facts();
    std::printf("weir: clock %s, %llu Hz, a step of %lld ns, %s\n", facts.source,
                static_cast<unsigned long long>(facts.hertz),
                static_cast<long long>(facts.granularity.count()),
                facts.invariant ? "invariant" : "not invariant");
    check(facts.source[0] == 'C' && facts.source[1] == 'N', "this kernel shows the counter");
    // An emulated core that stands still between two readings spoils a try.
    for (bool found = false; !found;) {
        const auto start = weir::steady_clock::now().count;
        const auto ticks = counter_clock::now().count;
        while (weir::steady_clock::now().count - start < 200'000'000) {
        }
        const auto counted = static_cast<double>(counter_clock::now().count - ticks);
        const auto passed = static_cast<double>(weir::steady_clock::now().count - start);
        const double ratio = counted / static_cast<double>(facts.hertz) * 1e9 / passed;
        std::printf("weir: counter / system clock = %.6f\n", ratio);
        found = ratio > 0.999 && ratio < 1.001;
    }
    check(true, "the counter keeps pace with the system clock");
}

// The counters of two cores are one: what one has read is never behind what the other read before.
void the_counter_is_the_same_on_both_cores() {
    std::atomic<std::uint64_t> latest = counter_clock::now().count;
    std::atomic<std::uint64_t> furthest_back = 0;
    {
        std::vector<std::jthread> crowd;
        crowd.reserve(2);
        for (int thread = 0; thread < 2; ++thread) {
            crowd.emplace_back([&] {
                for (int i = 0; i < 100'000; ++i) {
                    std::uint64_t before = latest;
                    weir::order_clock();
                    const std::uint64_t now = counter_clock::now().count;
                    if (weir::earlier(now, before) && before - now > furthest_back) {
                        furthest_back = before - now;
                    }
                    while (weir::earlier(before, now) &&
                           !latest.compare_exchange_weak(before, now)) {
                    }
                }
            });
        }
    }
    check(furthest_back == 0, "the counter is the same on both cores");
}

// By the clock: the burst and the rate, nothing lost. Only if an emulated core stands still for as
// long as a burst takes, the limit is full for a while.
void demand_gets_the_burst_and_the_rate() {
    constexpr std::int64_t burst = 10'000;
    constexpr std::int64_t per_second = 10'000;
    static weir::limiter<weir::gcra<>, counter_clock> limit{
        weir::quota{per_second, weir::seconds(1), burst}};
    const auto before = weir::steady_clock::now().count;
    // A full limit gains nothing, so the burst goes first.
    std::atomic<std::int64_t> admitted =
        static_cast<std::int64_t>(limit.acquire_up_to(burst).units);
    const auto start = weir::steady_clock::now().count;
    {
        std::vector<std::jthread> crowd;
        crowd.reserve(2);
        for (int thread = 0; thread < 2; ++thread) {
            crowd.emplace_back([&] {
                while (weir::steady_clock::now().count - start < 500'000'000) {
                    if (limit.try_acquire()) ++admitted;
                }
            });
        }
    }
    const auto end = weir::steady_clock::now().count;
    admitted += static_cast<std::int64_t>(limit.acquire_up_to(burst).units);
    const auto after = weir::steady_clock::now().count;
    const double most = 1.001 * (burst + per_second * static_cast<double>(after - before) / 1e9);
    const double refilled = per_second * static_cast<double>(end - start) / 1e9;
    const double least = 0.999 * (burst + std::min<double>(refilled, burst));
    std::printf("weir: %lld admitted, of %.1f to %.1f\n", static_cast<long long>(admitted.load()),
                least, most);
    check(static_cast<double>(admitted) <= most, "never above the quota");
    check(static_cast<double>(admitted) >= least, "nor below it");
}

// A thousand items at 1 kHz by a thread of its own, which may be 20 ms late.
void a_pacer_keeps_its_rate() {
    constexpr std::int64_t items = 1'000;
    constexpr std::int64_t millisecond = 1'000'000;
    std::int64_t emitted = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    bool in_order = true;
    auto p = weir::make_pacer<std::int64_t, weir::lanes<1, 1024>>(
        weir::schedule<weir::steady_clock>{weir::per_second(1'000), weir::catch_up::items(20)},
        weir::sink{[&](std::int64_t&& i) {
                       last = weir::steady_clock::now().count;
                       if (emitted == 0) first = last;
                       in_order = in_order && i == emitted;
                       ++emitted;
                   },
                   [&](std::int64_t&&, weir::dropped) { in_order = false; }});
    weir::pacer_thread runner{p};
    const auto report = runner.start();
    check(report.runs(), "the pacer's thread runs");
    auto lane = p.open();
    for (std::int64_t i = 0; i < items; ++i) {
        in_order = static_cast<bool>(lane.try_push(std::int64_t{i})) && in_order;
    }
    p.close();
    runner.join();
    const auto took = static_cast<std::int64_t>(last - first);
    std::printf("weir: %lld items in %.1f ms\n", static_cast<long long>(emitted),
                static_cast<double>(took) / millisecond);
    check(emitted == items && in_order, "the pacer emits each item once and in order");
    check(took >= (items - 1 - 20) * millisecond, "and never above its rate");
}

}  // namespace

int main() {
    std::setvbuf(stdout, nullptr, _IONBF, 0);
    check(std::thread::hardware_concurrency() == 2, "two cores");
    threads_get_together_exactly_what_is_there<weir::gcra<>>("gcra is exact");
    threads_get_together_exactly_what_is_there<weir::gcra<std::uint32_t>>(
        "gcra of 32 bits is exact");
    threads_get_together_exactly_what_is_there<weir::token_bucket<>>("token_bucket is exact");
    threads_get_together_exactly_what_is_there<weir::sliding_log<2'000>>("sliding_log is exact");
    the_counter_keeps_pace_with_the_system_clock();
    the_counter_is_the_same_on_both_cores();
    demand_gets_the_burst_and_the_rate();
    a_pacer_keeps_its_rate();
    std::printf("weir: %s\n", mistakes == 0 ? "all passed" : "not all passed");
    if (getpid() == 1) reboot(RB_POWER_OFF);
    return mistakes == 0 ? 0 : 1;
}

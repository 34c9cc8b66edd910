// SPDX-License-Identifier: MIT
// What the tests of pacer_thread have in common. None of them asks how long anything took. One that
// waits for what never comes is ended by ctest.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>

#include "recorded.hpp"

// Says after a minute, and then each minute, what it waits for.
template <class Condition>
void wait_until(const char* what, Condition condition) {
    constexpr std::chrono::minutes minute(1);
    auto next = std::chrono::steady_clock::now() + minute;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > next) {
            std::fprintf(stderr, "still waits until %s\n", what);
            next += minute;
        }
        std::this_thread::yield();
    }
}

// A pacer of it emits one item and then, in the time that any test takes, no other.
inline constexpr weir::quota one_an_hour{1, weir::seconds(3'600), 1};

struct counting {
    void emit(int&& i) {
        sum += i;
        ++emitted;
    }
    void drop(int&&, weir::dropped) { ++drops; }

    std::atomic<long long> sum{0};
    std::atomic<int> emitted{0};
    std::atomic<int> drops{0};
};

// The times by which the pacer went; to be read when its thread has ended.
struct watched {
    void on_emit(weir::tick now, weir::word, weir::word, weir::word) { times.add(now.count); }
    static void on_emitted(bool) {}
    static void on_dropped(weir::dropped) {}
    static void on_event(weir::pacer_event) {}
    static void on_lost(weir::word, bool) {}
    static void on_polled(weir::tick, auto) {}
    using during = weir::unmeasured;

    pacing::recorded times;
};

using schedule = weir::schedule<weir::steady_clock>;

inline schedule a_second(int rate) {
    return schedule(weir::quota{rate, weir::seconds(1), 10}, weir::catch_up::items(10));
}

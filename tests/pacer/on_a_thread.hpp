// What the tests of pacer_thread have in common. None of them asks how long anything took; one that
// waits for what never comes gives up after a minute.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <weir/adapter/pacer_thread.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/pacer.hpp>

template <class Condition>
bool comes_true(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

// What hangs keeps the program from ending, too.
template <class Deed>
void must_end(Deed deed) {
    std::atomic<bool> ended{false};
    std::thread doer([&] {
        deed();
        ended = true;
    });
    if (!comes_true([&] { return ended.load(); })) {
        std::fputs("it hangs\n", stderr);
        std::abort();
    }
    doer.join();
}

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

using schedule = weir::schedule<weir::steady_clock>;

inline schedule a_second(int rate) {
    return schedule(weir::quota{rate, weir::seconds(1), 10}, weir::catch_up::items(10));
}

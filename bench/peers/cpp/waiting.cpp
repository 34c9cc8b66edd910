// SPDX-License-Identifier: MIT
// Threads that wait: weir's, and the bare sleep of the system.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include <weir/limiter/acquire.hpp>
#include <weir/weir.hpp>

#include "rows.hpp"

#ifdef WEIR_PEERS_PACER
#include <weir/adapter/pacer_thread.hpp>
#include <weir/pacer/pacer.hpp>
#endif

namespace bench {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr int cold = 20;  // the burst, and everything that is not in a cache yet
constexpr std::int64_t burst = 10;

struct how_long {
    std::int64_t per_second;
    nanoseconds length;
};

// Of the whole process.
[[nodiscard]] nanoseconds cpu_time() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& t) {
        return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
    };
    return of(used.ru_utime) + of(used.ru_stime);
}

// When each wait was over, since the first one was, and what the process took meanwhile.
[[nodiscard]] std::string told(nanoseconds cpu, const std::vector<clock::time_point>& at) {
    std::string all = std::to_string(cpu.count()) + ' ' + std::to_string(at.size());
    for (const auto time : at) {
        all += ' ';
        all += std::to_string(nanoseconds(time - at.front()).count());
    }
    return all;
}

template <class Wait>
[[nodiscard]] std::string waiting(const how_long& h, Wait wait) {
    for (int i = 0; i < cold; ++i) wait();
    std::vector<clock::time_point> at;
    at.reserve(static_cast<std::size_t>(2 * h.length.count() * h.per_second / 1'000'000'000));
    const nanoseconds before = cpu_time();
    const auto first = clock::now();
    for (auto now = first; now - first < h.length; now = clock::now()) {
        at.push_back(now);
        wait();
    }
    return told(cpu_time() - before, at);
}

template <class Measure>
void add(peers& to, const std::string& name, const std::string& title, Measure measure) {
    peer p{name, title, 0};
    p.tells["waiting"] = [measure](const numbers& of) {
        return measure(how_long{static_cast<std::int64_t>(of[0]),
                                std::chrono::milliseconds(static_cast<std::int64_t>(of[1]))});
    };
    to.rows.push_back(p);
}

void add_acquire(peers& to, const std::string& name, weir::waiting how) {
    add(to, "weir_acquire_" + name, "weir acquire, " + name, [how](const how_long& h) {
        weir::limiter<> limit{weir::quota{h.per_second, weir::seconds(1), burst}};
        return waiting(h, [&] { (void)weir::acquire(limit, 1, how); });
    });
}

[[nodiscard]] std::string bare_sleep(const how_long& h) {
    const auto interval = nanoseconds(std::chrono::seconds(1)) / h.per_second;
    auto next = clock::now();
    return waiting(h, [&] {
        next += interval;
        const auto until = nanoseconds(next.time_since_epoch()).count();
        const timespec time{until / 1'000'000'000, until % 1'000'000'000};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
    });
}

#ifdef WEIR_PEERS_PACER
struct timing_sink {
    void emit(weir::word&&) { at.push_back(clock::now()); }
    static void drop(weir::word&&, weir::dropped) {}
    std::vector<clock::time_point> at{};
};

// All items wait from the beginning.
[[nodiscard]] std::string paced(const how_long& h, weir::waiting how) {
    const auto items = static_cast<std::size_t>(h.length.count() * h.per_second / 1'000'000'000);
    timing_sink sink;
    sink.at.reserve(items + cold);
    const auto p =
        std::make_unique<weir::pacer<weir::word, timing_sink&, weir::schedule<>, weir::lanes<1>>>(
            weir::schedule<>(weir::per_second(h.per_second), weir::catch_up::items(burst)), sink,
            weir::pacer_options{.capacity = items + cold});
    auto mine = p->open();
    for (std::size_t i = 0; i < items + cold; ++i) (void)mine.try_push(weir::word(i));
    weir::pacer_thread runner(*p, {.how = how});
    const nanoseconds before = cpu_time();
    if (!runner.start().runs()) return "0 0";
    while (p->approx_size() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const nanoseconds cpu = cpu_time() - before;
    runner.stop();
    sink.at.erase(sink.at.begin(), sink.at.begin() + cold);
    return told(cpu, sink.at);
}
#endif

}  // namespace

void add_waiting_peers(peers& to) {
    add_acquire(to, "hybrid", weir::waiting::hybrid);
    add_acquire(to, "sleep", weir::waiting::sleep);
#ifdef WEIR_PEERS_PACER
    add(to, "weir_pacer_hybrid", "weir pacer_thread, hybrid",
        [](const how_long& h) { return paced(h, weir::waiting::hybrid); });
    add(to, "weir_pacer_sleep", "weir pacer_thread, sleep",
        [](const how_long& h) { return paced(h, weir::waiting::sleep); });
#else
    to.left_out.emplace_back("weir pacer_thread: Boost 1.74 not found (Debian: libboost-dev)");
#endif
    add(to, "bare_sleep", "bare clock_nanosleep", bare_sleep);
}

}  // namespace bench

// SPDX-License-Identifier: MIT
// How threads that wait for their units wake up: how late after their start, how soon after a stop,
// and what of a core it takes to wait ten thousand times a second. Figures of the operating system
// more than of weir, so what they are compared with is a bare loop of its sleep.

#include "harness/waiting.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <ctime>
#include <limits>
#include <ostream>
#include <stop_token>
#include <thread>
#include <vector>

#include <weir/limiter/acquire.hpp>
#include <weir/weir.hpp>

namespace bench {

namespace {

using clock = weir::steady_clock;
using limiter = weir::limiter<weir::gcra<>, clock>;

[[nodiscard]] double microseconds_since(weir::word then) {
    return static_cast<double>(clock::now().count - then) / 1e3;
}

// One thread waits 500 times for a unit that comes every 2 ms.
[[nodiscard]] std::vector<double> lateness() {
    constexpr weir::word interval = 2'000'000;
    limiter limit{weir::quota{500, weir::seconds(1), 1}};
    std::vector<double> late;
    weir::word due = clock::now().count;
    for (int i = 0; i < 500; ++i) {
        // When there is nothing to wait for, the schedule begins anew.
        const bool waits = !limit.peek();
        due = waits ? due + interval : clock::now().count;
        if (!weir::acquire(limit)) continue;
        if (waits) late.push_back(microseconds_since(due));
    }
    return late;
}

[[nodiscard]] std::vector<double> stops() {
    limiter limit{weir::per_hour(1)};
    (void)limit.drain();
    std::vector<double> taken;
    for (int i = 0; i < 500; ++i) {
        std::stop_source stop;
        std::atomic<bool> waits{false};
        std::atomic<weir::word> stopped{0};
        std::jthread waiter([&] {
            waits = true;
            (void)weir::acquire(limit, 1, stop.get_token());
            taken.push_back(microseconds_since(stopped.load()));
        });
        while (!waits) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // until it is asleep
        stopped = clock::now().count;
        stop.request_stop();
        waiter.join();
    }
    return taken;
}

// Of a core, for each second.
template <class Act>
[[nodiscard]] double share_of_a_core(Act act) {
    const auto used = [] {
        timespec t{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
    };
    const weir::word begin = clock::now().count;
    const double before = used();
    act();
    const double after = used();
    return (after - before) / static_cast<double>(clock::now().count - begin);
}

constexpr int waits = 5'000;
constexpr weir::word between_waits = 100'000;

[[nodiscard]] double share_of_a_bare_sleep() {
    return share_of_a_core([] {
        weir::word next = clock::now().count;
        for (int i = 0; i < waits; ++i) {
            next = std::max(next + between_waits, clock::now().count);
            const timespec until{static_cast<time_t>(next / 1'000'000'000),
                                 static_cast<long>(next % 1'000'000'000)};
            clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
        }
    });
}

[[nodiscard]] double share_of(weir::waiting how, bool can_be_stopped) {
    limiter limit{weir::quota{10'000, weir::seconds(1), 1}};
    const std::stop_source stop;
    const std::stop_token token = can_be_stopped ? stop.get_token() : std::stop_token();
    return share_of_a_core([&] {
        for (int i = 0; i < waits; ++i) (void)weir::acquire(limit, 1, how, token);
    });
}

// The least of some rounds, in which all take turns.
void write_shares(std::ostream& out) {
    constexpr int rounds = 6;
    struct way {
        const char* name;
        weir::waiting how;
        bool can_be_stopped;
        double share = std::numeric_limits<double>::max();
    };
    std::array<way, 5> ways{{{"acquire, sleep", weir::waiting::sleep, false},
                             {"the same, with a stop_token", weir::waiting::sleep, true},
                             {"acquire, hybrid", weir::waiting::hybrid, false},
                             {"the same, with a stop_token", weir::waiting::hybrid, true},
                             {"acquire, spin", weir::waiting::spin, false}}};
    double bare = std::numeric_limits<double>::max();
    for (int i = 0; i < rounds; ++i) {
        bare = std::min(bare, share_of_a_bare_sleep());
        for (way& w : ways) w.share = std::min(w.share, share_of(w.how, w.can_be_stopped));
    }
    out << "\nThe share of a core of a thread that acquires a unit every 100 us. Bars: 1.3 times "
           "the bare\nsleep by `sleep`, 0.35 by `hybrid`.\n\n"
           "| how                            |  core | x bare |\n"
           "| ------------------------------ | ----: | -----: |\n";
    const auto row = [&](const char* name, double share) {
        std::array<char, 100> text{};
        std::snprintf(text.data(), text.size(), "| %-30s | %5.3f | %6.2f |\n", name, share,
                      share / bare);
        out << text.data();
    };
    row("bare clock_nanosleep", bare);
    for (const way& w : ways) row(w.name, w.share);
}

void write_row(std::ostream& out, const char* what, std::vector<double> samples) {
    std::sort(samples.begin(), samples.end());
    const auto at = [&](double part) {
        if (samples.empty()) return 0.0;
        return samples[static_cast<std::size_t>(part * static_cast<double>(samples.size() - 1))];
    };
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), "| %-38s | %7zu | %8.1f | %8.1f | %8.1f |\n", what,
                  samples.size(), at(0.5), at(0.99), at(1));
    out << text.data();
}

}  // namespace

void write_waiting(std::ostream& out) {
    out << "\n## Waiting\n\n"
           "Microseconds; the bar is 1000 for the p99 of a stop.\n\n"
           "| what                                   | samples |      p50 |      p99 |  longest |\n"
           "| -------------------------------------- | ------: | -------: | -------: | -------: "
           "|\n";
    write_row(out, "acquire: after its start", lateness());
    write_row(out, "acquire: back after a stop", stops());
    write_shares(out);
}

}  // namespace bench

// How threads that wait for their units wake up: how late after their start, and how soon after a
// stop. Figures of the operating system more than of weir, so there is no floor to compare them
// with.

#include "harness/waiting.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <stop_token>
#include <thread>
#include <vector>

#include <weir/limiter/waiting.hpp>
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
}

}  // namespace bench

// SPDX-License-Identifier: MIT
// What the tests of adapter/asio have in common: limits by a clock that the test moves, and an
// io_context that the test turns.
#pragma once

#include <chrono>
#include <cstdlib>
#include <optional>

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <weir/adapter/asio.hpp>
#include <weir/weir.hpp>

namespace asio = boost::asio;

// How many repetitions a long test makes: all of them, or the percentage in WEIR_TEST_EFFORT.
inline int repetitions(int all) {
    const char* effort = std::getenv("WEIR_TEST_EFFORT");  // NOLINT(concurrency-mt-unsafe)
    const int percent = effort == nullptr ? 100 : std::atoi(effort);
    const int some = static_cast<int>(static_cast<long long>(all) * percent / 100);
    return some < 1 ? 1 : some;
}

// So many by the clock since a time before the first decision, burst included; rounded up.
inline weir::word allowed(const weir::quota& q, weir::word begin, weir::word now,
                          weir::word hertz = weir::nanoseconds::per_second) {
    const auto units = static_cast<weir::word>(q.units());
    const auto period = static_cast<weir::word>(q.period().count() / 1'000'000'000) * hertz;
    return static_cast<weir::word>(q.burst()) + ((now - begin) * units + period - 1) / period;
}

template <class Tag, class Cell = weir::gcra<>>
using limiter_of = weir::limiter<Cell, weir::manual_clock<Tag, 1'000>>;
template <class Tag>
using clock_of = typename limiter_of<Tag>::clock_type;

// Runs what is ready. Asio looks at its timers, of all clocks, when one of them is due by real
// time; a manual clock's are not, so there is one here that is.
inline void turn(asio::io_context& io) {
    bool looked = false;
    asio::steady_timer timer(io, std::chrono::seconds(0));
    timer.async_wait([&](boost::system::error_code) { looked = true; });
    io.restart();
    while (!looked) io.run_one();
    io.poll();
}

// How an operation ended, if it did; `calls` more than once would be a mistake.
struct result {
    std::optional<boost::system::error_code> how;
    int calls = 0;

    [[nodiscard]] auto handler() {
        return [this](boost::system::error_code ec) {
            how = ec;
            ++calls;
        };
    }
    [[nodiscard]] auto handler(asio::io_context& io) {
        return asio::bind_executor(io.get_executor(), handler());
    }
    [[nodiscard]] bool pending() const { return !how; }
    [[nodiscard]] bool acquired() const { return calls == 1 && !*how; }
    [[nodiscard]] bool aborted() const {
        return calls == 1 && *how == asio::error::operation_aborted;
    }
};

// SPDX-License-Identifier: MIT
// Time for threads that use it late: a manual clock that all of them move. And whether a limit has
// passed more than its quota, by such times.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>

// Time goes on, so that places are taken from idle keys all the time. Each request comes with a
// time that is late; no thread is later than the guard.
template <class Clock>
class moving_time {
public:
    static constexpr std::uint64_t furthest = 10'000'000;

    explicit moving_time(int threads) : threads_(threads) {
        for (int i = 0; i < threads; ++i) at(i) = Clock::now().count;
    }
    // The time, which goes on unless a thread has stopped.
    [[nodiscard]] std::uint64_t next(int thread, std::uint64_t by) {
        const std::uint64_t now = Clock::now().count;
        at(thread) = now;
        bool may_go_on = true;
        for (int i = 0; i < threads_; ++i) may_go_on = may_go_on && at(i) + furthest >= now;
        if (may_go_on) {
            Clock::advance(weir::nanoseconds(static_cast<std::int64_t>(by)));
        } else {
            std::this_thread::yield();
        }
        return at(thread);
    }
    void end(int thread) { at(thread) = ~std::uint64_t{0} - furthest; }

private:
    [[nodiscard]] std::atomic<std::uint64_t>& at(int thread) {
        return at_.at(static_cast<std::size_t>(thread));
    }
    int threads_;
    std::array<std::atomic<std::uint64_t>, 8> at_{};
};

// In each window of time no more than the burst and what comes meanwhile, or so much earlier: in
// how many keys more.
[[nodiscard]] inline int keys_beyond(std::vector<std::vector<std::uint64_t>>& passed_at,
                                     const weir::quota& q, weir::nanoseconds early = {}) {
    const std::int64_t unit = q.period().count() / q.units();
    int beyond = 0;
    for (auto& times : passed_at) {
        std::sort(times.begin(), times.end());
        std::int64_t count = 0;
        std::int64_t least = INT64_MAX;
        bool is_beyond = false;
        for (const std::uint64_t t : times) {
            const std::int64_t ahead = count++ * unit - static_cast<std::int64_t>(t);
            least = std::min(least, ahead);
            is_beyond = is_beyond || ahead - least + unit > q.burst() * unit + early.count();
        }
        beyond += is_beyond ? 1 : 0;
    }
    return beyond;
}

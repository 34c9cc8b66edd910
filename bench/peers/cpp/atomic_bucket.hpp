// SPDX-License-Identifier: MIT
// atomic_bucket: a token bucket in one atomic double, the technique of the large C++ frameworks.
// The state is the time at which the bucket would have been empty; all else follows from the time
// that has passed since. Any number of threads replace it by compare-exchange. Relaxed order
// suffices: it publishes no other memory.
#pragma once

#include <algorithm>
#include <atomic>

#include <weir/weir.hpp>

namespace bench {

template <class Clock>
class atomic_bucket {
public:
    explicit atomic_bucket(const weir::quota& q)
        : burst_(static_cast<double>(q.burst())),
          per_second_(static_cast<double>(q.units()) * 1e9 /
                      static_cast<double>(q.period().count())) {
        fill(static_cast<weir::word>(q.burst()));
    }

    [[nodiscard]] static weir::tick now() { return Clock::now(); }
    [[gnu::always_inline]] bool take(weir::word n) {
        const double time = seconds();
        const auto units = static_cast<double>(n);
        double empty_at = empty_at_.load(std::memory_order_relaxed);
        double next = 0;
        do {
            const double there = std::min((time - empty_at) * per_second_, burst_);
            if (there < units) return false;
            next = time - (there - units) / per_second_;
        } while (!empty_at_.compare_exchange_weak(empty_at, next, std::memory_order_relaxed));
        return true;
    }
    void fill(weir::word units) {
        empty_at_.store(seconds() - static_cast<double>(units) / per_second_,
                        std::memory_order_relaxed);
    }

private:
    static double seconds() {
        return static_cast<double>(Clock::now().count) / static_cast<double>(Clock::hertz());
    }

    alignas(weir::cache_line) std::atomic<double> empty_at_{0};
    double burst_;
    double per_second_;
};

}  // namespace bench

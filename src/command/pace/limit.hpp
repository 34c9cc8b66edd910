// SPDX-License-Identifier: MIT
// pace_limit: weir's limiter, as one thread asks it that has a stream to pass on. It is asked for a
// grain at least: what comes in a moment, so that a fast stream does not wake the thread for each
// unit. Units are taken when they go and not ahead of it, so a process that was stopped has its
// burst when it goes on, and no more.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <weir/base/rest.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/default.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/limiter.hpp>

#include "command/pace/options.hpp"

namespace weir::command {

class pace_limit {
    using clock = default_clock;

public:
    // A grain is what comes in that time, but no more than half of the burst.
    pace_limit(const pace_options& o, nanoseconds grain)
        : limit_(o.rate, limit_options(o)),
          burst_(as_word(static_cast<std::uint64_t>(o.rate.burst()))),
          grain_(std::clamp<word>(as_word(units_within(o.rate, grain)), 1,
                                  std::max<word>(burst_ / 2, 1))),
          sleeper_(makes_good(as_word(units_within(o.rate, late_wake))) ? waiting::sleep
                                                                        : waiting::hybrid) {}

    // As many units as there are, up to so many; none if there is not even a grain.
    [[nodiscard]] word take(std::uint64_t units) {
        asked_ = clock::now();
        const word most = std::min(as_word(units), burst_);
        const auto d = limit_.peek(std::min(most, grain_), asked_);
        if (d) return limit_.acquire_up_to(most, asked_).units;
        start_ = no_later<clock>(asked_, d.retry_after());
        return 0;
    }

    // After `take` found too little: waits for a part of the time until there is enough, by
    // `nap(time)`, which may come back early. Then take again.
    template <class Nap>
    void doze(Nap nap) {
        sleeper_.doze(asked_, start_, nap,
                      [this]() noexcept { return !earlier(clock::now(), start_); });
        waited_ += std::chrono::nanoseconds(time_between(asked_, clock::now()));
    }

    // With `take` in vain.
    [[nodiscard]] std::chrono::nanoseconds waited() const noexcept { return waited_; }

private:
    // As late as a thread may be that sleeps.
    static constexpr nanoseconds late_wake = milliseconds(1);

    [[nodiscard]] static word as_word(std::uint64_t n) noexcept {
        return static_cast<word>(std::min<std::uint64_t>(n, largest<word>));
    }

    // Does the burst hold what comes while the thread is late, and a grain beside it?
    [[nodiscard]] bool makes_good(word late) const noexcept { return grain_ + late < burst_; }

    limiter<> limit_;
    word burst_;
    word grain_;
    detail::waiter<clock> sleeper_;
    instant<clock> asked_{};
    instant<clock> start_{};
    std::chrono::nanoseconds waited_{};
};

}  // namespace weir::command

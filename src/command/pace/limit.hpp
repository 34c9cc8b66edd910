// SPDX-License-Identifier: MIT
// pace_limit: a pacer's schedule, as one thread asks it that has a stream to pass on, a grain at a
// time: what comes in a moment, so that a fast stream does not wake the thread for each unit. Time
// is taken when units go and not ahead of it, so a process that was stopped has its burst when it
// goes on, and no more.
//
// For a grain of g units and a catch-up of tau, no time t sees more than rate x (t + tau) + g. With
// a burst that was given that is burst + rate x t.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include <weir/base/rest.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/default.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/pacer/schedule.hpp>

#include "command/pace/options.hpp"

namespace weir::command {

class pace_limit {
    using clock = default_clock;

public:
    // The options have been read, and so are not refused.
    explicit pace_limit(const pace_options& o)
        : schedule_(schedule_of(o).value()),
          grain_(static_cast<word>(grain_of(o))),
          sleeper_(makes_good(late_wake) ? waiting::sleep : waiting::hybrid) {
        const auto now = clock::now();
        if (o.has_burst) {  // it is there at the start, as it would be after an idle time
            const fine_time<word> tau = schedule_.most_late();
            (void)schedule_.try_acquire(0, instant<clock>(now.count - tau.rounded_up()));
        } else if (o.unit == pace_options::unit_type::bytes) {  // a byte goes when it is due
            (void)schedule_.try_acquire(grain_, now);
        }
    }

    // As many units as may go now, up to so many and a grain; or none.
    [[nodiscard]] word take(std::uint64_t units) {
        asked_ = clock::now();
        const auto n = static_cast<word>(std::min<std::uint64_t>(units, grain_));
        const auto d = schedule_.try_acquire(n, asked_);
        if (d) return n;
        start_ = asked_ + d.ticks().retry_after();
        return 0;
    }

    // After `take` found that nothing may go: waits for a part of the time until something may, by
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

    [[nodiscard]] bool makes_good(nanoseconds late) const noexcept {
        return schedule_.most_late().ticks >= to_ticks<clock>(late);
    }

    schedule<clock> schedule_;
    word grain_;
    detail::waiter<clock> sleeper_;
    instant<clock> asked_{};
    instant<clock> start_{};
    std::chrono::nanoseconds waited_{};
};

}  // namespace weir::command

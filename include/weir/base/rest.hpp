// SPDX-License-Identifier: MIT
// rest: how a thread waits until an instant: by the system's sleep, by spinning, or by both. It
// decides and learns; who waits makes the calls (sleep, clock, spin), so there is no system in here
// and a test can play one:
//
//     const nanoseconds nap = mine.nap(how, now, left);   // `left` until the thread may go on
//     if (nap > 0)  sleep until now + nap,  then  mine.woke(the time, now + nap)
//     else          spin until now + left,  then  mine.spun(the time, now + left)
//
// and again, until nothing is left. `spin` does the spinning, by the clocks that it is given. All
// times are of one clock that is never set. One thread uses it: what it learns is how late the
// system wakes that thread, by its timer slack, class and core.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/sleep_guard.hpp>
#include <weir/base/spin_account.hpp>
#include <weir/base/word.hpp>

namespace weir {

// How a thread waits. Costs and lateness are of a thread that waits 10 000 times a second.
enum class waiting : unsigned char {
    sleep,   // late by what the system takes to wake a thread: 20 to 100 us. A fifth of a core
    hybrid,  // sleeps until shortly before, by what it has learned, and spins for the rest: 0.1 us.
             // A third of a core; but all of it where the waits are shorter than the system's
             // sleep. Where others want the core it only sleeps
    spin,    // never sleeps: a whole core
};
[[nodiscard]] constexpr const char* describe(waiting how) noexcept {
    switch (how) {
        case waiting::sleep: return "sleep";
        case waiting::hybrid: return "hybrid";
        case waiting::spin: return "spin";
    }
    return "unknown";
}

// The system sleeps for whole steps of this length, and may be one step late. On Windows that is
// true if somebody in the process has asked for it (timeBeginPeriod). Else it may be late by 16 ms.
#ifdef _WIN32
inline constexpr nanoseconds system_step = milliseconds(1);
#else
inline constexpr nanoseconds system_step{};
#endif

class rest {
public:
    constexpr explicit rest(nanoseconds step = system_step) noexcept : step_(step) {}

    // How long to sleep; 0: it is to spin until the end. `granularity` is that of the clock
    // that `left` is told by; what steps longer than anybody spins is slept for, a step at a time.
    // `must_sleep` where a thread has to sleep now and then, though the time is too short for it.
    [[nodiscard]] constexpr nanoseconds nap(waiting how, nanoseconds now, nanoseconds left,
                                            nanoseconds granularity = {},
                                            bool must_sleep = false) noexcept {
        if (how == waiting::spin) return {};
        left = smaller(left, longest_nap);
        if (granularity > sleep_guard::at_most) return left < granularity ? granularity : left;
        const nanoseconds whole = left < step_ ? step_ : left;
        if (how == waiting::sleep) return whole;
        account_.passes(now);
        const nanoseconds guard = this->guard();
        const std::int64_t end = now.count() + left.count();
        const bool goes_on = now.count() < end_ && end <= end_ + rounding.count();
        end_ = end;
        if (!goes_on) guard_.waits(left);
        if (!account_.may_spin()) return whole;
        if (goes_on && left <= guard) return {};
        const nanoseconds nap(left.count() - guard.count());
        if (nap > nanoseconds{} && nap >= step_) return nap;
        // Who only spins learns nothing, so now and then it sleeps for half of the time.
        const bool tries = must_sleep || ++spun_ % spins_per_try == 0;
        return tries && left >= worth_a_sleep && left.count() >= 2 * step_.count()
                   ? nanoseconds(left.count() / 2)
                   : nanoseconds{};
    }

    // It was to sleep until then, and is awake. What wakes it earlier teaches nothing.
    constexpr void woke(nanoseconds now, nanoseconds until) noexcept {
        if (now < until) return;
        const std::int64_t more = now.count() - until.count() - step_.count();
        const nanoseconds late(more < 0 ? 0 : more);
        guard_.woke(late);
        account_.ended(now, late);
    }
    constexpr void spun(nanoseconds now, nanoseconds until) noexcept {
        account_.ended(now, nanoseconds(now.count() - until.count()));
    }

    // Spins until `is_over`, which reads the clock that the thread waits for; `end` is that time by
    // the system's. True if it gave up: a clock that is still not there long after the system's
    // stands still or is set by hand. Such a clock is slept for, by steps of
    // `standing_granularity`.
    template <class IsOver, class SystemNow>
    [[nodiscard]] static bool spin(waiting how, nanoseconds end, IsOver is_over,
                                   SystemNow system_now) noexcept {
        for (unsigned i = 1; !is_over(); ++i) {
            spin_hint();
            if (how == waiting::spin || i % spins_per_look != 0) continue;
            if (system_now() > end + standing_granularity) return true;
        }
        return false;
    }
    static constexpr nanoseconds standing_granularity = milliseconds(1);

    // How long before its time it wants to be awake.
    [[nodiscard]] constexpr nanoseconds guard() const noexcept {
        return nanoseconds(guard_.get().count() + step_.count());
    }

    // False while spinning has cost it the core.
    [[nodiscard]] constexpr bool may_spin() const noexcept { return account_.may_spin(); }

private:
    static constexpr nanoseconds longest_nap = seconds(86'400);  // so that no sum overflows
    static constexpr unsigned spins_per_try = 64;
    static constexpr unsigned spins_per_look = 1'024;  // at the system's clock
    static constexpr nanoseconds worth_a_sleep = microseconds(20);
    // Whoever asks again before the end, and names no later one, is still in the same wait: it has
    // slept, or span for a moment and looked whether something may go earlier.
    static constexpr nanoseconds rounding = microseconds(1);

    nanoseconds step_;
    sleep_guard guard_;
    spin_account account_;
    unsigned spun_ = 0;     // times that it did not sleep
    std::int64_t end_ = 0;  // of the wait
};

}  // namespace weir

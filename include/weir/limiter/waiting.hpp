// waiting: acquire, acquire_for and acquire_until put the calling thread to sleep until its units
// may pass; hosted because only an operating system has threads that sleep.
//
// Where the cell can reserve, those who wait pass in the order in which they came: a place is taken
// at once and only then slept for, so nobody competes for anything when they wake. With other cells
// whoever wakes first passes first.
//
// A thread sleeps until `longest_spin` before its start and spins for the rest, since the system
// wakes nobody to the microsecond; it is never early. A stop wakes it at once and gives back what
// was reserved. A wait that is hopeless is not begun, and one that becomes hopeless because the
// limit changes its quota is given up at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/clock/clock.hpp>

namespace weir {

enum class ending : unsigned char {
    acquired,
    too_late,  // it would have taken longer than one was ready to wait, or than may be reserved
    never,     // more units than the burst
    stopped,
};

// How waiting for units ended.
struct [[nodiscard]] acquisition {
    ending how;

    // If it was too late: how long it would have taken; for a cell that cannot reserve, how much
    // longer as things stood when it gave up.
    nanoseconds wait;

    [[nodiscard]] constexpr explicit operator bool() const noexcept {
        return how == ending::acquired;
    }
};

inline constexpr nanoseconds longest_spin = microseconds(100);

namespace detail {

// True when the time has come, false if it was stopped before.
template <clock Clock>
[[nodiscard]] bool sleep_until(tick start, const std::stop_token& stop) {
    for (tick now = Clock::now(); earlier(now, start); now = Clock::now()) {
        if (stop.stop_requested()) return false;
        const nanoseconds left = to_time<Clock>(start.count - now.count);
        if (left <= longest_spin) {
            spin_hint();
            continue;
        }
        const std::chrono::nanoseconds nap(left.count() - longest_spin.count());
        if (!stop.stop_possible()) {
            std::this_thread::sleep_for(nap);
            continue;
        }
        std::mutex mutex;  // nobody else knows it: only the stop can wake this thread
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        (void)stopped.wait_for(lock, stop, nap, [] { return false; });
    }
    return true;
}

template <class Limiter>
concept moving_places = requires {
    requires Limiter::moves_places;
};

// The same for a place whose start moves when its limit changes its quota; too late as soon as it
// starts after `last`.
template <class Limiter>
[[nodiscard]] ending wait_for(Limiter& limit, const typename Limiter::permit_type& place, tick last,
                              const std::stop_token& stop) {
    using clock = typename Limiter::clock_type;
    for (;;) {
        const tick now = clock::now();
        const tick start = place.start(now);
        if (!earlier(now, start)) return ending::acquired;
        if (stop.stop_requested()) return ending::stopped;
        if (earlier(last, start)) return ending::too_late;
        const nanoseconds left = to_time<clock>(start.count - now.count);
        if (left <= longest_spin) {
            spin_hint();
        } else {
            limit.nap(nanoseconds(left.count() - longest_spin.count()), place, start, now, stop);
        }
    }
}

[[nodiscard]] constexpr ending ending_of(verdict v) noexcept {
    return v == verdict::never ? ending::never : ending::too_late;
}

}  // namespace detail

// All n units, or the reason why not; waits no longer than `patience`.
template <class Limiter>
acquisition acquire_for(Limiter& limit, word n, nanoseconds patience,
                        const std::stop_token& stop = {}) {
    using clock = typename Limiter::clock_type;
    if (stop.stop_requested()) return {ending::stopped, {}};
    if (patience < nanoseconds{}) patience = nanoseconds(-1);
    if constexpr (Limiter::reserves) {
        const tick now = clock::now();
        auto place = limit.reserve(n, patience, now);
        if (!place) return {detail::ending_of(place.verdict()), place.wait()};
        ending how = ending::acquired;
        if constexpr (detail::moving_places<Limiter>) {
            how = detail::wait_for(limit, place, later<clock>(now, patience), stop);
        } else if (!detail::sleep_until<clock>(place.start(), stop)) {
            how = ending::stopped;
        }
        if (how == ending::acquired) return {how, {}};
        const tick start = place.start();
        (void)limit.refund(std::move(place));
        const bool late = how == ending::too_late;
        return {how, late ? to_time<clock>(start.count - now.count) : nanoseconds{}};
    } else {
        const tick begin = clock::now();
        for (;;) {
            const tick now = clock::now();
            const auto d = limit.try_acquire(n, now);
            if (d) return {ending::acquired, {}};
            const nanoseconds waited = to_time<clock>(now.count - begin.count);
            const nanoseconds wait = d.retry_after();
            if (d.verdict() == verdict::never || wait.count() > patience.count() - waited.count()) {
                return {detail::ending_of(d.verdict()), wait};
            }
            const tick start{now.count + d.ticks().retry_after()};
            if (!detail::sleep_until<clock>(start, stop)) return {ending::stopped, {}};
        }
    }
}

// As long as it takes, or as may be reserved.
template <class Limiter>
acquisition acquire(Limiter& limit, word n = 1, const std::stop_token& stop = {}) {
    return acquire_for(limit, n, nanoseconds::longest(), stop);
}

// No later than at `deadline`, by any clock of std::chrono.
template <class Limiter, class Clock, class Duration>
acquisition acquire_until(Limiter& limit, word n,
                          const std::chrono::time_point<Clock, Duration>& deadline,
                          const std::stop_token& stop = {}) {
    // In seconds first: the ends of time are further apart than a duration can tell.
    using seconds = std::chrono::duration<double>;
    const auto now = Clock::now();
    const double far = seconds(deadline.time_since_epoch()) / seconds(1) -
                       seconds(now.time_since_epoch()) / seconds(1);
    constexpr double centuries = 9e9;
    if (far > centuries) return acquire_for(limit, n, nanoseconds::longest(), stop);
    if (far < -centuries) return acquire_for(limit, n, nanoseconds(-1), stop);
    const auto left = std::chrono::floor<std::chrono::nanoseconds>(deadline - now);
    return acquire_for(limit, n, nanoseconds(left.count()), stop);
}

}  // namespace weir

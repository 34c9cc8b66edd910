// waiting: acquire, acquire_for and acquire_until put the calling thread to sleep until its units
// may pass; hosted because only an operating system has threads that sleep.
//
// Where the cell can reserve, those who wait pass in the order in which they came: a place is taken
// at once and only then slept for, so nobody competes for anything when they wake. With other cells
// whoever wakes first passes first.
//
// A thread sleeps until `longest_spin` before its start and spins for the rest, since the system
// wakes nobody to the microsecond; it is never early. A clock whose steps are longer than that is
// slept for, a step at a time. A stop wakes it at once. A wait that is hopeless is not begun, and
// one that becomes hopeless because the limit changes its quota is given up at once. Who gives up
// gives back his place if it is the last in the queue and the cell refunds, or else takes it along.
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

// How long to sleep before the clock is read again, if that much is left; not at all if it is to be
// spun for.
template <clock Clock>
[[nodiscard]] nanoseconds next_nap(nanoseconds left) {
    static const nanoseconds step = Clock::facts().granularity;  // slow to ask
    constexpr nanoseconds day = seconds(86'400);  // the standard library adds it to the time
    if (left <= longest_spin) return step > longest_spin ? step : nanoseconds{};
    const nanoseconds nap(left.count() - longest_spin.count());
    return nap < day ? nap : day;
}

// Sleeps for a part of the time from now to `start`, or spins once; false if it was stopped.
template <clock Clock>
[[nodiscard]] bool doze(tick now, tick start, const std::stop_token& stop) {
    if (stop.stop_requested()) return false;
    const std::chrono::nanoseconds nap = next_nap<Clock>(to_time<Clock>(start.count - now.count));
    if (nap == nap.zero()) {
        spin_hint();
    } else if (!stop.stop_possible()) {
        std::this_thread::sleep_for(nap);
    } else {
        std::mutex mutex;  // nobody else knows it: only the stop can wake this thread
        std::condition_variable_any stopped;
        std::unique_lock lock(mutex);
        (void)stopped.wait_for(lock, stop, nap, [] { return false; });
    }
    return true;
}

// True when the time has come, false if it was stopped before.
template <clock Clock>
[[nodiscard]] bool sleep_until(tick start, const std::stop_token& stop) {
    for (tick now = Clock::now(); earlier(now, start); now = Clock::now()) {
        if (!doze<Clock>(now, start, stop)) return false;
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
        const nanoseconds nap = next_nap<clock>(to_time<clock>(start.count - now.count));
        if (nap == nanoseconds{}) {
            spin_hint();
        } else {
            limit.nap(nap, place, start, now, stop);
        }
    }
}

[[nodiscard]] constexpr ending ending_of(verdict v) noexcept {
    return v == verdict::never ? ending::never : ending::too_late;
}

// For limits without places: asks again when it is told to.
template <class Limiter>
[[nodiscard]] acquisition ask_for(Limiter& limit, word n, nanoseconds patience,
                                  const std::stop_token& stop) {
    using clock = typename Limiter::clock_type;
    const tick begin = clock::now();
    for (tick now = begin;;) {
        const auto d = limit.try_acquire(n, now);
        if (d) return {ending::acquired, {}};
        const nanoseconds waited =
            earlier(now, begin) ? nanoseconds{} : to_time<clock>(now.count - begin.count);
        const nanoseconds wait = d.retry_after();
        if (d.verdict() == verdict::never || wait.count() > patience.count() - waited.count()) {
            return {ending_of(d.verdict()), wait};
        }
        // If the clock is set back meanwhile, the time until then is no longer what was agreed to.
        const tick asked = now;
        const word ticks = d.ticks().retry_after();
        do {
            if (!doze<clock>(now, {asked.count + ticks}, stop)) return {ending::stopped, {}};
            now = clock::now();
        } while (now.count - asked.count < ticks);
    }
}

// From now to a deadline, rounded down. The ends of time are further apart than a duration can
// tell, so a century is as good as the longest time, and a century ago as anything that is over.
template <class Clock, class Duration>
[[nodiscard]] constexpr nanoseconds time_until(std::chrono::time_point<Clock, Duration> deadline,
                                               typename Clock::time_point now) {
    using seconds = std::chrono::duration<double>;
    using std::chrono::nanoseconds;
    constexpr seconds century(100 * 365.25 * 86'400);
    const seconds far = seconds(deadline.time_since_epoch()) - seconds(now.time_since_epoch());
    if (far > century) return weir::nanoseconds::longest();
    if (far < -century) return weir::nanoseconds(-1);
    return std::chrono::floor<nanoseconds>(deadline) - std::chrono::ceil<nanoseconds>(now);
}

}  // namespace detail

// All n units, or the reason why not; waits no longer than `patience`, by the limiter's clock.
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
        return detail::ask_for(limit, n, patience, stop);
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
    return acquire_for(limit, n, detail::time_until(deadline, Clock::now()), stop);
}

}  // namespace weir

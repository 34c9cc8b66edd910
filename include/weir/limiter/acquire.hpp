// SPDX-License-Identifier: MIT
// acquire, acquire_for and acquire_until put the calling thread to sleep until its units
// may pass; hosted because only an operating system has threads that sleep.
//
// Where the cell can reserve, those who wait pass in the order in which they came: a place is taken
// at once and only then slept for, so nobody competes for anything when they wake. With other cells
// and with `all_of` whoever wakes first passes first.
//
// Each may be told how the thread waits (`waiting`): by the system's sleep, which is late; by
// spinning, which takes a core; or, if nothing is said, by sleeping until shortly before and
// spinning for the rest. How shortly each thread learns for itself: how late the system wakes it
// depends on its timer slack, its class and its core, none of which are changed here. It is never
// early. A clock with steps too long to spin for is slept for, a step at a time, and so is one that
// stands still. One that may be set is read every 10 ms.
//
// Each may be given a std::stop_token as its last argument, after the way to wait if there is one.
// A stop wakes a thread at once. A wait that is hopeless is not begun, and one that becomes
// hopeless because the limit changes its quota is given up at once. Who gives up gives back his
// place if it is the last in the queue and the cell refunds, or else takes it along.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/rest.hpp>
#include <weir/base/sleep_guard.hpp>
#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/limiter/nap.hpp>

namespace weir {

enum class ending : unsigned char {
    acquired,
    too_late,  // it would have taken longer than one was ready to wait, or than may be reserved
    never,     // more units than the burst
    stopped,
};
[[nodiscard]] constexpr const char* describe(ending how) noexcept {
    switch (how) {
        case ending::acquired: return "acquired";
        case ending::too_late: return "it would have taken too long";
        case ending::never: return "more units than the burst";
        case ending::stopped: return "a stop was requested";
    }
    return "unknown ending";
}

// How waiting for units ended.
struct [[nodiscard]] acquisition {
    ending how;

    // If it was too late: how long it would have taken; without places, how much longer it seemed.
    nanoseconds wait;

    [[nodiscard]] constexpr explicit operator bool() const noexcept {
        return how == ending::acquired;
    }
};
[[nodiscard]] constexpr text to_text(const acquisition& a) noexcept {
    text t(describe(a.how));
    if (a.how == ending::too_late) t.add(": ").add(to_text(a.wait).c_str());
    return t;
}

namespace detail {

// What the calling thread has learned, from all limits that it has waited for: 600 bytes. Nobody
// else looks at it, so it needs no atomics, and it is no limit's, as it is about the thread.
[[nodiscard]] inline rest& own_rest() noexcept {
    constinit static thread_local rest its;
    return its;
}

// Until the time is over or it is stopped.
inline void nap_for(nanoseconds time, const std::stop_token& stop) {
    if (!stop.stop_possible()) return std::this_thread::sleep_for(std::chrono::nanoseconds(time));
    std::mutex mutex;  // nobody else knows it: only the stop can wake this thread
    std::condition_variable stopped;
    nap(
        time, mutex, stopped, [] { return false; }, stop);
}

// One wait by a limiter's clock, with the system's calls for `rest`.
template <clock Clock>
class waiter {
public:
    explicit waiter(waiting how) : how_(how) {
        static const nanoseconds granularity = Clock::facts().granularity;  // slow to ask
        granularity_ = granularity;
    }

    // Naps for a part of the time from now to `start`, or spins until it is over.
    template <class Nap, class IsOver>
    void doze(instant<Clock> now, instant<Clock> start, Nap nap, IsOver is_over) {
        rest& mine = own_rest();
        const nanoseconds left = may_sleep<Clock>(to_likely_time<Clock>(start.count - now.count));
        const nanoseconds begin = system_time();
        const nanoseconds time = mine.nap(how_, begin, left, granularity_);
        const nanoseconds end = begin + (time == nanoseconds{} ? left : time);
        if (time != nanoseconds{}) {
            nap(time);
            mine.woke(system_time(), end);
        } else {
            if (rest::spin(how_, end, is_over, system_time))
                granularity_ = rest::standing_granularity;
            mine.spun(system_time(), end);
        }
    }

private:
    [[nodiscard]] static nanoseconds system_time() noexcept {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch());
    }

    waiting how_;
    nanoseconds granularity_;  // of the clock
};

// True when the time has come, false if it was stopped before.
template <clock Clock>
[[nodiscard]] bool sleep_until(instant<Clock> start, const std::stop_token& stop, waiting how) {
    waiter<Clock> me(how);
    const auto nap = [&](nanoseconds time) { nap_for(time, stop); };
    const auto is_over = [&]() noexcept {
        return !earlier(fresh_now<Clock>(), start) || stop.stop_requested();
    };
    for (auto now = fresh_now<Clock>(); earlier(now, start); now = fresh_now<Clock>()) {
        if (stop.stop_requested()) return false;
        me.doze(now, start, nap, is_over);
    }
    return true;
}

// The same for a place whose start moves with its limit's quota; too late if it is after `last`.
template <class Limiter>
[[nodiscard]] ending wait_for(Limiter& limit, const typename Limiter::permit_type& place,
                              instant<typename Limiter::clock_type> last,
                              const std::stop_token& stop, waiting how) {
    using clock = typename Limiter::clock_type;
    waiter<clock> me(how);
    for (;;) {
        const auto now = fresh_now<clock>();
        const auto start = place.start(now);
        if (!earlier(now, start)) return ending::acquired;
        if (stop.stop_requested()) return ending::stopped;
        if (earlier(last, start)) return ending::too_late;
        me.doze(
            now, start, [&](nanoseconds time) { limit.nap(time, place, start, now, stop); },
            [&]() noexcept {
                const auto then = fresh_now<clock>();
                return !earlier(then, place.start(then)) || stop.stop_requested();
            });
    }
}

[[nodiscard]] constexpr ending ending_of(verdict v) noexcept {
    return v == verdict::never ? ending::never : ending::too_late;
}

// Until the time is over that it was told to wait `now`, which then is the present. False if it was
// stopped before.
template <clock Clock>
[[nodiscard]] bool doze_until_retry(waiter<Clock>& me, instant<Clock>& now, nanoseconds wait,
                                    const std::stop_token& stop) {
    // If the clock is set back meanwhile, the time until then is no longer what was agreed to.
    const auto asked = now;
    // Rounded down, since it was rounded up before.
    const word ticks = no_later<Clock>(now, wait).count - now.count;
    do {
        if (stop.stop_requested()) return false;
        me.doze(
            now, asked + ticks, [&](nanoseconds time) { nap_for(time, stop); },
            [&]() noexcept {
                return fresh_now<Clock>().count - asked.count >= ticks || stop.stop_requested();
            });
        now = fresh_now<Clock>();
    } while (now.count - asked.count < ticks);
    return true;
}

// For limits without places: asks again when it is told to.
template <class Limiter>
[[nodiscard]] acquisition ask_for(Limiter& limit, word n, nanoseconds patience,
                                  const std::stop_token& stop, waiting how) {
    using clock = typename Limiter::clock_type;
    waiter<clock> me(how);
    const auto begin = fresh_now<clock>();
    for (auto now = begin;;) {
        const auto d = limit.try_acquire(n, now);
        if (d) return {ending::acquired, {}};
        const nanoseconds waited = time_between(begin, now);
        const nanoseconds wait = d.retry_after();
        if (d.verdict() == verdict::never || wait.count() > patience.count() - waited.count()) {
            return {ending_of(d.verdict()), wait};
        }
        if (!doze_until_retry(me, now, wait, stop)) return {ending::stopped, {}};
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
    const seconds ahead = seconds(deadline.time_since_epoch()) - seconds(now.time_since_epoch());
    if (ahead > century) return weir::nanoseconds::longest();
    if (ahead < -century) return weir::nanoseconds(-1);
    return std::chrono::floor<nanoseconds>(deadline) - std::chrono::ceil<nanoseconds>(now);
}

}  // namespace detail

// All n units, or the reason why not, in an `acquisition`; waits no longer than `patience`, by the
// limiter's clock.
template <class Limit>
acquisition acquire_for(Limit&& from, unit_count n, nanoseconds patience, waiting how,
                        const std::stop_token& stop = {}) {
    using limit_type = std::remove_reference_t<Limit>;
    if (stop.stop_requested()) return {ending::stopped, {}};
    if (patience < nanoseconds{}) patience = nanoseconds(-1);
    if constexpr (!limit<limit_type>) {
        static_assert(
            limit<limit_type>,
            "limits with different clocks cannot be waited for, nor can what is no limit: "
            "see weir/limiter/limit.hpp");
    } else if constexpr (calling<limit_type>) {
        static_assert(!calling<limit_type>,
                      "an all_of with an in_flight is waited for by weir/limiter/begin.hpp");
    } else if constexpr (reserving<limit_type>) {
        using clock = typename limit_type::clock_type;
        const auto now = detail::fresh_now<clock>();
        auto place = from.reserve(n, patience, now);
        if (!place) return {detail::ending_of(place.verdict()), place.wait()};
        ending end = ending::acquired;
        if constexpr (moving_places<limit_type>) {
            end = detail::wait_for(from, place, no_later<clock>(now, patience), stop, how);
        } else if (!detail::sleep_until<clock>(place.start(now), stop, how)) {
            end = ending::stopped;
        }
        if (end == ending::acquired) return {end, {}};
        const auto start = place.start(detail::fresh_now<clock>());
        (void)from.refund(std::move(place));
        const bool late = end == ending::too_late;
        return {end, late ? to_time<clock>(start.count - now.count) : nanoseconds{}};
    } else {
        return detail::ask_for(from, n, patience, stop, how);
    }
}

template <class Limit>
auto acquire_for(Limit&& limit, unit_count n, nanoseconds patience,
                 const std::stop_token& stop = {}) {
    return acquire_for(limit, n, patience, waiting::hybrid, stop);
}

// As long as it takes, or as may be reserved.
template <class Limit>
auto acquire(Limit&& limit, unit_count n, waiting how, const std::stop_token& stop = {}) {
    return acquire_for(limit, n, nanoseconds::longest(), how, stop);
}
template <class Limit>
auto acquire(Limit&& limit, unit_count n = 1, const std::stop_token& stop = {}) {
    return acquire(limit, n, waiting::hybrid, stop);
}

// No later than at `deadline`, by any clock of std::chrono.
template <class Limit, class Clock, class Duration>
auto acquire_until(Limit&& limit, unit_count n,
                   const std::chrono::time_point<Clock, Duration>& deadline, waiting how,
                   const std::stop_token& stop = {}) {
    return acquire_for(limit, n, detail::time_until(deadline, Clock::now()), how, stop);
}
template <class Limit, class Clock, class Duration>
auto acquire_until(Limit&& limit, unit_count n,
                   const std::chrono::time_point<Clock, Duration>& deadline,
                   const std::stop_token& stop = {}) {
    return acquire_until(limit, n, deadline, waiting::hybrid, stop);
}

}  // namespace weir

// SPDX-License-Identifier: MIT
// begin, begin_for and begin_until put the calling thread to sleep until a call may begin. With
// them `acquire`, `acquire_for` and `acquire_until` wait for an all_of that has an in_flight.
// All are hosted because only an operating system has threads that sleep.
//
// The end of a call wakes the thread that came first, at once: nobody looks again and again. It
// still has to begin, and a thread that did not wait may be faster. Then it is first again.
//
// Each may be given a std::stop_token as its last argument. A stop wakes a thread at once. How a
// thread waits (`waiting`) is its choice as in acquire.hpp; since nobody knows when a call ends,
// `hybrid` sleeps for it, and only `spin` spins.
#pragma once

#include <chrono>
#include <condition_variable>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/rest.hpp>
#include <weir/base/text.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/acquire.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/limiter/nap.hpp>
#include <weir/limiter/place_queue.hpp>

namespace weir {

// How waiting for units and a place ended. If they were acquired a call has begun, and this is its
// token; with it, or with the token that was taken out, the call ends.
class [[nodiscard]] begun_call {
public:
    begun_call(const acquisition& ended, call_token token) noexcept
        : how(ended.how), wait(ended.wait), token_(std::move(token)) {}

    [[nodiscard]] explicit operator bool() const& noexcept { return how == ending::acquired; }
    template <class Answer = begun_call>
    explicit operator bool() && noexcept {
        static_assert(sizeof(Answer) == 0, "the call would end at once: give the answer a name, "
                                           "if (auto call = weir::acquire_for(...)) ...");
        return false;
    }

    // Once.
    [[nodiscard]] call_token take_token() noexcept { return std::move(token_); }

    // As in an `acquisition`.
    ending how;
    nanoseconds wait;

private:
    call_token token_;
};
[[nodiscard]] inline text to_text(const begun_call& b) noexcept {
    return to_text(acquisition{b.how, b.wait});
}

namespace detail {

// A thread in the queue of an in_flight. What it was told and did not use it passes on.
class place_sleeper : place_waiter {
public:
    explicit place_sleeper(in_flight& calls) noexcept : place_waiter(&wake, true), calls_(calls) {}
    ~place_sleeper() { step_back(); }

    // Then look whether a place is free. Who was told and overtaken is first again.
    void join() noexcept {
        places_waited_for::join(calls_, *this, is_ == told);
        is_ = waits;
    }
    [[nodiscard]] bool has_joined() const noexcept { return is_ == waits; }

    // Until it is told, the time is over or a stop is requested; or for a day.
    void sleep(nanoseconds time, const std::stop_token& stop) {
        constexpr nanoseconds longest_nap = seconds(86'400);  // so that no sum overflows
        nap(
            smaller(time, longest_nap), place_locks::of(calls_), changed_,
            [this] { return woken_; }, stop);
        const auto lock = place_locks::lock(calls_);
        if (std::exchange(woken_, false)) is_ = told;
    }

    // It has a place: the one that it was told of, or another.
    void took_a_place() noexcept {
        if (is_ == told) is_ = nobody;
        step_back();
    }
    // It waits for no place any more.
    void step_back() noexcept {
        if (is_ == told || (is_ == waits && !places_waited_for::leave(calls_, *this))) {
            places_waited_for::tell(calls_, 1);
        }
        is_ = nobody;
        woken_ = false;  // nobody else knows this thread now
    }

private:
    // With the queue's mutex held.
    static void wake(place_waiter& who) noexcept {
        auto& its = static_cast<place_sleeper&>(who);
        its.woken_ = true;
        its.changed_.notify_all();
    }

    in_flight& calls_;
    enum : unsigned char { nobody, waits, told } is_ = nobody;
    bool woken_ = false;  // by who has the queue's mutex
    std::condition_variable changed_;
};

// `tries` is asked whether it has begun, and `left` for how long it may wait on.
template <class Tries, class Left>
[[nodiscard]] bool begin_when_free(in_flight& calls, Tries tries, Left left, waiting how,
                                   const std::stop_token& stop) {
    place_sleeper me(calls);
    for (;;) {
        if (tries()) {
            me.took_a_place();
            return true;
        }
        const nanoseconds time = left();
        if (time <= nanoseconds{} || stop.stop_requested()) return false;
        if (how == waiting::spin) {
            spin_hint();
        } else if (!me.has_joined()) {
            me.join();
        } else {
            me.sleep(time, stop);
        }
    }
}

}  // namespace detail

// A token that holds a place, or a false one if none became free within `patience` or a stop was
// requested before. Blocks.
[[nodiscard]] inline call_token begin_for(in_flight& calls, nanoseconds patience, waiting how,
                                          const std::stop_token& stop = {}) {
    using std::chrono::steady_clock;
    call_token token = calls.try_begin();
    if (token || patience <= nanoseconds{}) return token;
    const auto begin = steady_clock::now();
    (void)detail::begin_when_free(
        calls, [&] { return static_cast<bool>(token = calls.try_begin()); },
        [&] {
            return nanoseconds(patience.count() - nanoseconds(steady_clock::now() - begin).count());
        },
        how, stop);
    return token;
}
[[nodiscard]] inline call_token begin_for(in_flight& calls, nanoseconds patience,
                                          const std::stop_token& stop = {}) {
    return begin_for(calls, patience, waiting::hybrid, stop);
}

// As long as it takes.
[[nodiscard]] inline call_token begin(in_flight& calls, waiting how,
                                      const std::stop_token& stop = {}) {
    return begin_for(calls, nanoseconds::longest(), how, stop);
}
[[nodiscard]] inline call_token begin(in_flight& calls, const std::stop_token& stop = {}) {
    return begin(calls, waiting::hybrid, stop);
}

// No later than at `deadline`, by any clock of std::chrono.
template <class Clock, class Duration>
[[nodiscard]] call_token begin_until(in_flight& calls,
                                     const std::chrono::time_point<Clock, Duration>& deadline,
                                     waiting how, const std::stop_token& stop = {}) {
    return begin_for(calls, detail::time_until(deadline, Clock::now()), how, stop);
}
template <class Clock, class Duration>
[[nodiscard]] call_token begin_until(in_flight& calls,
                                     const std::chrono::time_point<Clock, Duration>& deadline,
                                     const std::stop_token& stop = {}) {
    return begin_until(calls, deadline, waiting::hybrid, stop);
}

// All n units and a place, or the reason why not; waits no longer than `patience`, by the limits'
// clock. If a quota alone refuses it sleeps until that would pass; the queue for a place goes on
// without it meanwhile.
template <class Limit>
    requires calling<std::remove_reference_t<Limit>>
[[nodiscard]] begun_call acquire_for(Limit&& from, unit_count n, nanoseconds patience, waiting how,
                                     const std::stop_token& stop = {}) {
    using clock = typename std::remove_reference_t<Limit>::clock_type;
    detail::waiter<clock> me(how);
    detail::place_sleeper line(from.calls());
    if (stop.stop_requested()) return {{ending::stopped, {}}, {}};
    if (patience < nanoseconds{}) patience = nanoseconds(-1);
    const auto begin = detail::fresh_now<clock>();
    for (auto now = begin;;) {
        auto d = from.try_acquire(n, now);
        if (d) {
            line.took_a_place();
            return {{ending::acquired, {}}, d.take_token()};
        }
        const nanoseconds left(patience.count() - time_between(begin, now).count());
        const nanoseconds wait = d.quota_wait();
        if (d.verdict() == verdict::never || wait > left ||
            (d.place_refused() && left <= nanoseconds{})) {
            return {{detail::ending_of(d.verdict()), d.retry_after()}, {}};
        }
        if (stop.stop_requested()) return {{ending::stopped, {}}, {}};
        if (!d.place_refused()) {
            line.step_back();
            if (!detail::doze_until_retry(me, now, wait, stop)) return {{ending::stopped, {}}, {}};
            continue;
        }
        if (how == waiting::spin) {
            spin_hint();
        } else if (!line.has_joined()) {
            line.join();
        } else {
            line.sleep(may_sleep<clock>(left), stop);
        }
        now = detail::fresh_now<clock>();
    }
}

}  // namespace weir

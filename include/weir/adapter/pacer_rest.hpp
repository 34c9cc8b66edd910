// SPDX-License-Identifier: MIT
// pacer_rest: how a pacer's thread waits between two polls: what `rest` decides, by the system's
// calls.
//
// No wake-up is lost: it lies down (bell), looks at the lanes once more, and sleeps only if they
// are as they were. Its own futex word changes whenever it is to come back, so a wake that comes
// before it sleeps makes the system call return at once. Likewise it stands in the queue of an
// in_flight that holds up an item (pacer_calls).
#pragma once

#include <cstdint>

#include <weir/adapter/awake_share.hpp>
#include <weir/adapter/pacer_calls.hpp>
#include <weir/adapter/system_thread.hpp>
#include <weir/adapter/thread_terms.hpp>
#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/rest.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/steady.hpp>
#include <weir/pacer/bell.hpp>
#include <weir/pacer/held_up.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

template <class Pacer>
class pacer_rest {
public:
    using clock_type = typename Pacer::clock_type;
    using instant = weir::instant<clock_type>;
    using next_poll = weir::next_poll<clock_type>;

    // Producers make the fences, or the system makes them for all.
    pacer_rest(Pacer& p, const thread_options& o, bool producers_fence) noexcept
        : pacer_(p), how_(o.how), by_(o.by), producers_fence_(producers_fence), calls_(p) {}

    // On the thread that waits, before it does so first.
    void begin() noexcept { share_ = awake_share(steady_now(), system_thread::used()); }

    // Until the next poll makes sense. By its own look at the clocks, as the sink has taken its
    // time, and at the system's first: who is held up in between sleeps too little and not too
    // long.
    void until(const next_poll& polled) noexcept {
        const auto seen = calls_.told(polled);
        const next_poll& next = next_of(seen);
        const nanoseconds steady = steady_now();
        const instant now = detail::fresh_now<clock_type>();
        const nanoseconds owed = sleep_owed(steady);
        const nanoseconds left = time_to(next, now);
        if (left == nanoseconds{}) stands_ = false;
        if (left == nanoseconds{} && owed == nanoseconds{}) return;
        [[maybe_unused]] const typename Pacer::observer_type::during resting(pacer_.observer(),
                                                                             pacer_work::wait);
        if (owed != nanoseconds{}) return sleep(steady + owed, false);
        const nanoseconds nap =
            rest_.nap(how_, steady, left, stands_ ? rest::standing_granularity : granularity_,
                      is_real_time());
        if (nap == nanoseconds{}) return spin(next, now, steady);
        nanoseconds end = steady + nap;
        if (next.wakes) {
            bool fenced = false;
            pacer_.sleeper().lie_down([&] { fenced = fence(); });
            calls_.join();
            if (calls_.told(pacer_.poll()) != seen) {
                calls_.leave();
                return pacer_.sleeper().get_up();
            }
            if (!fenced) end = smaller(end, steady + unfenced_nap);
        }
        sleep(end, next.wakes);
        calls_.leave();
        // Next comes a poll that emits nothing, but fetches into the caches what the one after the
        // spinning needs: that is 0.05 us late instead of 0.3.
    }

    // --- any thread

    [[nodiscard]] nanoseconds approx_guard() const noexcept {
        return nanoseconds(static_cast<std::int64_t>(shown_guard_.load_relaxed()));
    }
    [[nodiscard]] word approx_sleeps() const noexcept { return sleeps_.load_relaxed(); }

private:
    // Until then; until a push if it lies down; until it is alerted in any case.
    void sleep(nanoseconds until, bool lies) noexcept {
        bell<>& mine = pacer_.sleeper();
        sleeps_.store_relaxed(sleeps_.load_relaxed() + 1);
        system_thread::wait(mine.address(), mine.unless_woken(lies), until);
        if (lies) mine.get_up();
        rest_.woke(steady_now(), until);
        shown_guard_.store_relaxed(static_cast<word>(rest_.guard().count()));
    }

    [[nodiscard]] static const next_poll& next_of(const next_poll& next) noexcept { return next; }
    [[nodiscard]] static const next_poll& next_of(const told_poll<clock_type>& seen) noexcept {
        return seen.next;
    }

    [[nodiscard]] static nanoseconds time_to(const next_poll& next, instant now) noexcept {
        if (next.what == polled::done) return {};
        if (next.what != polled::due) return longest_sleep;
        if (!earlier(now, next.at)) return {};
        const nanoseconds left = to_likely_time<clock_type>(next.at.count - now.count);
        return may_sleep<clock_type>(smaller(left, longest_sleep));
    }

    // Or the kernel would stop it.
    [[nodiscard]] nanoseconds sleep_owed(nanoseconds now) noexcept {
        if (!is_real_time() || !share_.is_over(now)) return {};
        return share_.owed(now, system_thread::used());
    }

    [[nodiscard]] bool is_real_time() const noexcept {
        return how_ == waiting::hybrid && by_ != scheduling::as_usual;
    }

    // Until shortly before, if that is far, so that a poll comes between and fetches what the next
    // one needs. If something may go earlier, not at all: the next poll finds it.
    void spin(const next_poll& next, instant now, nanoseconds begin) noexcept {
        spin_hint();
        nanoseconds end = begin;
        if (next.what == polled::due && !next.wakes) {
            const bool distant = earlier(now + 2 * shortly_, next.at);
            const instant until(distant ? next.at.count - shortly_ : next.at.count);
            end = begin + to_time<clock_type>(until.count - now.count);
            const auto is_over = [&]() noexcept {
                return !earlier(detail::fresh_now<clock_type>(), until) ||
                       pacer_.sleeper().is_alerted();
            };
            stands_ = rest::spin(how_, end, is_over, steady_now);
        }
        if (how_ == waiting::hybrid) rest_.spun(steady_now(), end);
    }

    // False if the system, which has promised it, makes none: a sandbox may forbid it later. Then
    // who pushes may not see who lies there.
    [[nodiscard]] bool fence() const noexcept {
        // Pairs with the compiler's fence of who pushes, in bell's `must_wake`.
        if (!producers_fence_) return system_thread::fence_all() == 0;
        machine_fences::full();  // pairs with the fence of who pushes, in bell's `must_wake`
        return true;
    }

    [[nodiscard]] static nanoseconds steady_now() noexcept {
        return nanoseconds(static_cast<std::int64_t>(steady_clock::now().count));
    }

    // Then it looks again: the pacer's clock and the system's may drift apart, and there are times
    // that the system cannot count to.
    static constexpr nanoseconds longest_sleep = seconds(3'600);

    // So late is an item at most whose push has woken nobody.
    static constexpr nanoseconds unfenced_nap = milliseconds(1);

    Pacer& pacer_;
    waiting how_;
    scheduling by_;
    bool producers_fence_;
    [[no_unique_address]] pacer_calls<Pacer> calls_;
    word shortly_ = static_cast<word>(to_ticks<clock_type>(microseconds(20)));
    nanoseconds granularity_ = clock_type::facts().granularity;
    bool stands_ = false;
    rest rest_;
    awake_share share_{{}, {}};
    // Relaxed order suffices: each is a number that its thread shows, and tells of nothing else.
    atomic<word> shown_guard_{static_cast<word>(sleep_guard::at_first.count())};
    atomic<word> sleeps_{0};
};

}  // namespace weir

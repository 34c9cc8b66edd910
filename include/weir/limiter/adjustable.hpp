// SPDX-License-Identifier: MIT
// adjustable: a limiter whose quota changes while others acquire, at once or evenly over a time
// (a server that has to fill its caches begins with a low quota and turns to its own one).
//
// The cell is a gcra that does not live in the clock's time but in one that counts units, and
// `pace` says how the one runs against the other. So the fill is kept in units whatever the rate
// becomes, a change writes no state that others are about to change, and who waits waits for an
// instant of the limit's own time, wherever a change puts it. Decisions read pace and rate as one
// published value and wait for nobody; hosted because those who change the quota take turns by a
// mutex and tell those who sleep by a condition variable. All that it can be asked is
// `basic_limiter`'s; it is not saved or restored.
//
// A decision reads the clock first and the pace after it: an instant that has gone by is answered
// by the pace that was valid at it or a later one, which begins no earlier than at its change.
// A thread that changes the quota reads the clock, too, before it publishes the new pace. If it is
// stopped in between, what the new rate brings meanwhile comes at once when it goes on, up to the
// burst.
//
// If its clock is set back, it denies until the clock is where it was, however long that takes;
// `reset` ends that.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/published.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/refund_ledger.hpp>
#include <weir/cell/scale.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/default.hpp>
#include <weir/limiter/basic_limiter.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/limiter/nap.hpp>
#include <weir/limiter/own_parts.hpp>
#include <weir/limiter/own_time.hpp>
#include <weir/limiter/pace.hpp>

namespace weir {

template <clock Clock>
class changing_setting {
    using ledger = refund_ledger<word>;

public:
    using clock_type = Clock;
    using decision_type = paced_decision;
    using place = word;  // in grains
    static constexpr bool changes = true;
    static constexpr std::size_t read_bytes = sizeof(published<own_setting>);

    changing_setting(const weir::quota& q, const options& o, tick now)
        : setting_(first(q, o, now)), options_(o), quota_(q) {}
    changing_setting(changing_setting&& other) noexcept
        : setting_(other.setting_.load()), options_(other.options_), quota_(other.quota_) {}
    changing_setting& operator=(changing_setting&& other) noexcept {
        setting_.store(other.setting_.load());
        options_ = other.options_;
        quota_ = other.quota_;
        return *this;
    }
    ~changing_setting() = default;

    // The pace and the rate, and the cell's time by them.
    class in_force {
    public:
        template <class Cells>
        [[gnu::always_inline]] in_force(const changing_setting& s, Cells, tick) noexcept
            : own_(s.setting_.load()) {}

        [[nodiscard, gnu::always_inline]] const gcra<>::rate& rate() const noexcept {
            return own_.rate;
        }
        [[nodiscard, gnu::always_inline]] tick at(tick now) const noexcept { return own_.at(now); }
        [[nodiscard, gnu::always_inline]] paced_decision answer(const decision<word>& d,
                                                                tick now) const noexcept {
            return {d, own_.pace, now};
        }
        [[nodiscard, gnu::always_inline]] word within(nanoseconds time, tick now) const noexcept {
            return own_.template grains_within<Clock>(time, now);
        }
        [[nodiscard, gnu::always_inline]] word until(word wait, tick now) const noexcept {
            return own_.pace.until(now, grains(wait));
        }
        [[nodiscard, gnu::always_inline]] place place_at(word wait, tick now) const noexcept {
            return own_.pace.grains_at(now) + grains(wait);
        }
        [[nodiscard]] word ahead(nanoseconds time, tick now) const noexcept {
            return own_setting::grains_in<Clock>(own_.pace, time, now);
        }
        [[nodiscard]] word passes_in(word grains, tick now) const noexcept {
            return own_.pace.until(now, grains);
        }
        [[nodiscard]] word first_units(const changing_setting& s) const noexcept {
            const word burst = own_.rate.burst();
            const auto asked = static_cast<word>(s.options_.start);
            const bool all = s.options_.start == options::whole_burst;
            return all || asked > burst ? burst : asked;
        }
        [[nodiscard]] word burst(const changing_setting&) const noexcept {
            return own_.burst >> grain_bits;
        }
        void renew(const changing_setting& s) noexcept { own_ = s.setting_.load(); }

    private:
        [[nodiscard]] word grains(word wait) const noexcept {
            return ticks(wait, own_.rate.shift());
        }

        own_setting own_;
    };

    [[nodiscard]] weir::quota quota() const {
        const std::lock_guard lock(mutex_);
        return quota_;
    }
    [[nodiscard]] word burst() const noexcept { return setting_.load().burst >> grain_bits; }

    // When the limit's own time reaches `start`, as it looks now.
    [[nodiscard]] tick when(place start, tick now) const noexcept {
        return setting_.load().pace.when(start, now);
    }

    [[nodiscard]] static quota_error refusal(const weir::quota& q, const options& o) noexcept {
        const bool all = o.start == options::whole_burst;
        if (!all && (o.start < 0 || o.start > q.burst())) return quota_error::start_not_in_burst;
        return own_quota::make(q, o, Clock::hertz()).error();
    }

    // One change after the other; `time` is asked for when this one has the mutex. If it is refused
    // nothing has changed.
    template <class Now>
    [[nodiscard]] quota_error set_quota(const weir::quota& q, nanoseconds over, Now time,
                                        gcra<>& cell, ledger& permits) {
        const std::lock_guard lock(mutex_);
        if (over < nanoseconds{}) return quota_error::change_negative;
        const auto wanted = own_quota::make(q, options_, Clock::hertz());
        if (!wanted) return wanted.error();
        const tick now = time();
        const own_setting old = setting_.load();
        const auto changed = old.pace.changed(now, wanted->per_tick, to_ticks<Clock>(over));
        if (!changed) return changed.error();
        const bool larger = q.burst() > quota_.burst();
        // An idle bucket is full, and in a larger one that is no longer all; what has drained would
        // look as if it were still to come, to a refund that is under way too. Whether the reset
        // ends before the new setting is there or after it makes no difference: what is reserved in
        // between lies after the settled state, so after `now`, and the larger bucket has room for
        // it.
        if (larger) {
            permits.begin_reset();
            cell.settle(old.at(now), old.rate);
        }
        setting_.store(setting_of(*changed, wanted->rate, q));
        if (larger) permits.end_reset();
        quota_ = q;
        ++changes_;
        changed_.notify_all();
        return quota_error::none;
    }

    // Until the time is over, the quota changes or `stop` is requested; not at all if `is_over`.
    template <class IsOver>
    void nap(nanoseconds time, IsOver is_over, const std::stop_token& stop) {
        const word seen = changes_so_far();
        if (is_over()) return;
        detail::nap(
            time, mutex_, changed_, [&] { return changes_ != seen; }, stop);
    }

private:
    [[nodiscard]] static own_setting first(const weir::quota& q, const options& o, tick now) {
        detail::refuse(refusal(q, o));
        const auto made = own_quota::make(q, o, Clock::hertz());
        return setting_of(pace(now, 0, made->per_tick), made->rate, q);
    }
    [[nodiscard]] word changes_so_far() const {
        const std::lock_guard lock(mutex_);
        return changes_;
    }
    [[nodiscard]] static own_setting setting_of(const pace& p, const gcra<>::rate& r,
                                                const weir::quota& q) noexcept {
        return {p, r, static_cast<word>(q.burst()) << grain_bits};
    }

    published<own_setting> setting_;
    options options_;
    weir::quota quota_;  // by who holds the mutex
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    word changes_ = 0;  // by who holds the mutex
};

template <clock Clock = default_clock, class Observer = unobserved>
class adjustable : public basic_limiter<own_parts<gcra<>, changing_setting<Clock>, Observer>> {
    using base = basic_limiter<own_parts<gcra<>, changing_setting<Clock>, Observer>>;

public:
    static_assert(sizeof(word) == 8, "an adjustable limit needs 64-bit words");

    // Throws `refused` for an invalid quota, or without exceptions prints the reason and ends the
    // program: `refusal` tells it before.
    explicit adjustable(const quota& q, const options& o = {}, instant<Clock> now = Clock::now())
        : base(q, o, now) {
        this->reset(now);
    }

    [[nodiscard]] static quota_error refusal(const quota& q, const options& o = {}) noexcept {
        return changing_setting<Clock>::refusal(q, o);
    }

    // From now on this quota, or from the present one evenly there within `over`; a larger or
    // smaller burst holds at once, and as many units are there as before. Those who wait learn of
    // it. If it is refused nothing has changed. Threads that change the quota wait for each other.
    // A permit from before a larger burst gives nothing back.
    [[nodiscard]] quota_error set_quota(const quota& q, nanoseconds over = {}) {
        return set_quota_at(q, over, [] { return detail::fresh_now<Clock>(); });
    }
    [[nodiscard]] quota_error set_quota(const quota& q, nanoseconds over, instant<Clock> now) {
        return set_quota_at(q, over, [now] { return now; });
    }

    // For `acquire.hpp`: sleeps for `time`, unless `place` does not start at `start` any more,
    // which is place.start(now): then, and when the quota changes or `stop` is requested, it
    // returns at once.
    void nap(nanoseconds time, const typename base::permit_type& place, instant<Clock> start,
             instant<Clock> now, const std::stop_token& stop) {
        this->parts().setting().nap(
            time, [&] { return place.start(now) != start; }, stop);
    }

private:
    template <class Now>
    [[nodiscard]] quota_error set_quota_at(const quota& q, nanoseconds over, Now now) {
        auto& parts = this->parts();
        return parts.setting().set_quota(q, over, now, parts.cell(), parts.ledger());
    }
};

}  // namespace weir

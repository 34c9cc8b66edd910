// adjustable: a limiter whose quota changes while others acquire, at once or evenly over a time
// (a server that has to fill its caches begins with a low quota and turns to its own one). The file
// is long because each operation is here twice, at the clock's time and at a given one.
//
// The cell is a gcra that does not live in the clock's time but in one that counts units, and
// `pace` says how the one runs against the other. So the fill is kept in units whatever the rate
// becomes, a change writes no state that others are about to change, and who waits waits for an
// instant of the limit's own time, wherever a change puts it. Decisions read pace and rate as one
// published value and wait for nobody; hosted because those who change the quota take turns by a
// mutex and tell those who sleep by a condition variable.
//
// A decision reads the clock first and the pace after it: an instant that has gone by is answered
// by the pace that was valid at it or a later one, which begins no earlier than at its change.
//
// If its clock is set back, it denies until the clock is where it was, however long that takes;
// `reset` ends that.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/published.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/refunds.hpp>
#include <weir/cell/scale.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/default.hpp>
#include <weir/limiter/own_time.hpp>
#include <weir/limiter/pace.hpp>
#include <weir/limiter/permit.hpp>
#include <weir/limiter/refunding.hpp>
#include <weir/limiter/timed_decision.hpp>

#ifndef __cpp_lib_jthread
#error "no std::stop_token: with libc++ before 20 compile with -fexperimental-library"
#endif

namespace weir {

template <clock Clock = default_clock, class Observer = unobserved>
class adjustable : public refunding<adjustable<Clock, Observer>, Clock> {
public:
    using cell_type = gcra<>;
    using clock_type = Clock;
    using rate = own_setting;
    using decision_type = timed_decision<paced_decision, Clock>;
    using grant_type = timed_grant<paced_decision, Clock>;
    using permit_type = permit<adjustable>;
    static constexpr bool reserves = true;
    static constexpr bool refunds = true;
    static constexpr bool moves_places = true;  // a permit's start, see `permit`

    static_assert(sizeof(word) == 8, "an adjustable limit needs 64-bit words");

    // Throws `refused` for an invalid quota, or without exceptions prints the reason and ends the
    // program: `refusal` tells it before.
    explicit adjustable(const quota& q, const options& o = {}, tick now = Clock::now())
        : options_(o), quota_(q), setting_(first(q, o, now)) {
        const own_setting s = setting_.load();
        cell_.fill(s.at(now), first_units(s), s.rate);
    }

    // Movable as a limiter is: as long as nobody else uses either of the two. One that was moved
    // from may only be destroyed or assigned to. Permits from before the move give nothing back.
    adjustable(adjustable&& other) noexcept
        : cell_(std::move(other.cell_)),
          options_(other.options_),
          quota_(other.quota_),
          setting_(other.setting_.load()),
          observer_(std::move(other.observer_)) {}
    adjustable&
    operator=(adjustable&& other) noexcept requires std::is_move_assignable_v<Observer> {
        ledger_.begin_reset();
        cell_ = std::move(other.cell_);
        ledger_.end_reset();
        options_ = other.options_;
        quota_ = other.quota_;
        setting_.store(other.setting_.load());
        observer_ = std::move(other.observer_);
        return *this;
    }
    ~adjustable() = default;

    [[nodiscard]] static error refusal(const quota& q, const options& o = {}) noexcept {
        const bool all = o.start == options::whole_burst;
        if (!all && (o.start < 0 || o.start > q.burst())) return error::start_not_in_burst;
        return own_quota::make(q, o, Clock::hertz()).error();
    }

    // From now on this quota, or from the present one evenly there within `over`; a larger or
    // smaller burst holds at once, and as many units are there as before. Those who wait learn of
    // it. If it is refused nothing has changed. Threads that change the quota wait for each other.
    // A permit from before a larger burst gives nothing back.
    [[nodiscard]] error set_quota(const quota& q, nanoseconds over = {}) {
        const std::lock_guard lock(mutex_);
        return turn(q, over, Clock::now());
    }
    [[nodiscard]] error set_quota(const quota& q, nanoseconds over, tick now) {
        const std::lock_guard lock(mutex_);
        return turn(q, over, now);
    }

    // The one that was set last.
    [[nodiscard]] quota limit() const {
        const std::lock_guard lock(mutex_);
        return quota_;
    }

    // These are the limiter's, and say the same. (It is not saved or drained.)
    [[gnu::always_inline]] decision_type try_acquire(word n = 1) noexcept {
        return try_acquire(n, Clock::now());
    }
    [[gnu::always_inline]] decision_type try_acquire(word n, tick now) noexcept {
        const own_setting s = setting_.load();
        return observed(cell_.try_acquire(s.at(now), n, s.rate, observer_), s, now);
    }

    grant_type acquire_up_to(word n) noexcept { return acquire_up_to(n, Clock::now()); }
    grant_type acquire_up_to(word n, tick now) noexcept {
        const own_setting s = setting_.load();
        const auto g = cell_.acquire_up_to(s.at(now), n, s.rate, observer_);
        return {g.units, observed(g.after, s, now)};
    }

    [[gnu::always_inline]] decision_type charge(word n) noexcept { return charge(n, Clock::now()); }
    [[gnu::always_inline]] decision_type charge(word n, tick now) noexcept {
        const own_setting s = setting_.load();
        return observed(cell_.charge(s.at(now), n, s.rate, observer_), s, now);
    }

    [[nodiscard]] permit_type reserve(word n,
                                      nanoseconds max_wait = nanoseconds::longest()) noexcept {
        return reserve(n, max_wait, Clock::now());
    }
    [[nodiscard]] permit_type reserve(word n, nanoseconds max_wait, tick now) noexcept {
        const own_setting s = setting_.load();
        const booked b = book(n, s.template grains_within<Clock>(max_wait, now), now, s);
        const word wait = s.pace.until(now, ticks(b.how.wait, s.rate.shift()));
        return {*this, b.how.verdict, n, now, wait, b.held};
    }

    [[nodiscard, gnu::always_inline]] decision_type peek(word n = 1) const noexcept {
        return peek(n, Clock::now());
    }
    [[nodiscard, gnu::always_inline]] decision_type peek(word n, tick now) const noexcept {
        const own_setting s = setting_.load();
        return paced_decision(cell_.peek(s.at(now), n, s.rate), s.pace, now);
    }

    [[nodiscard]] word debt() const noexcept { return debt(Clock::now()); }
    [[nodiscard]] word debt(tick now) const noexcept {
        const own_setting s = setting_.load();
        return cell_.debt(s.at(now), s.rate);
    }

    void reset() noexcept { reset(Clock::now()); }
    void reset(tick now) noexcept {
        const own_setting s = setting_.load();
        ledger_.begin_reset();
        cell_.fill(s.at(now), first_units(s), s.rate);
        ledger_.end_reset();
    }

    [[nodiscard]] const Observer& observer() const noexcept { return observer_; }
    [[nodiscard]] Observer& observer() noexcept { return observer_; }

    // For `waiting.hpp`: sleeps for `time`, unless `place` does not start at `start` any more,
    // which is place.start(now): then, and when the quota changes or `stop` is requested, it
    // returns at once.
    void nap(nanoseconds time, const permit_type& place, tick start, tick now,
             const std::stop_token& stop) {
        const std::stop_callback wake(stop, [this] {
            const std::lock_guard lock(mutex_);
            changed_.notify_all();
        });
        std::unique_lock lock(mutex_);
        const word seen = changes_;
        if (place.start(now) != start) return;
        (void)changed_.wait_for(lock, std::chrono::nanoseconds(time),
                                [&] { return changes_ != seen || stop.stop_requested(); });
    }

private:
    friend permit_type;
    friend class refunding<adjustable, Clock>;
    template <class...>
    friend class all_of;
    template <class>
    friend class lease;

    using ledger = weir::refunds<word>;
    struct hold {
        word until;
        ledger::mark mark;
        word start;  // in grains
    };
    struct booked {
        step<word> how;
        hold held;
    };

    [[nodiscard]] static own_setting first(const quota& q, const options& o, tick now) {
        detail::refuse(refusal(q, o));
        const auto made = own_quota::make(q, o, Clock::hertz());
        return setting_of(pace(now, 0, made->per_tick), made->rate, q);
    }
    [[nodiscard]] static own_setting setting_of(const pace& p, const gcra<>::rate& r,
                                                const quota& q) noexcept {
        return {p, r, static_cast<word>(q.burst()) << grain_bits};
    }

    [[nodiscard]] error turn(const quota& q, nanoseconds over, tick now) {
        if (over < nanoseconds{}) return error::change_negative;
        const auto wanted = own_quota::make(q, options_, Clock::hertz());
        if (!wanted) return wanted.error();
        const own_setting old = setting_.load();
        const auto turned = old.pace.turned(now, wanted->per_tick, to_ticks<Clock>(over));
        if (!turned) return turned.error();
        const bool larger = q.burst() > quota_.burst();
        // An idle bucket is full, and in a larger one that is no longer all; what has drained would
        // look as if it were still to come, to a refund that is under way too.
        if (larger) {
            ledger_.begin_reset();
            cell_.settle(old.at(now), old.rate);
        }
        setting_.store(setting_of(*turned, wanted->rate, q));
        if (larger) ledger_.end_reset();
        quota_ = q;
        ++changes_;
        changed_.notify_all();
        return error::none;
    }

    [[nodiscard]] word first_units(const own_setting& s) const noexcept {
        const word burst = s.rate.burst();
        const auto asked = static_cast<word>(options_.start);
        return options_.start == options::whole_burst || asked > burst ? burst : asked;
    }

    // As those of a limiter, for all_of and lease: the rate that is valid now, and what is done
    // with it.
    [[nodiscard]] const own_setting* ready(own_setting& own, tick) const noexcept {
        own = setting_.load();
        return &own;
    }
    [[nodiscard]] booked book(word n, word longest, tick now, const own_setting& s) noexcept {
        const auto mark = ledger_.now();
        const auto how = cell_.reserve(s.at(now), n, longest, s.rate, observer_);
        tell(observer_, how.verdict);
        const word start = s.pace.at(now) + ticks(how.wait, s.rate.shift());
        return {how, {how.next, mark, start}};
    }

    // As those of a limiter, for leases.
    [[nodiscard, gnu::always_inline]] bool refuses(word n, tick now) noexcept {
        const own_setting s = setting_.load();
        const weir::verdict v = cell_.peek(s.at(now), n, s.rate).verdict();
        if (v == verdict::admitted) return false;
        tell(observer_, v);
        return true;
    }
    struct lent {
        word units;
        hold held;
    };
    [[nodiscard]] lent lend(word least, word most, tick now, const own_setting& s) noexcept {
        const auto mark = ledger_.now();
        const auto t = cell_.take_up_to(s.at(now), most, least, s.rate, observer_);
        tell(observer_, t.how.verdict);
        return {t.units, {t.how.next, mark, s.pace.at(now)}};
    }
    [[nodiscard]] static word burst(const own_setting& s) noexcept { return s.burst >> grain_bits; }

    [[nodiscard]] tick start_of(const hold& held, tick now) const noexcept {
        return setting_.load().pace.when(held.start, now);
    }

    // The pace is asked after the clock, and both after the state, which no change writes: so this
    // is as if it had been done at that time, by the pace that was valid then.
    template <class Now>
    refunded give_back(const hold& held, word n, bool whole, Now now) noexcept {
        own_setting s = setting_.load();
        const auto at = [&]() noexcept {
            const tick time = now();
            s = setting_.load();
            return s.at(time);
        };
        const word cost = s.rate.cost(n);
        return {ledger_.give_back(cell_, held.mark, held.until, cost, whole, at, s.rate),
                s.rate.cost(1)};
    }

    refunded undo(const hold& held, word n) noexcept {
        const own_setting s = setting_.load();
        return {ledger_.undo(cell_, held.mark, held.until, s.rate.cost(n), s.rate), s.rate.cost(1)};
    }

    template <class Now>
    [[nodiscard]] refunded refundable_of(const hold& held, word n, Now now) const noexcept {
        own_setting s = setting_.load();
        const auto at = [&]() noexcept {
            const tick time = now();
            s = setting_.load();
            return s.at(time);
        };
        const word cost = s.rate.cost(n);
        return {ledger_.refundable(cell_, held.mark, held.until, cost, at, s.rate), s.rate.cost(1)};
    }

    [[gnu::always_inline]] decision_type observed(const decision<word>& d, const own_setting& s,
                                                  tick now) noexcept {
        tell(observer_, d.verdict());
        return paced_decision(d, s.pace, now);
    }

    alignas(cache_line) gcra<> cell_;
    ledger ledger_;

    options options_;
    quota quota_;  // by who holds the mutex
    alignas(cache_line) published<own_setting> setting_;
    [[no_unique_address]] Observer observer_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    word changes_ = 0;  // by who holds the mutex
};

}  // namespace weir

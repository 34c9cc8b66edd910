// adjustable: a limiter whose quota changes while others acquire, at once or evenly over a time
// (a server that has to fill its caches begins with a low quota and turns to its own one).
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
#pragma once

#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <stop_token>
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
#include <weir/limiter/pace.hpp>
#include <weir/limiter/permit.hpp>
#include <weir/limiter/timed_decision.hpp>

namespace weir {

// A decision in the limit's own time, which is turned into the clock's when somebody asks.
class [[nodiscard]] paced_decision {
public:
    using word_type = word;

    constexpr paced_decision(const decision<word>& d, const pace& p, tick now) noexcept
        : decision_(d), pace_(p), now_(now) {}

    [[nodiscard]] constexpr bool admitted() const noexcept { return decision_.admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept { return decision_.verdict(); }
    [[nodiscard]] constexpr word remaining() const noexcept { return decision_.remaining(); }
    // In ticks of the clock, if the quota stays as it is and nothing more comes.
    [[nodiscard]] constexpr word reset_after() const noexcept {
        return pace_.until(now_, decision_.reset_after());
    }
    [[nodiscard]] constexpr word retry_after() const noexcept {
        return verdict() == verdict::never ? largest<word>
                                           : pace_.until(now_, decision_.retry_after());
    }

private:
    decision<word> decision_;
    pace pace_;
    tick now_;
};

template <clock Clock = default_clock, class Observer = unobserved>
class adjustable {
    // What decisions read. The cell's time is the pace's less the burst: so a bucket that becomes
    // larger or smaller holds as many units as before.
    struct setting {
        weir::pace pace;
        gcra<>::rate rate;
        word burst;  // in grains

        [[nodiscard, gnu::always_inline]] tick at(tick now) const noexcept {
            return {pace.at(now) - burst};
        }
    };

public:
    using cell_type = gcra<>;
    using clock_type = Clock;
    using rate = setting;
    using decision_type = timed_decision<paced_decision, Clock>;
    using grant_type = timed_grant<paced_decision, Clock>;
    using permit_type = permit<adjustable>;
    static constexpr bool reserves = true;
    static constexpr bool refunds = true;
    static constexpr bool moves_places = true;  // a permit's start, see `permit`

    static_assert(sizeof(word) == 8, "an adjustable limit needs 64-bit words");

    // Throws `refused` for an invalid quota; where exceptions are off it then admits nothing, and
    // `check` tells why.
    explicit adjustable(const quota& q, const options& o = {}, tick now = Clock::now())
        : grain_bits_(grain_bits_for(q)),
          options_(o),
          quota_(q),
          setting_(first(q, o, grain_bits_, now)) {
        const setting s = setting_.load();
        cell_.fill(s.at(now), first_units(s), s.rate);
        detail::refuse(check(q, o));
    }
    adjustable(const adjustable&) = delete;
    adjustable& operator=(const adjustable&) = delete;
    ~adjustable() = default;

    [[nodiscard]] static error check(const quota& q, const options& o = {}) noexcept {
        const bool all = o.start == options::whole_burst;
        if (!all && (o.start < 0 || o.start > q.burst())) return error::start_not_in_burst;
        return made(q, o, grain_bits_for(q)).error();
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

    // These are the limiter's, and say the same.
    [[gnu::always_inline]] decision_type try_acquire(word n = 1) noexcept {
        return try_acquire(n, Clock::now());
    }
    [[gnu::always_inline]] decision_type try_acquire(word n, tick now) noexcept {
        const setting s = setting_.load();
        return observed(cell_.try_acquire(s.at(now), n, s.rate, observer_), s, now);
    }

    grant_type acquire_up_to(word n) noexcept { return acquire_up_to(n, Clock::now()); }
    grant_type acquire_up_to(word n, tick now) noexcept {
        const setting s = setting_.load();
        const auto g = cell_.acquire_up_to(s.at(now), n, s.rate, observer_);
        return {g.units, observed(g.after, s, now)};
    }

    [[gnu::always_inline]] decision_type charge(word n) noexcept { return charge(n, Clock::now()); }
    [[gnu::always_inline]] decision_type charge(word n, tick now) noexcept {
        const setting s = setting_.load();
        return observed(cell_.charge(s.at(now), n, s.rate, observer_), s, now);
    }

    [[nodiscard]] permit_type reserve(word n,
                                      nanoseconds max_wait = nanoseconds::longest()) noexcept {
        return reserve(n, max_wait, Clock::now());
    }
    [[nodiscard]] permit_type reserve(word n, nanoseconds max_wait, tick now) noexcept {
        const setting s = setting_.load();
        const booked b = book(n, grains_within(s, max_wait, now), now, s);
        const word wait = s.pace.until(now, ticks(b.how.wait, s.rate.shift()));
        return {*this, b.how.verdict, n, now, wait, b.held};
    }

    bool refund(permit_type&& p, word unused = largest<word>) noexcept {
        const permit_type mine = std::move(p);
        if (mine.owner_ != this) return false;
        const word n = unused < mine.units_ ? unused : mine.units_;
        return n != 0 && give_back(mine.held_, n, n == mine.units_);
    }
    bool refund(permit_type&& p, word unused, tick now) noexcept {
        const permit_type mine = std::move(p);
        if (mine.owner_ != this) return false;
        const word n = unused < mine.units_ ? unused : mine.units_;
        return n != 0 && give_back(mine.held_, n, n == mine.units_, [=]() noexcept { return now; });
    }

    [[nodiscard, gnu::always_inline]] decision_type peek(word n = 1) const noexcept {
        return peek(n, Clock::now());
    }
    [[nodiscard, gnu::always_inline]] decision_type peek(word n, tick now) const noexcept {
        const setting s = setting_.load();
        return paced_decision(cell_.peek(s.at(now), n, s.rate), s.pace, now);
    }

    void reset() noexcept { reset(Clock::now()); }
    void reset(tick now) noexcept {
        const setting s = setting_.load();
        ledger_.begin_reset();
        cell_.fill(s.at(now), first_units(s), s.rate);
        ledger_.end_reset();
    }

    [[nodiscard]] const Observer& observer() const noexcept { return observer_; }

    // Sleeps for `time`, unless `place` does not start at `start` any more: then, and when the
    // quota changes or `stop` is requested, it returns at once.
    void nap(nanoseconds time, const permit_type& place, tick start, const std::stop_token& stop) {
        const std::stop_callback wake(stop, [this] {
            const std::lock_guard lock(mutex_);
            changed_.notify_all();
        });
        std::unique_lock lock(mutex_);
        const word seen = changes_;
        if (place.start() != start) return;
        (void)changed_.wait_for(lock, std::chrono::nanoseconds(time),
                                [&] { return changes_ != seen || stop.stop_requested(); });
    }

private:
    friend permit_type;
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

    // As many as tell instants of a nanosecond apart, as far as that leaves range for higher rates.
    [[nodiscard]] static unsigned grain_bits_for(const quota& q) noexcept {
        const auto seconds =
            static_cast<std::uint64_t>(q.period().count()) / nanoseconds::per_second;
        const auto rate = static_cast<std::uint64_t>(q.units()) / (seconds == 0 ? 1 : seconds);
        const auto bits = static_cast<unsigned>(std::bit_width(rate));
        return bits > most_grain_bits - least_grain_bits ? least_grain_bits
                                                         : most_grain_bits - bits;
    }

    // What a quota is in this limit's own time, where a unit takes a microsecond of 2^grain_bits
    // ticks. Guard and waiting are given in the clock's time, and become what comes in that time.
    struct made_of {
        gcra<>::rate rate;
        speed per_tick;
    };
    [[nodiscard]] static result<made_of> made(const quota& q, const options& o,
                                              unsigned grain_bits) noexcept {
        const auto per_tick = speed::of(q, Clock::hertz(), grain_bits);
        if (!per_tick) return per_tick.error();
        const word most = (largest<word> >> 13) >> grain_bits;  // see options.guard
        const word hour = units_within(q, seconds(3600));
        const word usual = hour < most ? hour : most;
        options own = o;
        own.start = options::whole_burst;
        const bool by_word = o.guard == options::by_word;
        if (by_word || o.guard >= nanoseconds{}) {
            own.guard = nanoseconds(
                per_unit * static_cast<std::int64_t>(by_word ? usual : units_within(q, o.guard)));
        }
        if (o.waiting == options::by_guard) own.waiting = static_cast<std::int64_t>(usual);
        const auto of_its_own = quota::make(1, nanoseconds(per_unit), q.burst());
        const std::uint64_t hertz = std::uint64_t{nanoseconds::per_second / per_unit} << grain_bits;
        const auto rate = gcra<>::rate::make(*of_its_own, hertz, own);
        if (!rate) return rate.error();
        return made_of{*rate, *per_tick};
    }

    // Rounded up; what is too many is as many as can be expressed.
    [[nodiscard]] static word units_within(const quota& q, nanoseconds time) noexcept {
        const wide units = divide_up(multiply(static_cast<std::uint64_t>(time.count()),
                                              static_cast<std::uint64_t>(q.units())),
                                     {0, static_cast<std::uint64_t>(q.period().count())});
        constexpr std::uint64_t most = INT64_MAX / per_unit;
        return units.fits(most) ? units.low : most;
    }

    [[nodiscard]] static setting first(const quota& q, const options& o, unsigned grain_bits,
                                       tick now) noexcept {
        const auto s = made(q, o, grain_bits);
        if (!s) return {pace(now, 0, {1, 63}), gcra<>::rate::closed(), 0};
        return setting_of(pace(now, 0, s->per_tick), s->rate, q, grain_bits);
    }
    [[nodiscard]] static setting setting_of(const pace& p, const gcra<>::rate& r, const quota& q,
                                            unsigned grain_bits) noexcept {
        return {p, r, static_cast<word>(q.burst()) << grain_bits};
    }

    [[nodiscard]] error turn(const quota& q, nanoseconds over, tick now) {
        if (over < nanoseconds{}) return error::change_negative;
        const auto wanted = made(q, options_, grain_bits_);
        if (!wanted) return wanted.error();
        const setting old = setting_.load();
        const auto turned = old.pace.turned(now, wanted->per_tick, to_ticks<Clock>(over));
        if (!turned) return turned.error();
        const bool larger = q.burst() > quota_.burst();
        // An idle bucket is full, and in a larger one that is no longer all; what has drained would
        // look as if it were still to come.
        if (larger) {
            ledger_.begin_reset();
            cell_.settle(old.at(now), old.rate);
        }
        setting_.store(setting_of(*turned, wanted->rate, q, grain_bits_));
        if (larger) ledger_.end_reset();
        quota_ = q;
        ++changes_;
        changed_.notify_all();
        return error::none;
    }

    [[nodiscard]] word first_units(const setting& s) const noexcept {
        const word burst = s.rate.burst();
        const auto asked = static_cast<word>(options_.start);
        return options_.start == options::whole_burst || asked > burst ? burst : asked;
    }

    // What comes by then, but no more than may wait.
    [[nodiscard]] static word grains_within(const setting& s, nanoseconds time, tick now) noexcept {
        const word most = s.rate.longest() >> s.rate.shift();
        const word all = s.pace.until(now, most);
        if (time == nanoseconds::longest()) return most;
        const std::uint64_t up = to_ticks<Clock>(time);
        const std::uint64_t down = up == 0 || to_time<Clock>(up) <= time ? up : up - 1;
        return down >= all ? most : s.pace.at({now.count + down}) - s.pace.at(now);
    }

    // As those of a limiter, for all_of and lease: the rate that is valid now, and what is done
    // with it.
    [[nodiscard]] const setting* ready(setting& own, tick) const noexcept {
        own = setting_.load();
        return &own;
    }
    [[nodiscard]] booked book(word n, word longest, tick now, const setting& s) noexcept {
        const auto mark = ledger_.now();
        const auto how = cell_.reserve(s.at(now), n, longest, s.rate, observer_);
        observe(how.verdict);
        const word start = s.pace.at(now) + ticks(how.wait, s.rate.shift());
        return {how, {how.next, mark, start}};
    }

    [[nodiscard]] tick start_of(const hold& held) const noexcept {
        return setting_.load().pace.when(held.start);
    }

    // The pace is asked after the clock, and both after the state, which no change writes: so this
    // is as if it had been done at that time, by the pace that was valid then.
    template <class Now>
    bool give_back(const hold& held, word n, bool whole, Now now) noexcept {
        setting s = setting_.load();
        const auto at = [&]() noexcept {
            const tick time = now();
            s = setting_.load();
            return s.at(time);
        };
        return ledger_.give_back(cell_, held.mark, held.until, s.rate.cost(n), whole, at, s.rate);
    }
    bool give_back(const hold& held, word n, bool whole) noexcept {
        return give_back(held, n, whole, []() noexcept {
            order_clock();
            return Clock::now();
        });
    }
    [[gnu::noinline, gnu::cold]] void take_back(hold held, word n) noexcept {
        (void)give_back(held, n, true);
    }
    [[gnu::noinline, gnu::cold]] void take_back(hold held, word n, tick now) noexcept {
        (void)give_back(held, n, true, [=]() noexcept { return now; });
    }

    [[gnu::always_inline]] void observe(verdict v) noexcept {
        switch (v) {
            case verdict::admitted: observer_.on_admitted(); break;
            case verdict::wait: observer_.on_denied(); break;
            case verdict::never: observer_.on_never(); break;
        }
    }
    [[gnu::always_inline]] decision_type observed(const decision<word>& d, const setting& s,
                                                  tick now) noexcept {
        observe(d.verdict());
        return paced_decision(d, s.pace, now);
    }

    static constexpr std::int64_t per_unit = 1'000;  // nanoseconds of its own time
    static constexpr unsigned least_grain_bits = 10;
    static constexpr unsigned most_grain_bits = 20;

    alignas(cache_line) gcra<> cell_;
    ledger ledger_;

    unsigned grain_bits_;
    options options_;
    quota quota_;  // by who holds the mutex
    alignas(cache_line) published<setting> setting_;
    [[no_unique_address]] Observer observer_;

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    word changes_ = 0;  // by who holds the mutex
};

}  // namespace weir

// limiter: a cell with its quota and a clock; what most users want and nothing else. This file is
// long because each operation is here twice, at the clock's time and at a given one.
//
// Everything may be called from any number of threads, without locks. The cell's word lies on one
// cache line and what decisions read lies on another, so an admission on one core does not take
// the rate away from the others (bench/layout measures both ways).
//
// A limiter becomes ready with its first decision, at the time of that decision: the compiler,
// which constructs it if it is `constinit`, knows neither the clock's frequency nor the time, and a
// time that is given may count from anywhere. `ready` loads the phase with acquire, paired with the
// release in `get_ready`, after which the rate never changes. Threads that come first together each
// compute the same rate and use their own copy of it until one of them has published it, so nobody
// waits; until then each decision costs some microseconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/end_program.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/refunds.hpp>
#include <weir/cell/scale.hpp>
#include <weir/clock/clock.hpp>
#if __STDC_HOSTED__
#include <weir/cell/gcra.hpp>
#include <weir/clock/default.hpp>
#endif
#include <weir/limiter/permit.hpp>
#include <weir/limiter/refunding.hpp>
#include <weir/limiter/timed_decision.hpp>

namespace weir {

// How far a limit is spent, free of clock and machine; for a limiter of the same kind and quota.
struct snapshot {
    std::int64_t units;
    nanoseconds time;

    friend constexpr bool operator==(snapshot, snapshot) = default;
};

#if __STDC_HOSTED__
template <cell Cell = gcra<>, clock Clock = default_clock, class Observer = unobserved>
#else
template <cell Cell, clock Clock, class Observer = unobserved>
#endif
class limiter : public refunding<limiter<Cell, Clock, Observer>, Clock> {
public:
    using cell_type = Cell;
    using clock_type = Clock;
    using rate = typename Cell::rate;
    using decision_type = timed_decision<typename Cell::decision_type, Clock>;
    using grant_type = timed_grant<typename Cell::decision_type, Clock>;
    using permit_type = permit<limiter>;
    static constexpr bool reserves = requires(Cell c, const rate r) { c.reserve({}, 1, 1, r); };
    static constexpr bool refunds = requires(const rate r) { r.refundable(1, {}, 1, 1); };

    // A quota that this limiter cannot hold does not compile in a constant (`constinit`), and one
    // that compiles works at every frequency that the clock may have. At run time the quota is
    // checked for the frequency that the clock has: if it cannot be held, this throws `refused`, or
    // without exceptions prints the reason and ends the program.
    constexpr explicit limiter(const quota& q, const options& o = {}) : limiter(unchecked{}, q, o) {
        error reason = refusal(q, o);  // not const: that would make it a constant expression
        if (reason != error::none) detail::refuse(reason);
    }

    // The same with an error value.
    [[nodiscard]] static result<limiter> make(const quota& q, const options& o = {}) noexcept {
        const auto checked = Cell::rate::make(q, Clock::hertz(), o);
        if (!checked) return checked.error();
        return limiter(unchecked{}, q, o);
    }

    // Both for a cell whose memory is somewhere else, such as a log in given places.
    constexpr limiter(Cell&& cell, const quota& q, const options& o = {})
        : limiter(make(std::move(cell), q, o).value()) {}
    [[nodiscard]] static result<limiter> make(Cell&& cell, const quota& q,
                                              const options& o = {}) noexcept {
        const auto checked = Cell::rate::make(q, Clock::hertz(), o);
        if (!checked) return checked.error();
        if (cell.places() < static_cast<std::uint64_t>(q.units())) return error::log_too_small;
        return limiter(unchecked{}, std::move(cell), q, o);
    }

    // Movable as long as nobody else uses either of the two. One that was moved from may only be
    // destroyed or assigned to. Permits from before the move give nothing back.
    limiter(limiter&& other) noexcept
        : cell_(std::move(other.cell_)),
          phase_(other.phase_.load_relaxed()),
          rate_(other.rate_),
          observer_(std::move(other.observer_)),
          quota_(other.quota_),
          options_(other.options_) {}
    limiter& operator=(limiter&& other) noexcept requires std::is_move_assignable_v<Observer> {
        ledger_.begin_reset();
        cell_ = std::move(other.cell_);
        ledger_.end_reset();
        phase_.store_relaxed(other.phase_.load_relaxed());
        rate_ = other.rate_;
        observer_ = std::move(other.observer_);
        quota_ = other.quota_;
        options_ = other.options_;
        return *this;
    }
    ~limiter() = default;

    // All n units now, or none. n = 0 only looks.
    [[gnu::always_inline]] decision_type try_acquire(word n = 1) noexcept {
        return try_acquire(n, Clock::now());
    }
    [[gnu::always_inline]] decision_type try_acquire(word n, tick now) noexcept {
        rate own;
        return observed(cell_.try_acquire(now, units(n), *ready(own, now), observer_));
    }

    // As many as there are now, up to n; charges only those.
    grant_type acquire_up_to(word n) noexcept { return acquire_up_to(n, Clock::now()); }
    grant_type acquire_up_to(word n, tick now) noexcept {
        rate own;
        const auto g = cell_.acquire_up_to(now, units(n), *ready(own, now), observer_);
        return {g.units, observed(g.after)};
    }

    // Takes n units although they may not be there, for costs that are known only afterwards. What
    // follows waits until the debt is paid. Refused, and nothing changed, beyond the debt allowed.
    [[gnu::always_inline]] decision_type charge(word n) noexcept { return charge(n, Clock::now()); }
    [[gnu::always_inline]] decision_type charge(word n, tick now) noexcept {
        rate own;
        return observed(cell_.charge(now, units(n), *ready(own, now), observer_));
    }

    // All n units for as soon as they conform, in the order of the calls. Never waits: the permit
    // says when it starts, and if that were later than `max_wait` (or the options' `waiting`) from
    // now it is refused and says how long it would have had to wait.
    [[nodiscard]] permit_type
    reserve(word n, nanoseconds max_wait = nanoseconds::longest()) noexcept requires reserves {
        return reserve(n, max_wait, Clock::now());
    }
    [[nodiscard]] permit_type reserve(word n, nanoseconds max_wait,
                                      tick now) noexcept requires reserves {
        rate own;
        const rate& r = *ready(own, now);
        const booked b = book(n, whole_ticks(max_wait), now, r);
        return {*this, b.how.verdict, n, now, ticks(b.how.wait, r.shift()), b.held};
    }

    // What try_acquire would answer. It is not counted, and takes nothing. If it is the first that
    // the limiter is asked, the limiter begins to fill now: see `options::start`.
    [[nodiscard, gnu::always_inline]] decision_type peek(word n = 1) const noexcept {
        return peek(n, Clock::now());
    }
    [[nodiscard, gnu::always_inline]] decision_type peek(word n, tick now) const noexcept {
        rate own;
        return cell_.peek(now, units(n), *ready(own, now));
    }

    // Units that were taken beyond the burst, by a charge or by reservations that wait, and are not
    // paid for yet; one that is paid for in part counts. A time that is late sees a larger debt.
    [[nodiscard]] word debt() const noexcept { return debt(Clock::now()); }
    [[nodiscard]] word debt(tick now) const noexcept {
        rate own;
        return static_cast<word>(cell_.debt(now, *ready(own, now)));
    }

    // As at the beginning: with the units that it started with.
    void reset() noexcept { reset(Clock::now()); }
    void reset(tick now) noexcept {
        rate own;
        const rate& r = *ready(own, now);
        ledger_.begin_reset();
        cell_.fill(now, first_units(), r);
        ledger_.end_reset();
    }

    // Takes all that is there and says how much that was.
    word drain() noexcept { return drain(Clock::now()); }
    word drain(tick now) noexcept {
        rate own;
        const rate& r = *ready(own, now);
        return cell_.acquire_up_to(now, r.burst(), r).units;
    }

    // To carry a limit's state over a restart or into another process. A state that takes 292 years
    // or more to pass is restored as the one that takes longest: that may be stricter, never laxer.
    [[nodiscard]] snapshot save() const noexcept { return save(Clock::now()); }
    [[nodiscard]] snapshot save(tick now) const noexcept {
        rate own;
        const auto state = cell_.state(now, *ready(own, now));
        return {static_cast<std::int64_t>(state.units), to_time<Clock>(state.ticks)};
    }

    // Puts a saved state in place of the present one, as if no time had passed in between. False,
    // and nothing changed, if a limiter of this quota cannot be in that state.
    [[nodiscard]] bool restore(const snapshot& saved) noexcept {
        return restore(saved, Clock::now());
    }
    [[nodiscard]] bool restore(const snapshot& saved, tick now) noexcept {
        using word_type = typename Cell::word_type;
        rate own;
        const rate& r = *ready(own, now);
        if (saved.units < 0 || saved.time < nanoseconds{}) return false;
        const auto most = r.most_state();
        std::uint64_t ticks = to_ticks<Clock>(saved.time);
        // 292 years, or more: what cannot be told is the longest time that there can be.
        if (saved.time == nanoseconds::longest() && ticks < most.ticks) ticks = most.ticks;
        // By the clock of another machine the same units take up to 1 % longer.
        const std::uint64_t longer = most.ticks / 100 + to_ticks<Clock>(nanoseconds(1));
        if (ticks > most.ticks && ticks - most.ticks <= longer) ticks = most.ticks;
        if (static_cast<std::uint64_t>(saved.units) > most.units || ticks > most.ticks)
            return false;
        ledger_.begin_reset();
        const bool restored = cell_.restore(
            now, {static_cast<word_type>(saved.units), static_cast<word_type>(ticks)}, r);
        ledger_.end_reset();
        return restored;
    }

    [[nodiscard]] const quota& limit() const noexcept { return quota_; }
    [[nodiscard]] const Observer& observer() const noexcept { return observer_; }
    [[nodiscard]] Observer& observer() noexcept { return observer_; }

    // What the cell alone can be asked, such as a leaky bucket's level.
    [[nodiscard]] word level() const noexcept requires requires(const Cell c, const rate r) {
        c.level(tick{}, r);
    }
    { return level(Clock::now()); }
    [[nodiscard]] word level(tick now) const noexcept requires
        requires(const Cell c, const rate r) {
        c.level(tick{}, r);
    }
    {
        rate own;
        return cell_.level(now, *ready(own, now));
    }

private:
    friend permit_type;
    friend class refunding<limiter, Clock>;
    template <class...>
    friend class all_of;
    template <class>
    friend class lease;

    // Cells that do not refund need no ledger.
    struct no_ledger {
        struct mark {};
        [[nodiscard]] static mark now() noexcept { return {}; }
        static void begin_reset() noexcept {}
        static void end_reset() noexcept {}
    };
    using ledger = std::conditional_t<refunds, weir::refunds<typename Cell::word_type>, no_ledger>;

    struct unchecked {};
    // Microcontrollers have no lines to keep apart, and little memory.
    static constexpr std::size_t line = sizeof(word) == 8 ? cache_line : alignof(rate);
    enum class phase : std::uint8_t { fresh, getting_ready, ready };

    constexpr limiter(unchecked, const quota& q, const options& o) noexcept
        : quota_(q), options_(o) {}
    limiter(unchecked, Cell&& cell, const quota& q, const options& o) noexcept
        : cell_(std::move(cell)), quota_(q), options_(o) {}

    // More than the cell's word can count is more than any burst.
    [[nodiscard]] static constexpr typename Cell::word_type units(word n) noexcept {
        using word_type = typename Cell::word_type;
        return n > largest<word_type> ? largest<word_type> : static_cast<word_type>(n);
    }

    [[nodiscard]] constexpr typename Cell::word_type first_units() const noexcept {
        const bool all = options_.start == options::whole_burst;
        return static_cast<typename Cell::word_type>(all ? quota_.burst() : options_.start);
    }

    // The compiler does not know the clock's frequency, only its bounds. So what compiles works
    // with each frequency within them; what is constructed at run time, with the one that was
    // found.
    [[nodiscard]] static constexpr error refusal(const quota& q, const options& o) noexcept {
        if (!std::is_constant_evaluated()) return Cell::rate::make(q, Clock::hertz(), o).error();
        return weir::refusal<rate>(q, {Clock::lowest_hertz, Clock::highest_hertz}, o);
    }

    // The rate, or the first time a copy of it in `own`.
    [[nodiscard, gnu::always_inline]] const rate* ready(rate& own, tick now) const noexcept {
        if (phase_.load_acquire() == phase::ready) [[likely]]
            return &rate_;
        get_ready(own, now);
        return &own;
    }

    // Const because `peek` may come first. A limiter that starts full behaves as if it had always
    // been ready; one that starts with fewer units begins to fill here.
    [[gnu::noinline, gnu::cold]] void get_ready(rate& own, tick now) const noexcept {
        const auto made = Cell::rate::make(quota_, Clock::hertz(), options_);
        // Only a clock that is not within its own bounds, or is no longer as it was measured first.
        if (!made) [[unlikely]] {
            detail::end_program("a limiter cannot count in the frequency that its clock has",
                                describe(made.error()));
        }
        own = *made;
        cell_.start(now, first_units(), own);
        phase expected = phase::fresh;
        if (phase_.try_exchange_relaxed(expected, phase::getting_ready)) {
            rate_ = own;
            phase_.store_release(phase::ready);  // pairs with the load in `ready`
        }
    }

    [[nodiscard]] static typename Cell::word_type whole_ticks(nanoseconds time) noexcept {
        using word_type = typename Cell::word_type;
        if (time == nanoseconds::longest()) return largest<word_type>;
        const std::uint64_t ticks = to_whole_ticks<Clock>(time);
        return ticks > largest<word_type> ? largest<word_type> : static_cast<word_type>(ticks);
    }

    // What a refund has to know.
    struct hold {
        typename Cell::word_type until;
        typename ledger::mark mark;
    };
    struct booked {
        step<typename Cell::word_type> how;
        hold held;
    };

    [[gnu::always_inline]] booked book(word n, typename Cell::word_type longest, tick now,
                                       const rate& r) noexcept {
        const auto mark = ledger_.now();
        const auto s = cell_.reserve(now, units(n), longest, r, observer_);
        tell(observer_, s.verdict);
        return {s, {s.next, mark}};
    }

    // For leases: whether n units are refused, which counts as a decision; not before there has
    // been one. And up to `most` units, or none if there are fewer than `least`.
    [[nodiscard, gnu::always_inline]] bool refuses(word n, tick now) noexcept {
        if (phase_.load_acquire() != phase::ready) return false;
        const weir::verdict v = cell_.peek(now, units(n), rate_).verdict();
        if (v == verdict::admitted) return false;
        tell(observer_, v);
        return true;
    }
    struct lent {
        word units;
        hold held;
    };
    [[gnu::always_inline]] lent lend(word least, word most, tick now, const rate& r) noexcept {
        const auto mark = ledger_.now();
        const auto t = cell_.take_up_to(now, units(most), units(least), r, observer_);
        tell(observer_, t.how.verdict);
        return {t.units, {t.how.next, mark}};
    }
    [[nodiscard]] word burst(const rate&) const noexcept {
        return static_cast<word>(quota_.burst());
    }

    template <class Now>
    refunded give_back(const hold& held, word n, bool whole, Now now) noexcept {
        if constexpr (refunds) {
            rate own;
            const rate& r = *ready(own, {});  // who holds something has been here before
            const auto cost = r.cost(units(n));
            return {ledger_.give_back(cell_, held.mark, held.until, cost, whole, now, r),
                    r.cost(1)};
        }
        return {};
    }
    refunded undo(const hold& held, word n) noexcept requires refunds {
        rate own;
        const rate& r = *ready(own, {});
        return {ledger_.undo(cell_, held.mark, held.until, r.cost(units(n)), r), r.cost(1)};
    }
    template <class Now>
    [[nodiscard]] refunded refundable_of(const hold& held, word n, Now now) const noexcept {
        if constexpr (refunds) {
            rate own;
            const rate& r = *ready(own, {});
            const auto cost = r.cost(units(n));
            return {ledger_.refundable(cell_, held.mark, held.until, cost, now, r), r.cost(1)};
        }
        return {};
    }

    [[gnu::always_inline]] decision_type observed(const typename Cell::decision_type& d) noexcept {
        tell(observer_, d.verdict());
        return d;
    }

    alignas(line) alignas(Cell) mutable Cell cell_;
    [[no_unique_address]] ledger ledger_;

    alignas(line) mutable atomic<phase> phase_{phase::fresh};
    mutable rate rate_{};
    [[no_unique_address]] Observer observer_;

    quota quota_;  // asked for at the beginning only
    options options_;
};

}  // namespace weir

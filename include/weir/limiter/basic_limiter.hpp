// SPDX-License-Identifier: MIT
// basic_limiter: a cell, the setting that says at which rate it works, and an observer; all that
// can be asked of a limit with one cell, said once. `limiter` has a setting that never changes, and
// `adjustable` one that changes while others acquire. It is long because each operation is here
// twice, at the clock's time and at a given one.
//
// Its parts are its own (`own_parts`), or those of one entry of an array: a cell, its setting, the
// ledger of its refunds and an observer. Everything may be called from any number of threads,
// without locks.
//
// A setting is read once for each decision, as the value that is in force then:
//
//     rate()                   of the cell
//     at(now)                  the cell's time; the clock's own, or one that counts units
//     answer(decision, now)    the cell's decision in ticks of the clock
//     within(time, now)        how much waiting that is for the cell
//     until(wait, now)         how many ticks such a wait takes
//     place_at(wait, now)      what a permit keeps to tell when it starts
//     first_units(setting)     as many are there at the beginning
//     burst(setting)           in units
//     renew(setting)           reads the setting again, for a refund
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/refund_ledger.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/own_parts.hpp>
#include <weir/limiter/permit.hpp>
#include <weir/limiter/remaining_answer.hpp>
#include <weir/limiter/timed_decision.hpp>
#include <weir/limiter/window_anchor.hpp>

namespace weir {

// How far a limit is spent, free of clock and machine; for a limiter of the same kind and quota.
struct snapshot {
    std::int64_t units;
    nanoseconds time;

    friend constexpr bool operator==(snapshot, snapshot) = default;
};

template <class Parts>
class basic_limiter {
public:
    using cell_type = typename Parts::cell_type;

private:
    using setting_type = typename Parts::setting_type;
    using observer_type = typename Parts::observer_type;
    static_assert(hears_decisions<observer_type>,
                  "an observer has every function of weir::unobserved: see cell/observer.hpp");

    using in_force = typename setting_type::in_force;
    using cell_word = typename cell_type::word_type;
    using clock = typename setting_type::clock_type;
    static constexpr bool reserves = reserving_cell<cell_type>;
    static constexpr bool gives_back = !std::is_same_v<typename Parts::ledger_type, no_ledger>;
    static constexpr bool has_level =
        requires(const cell_type c, const typename cell_type::rate r) {
        c.level({}, r);
    };
    static constexpr bool has_anchor = requires(Parts p, const in_force& s) {
        p.setting().set_anchor(tick{}, s);
    };

public:
    using rate = typename cell_type::rate;
    using clock_type = clock;
    using instant = weir::instant<clock>;
    using decision_type = timed_decision<typename setting_type::decision_type, clock>;
    using grant_type = grant<decision_type>;
    using permit_type = permit<basic_limiter>;
    using remaining_type = remaining_answer<decision_type>;
    static constexpr bool moves_places = setting_type::changes;  // when a permit starts, see there

    // All n units now, or none. n = 0 only looks.
    [[gnu::always_inline]] decision_type try_acquire(unit_count n = 1) noexcept {
        return try_acquire(n, clock::now());
    }
    [[gnu::always_inline]] decision_type try_acquire(unit_count n, instant now) noexcept {
        const in_force s = in_force_at(now);
        return told(parts_.cell().try_acquire(s.at(now), units(n), s.rate(), parts_.observer()), n,
                    s, now);
    }

    // As many as there are now, up to n; charges only those.
    grant_type acquire_up_to(unit_count n) noexcept { return acquire_up_to(n, clock::now()); }
    grant_type acquire_up_to(unit_count n, instant now) noexcept {
        const in_force s = in_force_at(now);
        const auto g =
            parts_.cell().acquire_up_to(s.at(now), units(n), s.rate(), parts_.observer());
        return {g.units, told(g.after, g.units, s, now)};
    }

    // Takes n units although they may not be there, for costs that are known only afterwards. What
    // follows waits until the debt is paid. Refused, and nothing changed, beyond the debt allowed.
    [[gnu::always_inline]] decision_type charge(unit_count n) noexcept {
        return charge(n, clock::now());
    }
    [[gnu::always_inline]] decision_type charge(unit_count n, instant now) noexcept {
        const in_force s = in_force_at(now);
        return told(parts_.cell().charge(s.at(now), units(n), s.rate(), parts_.observer()), n, s,
                    now);
    }

    // All n units for as soon as they conform, in the order of the calls. Never waits: the permit
    // says when it starts, and if that were later than `max_wait` (or the options' `queue`) from
    // now it is refused and says how long it would have had to wait.
    [[nodiscard]] permit_type
    reserve(unit_count n,
            nanoseconds max_wait = nanoseconds::longest()) noexcept requires reserves {
        return reserve(n, max_wait, clock::now());
    }
    [[nodiscard, gnu::always_inline]] permit_type reserve(unit_count n, nanoseconds max_wait,
                                                          instant now) noexcept requires reserves {
        const in_force s = in_force_at(now);
        const auto mark = parts_.ledger().now();
        const auto how = parts_.cell().reserve(s.at(now), units(n), s.within(max_wait, now),
                                               s.rate(), parts_.observer());
        tell(parts_.observer(), how.verdict, n);
        return granted(n, how, mark, s, now);
    }

    // From `least` to `most` units now, or none if there are fewer than `least`: for `lease`. A
    // `least` above `most` is refused as what never passes. If the cell cannot reserve, a refused
    // permit does not say how long to wait.
    [[nodiscard, gnu::always_inline]] permit_type take(unit_count least, unit_count most,
                                                       instant now) noexcept {
        const in_force s = in_force_at(now);
        const auto mark = parts_.ledger().now();
        const auto t = parts_.cell().take_up_to(s.at(now), units(most), units(least), s.rate(),
                                                parts_.observer());
        tell(parts_.observer(), t.how.verdict, t.units);
        return granted(t.units, t.how, mark, s, now);
    }

    // Gives back the units of a permit that were not used, all of them by default, and says how
    // much went back. Only what is still to come goes back: what lies in the past has drained.
    // While others wait, or until a debt is paid, only the permit that was taken last can give
    // back, as those who wait have been told when they start. A permit from before a reset gives
    // nothing back, nor does one that was given back before, nor any where the cell cannot tell
    // what has drained. A permit of another limit is left as it is. A time that is given must not
    // be late.
    refunded refund(permit_type&& p, unit_count unused = largest<word>) noexcept {
        return refund_at(std::move(p), unused, present{});
    }
    refunded refund(permit_type&& p, unit_count unused, instant now) noexcept {
        return refund_at(std::move(p), unused, given{now});
    }

    // Gives a whole permit back as if it had never been, or nothing if anything has come after it.
    // It needs no time, so it is safe where the time that the permit was taken at may be late.
    refunded undo(permit_type&& p) noexcept requires gives_back {
        if (p.owner_ != owner()) return {};
        const permit_type mine = std::move(p);
        if (is_former(mine)) return {};
        const in_force s = in_force_at(instant(0));
        const rate& r = s.rate();
        const auto cost = r.cost(units(mine.units_));
        return {
            parts_.ledger().undo(parts_.cell(), mine.receipt_.mark, mine.receipt_.until, cost, r),
            r.cost(1)};
    }

    // How much of a permit a refund would give back now. Changes nothing.
    [[nodiscard]] refunded refundable(const permit_type& p,
                                      unit_count unused = largest<word>) const noexcept {
        return refundable_at(p, unused, present{});
    }
    [[nodiscard]] refunded refundable(const permit_type& p, unit_count unused,
                                      instant now) const noexcept {
        return refundable_at(p, unused, given{now});
    }

    // What try_acquire would answer. It is not counted, and takes nothing. If it is the first that
    // the limiter is asked, the limiter begins to fill now: see `options::start`.
    [[nodiscard, gnu::always_inline]] decision_type peek(unit_count n = 1) const noexcept {
        return peek(n, clock::now());
    }
    [[nodiscard, gnu::always_inline]] decision_type peek(unit_count n, instant now) const noexcept {
        const in_force s = in_force_at(now);
        return s.answer(parts_.cell().peek(s.at(now), units(n), s.rate()), now);
    }

    // Units that were taken beyond the burst, by a charge or by reservations that wait, and are not
    // paid for yet; one that is paid for in part counts. A time that is late sees a larger debt.
    // While other threads take units, the clock's own time is late by a moment too: a limit that is
    // just used up may seem to owe a unit.
    [[nodiscard]] word debt() const noexcept { return debt(clock::now()); }
    [[nodiscard]] word debt(instant now) const noexcept {
        const in_force s = in_force_at(now);
        return static_cast<word>(parts_.cell().debt(s.at(now), s.rate()));
    }

    // What the cell alone can be asked, such as a leaky bucket's level.
    [[nodiscard]] word level() const noexcept requires has_level { return level(clock::now()); }
    [[nodiscard]] word level(instant now) const noexcept requires has_level {
        const in_force s = in_force_at(now);
        return parts_.cell().level(s.at(now), s.rate());
    }

    // As at the beginning: with the units that it started with.
    void reset() noexcept { reset(clock::now()); }
    void reset(instant now) noexcept {
        const in_force s = in_force_at(now);
        parts_.ledger().begin_reset();
        parts_.cell().fill(s.at(now), s.first_units(parts_.setting()), s.rate());
        parts_.ledger().end_reset();
    }

    // Takes all that is there and says how much that was.
    word drain() noexcept { return drain(clock::now()); }
    word drain(instant now) noexcept {
        const in_force s = in_force_at(now);
        return parts_.cell()
            .acquire_up_to(s.at(now), units(s.burst(parts_.setting())), s.rate())
            .units;
    }

    // A server says that so many units are left, and that its count begins anew in `reset_after`.
    // That becomes the state: until then no more than these units pass, and never more than the
    // quota lets pass from now on. Without a time, or if it is over, so many units are there now.
    // Says what became of it, as a cell cannot look ahead for ever. What was admitted before, and
    // what waits by a permit, is not counted. Permits from before give nothing back.
    remaining_type
    set_remaining(unit_count n,
                  nanoseconds reset_after = {}) noexcept requires told_cell<cell_type> {
        return set_remaining(n, reset_after, clock::now());
    }
    remaining_type set_remaining(unit_count n, nanoseconds reset_after,
                                 instant now) noexcept requires told_cell<cell_type> {
        return told_by_server(n, reset_after, now, [](auto& c, const auto&... as) noexcept {
            return c.set_remaining(as...);
        });
    }

    // The same where that is stricter than the present state, for answers that come late or in
    // another order: until the reset nothing passes that would not pass without it. (A fixed_window
    // may end later then, and the next one opens as much later.)
    remaining_type
    lower_remaining(unit_count n,
                    nanoseconds reset_after = {}) noexcept requires told_cell<cell_type> {
        return lower_remaining(n, reset_after, clock::now());
    }
    remaining_type lower_remaining(unit_count n, nanoseconds reset_after,
                                   instant now) noexcept requires told_cell<cell_type> {
        return told_by_server(n, reset_after, now, [](auto& c, const auto&... as) noexcept {
            return c.lower_remaining(as...);
        });
    }

    // To carry a limit's state over a restart or into another process. A state that takes 292 years
    // or more to pass is restored as the one that takes longest: that may be stricter, never laxer.
    // The time is told by hertz(), which the rate was made with, so the same units are restored.
    [[nodiscard]] snapshot save() const noexcept requires(!setting_type::changes) {
        return save(clock::now());
    }
    [[nodiscard]] snapshot save(instant now) const noexcept requires(!setting_type::changes) {
        const in_force s = in_force_at(now);
        const auto state = parts_.cell().state(s.at(now), s.rate());
        return {static_cast<std::int64_t>(state.units),
                detail::time_at(clock::hertz(), state.ticks)};
    }

    // Puts a saved state in place of the present one, as if no time had passed in between. False,
    // and nothing changed, if a limiter of this quota cannot be in that state.
    [[nodiscard]] bool restore(const snapshot& saved) noexcept requires(!setting_type::changes) {
        return restore(saved, clock::now());
    }
    [[nodiscard]] bool restore(const snapshot& saved, instant now) noexcept
        requires(!setting_type::changes) {
        const in_force s = in_force_at(now);
        if (saved.units < 0 || saved.time < nanoseconds{}) return false;
        const auto most = s.rate().most_state();
        std::uint64_t ticks = to_ticks<clock>(saved.time);
        // 292 years, or more: what cannot be told is the longest time that there can be.
        if (saved.time == nanoseconds::longest() && ticks < most.ticks) ticks = most.ticks;
        // By the clock of another machine the same units take up to 1 % longer.
        const std::uint64_t longer = most.ticks / 100 + to_ticks<clock>(nanoseconds(1));
        if (ticks > most.ticks && ticks - most.ticks <= longer) ticks = most.ticks;
        if (static_cast<std::uint64_t>(saved.units) > most.units || ticks > most.ticks)
            return false;
        parts_.ledger().begin_reset();
        const bool restored = parts_.cell().restore(
            s.at(now), {static_cast<cell_word>(saved.units), static_cast<cell_word>(ticks)},
            s.rate());
        parts_.ledger().end_reset();
        return restored;
    }

    // Of an aligned_window: one window begins at this time, and others whole periods before and
    // after it: half a period earlier or later, at most, than by the options' anchor. What was used
    // of the window under way stays used. Wait-free, for any thread at any time.
    void set_anchor(instant begin) noexcept requires has_anchor { set_anchor(begin, clock::now()); }
    // As the option is written: a time after the clock's zero, or before it.
    void set_anchor(nanoseconds begin) noexcept requires has_anchor {
        set_anchor(instant(window_anchor::at<clock>(begin)));
    }
    void set_anchor(instant begin, instant now) noexcept requires has_anchor {
        parts_.setting().set_anchor(begin, in_force_at(now));
    }

    // Units that may pass at one instant.
    [[nodiscard]] word burst() const noexcept { return parts_.setting().burst(); }
    // The quota; the one that was set last, if it changes.
    [[nodiscard]] decltype(auto) quota() const noexcept(!setting_type::changes) {
        return parts_.setting().quota();
    }
    [[nodiscard]] const observer_type& observer() const noexcept { return parts_.observer(); }
    [[nodiscard]] observer_type& observer() noexcept { return parts_.observer(); }

protected:
    // Takes two arguments at least, so that a copy of a limiter never calls this.
    template <class First, class Second, class... More>
    constexpr basic_limiter(First&& first, Second&& second, More&&... more) noexcept(
        std::is_nothrow_constructible_v<Parts, First, Second, More...>)
        : parts_(std::forward<First>(first), std::forward<Second>(second),
                 std::forward<More>(more)...) {}

    // For a class that changes its setting.
    [[nodiscard]] Parts& parts() noexcept { return parts_; }
    [[nodiscard]] const Parts& parts() const noexcept { return parts_; }

private:
    friend permit_type;
    using mark_type = typename Parts::ledger_type::mark;
    // Whose permits are whose: an entry of an array is the cell that it stands for.
    using owner_type =
        std::conditional_t<setting_type::changes, const basic_limiter*, const cell_type*>;

    // What a permit takes along, to be refunded.
    struct receipt {
        cell_word until;
        mark_type mark;
        [[no_unique_address]] typename setting_type::place place;
    };

    // More than the cell's word can count is more than any burst.
    [[nodiscard]] static constexpr cell_word units(word n) noexcept {
        return n > largest<cell_word> ? largest<cell_word> : static_cast<cell_word>(n);
    }

    [[nodiscard, gnu::always_inline]] in_force in_force_at(instant now) const noexcept {
        return in_force(parts_.setting(), parts_.to_start(), now);
    }

    [[nodiscard, gnu::always_inline]] owner_type owner() const noexcept {
        if constexpr (setting_type::changes) {
            return this;
        } else {
            return &parts_.cell();
        }
    }

    [[gnu::always_inline]] decision_type told(const typename cell_type::decision_type& d, word n,
                                              const in_force& s, instant now) noexcept {
        tell(parts_.observer(), d.verdict(), n);
        return s.answer(d, now);
    }

    // In one exchange. A refund that is under way must not raise what the server said.
    template <class Tell>
    remaining_type told_by_server(word n, nanoseconds reset_after, instant now,
                                  Tell tell) noexcept {
        const in_force s = in_force_at(now);
        const cell_word reset = s.ahead(reset_after, now);
        parts_.ledger().begin_reset();
        const auto t = tell(parts_.cell(), s.at(now), units(n), reset, s.rate());
        parts_.ledger().end_reset();
        const bool whole = t.how == obeyed::whole || t.how == obeyed::needless;
        if (whole) return {t.how, reset_after, s.answer(t.after, now)};
        const wide time = divide(multiply(s.passes_in(t.ticks, now), nanoseconds::per_second),
                                 {0, clock::hertz()})
                              .quotient;
        const auto count = static_cast<std::uint64_t>(reset_after.count());
        return {t.how,
                time.fits(count) ? nanoseconds(static_cast<std::int64_t>(time.low)) : reset_after,
                s.answer(t.after, now)};
    }

    [[nodiscard, gnu::always_inline]] permit_type granted(word n, const step<cell_word>& how,
                                                          mark_type mark, const in_force& s,
                                                          instant now) const noexcept {
        cell_word wait = 0;
        if constexpr (reserves) wait = s.until(how.wait, now);
        return {owner(), how.verdict, n, now, wait, {how.next, mark, s.place_at(how.wait, now)}};
    }

    // When a refund happens: after all that came before, or at a given time.
    struct present {
        [[nodiscard]] instant operator()() const noexcept {
            order_clock();
            return clock::now();
        }
    };
    struct given {
        instant now;
        [[nodiscard]] instant operator()() const noexcept { return now; }
    };

    // The setting is asked after the clock, and both after the state, which no change of a quota
    // writes: so this is as if it had been done at that time, by the setting that was valid then.
    template <class Now>
    [[nodiscard]] auto time_of(in_force& s, Now now) const noexcept {
        return [this, &s, now]() noexcept {
            const instant time = now();
            s.renew(parts_.setting());
            return s.at(time);
        };
    }

    // Is the permit from before a reset, or of a limit that was here before? Then this limit may
    // not be ready yet, and a refund, which knows no time at first, would make it ready at time 0.
    [[nodiscard]] bool is_former(const permit_type& p) const noexcept requires gives_back {
        return parts_.ledger().ended(p.receipt_.mark);
    }

    template <class Now>
    refunded refund_at(permit_type&& p, word unused, Now now) noexcept {
        if (p.owner_ != owner()) return {};
        const permit_type mine = std::move(p);
        const word n = unused < mine.units_ ? unused : mine.units_;
        if constexpr (gives_back) {
            if (n == 0 || is_former(mine)) return {};
            in_force s = in_force_at(instant(0));
            const auto cost = s.rate().cost(units(n));
            return {parts_.ledger().give_back(parts_.cell(), mine.receipt_.mark,
                                              mine.receipt_.until, cost, n == mine.units_,
                                              time_of(s, now), s.rate()),
                    s.rate().cost(1)};
        }
        return {};
    }
    template <class Now>
    [[nodiscard]] refunded refundable_at(const permit_type& p, word unused,
                                         Now now) const noexcept {
        const word n = unused < p.units_ ? unused : p.units_;
        if (p.owner_ != owner() || n == 0) return {};
        if constexpr (gives_back) {
            if (is_former(p)) return {};
            in_force s = in_force_at(instant(0));
            const auto cost = s.rate().cost(units(n));
            return {parts_.ledger().refundable(parts_.cell(), p.receipt_.mark, p.receipt_.until,
                                               cost, time_of(s, now), s.rate()),
                    s.rate().cost(1)};
        }
        return {};
    }

    // For permits, whose start moves.
    [[nodiscard]] instant start_of(const receipt& r, instant now) const noexcept
        requires(setting_type::changes) {
        return instant(parts_.setting().when(r.place, now));
    }

    [[no_unique_address]] Parts parts_;
};

}  // namespace weir

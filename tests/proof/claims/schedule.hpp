// SPDX-License-Identifier: MIT
// Claims about a pacer's schedule: the solver has them in words of 64 and 32 bits, and the
// enumeration in words of 8, where what divides is tried as well.
#pragma once

#include <cstdint>

#include <weir/clock/manual.hpp>
#include <weir/pacer/schedule.hpp>

#include "claim.hpp"

namespace proof {

// `Twice` has as many bits as ticks and their parts have together.
template <class Word, class Twice, std::uint64_t Hertz>
struct schedules {
    using clock = weir::manual_clock<struct proofs, Hertz>;
    using rule = weir::schedule<clock, Word>;
    using time = weir::fine_time<Word>;

    static constexpr unsigned bits = weir::bits_of<Word>;
    static constexpr Word quarter = weir::largest<Word> / 4;

    // By how much a now may be late: an hour, or in short words 50 ms, and no more than that.
    [[nodiscard]] static constexpr Word guard() noexcept {
        const std::uint64_t hours = sizeof(Word) == 8 ? 3600 : 0;
        const std::uint64_t ticks = hours * Hertz + (Hertz + 19) / 20;
        return static_cast<Word>(ticks < quarter ? ticks : quarter);
    }
    // A schedule's members, in their order.
    struct fields {
        time next;
        time interval;
        time tau;
        [[no_unique_address]] weir::lost_slots<Word> lost;
        Word most_units;
        Word furthest;  // a T that is further ahead is a relic
        bool started;
        weir::quota quota;
        weir::catch_up catch_up;

        // What the costliest item takes, in ticks and rounded up by one at least.
        [[nodiscard]] constexpr bool has_cost(Word& cost) const noexcept {
            Word whole = 0;
            if (__builtin_mul_overflow(interval.ticks, most_units, &whole) || whole > quarter)
                return false;
            const Word parts = weir::mul_high(interval.parts, most_units);
            if (parts > quarter) return false;
            cost = static_cast<Word>(whole + parts + 1);
            return cost <= quarter;
        }
        // What the proofs take for granted of `make` and `set_rate`; pacing.cpp looks.
        [[nodiscard]] constexpr bool are_made() const noexcept {
            Word cost = 0;
            return (interval.ticks != 0 || interval.parts >= 100) && has_cost(cost) &&
                   tau.ticks < quarter - cost && furthest >= cost + guard() &&
                   furthest <= quarter + guard();
        }
    };
    static_assert(sizeof(fields) == sizeof(rule));
    [[nodiscard]] static constexpr rule made_of(const fields& f) noexcept {
        return __builtin_bit_cast(rule, f);
    }
    [[nodiscard]] static constexpr fields of(const rule& r) noexcept {
        return __builtin_bit_cast(fields, r);
    }

    struct asked {
        fields state;
        Word now;
        Word n;
        Word x;  // how late somebody is
    };
    using q = const asked&;

    [[nodiscard]] static constexpr weir::instant<clock> at(Word now) noexcept {
        return weir::instant<clock>(static_cast<weir::word>(now));
    }
    [[nodiscard]] static constexpr weir::unit_count units(Word n) noexcept {
        return static_cast<weir::word>(n);
    }
    [[nodiscard]] static constexpr Twice both(time t) noexcept {
        return static_cast<Twice>(static_cast<Twice>(t.ticks) << bits |
                                  static_cast<Twice>(t.parts));
    }
    [[nodiscard]] static constexpr Twice both(Word ticks) noexcept { return both(time{ticks, 0}); }
    // T, from now on; on the circle.
    [[nodiscard]] static constexpr Twice distance(const fields& f, Word now) noexcept {
        return static_cast<Twice>(both(f.next) - both(now));
    }
    [[nodiscard]] static constexpr bool is_ahead(const fields& f, Word now) noexcept {
        const Twice d = distance(f, now);
        return f.started && d != 0 && d <= both(f.furthest);
    }
    [[nodiscard]] static constexpr bool is_relic(const fields& f, Word now) noexcept {
        const Twice d = distance(f, now);
        return !f.started || (d > both(f.furthest) && d <= static_cast<Twice>(1) << (2 * bits - 1));
    }
    // What somebody asks, and what the schedule is then.
    struct outcome {
        weir::verdict verdict;
        Word wait;
        fields after;
    };
    [[nodiscard]] static constexpr outcome ask(const fields& f, Word now, Word n) noexcept {
        rule r = made_of(f);
        const auto d = r.try_acquire(units(n), at(now));
        return {d.verdict(), d.ticks().retry_after(), of(r)};
    }
    [[nodiscard]] static constexpr bool goes(const outcome& o) noexcept {
        return o.verdict == weir::verdict::admitted;
    }

    static constexpr bool a_refusal_changes_nothing(q a) noexcept {
        const outcome o = ask(a.state, a.now, a.n);
        return o.verdict != weir::verdict::wait || both(o.after.next) == both(a.state.next);
    }
    static constexpr bool what_never_goes_is_but_a_look(q a) noexcept {
        const outcome o = ask(a.state, a.now, a.n);
        return o.verdict != weir::verdict::never ||
               both(o.after.next) == both(ask(a.state, a.now, 0).after.next);
    }
    static constexpr bool it_goes_if_it_is_time(q a) noexcept {
        const bool is_time = a.n == 0 || !is_ahead(a.state, a.now);
        return goes(ask(a.state, a.now, a.n)) == (a.n <= a.state.most_units && is_time);
    }
    static constexpr bool it_is_never_if_it_cannot(q a) noexcept {
        return (ask(a.state, a.now, a.n).verdict == weir::verdict::never) ==
               (a.n > a.state.most_units);
    }
    // T = max(T, now - tau) + cost x interval
    static constexpr bool an_item_costs_its_cost(q a) noexcept {
        const outcome o = ask(a.state, a.now, a.n);
        if (!goes(o) || a.n == 0) return true;
        const auto age = static_cast<Twice>(both(a.now) - both(a.state.next));
        const Twice tau = both(a.state.tau);
        const auto from = is_relic(a.state, a.now) ? both(a.now)
                          : age > tau              ? static_cast<Twice>(both(a.now) - tau)
                                                   : both(a.state.next);
        return both(o.after.next) == static_cast<Twice>(from + both(a.state.interval * a.n));
    }
    static constexpr bool retry_after_suffices(q a) noexcept {
        const outcome o = ask(a.state, a.now, a.n);
        return o.verdict != weir::verdict::wait ||
               goes(ask(a.state, static_cast<Word>(a.now + o.wait), a.n));
    }
    static constexpr bool a_tick_less_does_not(q a) noexcept {
        const outcome o = ask(a.state, a.now, a.n);
        return o.verdict != weir::verdict::wait ||
               (o.wait != 0 && !goes(ask(a.state, static_cast<Word>(a.now + o.wait - 1), a.n)));
    }
    static constexpr bool a_look_says_the_same(q a) noexcept {
        const outcome o = ask(a.state, a.now, a.n);
        const auto d = made_of(a.state).peek(units(a.n), at(a.now));
        return d.verdict() == o.verdict && d.ticks().retry_after() == o.wait;
    }
    // Whatever was asked, T lies no further back.
    static constexpr bool no_more_than_tau_is_caught_up(q a) noexcept {
        const outcome o = ask(a.state, a.now, 0);
        return is_ahead(o.after, a.now) ||
               static_cast<Twice>(both(a.now) - both(o.after.next)) <= both(a.state.tau);
    }
    static constexpr bool a_relic_counts_as_now(q a) noexcept {
        return !is_relic(a.state, a.now) || both(ask(a.state, a.now, 0).after.next) == both(a.now);
    }
    // A T that is no further ahead than a cost or a new rate puts it is a relic to nobody who is
    // late by the guard or less.
    [[nodiscard]] static constexpr bool is_seen_late(q a) noexcept {
        return a.x <= guard() && a.state.started && !is_relic(a.state, a.now) &&
               (!is_ahead(a.state, a.now) ||
                distance(a.state, a.now) <= both(static_cast<Word>(a.state.furthest - guard())));
    }
    static constexpr bool nothing_else_counts_as_now(q a) noexcept {
        return !is_seen_late(a) || !is_ahead(a.state, a.now) ||
               !goes(ask(a.state, static_cast<Word>(a.now - a.x), 1));
    }
    // Nor does anything go that would have to wait now.
    static constexpr bool a_late_now_lets_nothing_more_go(q a) noexcept {
        const auto late = static_cast<Word>(a.now - a.x);
        return !is_seen_late(a) || !goes(ask(a.state, late, a.n)) || goes(ask(a.state, a.now, a.n));
    }

    // Another rate: what is left to wait becomes as much longer as the interval, rounded up, and
    // what is late, rounded down. For words of which three fit into `Twice` and 64 bits.
    struct changed {
        fields state;
        Word now;
        weir::quota other;
    };
    [[nodiscard]] static constexpr std::uint64_t smaller(std::uint64_t a,
                                                         std::uint64_t b) noexcept {
        return a < b ? a : b;
    }
    static constexpr bool a_wait_grows_as_the_interval(const changed& a) noexcept {
        rule r = made_of(a.state);
        if (r.set_rate(a.other, at(a.now)) != weir::pacer_error::none) return true;
        if (!is_ahead(a.state, a.now)) return true;
        const Word wait = ask(a.state, a.now, 1).wait;
        const std::uint64_t to = both(of(r).interval);
        const std::uint64_t from = both(a.state.interval);
        const auto longer = static_cast<Word>(smaller((wait * to + from - 1) / from, quarter));
        return both(of(r).next) == both(static_cast<Word>(a.now + longer)) &&
               of(r).furthest >= longer && is_ahead(of(r), a.now);
    }
    static constexpr bool a_delay_grows_as_the_interval(const changed& a) noexcept {
        rule r = made_of(a.state);
        if (r.set_rate(a.other, at(a.now)) != weir::pacer_error::none) return true;
        if (is_ahead(a.state, a.now)) return true;
        const fields then = ask(a.state, a.now, 0).after;
        const auto late = static_cast<Word>(a.now - then.next.rounded_up());
        const std::uint64_t to = both(of(r).interval);
        const std::uint64_t from = both(a.state.interval);
        const auto longer = static_cast<Word>(smaller(late * to / from, quarter));
        const Twice age = both(longer) < both(of(r).tau) ? both(longer) : both(of(r).tau);
        return static_cast<Twice>(both(a.now) - both(of(r).next)) == age;
    }
    [[nodiscard]] static constexpr bool have_one_rate(const fields& f, const fields& g) noexcept {
        return both(f.interval) == both(g.interval) && both(f.tau) == both(g.tau) &&
               f.most_units == g.most_units;
    }
    static constexpr bool a_new_rate_is_made_as_a_first_one(const changed& a) noexcept {
        rule r = made_of(a.state);
        const auto reason = r.set_rate(a.other, at(a.now));
        const auto first = rule::make(a.other, a.state.catch_up);
        if (reason != first.error()) return false;
        if (!first) return true;
        const fields f = of(r);
        const fields g = of(*first);
        return f.are_made() && g.are_made() && have_one_rate(f, g) && f.furthest >= g.furthest;
    }
    static constexpr bool a_refused_rate_changes_nothing(const changed& a) noexcept {
        rule r = made_of(a.state);
        if (r.set_rate(a.other, at(a.now)) == weir::pacer_error::none) return true;
        const fields f = of(r);
        const fields g = ask(a.state, a.now, 0).after;
        return both(f.next) == both(g.next) && have_one_rate(f, g) && f.furthest == g.furthest &&
               f.quota == g.quota;
    }
    // So the rate is never above the quota, and below it by less than a part of a tick an item.
    static constexpr bool an_interval_is_rounded_up_to_parts(const changed& a) noexcept {
        const auto made = rule::make(a.other, a.state.catch_up);
        if (!made) return true;
        const auto exact = static_cast<std::uint64_t>(a.other.period().count()) * Hertz << bits;
        const auto one = static_cast<std::uint64_t>(a.other.units()) * 1'000'000'000;
        return both(of(*made).interval) == (exact + one - 1) / one;
    }
};

#define WEIR_CLAIMS_OF_SCHEDULE(CLAIM)                                                             \
    CLAIM(a_refusal_changes_nothing, no_x)                                                         \
    CLAIM(what_never_goes_is_but_a_look, no_x)                                                     \
    CLAIM(it_goes_if_it_is_time, no_x)                                                             \
    CLAIM(it_is_never_if_it_cannot, no_x)                                                          \
    CLAIM(an_item_costs_its_cost, no_x)                                                            \
    CLAIM(retry_after_suffices, no_x)                                                              \
    CLAIM(a_tick_less_does_not, no_x)                                                              \
    CLAIM(a_look_says_the_same, no_x)                                                              \
    CLAIM(no_more_than_tau_is_caught_up, no_x)                                                     \
    CLAIM(a_relic_counts_as_now, no_x)                                                             \
    CLAIM(nothing_else_counts_as_now, x_only)                                                      \
    CLAIM(a_late_now_lets_nothing_more_go, x_only)
#define WEIR_CLAIMS_OF_SCHEDULE_RATES(CLAIM)                                                       \
    CLAIM(a_wait_grows_as_the_interval, no_x)                                                      \
    CLAIM(a_delay_grows_as_the_interval, no_x)                                                     \
    CLAIM(a_new_rate_is_made_as_a_first_one, no_x)                                                 \
    CLAIM(a_refused_rate_changes_nothing, no_x)                                                    \
    CLAIM(an_interval_is_rounded_up_to_parts, no_x)

}  // namespace proof

// SPDX-License-Identifier: MIT
// Claims about the rule of gcra and leaky_bucket.
#pragma once

#include <cstdint>

#include <weir/cell/backlog.hpp>

#include "claim.hpp"

namespace proof {

template <class Word, unsigned TagBits>
struct backlog {
    using rate = weir::backlog_rate<Word, TagBits>;
    using q = const asked<rate>&;

    static constexpr Word tag = static_cast<Word>((Word{1} << TagBits) - 1);
    static constexpr bool coarse = TagBits > weir::refund_tag_bits<Word>;

    // A rate's members, in their order.
    struct fields {
        Word period;
        Word depth;
        Word horizon;
        Word deepest;
        Word longest;
        std::uint8_t shift;

        [[nodiscard]] static constexpr Word whole(Word bound) noexcept {
            return static_cast<Word>(bound & static_cast<Word>(~tag));
        }
        [[nodiscard]] constexpr Word furthest() const noexcept {
            const auto queued = static_cast<Word>(whole(depth) + longest);
            return whole(deepest) < queued ? queued : whole(deepest);
        }
        // By how much a now may be late.
        [[nodiscard]] constexpr Word guard() const noexcept {
            return static_cast<Word>(whole(horizon) - furthest());
        }
        // What the proofs take for granted; rates_test.cpp says that `make` sees to it.
        [[nodiscard]] constexpr bool are_made() const noexcept {
            const Word half = weir::largest<Word> / 2;
            const unsigned least = coarse ? 0 : TagBits;
            const unsigned most = weir::bits_of<Word> - (weir::bits_of<Word> > 16 ? 16 : 2);
            if (shift < least || shift > most) return false;
            const auto part =
                static_cast<Word>(((Word{1} << shift) - 1) | (coarse ? tag : Word{0}));
            if ((depth & horizon & deepest & tag) != tag) return false;
            if (period == 0 || (period & tag) != 0 || whole(depth) < period) return false;
            if (deepest < depth || deepest > half) return false;
            if (longest > static_cast<Word>(half - whole(depth))) return false;
            const auto rounded = static_cast<Word>(furthest() + part);
            const Word least_horizon = rounded <= half ? rounded : static_cast<Word>(half + 1);
            return horizon >= (least_horizon | tag) &&
                   horizon <= (static_cast<Word>(half + 1) | tag);
        }
    };
    [[nodiscard]] static constexpr rate made_of(const fields& f) noexcept {
        return __builtin_bit_cast(rate, f);
    }
    [[nodiscard]] static constexpr fields of(const rate& r) noexcept {
        return __builtin_bit_cast(fields, r);
    }

    // How much is to be paid off: nothing, if the time has gone by or is further ahead than any
    // state can be.
    [[nodiscard]] static constexpr Word owed(const rate& r, Word tat, weir::tick now) noexcept {
        const auto distance = static_cast<Word>(tat - r.at(now));
        return distance <= of(r).horizon ? fields::whole(distance) : Word{0};
    }
    [[nodiscard]] static constexpr Word owed(q a) noexcept {
        return owed(a.rate, a.state, at(a.now));
    }
    // What n units cost; none if that is too much for a word.
    struct price {
        bool is_one;
        Word cost;
    };
    [[nodiscard]] static constexpr price price_of(q a, Word n) noexcept {
        Word cost = 0;
        const bool over = __builtin_mul_overflow(n, of(a.rate).period, &cost);
        return {!over, cost};
    }
    [[nodiscard]] static constexpr bool fits(q a, Word bound) noexcept {
        return fits_later(a, a.n, 0, bound);
    }
    // The same so many ticks later. What is claimed of a second decision is claimed of this, which
    // is proved to be the same (it_is_admitted_if_it_fits): that is easier to decide.
    [[nodiscard]] static constexpr bool fits_later(q a, Word n, Word ticks, Word bound) noexcept {
        const price p = price_of(a, n);
        return n == 0 || (p.is_one && p.cost <= fields::whole(bound) &&
                          owed(a.rate, a.state, later(a.now, ticks)) <=
                              static_cast<Word>(fields::whole(bound) - p.cost));
    }
    [[nodiscard]] static constexpr bool cannot(q a, Word bound) noexcept {
        const price p = price_of(a, a.n);
        return !p.is_one || p.cost > fields::whole(bound);
    }
    [[nodiscard]] static constexpr bool passes(const rate& r, Word state, weir::tick now,
                                               Word n) noexcept {
        return r.take(state, now, n).verdict == weir::verdict::admitted;
    }
    [[nodiscard]] static constexpr bool is_admitted(const weir::step<Word>& s) noexcept {
        return s.verdict == weir::verdict::admitted;
    }
    [[nodiscard]] static constexpr weir::step<Word> take(q a) noexcept {
        return a.rate.take(a.state, at(a.now), a.n);
    }
    [[nodiscard]] static constexpr weir::step<Word> charge(q a) noexcept {
        return a.rate.charge(a.state, at(a.now), a.n);
    }
    [[nodiscard]] static constexpr weir::step<Word> reserve(q a) noexcept {
        return a.rate.reserve(a.state, at(a.now), a.n, a.x);
    }
    // What a state answers to who asks now.
    [[nodiscard]] static constexpr weir::decision<Word> answer(q a) noexcept {
        return a.rate.answer({weir::verdict::admitted, a.state, 0}, at(a.now));
    }

    // Taking.
    static constexpr bool a_refusal_changes_nothing(q a) noexcept {
        const auto s = take(a);
        return is_admitted(s) || s.next == a.state;
    }
    static constexpr bool an_admission_fits(q a) noexcept {
        const auto s = take(a);
        return !is_admitted(s) || a.n == 0 ||
               owed(a.rate, s.next, at(a.now)) <= fields::whole(of(a.rate).depth);
    }
    static constexpr bool an_admission_costs_its_cost(q a) noexcept {
        const auto s = take(a);
        return !is_admitted(s) ||
               owed(a.rate, s.next, at(a.now)) == owed(a) + price_of(a, a.n).cost;
    }
    static constexpr bool it_is_admitted_if_it_fits(q a) noexcept {
        return is_admitted(take(a)) == fits(a, of(a.rate).depth);
    }
    static constexpr bool it_is_never_if_it_cannot(q a) noexcept {
        return (take(a).verdict == weir::verdict::never) == cannot(a, of(a.rate).depth);
    }
    static constexpr bool the_tag_is_kept(q a) noexcept {
        return (take(a).next & tag) == (a.state & tag) &&
               (charge(a).next & tag) == (a.state & tag) &&
               (reserve(a).next & tag) == (a.state & tag);
    }

    // Answers.
    static constexpr bool retry_after_suffices(q a) noexcept {
        const auto s = take(a);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return s.verdict != weir::verdict::wait || fits_later(a, a.n, wait, of(a.rate).depth);
    }
    static constexpr bool a_tick_less_does_not(q a) noexcept {
        const auto s = take(a);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return s.verdict != weir::verdict::wait ||
               (wait != 0 && !fits_later(a, a.n, static_cast<Word>(wait - 1), of(a.rate).depth));
    }
    static constexpr bool what_remains_passes(q a) noexcept {
        return passes(a.rate, a.state, at(a.now), answer(a).remaining());
    }
    static constexpr bool one_more_does_not(q a) noexcept {
        const auto more = static_cast<Word>(answer(a).remaining() + 1);
        return more != 0 && !passes(a.rate, a.state, at(a.now), more);
    }
    static constexpr bool after_the_reset_it_is_idle(q a) noexcept {
        return owed(a.rate, a.state, later(a.now, answer(a).reset_after())) == 0;
    }
    static constexpr bool a_tick_before_the_reset_it_is_not(q a) noexcept {
        const Word reset = answer(a).reset_after();
        return reset == 0 || owed(a.rate, a.state, later(a.now, static_cast<Word>(reset - 1))) != 0;
    }

    // Time.
    // x ticks ago, by no more than the guard.
    [[nodiscard]] static constexpr bool is_late_by_x(q a) noexcept {
        const fields f = of(a.rate);
        return a.x <= static_cast<Word>(f.guard() >> f.shift);
    }
    static constexpr bool a_late_now_admits_nothing_more(q a) noexcept {
        const auto distance = static_cast<Word>(a.state - a.rate.at(at(a.now)));
        const fields f = of(a.rate);
        const bool impossible = distance <= f.horizon && fields::whole(distance) > f.furthest();
        if (impossible || !is_late_by_x(a)) return true;
        return implies(passes(a.rate, a.state, sooner(a.now, a.x), a.n),
                       passes(a.rate, a.state, at(a.now), a.n));
    }
    // What passes late leaves a state that is no less busy, seen from now, than it would have been.
    static constexpr bool what_passes_late_is_paid_for(q a) noexcept {
        if (!is_late_by_x(a) || a.n == 0 || fields::whole(owed(a)) > of(a.rate).furthest())
            return true;
        const auto s = a.rate.take(a.state, sooner(a.now, a.x), a.n);
        if (!is_admitted(s) || owed(a) == 0) return true;
        return owed(a.rate, s.next, at(a.now)) == owed(a) + price_of(a, a.n).cost;
    }
    static constexpr bool a_relic_counts_as_idle(q a) noexcept {
        const Word time = a.rate.at(at(a.now));
        if (static_cast<Word>(a.state - time) <= of(a.rate).horizon) return true;
        const auto idle = static_cast<Word>(time | (a.state & tag));
        const auto s = take(a);
        const auto fresh = a.rate.take(idle, at(a.now), a.n);
        return s.verdict == fresh.verdict && s.wait == fresh.wait &&
               (!is_admitted(s) || s.next == fresh.next) && answer(a).reset_after() == 0;
    }
    // What any admission, charge or reservation of a now that is not late leaves is no relic, to
    // nobody who is late by the guard or less.
    static constexpr bool nothing_else_counts_as_idle(q a) noexcept {
        const fields f = of(a.rate);
        const Word time = a.rate.at(at(a.now));
        const auto distance = static_cast<Word>(a.state - time);
        if (distance <= tag || fields::whole(distance) > f.furthest() || !is_late_by_x(a))
            return true;
        return answer(a).reset_after() != 0 &&
               owed(a.rate, a.state, sooner(a.now, a.x)) ==
                   fields::whole(static_cast<Word>(a.state - a.rate.at(sooner(a.now, a.x))));
    }

    // Debts.
    static constexpr bool a_refused_charge_changes_nothing(q a) noexcept {
        const auto s = charge(a);
        return is_admitted(s) || s.next == a.state;
    }
    static constexpr bool a_debt_stays_within_its_bound(q a) noexcept {
        const auto s = charge(a);
        return !is_admitted(s) || a.n == 0 ||
               owed(a.rate, s.next, at(a.now)) <= fields::whole(of(a.rate).deepest);
    }
    static constexpr bool a_charge_costs_its_cost(q a) noexcept {
        const auto s = charge(a);
        return !is_admitted(s) ||
               owed(a.rate, s.next, at(a.now)) == owed(a) + price_of(a, a.n).cost;
    }
    static constexpr bool it_is_charged_if_the_debt_has_room(q a) noexcept {
        return is_admitted(charge(a)) == fits(a, of(a.rate).deepest);
    }
    static constexpr bool a_charge_is_never_if_it_cannot(q a) noexcept {
        return (charge(a).verdict == weir::verdict::never) == cannot(a, of(a.rate).deepest);
    }
    static constexpr bool a_charge_passes_after_its_wait(q a) noexcept {
        const auto s = charge(a);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return s.verdict != weir::verdict::wait || fits_later(a, a.n, wait, of(a.rate).deepest);
    }
    static constexpr bool debt_is_what_is_beyond_the_burst(q a) noexcept {
        const fields f = of(a.rate);
        const Word debt = a.rate.debt(a.state, at(a.now));
        const auto beyond = static_cast<Word>(owed(a) - fields::whole(f.depth));
        if (owed(a) <= fields::whole(f.depth)) return debt == 0;
        const price less = price_of(a, static_cast<Word>(debt - 1));
        return debt != 0 && less.is_one && less.cost < beyond &&
               static_cast<Word>(beyond - less.cost) <= f.period;
    }
    static constexpr bool level_is_what_is_in_the_bucket(q a) noexcept {
        const Word level = a.rate.level(a.state, at(a.now));
        if (owed(a) == 0) return level == 0;
        const price less = price_of(a, static_cast<Word>(level - 1));
        return level != 0 && less.is_one && less.cost < owed(a) &&
               static_cast<Word>(owed(a) - less.cost) <= of(a.rate).period;
    }

    // Reservations; x is how long one would wait at most, in ticks.
    static constexpr bool a_refused_reservation_changes_nothing(q a) noexcept {
        const auto s = reserve(a);
        return is_admitted(s) || s.next == a.state;
    }
    static constexpr bool a_reservation_costs_its_cost(q a) noexcept {
        const auto s = reserve(a);
        return !is_admitted(s) ||
               owed(a.rate, s.next, at(a.now)) == owed(a) + price_of(a, a.n).cost;
    }
    static constexpr bool a_reservation_starts_within_its_bounds(q a) noexcept {
        const fields f = of(a.rate);
        const auto s = reserve(a);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        if (!is_admitted(s)) return true;
        return s.wait <= f.longest && (wait <= a.x || (coarse && s.wait <= tag)) &&
               (a.n == 0 || owed(a.rate, s.next, at(a.now)) <= f.furthest());
    }
    static constexpr bool what_is_reserved_conforms_when_it_starts(q a) noexcept {
        const auto s = reserve(a);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return !is_admitted(s) || fits_later(a, a.n, wait, of(a.rate).depth);
    }
    static constexpr bool and_not_a_tick_sooner(q a) noexcept {
        const auto s = reserve(a);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return !is_admitted(s) || wait == 0 ||
               !fits_later(a, a.n, static_cast<Word>(wait - 1), of(a.rate).depth);
    }
    static constexpr bool who_need_not_wait_does_not(q a) noexcept {
        const auto taken = take(a);
        const auto s = reserve(a);
        return !is_admitted(taken) || (is_admitted(s) && s.wait == 0 && s.next == taken.next);
    }

    // Refunds: x is where the span ends, y what it cost.
    static constexpr bool a_refund_is_at_most_what_is_to_come(q a) noexcept
        requires(sizeof(Word) == 8) {
        const Word back = a.rate.refundable(a.state, at(a.now), a.x, a.y);
        return back <= a.y && back <= owed(a) && back <= owed(a.rate, a.x, at(a.now));
    }
    static constexpr bool a_refund_is_all_that_is_to_come(q a) noexcept
        requires(sizeof(Word) == 8) {
        const Word back = a.rate.refundable(a.state, at(a.now), a.x, a.y);
        const bool someone_waits = owed(a) > fields::whole(of(a.rate).depth);
        const bool is_last = fields::whole(a.state) == fields::whole(a.x);
        if (someone_waits && !is_last) return back == 0;
        return back == a.y || back == owed(a) || back == owed(a.rate, a.x, at(a.now));
    }
    static constexpr bool a_refund_changes_the_tag(q a) noexcept {
        const Word state = rate::renewed(a.x, a.state);
        return (state & tag) != (a.state & tag) && fields::whole(state) == fields::whole(a.x);
    }

    // States that are moved.
    static constexpr bool a_full_one_has_its_units(q a) noexcept {
        const price all = price_of(a, a.x);
        const Word depth = fields::whole(of(a.rate).depth);
        if (!all.is_one || all.cost > depth) return true;
        const Word state = a.rate.filled(at(a.now), a.x);
        return passes(a.rate, state, at(a.now), a.n) == (a.n <= a.x);
    }
    static constexpr bool what_is_restored_is_no_laxer(q a) noexcept {
        if (fields::whole(owed(a)) > of(a.rate).furthest()) return true;
        const auto seen = a.rate.state(a.state, at(a.now));
        const Word again =
            owed(a.rate, a.rate.restored(later(a.now, a.x), seen), later(a.now, a.x));
        const auto part = static_cast<Word>((Word{1} << of(a.rate).shift) - 1);
        return again >= owed(a) && static_cast<Word>(again - owed(a)) <= (part | tag);
    }

    // What a server says: n units are left, and the count begins anew x ticks from now.
    [[nodiscard]] static constexpr weir::lowered_to<Word> lowered(q a) noexcept {
        return a.rate.lowered(a.state, at(a.now), a.n, a.x, (a.y & 1) != 0);
    }
    [[nodiscard]] static constexpr bool can_be_told(q a) noexcept {
        return a.x <= a.rate.furthest_reset();
    }
    static constexpr bool what_is_told_makes_nothing_laxer(q a) noexcept {
        const auto to = lowered(a);
        return !can_be_told(a) ||
               (owed(a.rate, to.next, at(a.now)) >= owed(a) && ((to.next ^ a.state) & tag) == 0);
    }
    static constexpr bool what_is_told_stays_within_bounds(q a) noexcept {
        const auto to = lowered(a);
        const Word after = owed(a.rate, to.next, at(a.now));
        return !can_be_told(a) || after == owed(a) || after <= of(a.rate).furthest();
    }
    // Whenever one looks, y ticks from now: who takes all at once then gets as much as anybody who
    // took it piece by piece.
    static constexpr bool no_more_passes_than_was_told(q a) noexcept {
        const auto to = lowered(a);
        if (!can_be_told(a) || a.n == weir::largest<Word>) return true;
        if (a.y != 0 && a.y >= to.ticks) return true;
        return !fits_later({a.rate, to.next, a.now, 0, 0, 0}, static_cast<Word>(a.n + 1), a.y,
                           of(a.rate).depth);
    }
    static constexpr bool the_next_unit_comes_at_the_reset(q a) noexcept {
        const auto to = lowered(a);
        if (!can_be_told(a) || to.how != weir::obeyed::whole || a.x == 0) return true;
        if (a.n == weir::largest<Word> ||
            cannot({a.rate, 0, 0, static_cast<Word>(a.n + 1), 0, 0}, of(a.rate).depth))
            return true;
        return fits_later({a.rate, to.next, a.now, 0, 0, 0}, static_cast<Word>(a.n + 1), a.x,
                          of(a.rate).depth);
    }
    static constexpr bool it_is_obeyed_as_long_as_is_said(q a) noexcept {
        const auto to = lowered(a);
        return !can_be_told(a) ||
               (to.how == weir::obeyed::in_part ? to.ticks <= a.x : to.ticks == a.x);
    }
};

// With the numbers that a claim reads besides state, time and n.
#define WEIR_CLAIMS_OF_BACKLOG(CLAIM)                                                              \
    CLAIM(a_refusal_changes_nothing, no_x)                                                         \
    CLAIM(an_admission_fits, no_x)                                                                 \
    CLAIM(an_admission_costs_its_cost, no_x)                                                       \
    CLAIM(it_is_admitted_if_it_fits, no_x)                                                         \
    CLAIM(it_is_never_if_it_cannot, no_x)                                                          \
    CLAIM(retry_after_suffices, no_x)                                                              \
    CLAIM(a_tick_less_does_not, no_x)                                                              \
    CLAIM(what_remains_passes, no_x)                                                               \
    CLAIM(one_more_does_not, no_x)                                                                 \
    CLAIM(after_the_reset_it_is_idle, no_x)                                                        \
    CLAIM(a_tick_before_the_reset_it_is_not, no_x)                                                 \
    CLAIM(a_late_now_admits_nothing_more, x_only)                                                  \
    CLAIM(what_passes_late_is_paid_for, x_only)                                                    \
    CLAIM(a_relic_counts_as_idle, no_x)                                                            \
    CLAIM(nothing_else_counts_as_idle, x_only)                                                     \
    CLAIM(a_refused_charge_changes_nothing, no_x)                                                  \
    CLAIM(a_debt_stays_within_its_bound, no_x)                                                     \
    CLAIM(a_charge_costs_its_cost, no_x)                                                           \
    CLAIM(it_is_charged_if_the_debt_has_room, no_x)                                                \
    CLAIM(a_charge_is_never_if_it_cannot, no_x)                                                    \
    CLAIM(a_charge_passes_after_its_wait, no_x)                                                    \
    CLAIM(debt_is_what_is_beyond_the_burst, no_x)                                                  \
    CLAIM(level_is_what_is_in_the_bucket, no_x)                                                    \
    CLAIM(a_refused_reservation_changes_nothing, x_only)                                           \
    CLAIM(a_reservation_costs_its_cost, x_only)                                                    \
    CLAIM(a_reservation_starts_within_its_bounds, x_only)                                          \
    CLAIM(what_is_reserved_conforms_when_it_starts, x_only)                                        \
    CLAIM(and_not_a_tick_sooner, x_only)                                                           \
    CLAIM(who_need_not_wait_does_not, x_only)                                                      \
    CLAIM(a_full_one_has_its_units, x_only)                                                        \
    CLAIM(what_is_restored_is_no_laxer, x_only)                                                    \
    CLAIM(what_is_told_makes_nothing_laxer, x_only)                                                \
    CLAIM(what_is_told_stays_within_bounds, x_only)                                                \
    CLAIM(no_more_passes_than_was_told, x_and_y)                                                   \
    CLAIM(the_next_unit_comes_at_the_reset, x_only)                                                \
    CLAIM(it_is_obeyed_as_long_as_is_said, x_only)
// Only states with a tag can be given back.
#define WEIR_CLAIMS_OF_REFUNDS(CLAIM)                                                              \
    CLAIM(the_tag_is_kept, x_only)                                                                 \
    CLAIM(a_refund_is_at_most_what_is_to_come, x_and_y)                                            \
    CLAIM(a_refund_is_all_that_is_to_come, x_and_y)                                                \
    CLAIM(a_refund_changes_the_tag, x_only)

}  // namespace proof

// SPDX-License-Identifier: MIT
// Claims about any rule, by what it answers. `Model` says in plain arithmetic how many units there
// are; it is a rule's own.
#pragma once

#include <cstdint>

#include <weir/cell/cell.hpp>

#include "claim.hpp"

namespace proof {

template <class Model>
struct decisions {
    using rate = typename Model::rate;
    using Word = typename rate::word_type;
    using q = const asked<rate>&;

    [[nodiscard]] static constexpr bool is_admitted(const weir::step<Word>& s) noexcept {
        return s.verdict == weir::verdict::admitted;
    }
    [[nodiscard]] static constexpr bool passes(const rate& r, Word state, weir::tick now,
                                               Word n) noexcept {
        return is_admitted(r.take(state, now, n));
    }
    [[nodiscard]] static constexpr weir::decision<Word> answer(const rate& r, Word state,
                                                               weir::tick now) noexcept {
        return r.answer({weir::verdict::admitted, state, 0}, now);
    }
    [[nodiscard]] static constexpr Word left(const rate& r, Word state, weir::tick now) noexcept {
        return answer(r, state, now).remaining();
    }
    // A clock that must not wrap does not.
    [[nodiscard]] static constexpr bool is_a_time(q a, Word by) noexcept {
        return !Model::counts_by_clock || static_cast<Word>(a.now + by) >= a.now;
    }

    static constexpr bool a_refusal_changes_nothing(q a) noexcept {
        const auto s = a.rate.take(a.state, at(a.now), a.n);
        return is_admitted(s) || s.next == a.state;
    }
    static constexpr bool an_admission_costs_its_cost(q a) noexcept {
        const auto s = a.rate.take(a.state, at(a.now), a.n);
        return !is_admitted(s) ||
               left(a.rate, s.next, at(a.now)) == left(a.rate, a.state, at(a.now)) - a.n;
    }
    static constexpr bool it_is_admitted_if_it_fits(q a) noexcept {
        const bool fits = a.n == 0 || static_cast<long>(a.n) <= Model::room(a.rate, a.state, a.now);
        return passes(a.rate, a.state, at(a.now), a.n) == fits;
    }
    static constexpr bool it_is_never_if_it_cannot(q a) noexcept {
        return (a.rate.take(a.state, at(a.now), a.n).verdict == weir::verdict::never) ==
               (a.n > a.rate.burst());
    }
    static constexpr bool retry_after_suffices(q a) noexcept {
        const auto s = a.rate.take(a.state, at(a.now), a.n);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return s.verdict != weir::verdict::wait || !is_a_time(a, wait) ||
               passes(a.rate, a.state, later(a.now, wait), a.n);
    }
    static constexpr bool a_tick_less_does_not(q a) noexcept {
        const auto s = a.rate.take(a.state, at(a.now), a.n);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return s.verdict != weir::verdict::wait || !is_a_time(a, wait) ||
               (wait != 0 &&
                !passes(a.rate, a.state, later(a.now, static_cast<Word>(wait - 1)), a.n));
    }
    static constexpr bool what_remains_passes(q a) noexcept {
        return passes(a.rate, a.state, at(a.now), left(a.rate, a.state, at(a.now)));
    }
    static constexpr bool one_more_does_not(q a) noexcept {
        const auto more = static_cast<Word>(left(a.rate, a.state, at(a.now)) + 1);
        return !passes(a.rate, a.state, at(a.now), more);
    }
    static constexpr bool after_the_reset_it_is_full(q a) noexcept {
        const Word reset = answer(a.rate, a.state, at(a.now)).reset_after();
        return !is_a_time(a, reset) || left(a.rate, a.state, later(a.now, reset)) == a.rate.burst();
    }
    static constexpr bool a_tick_before_the_reset_it_is_not(q a) noexcept {
        const Word reset = answer(a.rate, a.state, at(a.now)).reset_after();
        return reset == 0 || !is_a_time(a, reset) ||
               left(a.rate, a.state, later(a.now, static_cast<Word>(reset - 1))) != a.rate.burst();
    }
    // y units were charged just now, and then comes who is late by x ticks.
    static constexpr bool a_late_now_admits_nothing_more(q a) noexcept {
        if (static_cast<long>(a.x) > Model::guard(a.rate) ||
            (Model::counts_by_clock && a.x > a.now))
            return true;
        const auto s = a.rate.charge(a.state, at(a.now), a.y);
        if (!is_admitted(s) || a.y == 0 || !Model::is_reachable(a.rate, a.state, a.now, 0))
            return true;
        return implies(passes(a.rate, s.next, sooner(a.now, a.x), a.n),
                       passes(a.rate, s.next, at(a.now), a.n));
    }
    static constexpr bool a_refused_charge_changes_nothing(q a) noexcept {
        const auto s = a.rate.charge(a.state, at(a.now), a.n);
        return is_admitted(s) || s.next == a.state;
    }
    static constexpr bool a_debt_stays_within_its_bound(q a) noexcept {
        const auto s = a.rate.charge(a.state, at(a.now), a.n);
        const bool into_debt = static_cast<long>(a.n) > Model::room(a.rate, a.state, a.now);
        // Or a granule sooner.
        const weir::tick soon = later(a.now, Model::granule(a.rate));
        return !is_admitted(s) || !into_debt ||
               a.rate.debt(s.next, soon) <= Model::most_debt(a.rate);
    }
    static constexpr bool a_charge_owes_its_cost(q a) noexcept {
        const auto s = a.rate.charge(a.state, at(a.now), a.n);
        if (!is_admitted(s)) return true;
        const long before = Model::balance(a.rate, a.state, a.now);
        return Model::balance(a.rate, s.next, a.now) ==
               before - static_cast<long>(a.n) * Model::scale(a.rate);
    }
    static constexpr bool a_charge_passes_after_its_wait(q a) noexcept {
        const auto s = a.rate.charge(a.state, at(a.now), a.n);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return s.verdict != weir::verdict::wait || !is_a_time(a, wait) ||
               is_admitted(a.rate.charge(a.state, later(a.now, wait), a.n));
    }
    static constexpr bool a_charge_passes_no_tick_sooner(q a) noexcept {
        const auto s = a.rate.charge(a.state, at(a.now), a.n);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return s.verdict != weir::verdict::wait || !is_a_time(a, wait) ||
               !is_admitted(a.rate.charge(a.state, later(a.now, static_cast<Word>(wait - 1)), a.n));
    }
    // x ticks from now on, what is restored lets no more pass.
    static constexpr bool what_is_restored_is_no_laxer(q a) noexcept {
        const auto seen = a.rate.state(a.state, at(a.now));
        if (!weir::is_possible(seen, a.rate)) return true;
        return left(a.rate, a.rate.restored(at(a.now), seen), at(a.now)) <=
               left(a.rate, a.state, at(a.now));
    }
    static constexpr bool a_full_one_has_its_units(q a) noexcept {
        return a.n > a.rate.burst() ||
               left(a.rate, a.rate.filled(at(a.now), a.n), at(a.now)) == a.n;
    }

    // A server says that n units are left, and that the count begins anew x ticks from now. Whether
    // the state begins anew as well is y.
    [[nodiscard]] static constexpr weir::lowered_to<Word> lowered(q a) noexcept {
        return a.rate.lowered(a.state, at(a.now), a.n, a.x, a.y != 0);
    }
    static constexpr bool what_is_told_makes_nothing_laxer(q a) noexcept {
        if (a.x > a.rate.furthest_reset() || a.y != 0) return true;
        const auto to = lowered(a);
        return left(a.rate, to.next, at(a.now)) <= left(a.rate, a.state, at(a.now));
    }
    // Whoever takes what there is as soon as it is there.
    static constexpr bool no_more_passes_than_was_told(q a) noexcept {
        if (a.x > a.rate.furthest_reset() || !is_a_time(a, a.x)) return true;
        const auto to = lowered(a);
        Word state = to.next;
        std::uint64_t passed = 0;
        for (unsigned t = 0; t < to.ticks || t == 0; ++t) {
            const weir::tick now = later(a.now, static_cast<Word>(t));
            const Word all = left(a.rate, state, now);
            state = a.rate.take(state, now, all).next;
            passed += all;
        }
        return passed <= static_cast<std::uint64_t>(a.n);
    }
    static constexpr bool it_is_obeyed_as_long_as_is_said(q a) noexcept {
        if (a.x > a.rate.furthest_reset()) return true;
        const auto to = lowered(a);
        return to.how == weir::obeyed::in_part ? to.ticks <= a.x : to.ticks == a.x;
    }
    // Of any state whatsoever, also of one that nobody can have left: what lies further ahead than
    // a late now explains is taken to be long ago.
    static constexpr bool a_relic_counts_as_long_ago(q a) noexcept {
        if (Model::is_reachable(a.rate, a.state, a.now, Model::guard(a.rate))) return true;
        return it_is_admitted_if_it_fits(a) && a_refusal_changes_nothing(a);
    }
    // Reservations; x is how long one would wait at most, in ticks.
    static constexpr bool a_refused_reservation_changes_nothing(q a) noexcept {
        const auto s = a.rate.reserve(a.state, at(a.now), a.n, a.x);
        return is_admitted(s) || s.next == a.state;
    }
    static constexpr bool a_reservation_starts_within_its_bounds(q a) noexcept {
        const auto s = a.rate.reserve(a.state, at(a.now), a.n, a.x);
        return !is_admitted(s) || a.rate.answer(s, at(a.now)).retry_after() <= a.x;
    }
    static constexpr bool what_is_reserved_conforms_when_it_starts(q a) noexcept {
        const auto s = a.rate.reserve(a.state, at(a.now), a.n, a.x);
        const Word wait = a.rate.answer(s, at(a.now)).retry_after();
        return !is_admitted(s) ||
               (passes(a.rate, a.state, later(a.now, wait), a.n) &&
                (wait == 0 ||
                 !passes(a.rate, a.state, later(a.now, static_cast<Word>(wait - 1)), a.n)));
    }
    static constexpr bool a_reservation_owes_its_cost(q a) noexcept {
        const auto s = a.rate.reserve(a.state, at(a.now), a.n, a.x);
        if (!is_admitted(s)) return true;
        const long before = Model::balance(a.rate, a.state, a.now);
        return Model::balance(a.rate, s.next, a.now) ==
               before - static_cast<long>(a.n) * Model::scale(a.rate);
    }
};

// With the numbers that a claim reads besides state, time and n.
#define WEIR_CLAIMS_OF_DECISIONS(CLAIM)                                                            \
    CLAIM(a_refusal_changes_nothing, no_x)                                                         \
    CLAIM(an_admission_costs_its_cost, no_x)                                                       \
    CLAIM(it_is_admitted_if_it_fits, no_x)                                                         \
    CLAIM(it_is_never_if_it_cannot, no_x)                                                          \
    CLAIM(retry_after_suffices, no_x)                                                              \
    CLAIM(a_tick_less_does_not, no_x)                                                              \
    CLAIM(what_remains_passes, no_x)                                                               \
    CLAIM(one_more_does_not, no_x)                                                                 \
    CLAIM(after_the_reset_it_is_full, no_x)                                                        \
    CLAIM(a_tick_before_the_reset_it_is_not, no_x)                                                 \
    CLAIM(a_late_now_admits_nothing_more, x_and_y)                                                 \
    CLAIM(a_refused_charge_changes_nothing, no_x)                                                  \
    CLAIM(a_debt_stays_within_its_bound, no_x)                                                     \
    CLAIM(a_charge_owes_its_cost, no_x)                                                            \
    CLAIM(a_charge_passes_after_its_wait, no_x)                                                    \
    CLAIM(a_charge_passes_no_tick_sooner, no_x)                                                    \
    CLAIM(what_is_restored_is_no_laxer, no_x)                                                      \
    CLAIM(a_full_one_has_its_units, no_x)                                                          \
    CLAIM(what_is_told_makes_nothing_laxer, x_and_flag)                                            \
    CLAIM(no_more_passes_than_was_told, x_and_flag)                                                \
    CLAIM(it_is_obeyed_as_long_as_is_said, x_and_flag)
// Of states out of nowhere too.
#define WEIR_CLAIMS_OF_RELICS(CLAIM) CLAIM(a_relic_counts_as_long_ago, no_x)
// Only some rules promise units that have not come yet.
#define WEIR_CLAIMS_OF_RESERVATIONS(CLAIM)                                                         \
    CLAIM(a_refused_reservation_changes_nothing, x_only)                                           \
    CLAIM(a_reservation_starts_within_its_bounds, x_only)                                          \
    CLAIM(what_is_reserved_conforms_when_it_starts, x_only)                                        \
    CLAIM(a_reservation_owes_its_cost, x_only)

}  // namespace proof

// SPDX-License-Identifier: MIT
// one_word: the protocol of every cell whose state is a single word. What is decided is the rate's
// affair, a pure function of (state, now, n); how threads agree on it is told here, once.
//
// Any number of threads write the word, each by one compare-exchange from the state on which it
// decided: there an admission linearises. A denial linearises at its load and writes nothing.
// Relaxed order suffices: a decision depends on this word and on the caller's own clock, and
// publishes no other memory. Denials are wait-free; admissions are lock-free, as a compare-exchange
// fails only because another one succeeded (or spuriously, on ARM). Two threads in lockstep can
// lose thousands of times in a row, so from the third loss on a try comes after one short pause and
// a fresh load, see lost_races. A pause that grew with each loss would starve the thread that
// pauses.
//
// What is on the hot path is always inlined: a decision that is returned through memory, with parts
// that nobody asks for, costs several times the decision itself.
#pragma once

#include <weir/base/atomic.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/observer.hpp>

namespace weir {

// What can be taken of a state: from `least` to `most` units, or none.
template <class Rate, class Word>
[[nodiscard, gnu::always_inline]] constexpr taken<Word> up_to(Word state, tick now, Word most,
                                                              Word least, const Rate& r) noexcept {
    const step<Word> enough = r.take(state, now, least);
    if (enough.verdict != verdict::admitted) return {0, enough};
    Word units = most;
    step<Word> s = r.take(state, now, most);
    if (s.verdict != verdict::admitted) {
        // In memory that processes share somebody may have written a word that has more than
        // `most`.
        units = smaller(most, static_cast<Word>(least + r.answer(enough, now).remaining()));
        s = r.take(state, now, units);
    }
    return {units, s};
}

template <class Rate, template <class> class Atomic>
class one_word {
public:
    using rate = Rate;
    using word_type = typename Rate::word_type;
    using decision_type = decltype(Rate().answer(step<word_type>{}, tick{}));

    static_assert(sizeof(word_type) <= sizeof(word), "a cell's word must not be wider than a tick");

    // Nobody's yet: `fill` it or `start` it before the first decision.
    constexpr one_word() noexcept = default;

    // Movable as long as nobody else knows of it.
    one_word(one_word&& other) noexcept : word_(other.load()) {}
    one_word& operator=(one_word&& other) noexcept {
        word_.store_relaxed(other.load());
        return *this;
    }
    ~one_word() = default;

    // All n units or none.
    template <class Observer = unobserved>
    [[gnu::always_inline]] decision_type try_acquire(tick now, word_type n, const Rate& r,
                                                     Observer&& observer = {}) noexcept {
        return commit<&Rate::take>(now, n, r, observer);
    }

    // Takes the units even if they are not there, up to the debt allowed: for costs that are known
    // only afterwards. A charge that is refused for its debt changes nothing.
    template <class Observer = unobserved>
    [[gnu::always_inline]] decision_type charge(tick now, word_type n, const Rate& r,
                                                Observer&& observer = {}) noexcept {
        return commit<&Rate::charge>(now, n, r, observer);
    }

    // As many as there are, up to n; a division only if that is not all of them. A grant of none
    // says when there will be one.
    template <class Observer = unobserved>
    grant<decision_type> acquire_up_to(tick now, word_type n, const Rate& r,
                                       Observer&& observer = {}) noexcept {
        const taken<word_type> t = take_up_to(now, n, n == 0 ? 0 : 1, r, observer);
        return {t.units, r.answer(t.how, now)};
    }

    // From `least` to `most` units, or none if there are fewer than `least`. A `least` above `most`
    // never fits.
    template <class Observer = unobserved>
    [[gnu::always_inline]] taken<word_type> take_up_to(tick now, word_type most, word_type least,
                                                       const Rate& r,
                                                       Observer&& observer = {}) noexcept {
        word_type state = load();
        if (least > most) return {0, {verdict::never, state, 0}};
        lost_races lost;
        for (;;) {
            const taken<word_type> t = up_to(state, now, most, least, r);
            if (t.units == 0 || word_.try_exchange_relaxed(state, t.how.next)) return t;
            observer.on_retry();
            lost.again_relaxed(word_, state);
        }
    }

    // All n units for as soon as they conform, in the order of the calls; refused if that is more
    // than `longest` ticks from now. A refund has to know the state that this left.
    template <class Observer = unobserved>
    [[gnu::always_inline]] step<word_type> reserve(tick now, word_type n, word_type longest,
                                                   const Rate& r,
                                                   Observer&& observer = {}) noexcept requires
        requires(word_type w) {
        r.reserve(w, now, n, longest);
    }
    {
        word_type state = load();
        lost_races lost;
        for (;;) {
            const step<word_type> s = r.reserve(state, now, n, longest);
            if (s.verdict != verdict::admitted || n == 0 ||
                word_.try_exchange_relaxed(state, s.next)) {
                return s;
            }
            observer.on_retry();
            lost.again_relaxed(word_, state);
        }
    }

    // For refunds, which have a loop of their own: who sees the state that a refund has left sees
    // that the refund was announced, and who sees a new state sees what came before it, such as a
    // new generation. Admissions in between do not hide that, as they exchange the word, too.
    // `seen` is the state. Pairs with the release in `try_replace`.
    [[nodiscard]] word_type seen() const noexcept { return word_.load_acquire(); }
    // Puts another state in its place, under the next tag, unless it has changed: then `expected`
    // becomes the state that is there.
    [[nodiscard]] bool try_replace(word_type& expected, word_type next,
                                   lost_races& lost) noexcept requires requires {
        Rate::renewed(next, next);
    }
    {
        // Release: pairs with the acquire in `seen`, and with those here, of other threads.
        if (word_.try_exchange_acq_rel(expected, Rate::renewed(next, expected))) return true;
        lost.again_acquire(word_, expected);  // pairs with the release above
        return false;
    }

    // What try_acquire would answer now. Changes nothing.
    [[nodiscard, gnu::always_inline]] decision_type peek(tick now, word_type n,
                                                         const Rate& r) const noexcept {
        return r.answer(r.take(load(), now, n), now);
    }

    // Units that are owed beyond the burst; one that is paid for in part still counts.
    [[nodiscard]] word_type debt(tick now, const Rate& r) const noexcept {
        return r.debt(load(), now);
    }

    // Exactly `units`, at most the burst, are there now, whatever was before.
    void fill(tick now, word_type units, const Rate& r) noexcept { replace(r.filled(now, units)); }

    // The same on a cell that nobody has used; on any other it does nothing. (A used word that is
    // exactly `unused` passes for that: the limiter calls this at its first decision only.)
    void start(tick now, word_type units, const Rate& r) noexcept {
        word_type seen = unused;
        while (seen == unused && !word_.try_exchange_relaxed(seen, r.filled(now, units))) {
        }
    }

    // As it is, but if it is idle it has become so now, and not long ago. To a refund that is under
    // way it is another state in any case, as if it had been replaced, see there.
    void settle(tick now, const Rate& r) noexcept {
        word_type state = load();
        lost_races lost;
        while (!try_replace(state, r.take(state, now, 0).next, lost)) {
        }
    }

    // A server says that so many units are left, and that the count begins anew `reset` ticks from
    // now, or does not say when: 0. That becomes the state, whatever was before, as far as the rate
    // allows it. Linearises at the exchange of the word, or where there are no refunds at a store.
    told_remaining<decision_type> set_remaining(tick now, word_type units, word_type reset,
                                                const Rate& r) noexcept requires lowers<Rate> {
        const word_type full = r.filled(now, static_cast<word_type>(r.burst()));
        const lowered_to<word_type> to = lowered_by(r, full, now, units, reset, true);
        replace(to.next);
        return answer(to, now, r);
    }

    // The same where that is stricter than the present state: nothing passes that would not pass
    // without it. Linearises at its exchange of the word, or if nothing changes at its load. Where
    // there are refunds it exchanges the word in any case: see `settle`.
    told_remaining<decision_type> lower_remaining(tick now, word_type units, word_type reset,
                                                  const Rate& r) noexcept requires lowers<Rate> {
        word_type state = load();
        lost_races lost;
        for (;;) {
            const lowered_to<word_type> to = lowered_by(r, state, now, units, reset, false);
            if constexpr (requires { Rate::renewed(state, state); }) {
                if (try_replace(state, to.next, lost)) return answer(to, now, r);
            } else {
                if (to.next == state || word_.try_exchange_relaxed(state, to.next))
                    return answer(to, now, r);
                lost.again_relaxed(word_, state);
            }
        }
    }

    [[nodiscard]] cell_state<word_type> state(tick now, const Rate& r) const noexcept {
        return as_possible(r.state(load(), now), r);
    }

    // False, and nothing changed, if this rate cannot get into that state.
    [[nodiscard]] bool restore(tick now, cell_state<word_type> state, const Rate& r) noexcept {
        if (!is_possible(state, r)) return false;
        replace(r.restored(now, state));
        return true;
    }

protected:
    [[nodiscard, gnu::always_inline]] word_type load() const noexcept {
        return word_.load_relaxed();
    }

private:
    static constexpr word_type unused = [] {
        if constexpr (requires { Rate::unused; }) {
            return Rate::unused;
        } else {
            return word_type{0};
        }
    }();

    [[nodiscard]] static told_remaining<decision_type> answer(const lowered_to<word_type>& to,
                                                              tick now, const Rate& r) noexcept {
        return {to.how, to.ticks, r.answer({verdict::admitted, to.next, 0}, now)};
    }

    // A refund that is under way must not take the new state for the one that it has seen: so its
    // tag follows on that of the very state that it replaces, and a store would not do.
    void replace(word_type state) noexcept {
        if constexpr (requires { Rate::renewed(state, state); }) {
            word_type old = load();
            lost_races lost;
            while (!try_replace(old, state, lost)) {
            }
        } else {
            // The release has no partner: without refunds nobody acquires the word.
            word_.store_release(state);
        }
    }

    template <auto Decide, class Observer>
    [[gnu::always_inline]] decision_type commit(tick now, word_type n, const Rate& r,
                                                Observer& observer) noexcept {
        // The decision stands here once, as it is always inlined: written before the loop and in
        // it, a gcra's admission is 100 bytes long on a Cortex-M3 instead of 80.
        word_type state = load();
        lost_races lost;
        for (;;) {
            const step<word_type> s = (r.*Decide)(state, now, n);
            if (s.verdict != verdict::admitted || n == 0 ||
                word_.try_exchange_relaxed(state, s.next)) {
                return r.answer(s, now);
            }
            observer.on_retry();
            lost.again_relaxed(word_, state);
        }
    }

    Atomic<word_type> word_{unused};
};

}  // namespace weir

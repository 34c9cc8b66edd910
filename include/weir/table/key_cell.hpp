// SPDX-License-Identifier: MIT
// key_cell: a key of a keyed table as a cell, so that it can be asked whatever a limit with one
// cell can. It lies nowhere: each decision finds the key's word in the table, see key_places.hpp,
// or enters the key. It is as lock-free as that, and relaxed order suffices for the same reason.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/observer.hpp>
#include <weir/cell/one_word.hpp>
#include <weir/table/key_layout.hpp>
#include <weir/table/key_places.hpp>
#include <weir/table/key_word.hpp>
#include <weir/table/when_full.hpp>

namespace weir {

template <template <class> class Atomic = atomic,
          template <template <class> class> class Layout = compact_keys,
          class Rate = key_word::rate>
class key_cell {
public:
    using places = key_places<Atomic, Layout>;
    using rate = Rate;
    using word_type = std::uint64_t;
    using decision_type = decision<word_type>;

    key_cell() noexcept = default;
    [[gnu::always_inline]] key_cell(const places& of_key, when_full policy) noexcept
        : places_(of_key), policy_(policy) {}

    // All n units or none.
    template <class Observer = unobserved>
    [[gnu::always_inline]] decision_type try_acquire(tick now, word_type n, const rate& r,
                                                     Observer&& observer = {}) noexcept {
        return r.answer(commit(now, r, observer, takes(now, n, r)).how, now);
    }

    // Takes the units even if they are not there, up to the debt allowed.
    template <class Observer = unobserved>
    [[gnu::always_inline]] decision_type charge(tick now, word_type n, const rate& r,
                                                Observer&& observer = {}) noexcept {
        const auto decide = [now, n, &r](word_type state) noexcept {
            return taken<word_type>{n, r.charge(state, now, n)};
        };
        return r.answer(commit(now, r, observer, decide).how, now);
    }

    // As many as there are, up to n.
    template <class Observer = unobserved>
    grant<decision_type> acquire_up_to(tick now, word_type n, const rate& r,
                                       Observer&& observer = {}) noexcept {
        const taken<word_type> t = take_up_to(now, n, n == 0 ? 0 : 1, r, observer);
        return {t.units, r.answer(t.how, now)};
    }

    // From `least` to `most` units, or none. A `least` above `most` never fits.
    template <class Observer = unobserved>
    taken<word_type> take_up_to(tick now, word_type most, word_type least, const rate& r,
                                Observer&& observer = {}) noexcept {
        if (least > most) return {0, {verdict::never, state_or_idle(now, r), 0}};
        return commit(now, r, observer, [=, &r](word_type state) noexcept {
            return up_to(state, now, most, least, r);
        });
    }

    // What try_acquire would answer now. Changes nothing.
    [[nodiscard, gnu::always_inline]] decision_type peek(tick now, word_type n,
                                                         const rate& r) const noexcept {
        const auto decide = takes(now, n, r);
        const auto its = places_.find();
        const taken<word_type> t = its.at != nullptr
                                       ? decide(its.word)
                                       : places::would_enter(places_, now, r, policy_, decide);
        return r.answer(t.how, now);
    }

    [[nodiscard]] word_type debt(tick now, const rate& r) const noexcept {
        return r.debt(state_or_idle(now, r), now);
    }

    // A key begins with its whole burst, as one that has never been seen.
    void fill(tick, word_type, const rate&) noexcept { places_.forget(); }
    void start(tick, word_type, const rate&) const noexcept {}

    [[nodiscard]] cell_state<word_type> state(tick now, const rate& r) const noexcept {
        return as_possible(r.state(state_or_idle(now, r), now), r);
    }

    // What a server says becomes the key's state, or the state of a key that is as good as new if
    // no more is asked for. A key that is not in the table is entered, if there is a place for it.
    told_remaining<decision_type> set_remaining(tick now, word_type units, word_type reset,
                                                const rate& r) noexcept {
        const word_type idle = places_.idle(now, r);
        const lowered_to<word_type> to = lowered_by(r, idle, now, units, reset, true);
        if (to.next == idle) {
            places_.forget();
            return answer(to, now, r);
        }
        return put(to.next, now, r) != 0 && is_kept() ? answer(to, now, r) : no_place(now, r);
    }

    // The same where that is stricter than the key's present state.
    told_remaining<decision_type> lower_remaining(tick now, word_type units, word_type reset,
                                                  const rate& r) noexcept {
        const auto decide = [=, &r](word_type state) noexcept {
            const lowered_to<word_type> to = lowered_by(r, state, now, units, reset, false);
            const bool changes = to.next != state;
            return taken<word_type>{changes ? word_type{1} : word_type{0},
                                    {verdict::admitted, to.next, to.ticks}};
        };
        unobserved nobody;
        const taken<word_type> t = commit(now, r, nobody, decide);
        if (t.how.verdict != verdict::admitted || (t.units != 0 && !is_kept()))
            return no_place(now, r);
        const obeyed as_a_whole = t.units != 0 ? obeyed::whole : obeyed::needless;
        const obeyed how = t.how.wait == reset ? as_a_whole : obeyed::in_part;
        return answer({how, t.how.next, t.how.wait}, now, r);
    }

    // False if this rate cannot get into that state, or if the table has no place for the key.
    [[nodiscard]] bool restore(tick now, cell_state<word_type> state, const rate& r) noexcept {
        if (!is_possible(state, r)) return false;
        (void)put(r.restored(now, state) + key_word::tag_mask, now, r);  // rounded up to a granule
        return is_kept();
    }

private:
    using found = typename places::found;

    [[nodiscard]] bool is_kept() const noexcept { return places_.find().at != nullptr; }
    [[nodiscard]] static told_remaining<decision_type> answer(const lowered_to<word_type>& to,
                                                              tick now, const rate& r) noexcept {
        return {to.how, to.ticks, r.answer({verdict::admitted, to.next, 0}, now)};
    }
    [[nodiscard]] told_remaining<decision_type> no_place(tick now, const rate& r) const noexcept {
        return answer({obeyed::no_place, state_or_idle(now, r), 0}, now, r);
    }

    [[nodiscard, gnu::always_inline]] static auto takes(tick now, word_type n,
                                                        const rate& r) noexcept {
        return [now, n, &r](word_type state) noexcept {
            return taken<word_type>{n, r.take(state, now, n)};
        };
    }

    template <class Observer, class Decide>
    [[gnu::always_inline]] taken<word_type> commit(tick now, const rate& r, Observer& observer,
                                                   Decide decide) noexcept {
        found its = places_.find();
        lost_races lost;
        while (its.at != nullptr) {
            const taken<word_type> t = decide(its.word);
            if (!places::writes(t) || places::try_exchange(its, t.how.next)) return t;
            observer.on_retry();
            lost.again_relaxed(places::state(its), its.word);
            its = places_.find_again(its);
        }
        return places::enter(places_, now, r, policy_, decide);
    }

    // In place of whatever state the key has; 0 if the policy does not let it.
    word_type put(word_type state, tick now, const rate& r) noexcept {
        unobserved nobody;
        const auto decide = [state](word_type before) noexcept {
            const word_type after = key_word::established(state, before & key_word::tag_mask);
            return taken<word_type>{1, {verdict::admitted, after, 0}};
        };
        return commit(now, r, nobody, decide).units;
    }

    [[nodiscard]] word_type state_or_idle(tick now, const rate& r) const noexcept {
        const found its = places_.find();
        return its.at != nullptr ? its.word : places_.idle(now, r);
    }

    places places_;
    when_full policy_ = when_full::deny;
};

}  // namespace weir

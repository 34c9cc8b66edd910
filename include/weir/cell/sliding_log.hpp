// SPDX-License-Identifier: MIT
// sliding_log: exact. In no half-open interval of one period are more than the quota's units
// admitted. It remembers the time of each of them: a ring with a place per unit, and a head that
// says where the next unit goes and when the last one came. It is what an exchange's order throttle
// counts, and what no cell of one word can promise. The file is long because head and places are
// one protocol.
//
// Protocol. Any number of threads write. Unit u is admitted at time t if unit u - N was recorded at
// least a period before t: of n units at once only the last one has to be looked at, since times in
// the ring never fall. The compare-exchange on the head decides: it takes n places and raises the
// head's time to t, and there an admission linearises; a denial writes nothing. Then the claimer
// records t in its places.
// A claimer that stops before it has done so, for a while or for ever, delays nobody: a place
// that has not been recorded in its round is read as the head's time, which is no earlier, so
// stricter. Wake it may: it records only over what is older. A place that was recorded in a later
// round tells that the head has moved on, and the decision starts anew. Relaxed order suffices:
// what is decided depends on the head, which is one word, and on places of which each value says
// itself what round it is from. No try pauses: a log's tries are so long that two threads do not
// fall into lockstep, and who paused lost more races (see include/weir/README.md).
//
// Invariant: recorded times never fall along the ring, a unit's recorded time is no earlier than
// the `now` it was admitted with, and no later than the head's. So if N + 1 units had been admitted
// with times within a period, the last of them would have been let pass although the unit N before
// it had been recorded less than a period ago. This holds for any `now`s that are late by no more
// than the guard, also for those that run back, and however long the log has been idle.
//
// Times come round. A head ahead of now by no more than debt and guard may be of now's own time,
// and a unit is then recorded no earlier than it. A head ahead by up to another guard is waited
// for: to a thread that is less late it may be of its own time. A head further ahead is a relic,
// and so is all that was recorded before it: all places become free before a unit is taken. So a
// log that was set back, too, begins anew as a whole, and not place by place.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/cell.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/log.hpp>
#include <weir/cell/log_decision.hpp>
#include <weir/cell/log_places.hpp>
#include <weir/cell/obeyed.hpp>
#include <weir/cell/observer.hpp>

namespace weir {

// For up to so many units in a period; 0: in places that are given when it is made.
template <std::size_t Places, class Word = word, template <class> class Atomic = atomic>
class sliding_log {
public:
    using rate = log_rate<Word, Places>;
    using word_type = Word;
    using decision_type = log_decision<Word>;

    // Nobody's yet: `fill` it or `start` it before the first decision.
    constexpr sliding_log() noexcept requires(Places != 0) = default;

    // The places must be as they were constructed, and outlive the log.
    constexpr sliding_log(Atomic<Word>* places, std::size_t size) noexcept requires(Places == 0)
        : places_(places, size) {}

    // Movable as long as nobody else knows of it.
    sliding_log(sliding_log&& other) noexcept
        : head_(other.head_.load_relaxed()), places_(std::move(other.places_)) {}
    sliding_log& operator=(sliding_log&& other) noexcept {
        head_.store_relaxed(other.head_.load_relaxed());
        places_ = std::move(other.places_);
        return *this;
    }
    ~sliding_log() = default;

    // All n units or none.
    template <class Observer = unobserved>
    [[gnu::always_inline]] decision_type try_acquire(tick now, Word n, const rate& r,
                                                     Observer&& observer = {}) noexcept {
        return answer(take(now, n, n, Word{0}, r, observer), now, r);
    }

    // Takes up to the quota's units even if they are not there, and records them for when they will
    // be, up to the debt allowed.
    template <class Observer = unobserved>
    [[gnu::always_inline]] decision_type charge(tick now, Word n, const rate& r,
                                                Observer&& observer = {}) noexcept {
        return answer(take(now, n, n, r.debt(), r, observer), now, r);
    }

    // As many as there are, up to n. A grant of none says when there will be one.
    template <class Observer = unobserved>
    grant<decision_type> acquire_up_to(tick now, Word n, const rate& r,
                                       Observer&& observer = {}) noexcept {
        taken<Word> t = take_up_to(now, n, 0, r, observer);
        if (t.units == 0) t.how = look(now, n == 0 ? Word{0} : Word{1}, r);
        return {t.units, answer(t.how, now, r)};
    }

    // From `least` to `most` units, or none if there are fewer than `least`. A `least` above `most`
    // never fits. Among free places there may be one of a claimer that has stopped, which is read
    // as busy; what comes after it is none the less free, and says so of all before it. To look at
    // the place of the last unit alone would be to wait for the claimer.
    template <class Observer = unobserved>
    taken<Word> take_up_to(tick now, Word most, Word least, const rate& r,
                           Observer&& observer = {}) noexcept {
        if (least > most) return {0, {verdict::never, head_.load_relaxed(), 0}};
        for (;;) {
            const step<Word> enough = look(now, least, r);
            if (enough.verdict != verdict::admitted) return {0, enough};
            const Word head = head_.load_relaxed();
            const Word room = this->room(head, now, r, least);
            const Word units = most < room ? most : room;
            if (units == 0) return {0, enough};
            bool stands = true;
            for (const Word all : {units, room}) {
                const step<Word> s = take(now, units, all, Word{0}, r, observer);
                if (s.verdict == verdict::admitted) return {units, s};
                stands = head_.load_relaxed() == head;
                if (!stands) break;
            }
            if (stands) return {0, look(now, least, r)};
            observer.on_retry();
        }
    }

    // What try_acquire would answer now. Changes nothing.
    [[nodiscard, gnu::always_inline]] decision_type peek(tick now, Word n,
                                                         const rate& r) const noexcept {
        return answer(look(now, n, r), now, r);
    }

    // How many units could pass now, after those that a head tells of. They need not be recorded
    // yet, nor even taken: their places are then read as those of a claimer that has stopped.
    [[nodiscard]] Word room(tick now, const rate& r) const noexcept {
        return room(head_.load_relaxed(), now, r);
    }
    // `fits` do, as somebody knows.
    [[nodiscard]] Word room(Word head, tick now, const rate& r, Word fits = 0) const noexcept {
        return room_within(0, head, r.down(now), r, fits);
    }

    // Units that are recorded for later than now. All units of a charge that did not fit are.
    [[nodiscard]] Word debt(tick now, const rate& r) const noexcept {
        const Word at = r.down(now);
        const auto whole = static_cast<Word>(r.keeps() + (r.up(now) - at));
        return static_cast<Word>(r.burst() - room_within(whole, head_.load_relaxed(), at, r, 0));
    }

    // Exactly `units`, at most the burst, are there now, whatever was before. As a log is many
    // words, that is so from its last write on, the head's: until then others are let pass by what
    // was there before, or fewer, and are forgotten; or counted, if they record their times over
    // the new ones, and then fewer than `units` are there. (If they come round the ring's end
    // meanwhile they may find new places there, and get as many units more, once.)
    void fill(tick now, Word units, const rate& r) noexcept { rewrite(r.up(now), units, r); }

    // The same on a log that nobody has used; on any other it does nothing. Who sees the head and
    // not yet the places takes these, which are 0, for free ones if all are, and else for ones that
    // are a round behind.
    void start(tick now, Word units, const rate& r) noexcept {
        const Word at = r.up(now);
        const bool all = units == r.burst();
        const auto round = static_cast<Word>(all ? 1 : 2);
        for (Word i = 0; i < r.burst() && head_.load_relaxed() == 0; ++i) {
            Word unused = 0;
            const Word value =
                r.place(i < units ? r.long_ago(at) : at, static_cast<Word>(round - 1));
            while (unused == 0 &&
                   !places_[static_cast<std::size_t>(i)].try_exchange_relaxed(unused, value)) {
            }
        }
        Word unused = 0;
        const Word head = r.head(all ? r.long_ago(at) : at, round, 0);
        while (unused == 0 && !head_.try_exchange_relaxed(unused, head)) {
        }
    }

    // A server says that so many units are left, and that the count begins anew `reset` ticks from
    // now, or does not say when: 0. That becomes the state, as `fill` does it: what is said there
    // of threads that decide meanwhile holds here too.
    told_remaining<decision_type> set_remaining(tick now, Word units, Word reset,
                                                const rate& r) noexcept {
        const auto said = r.told(now, units, reset);
        rewrite(said.needed ? said.time : r.up(now), said.needed ? said.units : r.burst(), r);
        return told(said, said.needed, now, r);
    }

    // The same where that is stricter than the present state: as many units as would pass too many
    // are recorded, no earlier than the head's time and no later than a period before the reset
    // unless the head is. Linearises at the exchange of the head, or if nothing changes at its
    // load. A place that a claimer has not recorded yet may be older than the head, so all of them
    // count as places that pass.
    told_remaining<decision_type> lower_remaining(tick now, Word units, Word reset,
                                                  const rate& r) noexcept {
        const auto said = r.told(now, units, reset);
        const Word at = r.down(now);
        while (said.needed) {
            Word head = head_.load_relaxed();
            const Word pass = most_room(said.within, head, at, r);
            if (pass <= said.units) return told(said, false, now, r);
            const auto n = static_cast<Word>(pass - said.units);
            const bool is_idle = r.busy(r.time(head), at) == 0;
            if (is_idle && r.from_another_time(head, at)) forget(head, at, r);
            const bool is_later = !is_idle && earlier(said.time, r.time(head));
            const Word time = is_later ? r.time(head) : said.time;
            const Word first = r.index(head);
            const Word round = r.round(head);
            freshen(first, n, at, r);
            if (head_.try_exchange_relaxed(head, r.after(first, n, round, time))) {
                record(first, n, round, time, r);
                return told(said, true, now, r);
            }
        }
        return told(said, false, now, r);
    }

    // {units in the period, ticks until the last of them leaves it}; they are put back as if all
    // had come with the last.
    [[nodiscard]] cell_state<Word> state(tick now, const rate& r) const noexcept {
        const auto units = static_cast<Word>(r.burst() - room(now, r));
        return as_possible(cell_state<Word>{units, peek(now, 0, r).reset_after()}, r);
    }
    [[nodiscard]] bool restore(tick now, cell_state<Word> state, const rate& r) noexcept {
        if (!is_possible(state, r)) return false;
        rewrite(r.restored(now, state.ticks), static_cast<Word>(r.burst() - state.units), r);
        return true;
    }

    [[nodiscard]] constexpr std::size_t places() const noexcept { return places_.size(); }

private:
    // What is told of a step, of which `next` is the head that it leaves, or would leave, and
    // `wait` counts from when now is rounded down. How many units remain takes a search: who does
    // not ask for it does not pay for it, as the compiler leaves out a call to a pure function that
    // nobody needs.
    [[nodiscard, gnu::always_inline]] decision_type answer(const step<Word>& s, tick now,
                                                           const rate& r) const noexcept {
        return {s.verdict, room_of(s.next, now, r),
                r.until(r.busy(r.time(s.next), r.down(now)), now),
                s.verdict == verdict::never ? decision_type::forever : r.until(s.wait, now)};
    }
    [[nodiscard]] told_remaining<decision_type> told(const typename rate::said& said, bool changed,
                                                     tick now, const rate& r) const noexcept {
        const obeyed as_a_whole = changed ? obeyed::whole : obeyed::needless;
        return {said.whole ? as_a_whole : obeyed::in_part, said.ticks, peek(now, 0, r)};
    }
    // No fewer than need not wait for longer than `patience`, whatever claimers are yet to record.
    [[nodiscard]] Word most_room(Word patience, Word head, Word at, const rate& r) const noexcept {
        Word n = room_within(patience, head, at, r, 0);
        for (; n < r.burst(); ++n) {
            Word round = r.round(head);
            const Word place = last_place(head, static_cast<Word>(n + 1), round, r);
            const bool is_recorded = rate::rounds_after(r.round(place), round) == 0;
            if (is_recorded && r.busy(r.time(place), at) > patience) break;
        }
        return n;
    }
    // How many units need not wait for longer than `patience`.
    [[nodiscard]] Word room_within(Word patience, Word head, Word at, const rate& r,
                                   Word fits) const noexcept {
        Word most = r.burst();
        while (fits < most) {
            const auto n = static_cast<Word>(most - (most - fits) / 2);
            if (wait(head, n, at, r) <= patience) {
                fits = n;
            } else {
                most = static_cast<Word>(n - 1);
            }
        }
        return fits;
    }
    // Atomics whose loads others can see, as those of a model checker, have no pure functions.
    [[nodiscard, gnu::always_inline]] Word room_of(Word head, tick now,
                                                   const rate& r) const noexcept {
        if constexpr (requires { Atomic<Word>::loads_are_silent; }) {
            return pure_room(head, now, r);
        } else {
            return room(head, now, r);
        }
    }
    [[nodiscard, gnu::pure, gnu::noinline]] Word pure_room(Word head, tick now,
                                                           const rate& r) const noexcept {
        return room(head, now, r);
    }

    // What a step would be that took n units now.
    [[nodiscard, gnu::always_inline]] step<Word> look(tick now, Word n,
                                                      const rate& r) const noexcept {
        Word head = head_.load_relaxed();
        if (n > r.burst()) return {verdict::never, head, 0};
        if (n == 0) return {verdict::admitted, head, 0};
        const Word wait = this->wait(head, n, r.down(now), r);
        if (wait != 0) return {verdict::wait, head, wait};
        const Word time = r.latest(r.up(now), r.time(head));
        return {verdict::admitted, r.after(r.index(head), n, r.round(head), time), 0};
    }

    // How long n units have to wait, 0 if they fit; who may owe waits `debt` less. `head` is loaded
    // anew if it was behind.
    [[nodiscard, gnu::always_inline]] Word wait(Word& head, Word n, Word at, const rate& r,
                                                Word debt = 0) const noexcept {
        for (;;) {
            if (r.from_another_time(head, at)) [[unlikely]]
                return wait_for_head(head, n, at, r, debt);
            Word round = r.round(head);
            const Word place = last_place(head, n, round, r);
            const Word newer = rate::rounds_after(r.round(place), round);
            if (newer == 0) [[likely]]
                return r.busy(r.time(place), at);
            if (newer <= rate::later_rounds) {
                const Word latest = head_.load_relaxed();
                if (latest != head) {
                    head = latest;
                    continue;
                }
            }
            return r.busy(r.time(head), at);
        }
    }

    // The place of the last of n units, which holds the unit that lets it pass. `round` becomes the
    // round that this unit is from.
    [[nodiscard, gnu::always_inline]] Word last_place(Word head, Word n, Word& round,
                                                      const rate& r) const noexcept {
        auto index = static_cast<Word>(r.index(head) + (n - 1));
        if (index < r.burst()) {
            --round;
        } else {
            index = static_cast<Word>(index - r.burst());
        }
        return places_[static_cast<std::size_t>(index)].load_relaxed();
    }

    // The same if the head is of another time. Either it is a relic, and the log is idle. Or it may
    // be of the time of a thread that is less late: then nobody takes a unit, not even on debt,
    // until it is near enough to be of now's own time, and from then on the places say who passes.
    // (A place that has been recorded in another round is read as the head's time.)
    [[nodiscard, gnu::cold, gnu::noinline]] Word
    wait_for_head(Word head, Word n, Word at, const rate& r, Word debt) const noexcept {
        if (r.busy(r.time(head), at) == 0) return 0;
        const Word own = r.until_its_own(head, at);
        Word round = r.round(head);
        const Word place = last_place(head, n, round, r);
        const bool known = rate::rounds_after(r.round(place), round) == 0;
        const Word then = r.busy(r.time(known ? place : head), static_cast<Word>(at + own));
        return static_cast<Word>(own + (then < debt ? debt : then));
    }

    // n units if `enough` of them, which is no fewer, would fit.
    template <class Observer>
    [[gnu::always_inline]] step<Word> take(tick now, Word n, Word enough, Word debt, const rate& r,
                                           Observer& observer) noexcept {
        const Word at = r.down(now);
        Word head = head_.load_relaxed();
        if (n > r.burst()) [[unlikely]]
            return {verdict::never, head, 0};
        if (n == 0) return {verdict::admitted, head, 0};
        for (;;) {
            const Word wait = this->wait(head, enough, at, r, debt);
            if (wait > debt) {
                return {verdict::wait, head, static_cast<Word>(wait - debt)};
            }
            const Word ask = wait == 0 ? r.up(now) : static_cast<Word>(at + wait);
            const Word time = r.latest(ask, r.time(head));
            const Word first = r.index(head);
            const Word round = r.round(head);
            if (r.from_another_time(head, at)) [[unlikely]]
                forget(head, at, r);
            freshen(first, n, at, r);
            const Word next = r.after(first, n, round, time);
            if (head_.try_exchange_relaxed(head, next)) {
                record(first, n, round, time, r);
                return {verdict::admitted, next, 0};
            }
            observer.on_retry();
        }
    }

    // Calls act(place, round) for n places from the first on.
    template <class Act>
    [[gnu::always_inline]] void each(Word first, Word n, Word round, const rate& r,
                                     Act act) noexcept {
        for (Word i = first; n-- > 0; ++i) {
            if (i == r.burst()) {
                i = 0;
                ++round;
            }
            act(places_[static_cast<std::size_t>(i)], round);
        }
    }

    // Of what is about to be recorded over nothing may be so old that, when it is compared with,
    // its time seems to come after.
    [[gnu::always_inline]] void freshen(Word first, Word n, Word at, const rate& r) noexcept {
        each(first, n, 0, r, [&](Atomic<Word>& place, Word) {
            Word seen = place.load_relaxed();
            if (r.ancient(seen, at)) [[unlikely]] {
                (void)place.try_exchange_relaxed(seen, r.place(r.long_ago(at), r.round(seen)));
            }
        });
    }

    // Nothing that was recorded before such a head says anything any more: all places become free
    // before a unit is taken, each only as long as the head stands and nobody has recorded a later
    // round there.
    [[gnu::cold, gnu::noinline]] void forget(Word head, Word at, const rate& r) noexcept {
        for (Word i = 0; i < r.burst(); ++i) {
            Atomic<Word>& place = places_[static_cast<std::size_t>(i)];
            const auto round = static_cast<Word>(r.round(head) - (i < r.index(head) ? 0 : 1));
            const Word free = r.place(r.long_ago(at), round);
            Word seen = place.load_relaxed();
            while (seen != free && head_.load_relaxed() == head) {
                const Word newer = rate::rounds_after(r.round(seen), round);
                if (newer != 0 && newer <= rate::later_rounds) break;
                if (place.try_exchange_relaxed(seen, free)) break;
            }
        }
    }

    [[gnu::always_inline]] void record(Word first, Word n, Word round, Word time,
                                       const rate& r) noexcept {
        each(first, n, round, r, [&](Atomic<Word>& place, Word its_round) {
            Word seen = place.load_relaxed();
            while (earlier(r.time(seen), time) &&
                   !place.try_exchange_relaxed(seen, r.place(time, its_round))) {
            }
        });
    }

    void rewrite(Word time, Word units, const rate& r) noexcept {
        // Two rounds on, so that no decision that is under way takes the new places for its own.
        const auto round = static_cast<Word>(r.round(head_.load_relaxed()) + 2);
        const Word free = r.long_ago(time);
        for (Word i = 0; i < r.burst(); ++i) {
            places_[static_cast<std::size_t>(i)].store_relaxed(
                r.place(i < units ? free : time, static_cast<Word>(round - 1)));
        }
        head_.store_relaxed(r.head(units == r.burst() ? free : time, round, 0));
    }

    Atomic<Word> head_;
    // On a line of its own where there are lines: what is asked for is in the head more often.
    log_places<Places, Word, Atomic> places_;
};

static_assert(cell<sliding_log<1>>);

}  // namespace weir

// pacer: lanes -> turns -> limit -> emit. Producers push into lanes of their own; `poll` lets go
// what may go now and says when it wants to be called again. It is long because it wires all that.
//
// One thread at a time polls and controls (pause, set_rate, drain and so on); a callback may
// control too. Any thread may open a lane, close the pacer, and ask what is `approx_`. There is no
// thread, no system call and no allocation in here; what an item does when it is emitted is the
// sink's, an object with
//
//     void emit(Item&&);
//     void drop(Item&&, weir::dropped);
//
// or, to be given up to k items that are due at one poll together, with
//
//     static constexpr std::size_t most_at_once = k;
//     void emit(std::span<Item>);
//
// The limit is asked before an item is taken from its lane and charged once for it; then the item
// is moved out, its place is free, and only then the sink is called. So an item goes at most once,
// also if the sink throws: what `emit` throws is caught and counted, and so many times in a row
// pause the pacer; what `drop` throws is only caught. Invariant: each item that was pushed is in
// its lane, or has been handed to the sink exactly once; the destructor hands out what is left as
// `abandoned`, and nothing is ever emitted but at the limit's pace.
//
// Relaxed order suffices where the thread that polls reads what it alone writes, and where others
// look at `closed_`: a push or an `open` that comes a moment too late is one that was under way.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include <weir/base/atomic.hpp>
#include <weir/base/result.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/pacer/batch.hpp>
#include <weir/pacer/bell.hpp>
#include <weir/pacer/lane.hpp>
#include <weir/pacer/outlook.hpp>
#include <weir/pacer/pacer_error.hpp>
#include <weir/pacer/producer.hpp>
#include <weir/pacer/station.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/turns.hpp>
#if __STDC_HOSTED__
#include <weir/pacer/schedule.hpp>
#endif

namespace weir {

// A sink made of two functions: sink{[](order&& o) {...}, [](order&& o, weir::dropped why) {...}}.
template <class Emit, class Drop>
struct sink {
    Emit emit;
    Drop drop;
};
template <class Emit, class Drop>
sink(Emit, Drop) -> sink<Emit, Drop>;

// What a pacer hands its items to.
template <class Sink, class Item>
concept sink_of = requires(Sink& to, Item&& item, std::span<Item> all, dropped why) {
    to.drop(std::move(item), why);
    requires requires { to.emit(std::move(item)); } || requires {
        to.emit(all);
        Sink::most_at_once;
    };
};

namespace detail {

template <class Limit>
concept changes = requires(Limit l, const quota& q, instant<typename Limit::clock_type> now) {
    l.set_rate(q, now);
}
|| requires(Limit l, const quota& q, instant<typename Limit::clock_type> now) {
    l.set_quota(q, nanoseconds{}, now);
};

}  // namespace detail

// Limit may be a reference, to a limit that others use too.
#ifdef WEIR_HAS_DEFAULT_CLOCK
template <class Item, class Sink, class Limit = schedule<>, class Lanes = lanes<8>,
          class Observer = unwatched>
#else
template <class Item, class Sink, class Limit, class Lanes, class Observer = unwatched>
#endif
class pacer {
public:
    using item_type = Item;
    using limit_type = std::remove_reference_t<Limit>;
    using clock_type = typename limit_type::clock_type;
    using instant = weir::instant<clock_type>;
    using deadline = weir::deadline<clock_type>;
    using next_poll = weir::next_poll<clock_type>;
    using producer_type = producer<pacer>;
    using observer_type = Observer;
    static constexpr std::size_t lane_count = Lanes::count;

    static_assert(limit<limit_type>, "a pacer needs a limit: see limiter/limit.hpp");
    static_assert(
        [] {
            if constexpr (requires { typename Observer::clock_type; }) {
                return std::is_same_v<typename Observer::clock_type, clock_type>;
            }
            return true;
        }(),
        "the observer counts the ticks of another clock");

    // A lane without places throws `refused`, or without exceptions prints the reason and ends the
    // program.
    pacer(Limit limit, Sink to, const pacer_options& o = {})
        : pacer(std::forward<Limit>(limit), std::forward<Sink>(to), o,
                std::make_index_sequence<lane_count>{}) {}
    pacer(const pacer&) = delete;
    pacer& operator=(const pacer&) = delete;

    // Emits nothing: what is still in the lanes is dropped as `abandoned`. To have it go first,
    // `drain` and poll until it is `done`. Producers must be gone, but for what a callback pushes,
    // which is refused.
    ~pacer() {
        closed_.store_relaxed(true);
        polling_ = true;  // for callbacks
        sweep(dropped::abandoned);
    }

    // --- any thread

    // A lane of one's own. None if all are taken, or if it is to have a budget and the pacer has
    // but one lane: pushes say `no_lane`. None if the pacer is closed: pushes say `closed`.
    [[nodiscard]] producer_type open(const lane_options<limit_type>& o = {}) noexcept {
        if (closed_.load_relaxed()) return {nullptr, 0};
        if (lane_count == 1 && o.budget != nullptr) return {};
        for (std::size_t i = 0; i < lane_count; ++i) {
            station& s = at(i);
            if (!s.items.open()) continue;
            s.enter(o);
            s.items.opened();
            mark(bit(i), 0);
            // What it takes may go before what the pacer waits for: on another limit, or at a
            // lower cost.
            if constexpr (lane_count > 1) call();
            return {this, i};
        }
        return {};
    }

    // No lane takes anything from here on; what is in them still goes at its pace. A push that is
    // under way may still succeed, and its item comes out like all others. While the pacer is
    // paused, also because its sink failed so often, what is left waits for `resume`: it is not
    // done before that, unless it is told to drain or to discard.
    void close() noexcept {
        if (closed_.load_relaxed()) return;
        closed_.store_release(true);  // pairs with `pass`: the pushes before it are seen there
        call();
    }

    // Items in all lanes.
    [[nodiscard]] std::size_t approx_size() const noexcept {
        std::size_t items = 0;
        for (const station& s : stations_) items += s.items.approx_size();
        return items;
    }
    [[nodiscard]] std::size_t approx_size(std::size_t lane) const noexcept {
        return at(lane).items.approx_size();
    }

    // Slots that went by unused since the beginning: see `next_poll::lost`.
    [[nodiscard]] word approx_lost() const noexcept requires counts_lost_slots<word> {
        return lost_.load_relaxed();
    }

    // --- the thread that polls

    // Lets go what may go now, drops what has expired and would be next, and says when to come
    // back. The clock is read again after each callback, so that nothing goes later than it is
    // charged for. Called from a callback of its own it does nothing and says that it is due now.
    next_poll poll() noexcept {
        return poll_by([] { return clock_type::now(); });
    }
    // The same with all callbacks at one time.
    next_poll poll(instant now) noexcept {
        return poll_by([now] { return now; });
    }

    // Nothing is emitted until `resume`, or until a time. What is not emitted meanwhile may be
    // caught up as far as the limit lets it, as after any delay. A time more than half the clock's
    // circle away lies in the past, here and for `drain`.
    void pause() noexcept { stop(instant(), false, Observer::event::paused); }
    void pause_until(instant at) noexcept { stop(at, true, Observer::event::paused); }

    // The other side has asked for a pause (429, Retry-After). Does not shorten another one.
    void throttled(nanoseconds retry_after, instant now) noexcept {
        const instant until = later(now, retry_after);
        const bool longer = paused_ && (!timed() || earlier(until, paused_until()));
        if (!longer) stop(until, true, Observer::event::throttled);
    }
    void throttled(nanoseconds retry_after) noexcept { throttled(retry_after, clock_type::now()); }

    void resume() noexcept {
        paused_ = false;
        timed_.store_relaxed(false);
        failures_ = 0;
        observer_.on_event(Observer::event::resumed);
    }
    [[nodiscard]] bool paused() const noexcept { return paused_; }

    // Another rate from now on, of a schedule or an adjustable; what is left to wait is rescaled.
    // The limit stays as it is if this one cannot be held. Who changes a limit that is shared
    // elsewhere should do it here too, as producers are told by the pacer. The answer is the
    // limit's: `pacer_error` of a schedule, `quota_error` of an adjustable.
    auto set_rate(const quota& q, instant now) noexcept requires detail::changes<limit_type> {
        const auto reason = [&] {
            if constexpr (requires { limit_.set_rate(q, now); }) {
                const pacer_error refused = limit_.set_rate(q, now);
                outlook_.next_is(limit_.next());
                return refused;
            } else {
                return limit_.set_quota(q, {}, now);
            }
        }();
        if (reason == decltype(reason)::none) {
            outlook_.tell(limit_);
            again_ = polling_;
            observer_.on_event(Observer::event::rate);
        }
        return reason;
    }
    auto set_rate(const quota& q) noexcept requires detail::changes<limit_type> {
        return set_rate(q, clock_type::now());
    }

    // An orderly end: closes, lets what is in the lanes go at its pace, and discards what is still
    // there at that time. Polls say when it is `done`.
    void drain(instant until) noexcept {
        close();
        drain_until_ = until;
        draining_ = true;
    }
    void drain_for(nanoseconds time) noexcept { drain(later(clock_type::now(), time)); }
    // Closes and discards all there is; also what was pushed while it closed, at the next poll.
    void discard() noexcept {
        close();
        discarding_ = true;
        if (!polling_) {
            polling_ = true;
            sweep(dropped::discarded);
            polling_ = false;
        }
    }

    [[nodiscard]] const limit_type& limit() const noexcept { return limit_; }
    [[nodiscard]] limit_type& limit() noexcept { return limit_; }
    [[nodiscard]] const Observer& observer() const noexcept { return observer_; }
    [[nodiscard]] Observer& observer() noexcept { return observer_; }
    [[nodiscard]] Sink& to() noexcept { return sink_; }

    // Emissions in a row that threw; how many did in all is the observer's to count.
    [[nodiscard]] unsigned failures() const noexcept { return failures_; }

    // Calls how(context), on whatever thread, when the one who sleeps by `sleeper` is to come
    // back. To be said before that one sleeps first. False, and nothing changed, if a lane is open
    // and it is woken in another way already, or if a lane is open and pushes would have to begin
    // to make fences.
    bool wake_with(void (*how)(void*) noexcept, void* context, bool needs_fences) noexcept {
        const bool begins = needs_fences && !bell_.has_fences();
        const bool changes = begins || bell_.wakes_otherwise(how, context);
        if (changes && open_.load_relaxed() != 0) return false;
        bell_.wakes_by(how, context, needs_fences);
        return true;
    }
    [[nodiscard]] bell<>& sleeper() noexcept { return bell_; }

private:
    friend producer_type;

    using turns_type = turns<lane_count>;
    using mask = typename turns_type::mask;

    // The earliest of some times.
    struct appointment {
        instant at{};
        bool set = false;

        void at_latest(instant then) noexcept {
            if (!set || earlier(then, at)) at = then;
            set = true;
        }
    };

    using during = typename Observer::during;
    using work = typename Observer::work;

    using parcel = weir::parcel<Item, clock_type>;
    using station = weir::station<Item, limit_type, Lanes, clock_type>;

    static constexpr std::size_t at_once = [] {
        if constexpr (requires { std::remove_reference_t<Sink>::most_at_once; }) {
            return std::remove_reference_t<Sink>::most_at_once;
        } else {
            return std::size_t{0};
        }
    }();

    // What nobody is told is not looked at: the producer's line, for example.
    static constexpr bool watched = !std::is_same_v<Observer, unwatched>;

    // A schedule makes all wait for the same time; other limits let cheap items go before dear
    // ones.
    static constexpr bool by_cost = !requires(limit_type l) { l.next(); };
    static constexpr bool counts_lost = requires(limit_type l) { l.take_lost(word{}); };

    static constexpr word longest = largest<word> / 4;  // that anything waits, in ticks

    // Between two looks at the lanes; then who polls gets a word in.
    static constexpr unsigned most_per_poll = 256;

    template <std::size_t... I>
    pacer(Limit&& limit, Sink&& to, const pacer_options& o, std::index_sequence<I...>)
        : limit_(std::forward<Limit>(limit)),
          sink_(std::forward<Sink>(to)),
          most_drops_(o.most_drops),
          most_failures_(o.most_failures),
          stations_{station((void(I), o.capacity))...} {
        if constexpr (Lanes::capacity == 0) {
            if (o.capacity == 0 || o.capacity == SIZE_MAX) {
                detail::refuse(pacer_error::lane_without_places);
            }
        }
        static_assert(sink_of<std::remove_reference_t<Sink>, Item>,
                      "a sink has void emit(Item&&) and void drop(Item&&, weir::dropped)");
        turns_.lowest_gets_one_in(o.lowest_gets_one_in);
        outlook_.tell(limit_);
    }

    [[nodiscard]] static constexpr mask bit(std::size_t lane) noexcept {
        return static_cast<mask>(mask{1} << lane);
    }
    template <class Do>
    static void each(mask some, Do act) noexcept {
        if constexpr (lane_count == 1) {
            if (some != 0) act(0);
        } else {
            for (; some != 0; some = static_cast<mask>(some & (some - 1))) {
                act(static_cast<std::size_t>(std::countr_zero(some)));
            }
        }
    }

    // Of a lane alone the compiler knows where it is.
    [[nodiscard]] station& at(std::size_t lane) noexcept {
        return stations_[lane_count == 1 ? 0 : lane];
    }
    [[nodiscard]] const station& at(std::size_t lane) const noexcept {
        return stations_[lane_count == 1 ? 0 : lane];
    }

    // In open_. A lane alone is marked by nobody else.
    void mark(mask with, mask without) noexcept {
        if constexpr (lane_count == 1) {
            open_.store_release(with);  // pairs with the acquire in `scan`
        } else {
            mask seen = open_.load_relaxed();
            // Release: pairs with the acquires in `scan` and in `units_before`, so that what `open`
            // has entered is seen there. The acquire that comes with it has no partner.
            while (!open_.try_exchange_acq_rel(seen, (seen & ~without) | with)) {
            }
        }
    }

    // --- for producers

    pushing push(std::size_t lane, Item&& item, word cost, deadline by, instant now) noexcept {
        station& s = at(lane);
        if (closed_.load_relaxed()) return pushing::closed;
        if (view(s).never(cost)) return pushing::never;
        if (by.is_set() && (by.missed(now) || by.missed(earliest(s, cost, now)))) {
            return pushing::would_miss_deadline;
        }
        const pushing how = s.items.try_push(cost, std::move(item), cost, now, by);
        if (how == pushing::pushed) [[likely]] {
            if (by.is_set()) s.loose_until = s.items.pushed_units();
            ring();
        } else if (how == pushing::full) {
            s.times_full.store_relaxed(s.times_full.load_relaxed() + 1);
        }
        return how;
    }

    // Of its own; null: the pacer's.
    [[nodiscard]] static limit_type* own_limit(const station& s) noexcept {
        if constexpr (lane_count == 1) return nullptr;  // a lane alone has all of that
        return s.budget.load_relaxed();
    }
    [[nodiscard]] const outlook<clock_type>& view(const station& s) const noexcept {
        return own_limit(s) == nullptr ? outlook_ : s.own_outlook;
    }

    void ring() noexcept {
        if (bell_.must_wake()) [[unlikely]]
            bell_.wake();
    }

    // For what does not come out of a lane.
    void call() noexcept {
        if (bell_.call()) bell_.wake();
    }

    void leave(std::size_t lane) noexcept {
        at(lane).items.close();
        call();  // it is rare, and nobody else may have the lane before a poll
    }

    [[nodiscard]] bool crowded(std::size_t lane) const noexcept {
        return at(lane).items.approx_size() >= at(lane).high_water;
    }
    [[nodiscard]] word times_full(std::size_t lane) const noexcept {
        return at(lane).times_full.load_relaxed();
    }

    [[nodiscard]] instant due(std::size_t lane, word last, instant now) const noexcept {
        const instant next = view(at(lane)).next();
        return view(at(lane)).after(next, units_before(lane, last), after_pause(now));
    }
    // No item that is pushed now goes before that, unless the pacer is resumed earlier or the limit
    // changed. So it counts only what is before it in its lane and goes for certain: other lanes
    // may be left, and polls may be so late that all that has a deadline expires.
    [[nodiscard]] instant earliest(const station& s, word cost, instant now) const noexcept {
        const instant from = after_pause(now);
        if (cost == 0) return from;
        const instant next = view(s).next();
        if constexpr (by_cost) return view(s).after_bursts(s.certain_units(), from);
        return view(s).after(next, s.certain_units(), from);
    }
    [[nodiscard]] instant after_pause(instant now) const noexcept {
        // Acquire: pairs with the release in `stop`.
        const bool timed = timed_.load_acquire();
        const instant until = paused_until();
        return timed && earlier(now, until) ? until : now;
    }
    [[nodiscard]] word units_before(std::size_t lane, word last) const noexcept {
        const station& own = at(lane);
        const word mine = own.items.approx_units();
        word before = mine > last ? mine - last : 0;
        if constexpr (lane_count > 1) {
            const word own_units = before;
            // Pairs with the release in `mark`.
            each(open_.load_acquire() & static_cast<mask>(~bit(lane)),
                 [&](std::size_t i) { before += own.units_before(at(i), own_units); });
        }
        return before;
    }

    // --- for the one who polls

    template <class Time>
    next_poll poll_by(Time time) noexcept {
        const instant now = time();
        next_poll next{polled::due, now, false};
        if (!polling_) {
            polling_ = true;
            // Before lanes are left.
            [[maybe_unused]] const mask own = turns_.elsewhere();
            [[maybe_unused]] const mask waited = waiting_;
            next = pass(now, time);
            if constexpr (counts_lost) next.lost = lost_since(now, waited, own);
            observer_.on_polled(now, [this] { return approx_size(); });
            polling_ = false;
        }
        return next;
    }

    // What is in the lanes now. Lanes that were left and are empty may be opened again.
    mask scan() noexcept {
        const mask open = open_.load_acquire();  // pairs with the release in `mark`
        mask ready = 0;
        each(open, [&](std::size_t i) {
            station& s = at(i);
            const bool anew = (known_ & bit(i)) == 0;
            if (anew) {
                const rank its = s.rank.load_relaxed();
                turns_.enter(i, its.priority(), its.weight(), own_limit(s));
                known_ |= bit(i);
            }
            // Its rate may be changed by others, but an adjustable's is behind a mutex.
            if (const limit_type* own = own_limit(s); own != nullptr && (anew || !by_cost)) {
                s.own_outlook.tell(*own);
                if constexpr (!by_cost) {
                    if (anew) s.own_outlook.next_is(own->next());
                }
            }
            s.there = s.items.available();
            if (s.there != 0) {
                ready |= bit(i);
            } else if (s.items.held() == hold::left_over && s.items.available() == 0) {
                known_ &= static_cast<mask>(~bit(i));
                mark(0, bit(i));
                turns_.leave(i);
                // Before anybody else can have the lane.
                if constexpr (lane_count > 1) s.own_outlook.forget();
                s.items.retire();
            }
        });
        return ready;
    }

    // So that what was told long ago never seems to come.
    void age(instant now) noexcept {
        if constexpr (by_cost) return;
        outlook_.age(now);
        if constexpr (lane_count > 1) {
            each(known_, [&](std::size_t i) { at(i).own_outlook.age(now); });
        }
    }

    template <class Time>
    next_poll pass(instant now, Time time) noexcept {
        const bool over = draining_ && !earlier(now, drain_until_);
        if (discarding_ || over) {
            discarding_ = true;
            sweep(dropped::discarded);
            return {polled::done, instant(), false};
        }
        if (timed() && !earlier(now, paused_until())) resume();
        again_ = false;
        // Pairs with the release in `close`, and comes before the lanes are looked at.
        bool closed = closed_.load_acquire();
        mask ready = scan();
        age(now);
        mask asked = waiting_;  // lanes whose limit has refused something, now or before
        mask blocked = 0;       // until `wait` is over, or until the next poll
        bool cheaper = false;   // may come and go before what waits
        appointment due;
        unsigned left = most_per_poll;
        bool stirred = false;  // a callback was called since the lanes were looked at
        while (!discarding_ && left > 0) {
            const std::size_t lane =
                paused_ ? turns_type::nobody : turns_.pick(ready & static_cast<mask>(~blocked));
            if (lane == turns_type::nobody) {
                if (flush()) now = time();
                if (!stirred) break;
                // It may have pushed, closed or changed the rate.
                stirred = false;
                const mask before = ready;
                closed = closed_.load_acquire();  // pairs with `close`, as above
                ready = scan();
                if ((ready & ~before) == 0 && !again_) break;
                again_ = false;
                blocked = 0;
                cheaper = false;
                due = {};
                continue;
            }
            --left;
            station& s = at(lane);
            limit_type* const own = own_limit(s);
            const parcel& oldest = s.items.front();
            const word cost = oldest.cost;
            verdict v = verdict::never;
            if (oldest.by.missed(now)) {
                if (flush()) continue;
                if (drop_expired(s, now)) {
                    blocked |= bit(lane);
                    due = {now, true};
                }
            } else if (v = ask(lane, own, now, cost, due); v == verdict::admitted) {
                turns_.served(lane, cost == 0 ? 1 : cost);  // or it would keep its turn for ever
                send(lane, own, now, cost);
            } else if (v == verdict::never) {
                if (flush()) continue;
                drop(s, dropped::never);
            } else {
                const mask same = turns_.sharing(lane);
                blocked |= same;
                asked |= same;
                // Not only when something can go: what expires first makes room for others.
                if (oldest.by.is_set()) due.at_latest(oldest.by.missed_at());
                if constexpr (by_cost) cheaper |= cost > 1 && (same & ~ready) != 0;
                continue;
            }
            stirred = true;
            if (all_handed_over()) now = time();
            if (s.there == 0) ready &= static_cast<mask>(~bit(lane));
        }
        (void)flush();
        if constexpr (counts_lost) {
            waiting_ = paused_ ? 0 : turns_.sharing_any(left == 0 ? ready : asked & ready);
        }
        if (discarding_) return pass(now, time);
        if (closed && ready == 0) return {polled::done, instant(), false};
        if (left == 0) due = {now, true};
        return answer(due, cheaper || (known_ & ~blocked) != 0);
    }

    [[nodiscard]] next_poll answer(const appointment& due, bool others) const noexcept {
        auto what = polled::due;
        instant at{};
        bool wakes = !paused_;
        if (timed()) {
            at = paused_until();
        } else if (paused_) {
            what = polled::paused;
        } else if (due.set) {
            at = due.at;
            wakes = others;
        } else {
            what = polled::idle;
        }
        const bool sooner = what != polled::due || earlier(drain_until_, at);
        if (draining_ && sooner) {
            what = polled::due;
            at = drain_until_;
        }
        return {what, at, wakes};
    }

    // True if there may be more of them.
    bool drop_expired(station& s, instant now) noexcept {
        for (unsigned n = 0; s.there != 0 && s.items.front().by.missed(now); ++n) {
            if (n >= most_drops_ && n > 0) return true;
            drop(s, dropped::expired);
        }
        return false;
    }

    // The limit of the lane: is the item charged, or until when has it to wait?
    verdict ask(std::size_t lane, limit_type* own, instant now, word cost,
                appointment& due) noexcept {
        limit_type& limit = own == nullptr ? limit_ : *own;
        if constexpr (watched && !by_cost) slot_ = limit.next();
        const auto d = limit.try_acquire(cost, now);
        if (d.verdict() == verdict::wait) {
            const instant then = now + ticks_of(d);
            due.at_latest(then);
            if constexpr (by_cost) slot_ = then;
            next_is(lane, own, then);
        }
        return d.verdict();
    }

    // In the poll that is over. Slots are lost only if something waited for them since the last
    // poll, and no more than there is left now: what goes late has gone.
    [[nodiscard]] auto lost_since(instant now, mask waited, mask own) noexcept {
        word slots = 0;
        if (limit_.has_lost()) [[unlikely]]
            slots = lost_of(limit_, now, (waited & ~own) != 0, 0);
        if (turns_.elsewhere() != 0) [[unlikely]] {
            each(turns_.elsewhere(), [&](std::size_t i) {
                limit_type& its = *own_limit(at(i));
                if (its.has_lost()) slots += lost_of(its, now, (waited & own & bit(i)) != 0, slots);
            });
        }
        return slots;
    }
    [[nodiscard, gnu::noinline]] word lost_of(limit_type& limit, instant now, bool waited,
                                              word before) noexcept {
        if (!waited) {
            limit.forget_lost();
            return 0;
        }
        const word left = units_left();
        const word slots = limit.take_lost(left < before ? 0 : left - before);
        lost_.store_relaxed(lost_.load_relaxed() + slots);
        // A time after the poll's first one was read after a callback: that took too long.
        if (slots != 0) observer_.on_lost(slots, earlier(now, limit.lost_at()));
        return slots;
    }
    [[nodiscard]] word units_left() const noexcept {
        word units = 0;
        for (const station& s : stations_) units += s.items.approx_units();
        return units;
    }

    // Told to all who share it.
    void next_is(std::size_t lane, const limit_type* own, instant at) noexcept {
        if (own == nullptr) [[likely]]
            return outlook_.next_is(at);
        tell_sharers(lane, at);
    }
    [[gnu::noinline]] void tell_sharers(std::size_t lane, instant at) noexcept {
        each(turns_.sharing(lane), [&](std::size_t i) { this->at(i).own_outlook.next_is(at); });
    }

    template <class Decision>
    [[nodiscard]] static word ticks_of(const Decision& d) noexcept {
        std::uint64_t ticks = 0;
        if constexpr (requires { d.ticks().retry_after(); }) {
            ticks = d.ticks().retry_after();
        } else {
            ticks = to_whole_ticks<clock_type>(d.retry_after());  // it has been rounded up already
        }
        return ticks > longest ? longest : static_cast<word>(ticks);
    }

    [[nodiscard]] parcel take(station& s, word cost) noexcept {
        [[maybe_unused]] const during popping(observer_, work::pop);
        --s.there;
        return s.items.take(cost);
    }

    void send(std::size_t lane, limit_type* own, instant now, word cost) noexcept {
        station& s = at(lane);
        parcel p = take(s, cost);
        if constexpr (!by_cost) {  // now that it is not counted in its lane any more
            next_is(lane, own, own == nullptr ? limit_.next() : own->next());
        }
        if constexpr (watched) {
            const instant from = earlier(slot_, p.pushed) ? p.pushed : slot_;
            const word late = earlier(from, now) ? now.count - from.count : 0;
            const word queued = earlier(p.pushed, now) ? now.count - p.pushed.count : 0;
            observer_.on_emit(now, late, queued, s.items.approx_units());
        }
        if constexpr (at_once == 0) {
            emit(std::move(p.item));
        } else {
            batch_.add(std::move(p.item));
            if (batch_.size() == at_once) (void)flush();
        }
    }

    template <class Items>
    void emit(Items&& items) noexcept {
        [[maybe_unused]] const during emitting(observer_, work::emit);
        observer_.on_emitted(count(call([&] { sink_.emit(std::forward<Items>(items)); })));
    }

    // Before an item is dropped too: callbacks are called in the order in which items leave their
    // lanes. False if there was nothing.
    bool flush() noexcept {
        if constexpr (at_once != 0) {
            if (batch_.size() == 0) return false;
            emit(batch_.all());
            batch_.clear();
            return true;
        } else {
            return false;
        }
    }

    [[nodiscard]] bool all_handed_over() const noexcept {
        if constexpr (at_once == 0)
            return true;
        else
            return batch_.size() == 0;
    }

    void drop(station& s, dropped reason) noexcept {
        parcel p = take(s, s.items.front().cost);
        observer_.on_dropped(reason);
        (void)call([&] { sink_.drop(std::move(p.item), reason); });
    }

    // Everything, whoever holds the lane; so that a lane which is being closed is not forgotten.
    void sweep(dropped reason) noexcept {
        for (station& s : stations_) {
            for (s.there = s.items.available(); s.there != 0; s.there = s.items.available()) {
                drop(s, reason);
            }
        }
        (void)scan();
    }

    // Is it paused until a time?
    [[nodiscard]] bool timed() const noexcept { return timed_.load_relaxed(); }
    [[nodiscard]] instant paused_until() const noexcept {
        return instant(paused_until_.load_relaxed());
    }

    // False if it threw.
    template <class Callback>
    static bool call(Callback callback) noexcept {
#ifdef __cpp_exceptions
        try {
            callback();
            return true;
        } catch (...) {
            return false;
        }
#else
        callback();
        return true;
#endif
    }

    bool count(bool well) noexcept {
        failures_ = well ? 0 : failures_ + 1;
        if (most_failures_ != 0 && failures_ >= most_failures_ && !paused_) {
            stop(instant(), false, Observer::event::failing);
        }
        return well;
    }

    void stop(instant until, bool timed, typename Observer::event why) noexcept {
        paused_ = true;
        waiting_ = 0;
        paused_until_.store_relaxed(until.count);
        timed_.store_release(timed);  // pairs with `after_pause`
        observer_.on_event(why);
    }

    // What producers read: the bell changes when the pacer goes to sleep, the rest hardly ever.
    alignas(detail::apart) bell<> bell_;
    atomic<bool> closed_{false};
    atomic<mask> open_{0};  // lanes that may have something

    // And what they read only to estimate.
    alignas(detail::apart) alignas(outlook<clock_type>) outlook<clock_type> outlook_;
    atomic<word> paused_until_{0};
    atomic<bool> timed_{false};  // is it paused, and until then?
    atomic<word> lost_{0};       // slots

    // The pacer's own.
    alignas(detail::apart) alignas(Limit) Limit limit_;
    Sink sink_;
    [[no_unique_address]] Observer observer_;
    unsigned most_drops_;
    unsigned most_failures_;
    turns_type turns_;
    mask known_ = 0;    // lanes that have entered the turns
    mask waiting_ = 0;  // lanes of limits for which something waited when the last poll was over
    instant slot_{};    // of the item that the limit was asked for last
    instant drain_until_{};
    bool paused_ = false;
    bool draining_ = false;
    bool discarding_ = false;
    bool polling_ = false;
    bool again_ = false;  // a callback has changed the rate
    unsigned failures_ = 0;
    [[no_unique_address]] batch<Item, at_once> batch_;

    station stations_[lane_count];
};

// The same without spelling its type: make_pacer<order>(schedule{per_second(100)}, sink{...}). What
// is given by name is referred to and must outlive it.
template <class Item, class Lanes = lanes<8>, class Observer = unwatched, class Limit, class Sink>
[[nodiscard]] pacer<Item, Sink, Limit, Lanes, Observer> make_pacer(Limit&& limit, Sink&& to,
                                                                   const pacer_options& o = {}) {
    return {std::forward<Limit>(limit), std::forward<Sink>(to), o};
}

}  // namespace weir

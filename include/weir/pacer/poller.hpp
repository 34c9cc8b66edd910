// SPDX-License-Identifier: MIT
// poller: one poll, from the first look at the lanes to the answer when to poll again. It takes the
// lane whose turn it is and asks that lane's limit whether its oldest item may go now. The item
// then is emitted, or dropped, or it has to wait, and with it all lanes that have the same limit.
//
// It lives as long as the poll and acts on the parts of a pacer. The thread that polls calls it.
// Invariant: the limit was charged exactly once for an item that is emitted, and before it left its
// lane. After a callback the time is asked again before anything is charged, so nothing goes later
// than it was charged for.
//
// It makes no system call and allocates nothing. It takes up to 256 turns. A turn is one item that
// is emitted, or up to `most_drops` items that have expired. A poll that discards drops all there
// is. All of it is inlined into `poll`, so that what it remembers stays in registers.
#pragma once

#include <cstddef>
#include <utility>

#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/pacer/asking.hpp>
#include <weir/pacer/control.hpp>
#include <weir/pacer/lane_mask.hpp>
#include <weir/pacer/lost_count.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/turns.hpp>
#include <weir/pacer/when_to_poll.hpp>

namespace weir {

template <class Parts, class Time>
class poller {
    using limit_type = typename Parts::limit_type;
    using clock_type = typename Parts::clock_type;
    using instant = weir::instant<clock_type>;
    using next_poll = weir::next_poll<clock_type>;
    using lane_type = typename Parts::lane_type;
    static constexpr std::size_t lanes = Parts::lane_set_type::count;
    using mask = lane_mask<lanes>;

public:
    // time() is asked again after each callback.
    poller(Parts& parts, instant now, Time time) noexcept : p_(parts), now_(now), time_(time) {}

    // What the next poll has to wait for; but what is held waits for the end of a call.
    [[nodiscard, gnu::always_inline]] next_poll run() noexcept {
        if (p_.drain.is_over(now_)) return discard_all();
        if (p_.lanes.pause().is_over(now_)) control::resume(p_);
        refused_ = p_.lost.kept();
        look();
        p_.lanes.age(now_);
        for (; left_ > 0 && !p_.drain.discarding();) {
            const std::size_t lane = p_.lanes.pause().paused()
                                         ? nobody
                                         : p_.turns.pick(ready_ & static_cast<mask>(~blocked_));
            if (lane == nobody) {
                if (flush()) now_ = time_();
                if (!stirred_ || !look_again()) break;
                continue;
            }
            --left_;
            if (!serve(lane)) continue;
            stirred_ = true;
            if (p_.out.all_handed_over()) now_ = time_();
            if (p_.lanes[lane].there == 0) ready_ &= all_but<lanes>(lane);
        }
        (void)flush();
        if constexpr (counts_lost<limit_type>) {
            const bool paused = p_.lanes.pause().paused();
            const mask kept = left_ == 0 ? ready_ : refused_ & ready_;
            p_.lost.keeps(paused ? 0 : p_.turns.sharing_any(kept));
        }
        if (p_.drain.discarding()) return discard_all();
        if constexpr (steered) {
            if (more_to_hand_back_) return {polled::due, now_, false};
        }
        if (closed_ && ready_ == 0) return {polled::done, instant(), false};
        if (left_ == 0) due_ = {now_, true};
        const bool sooner = cheaper_ || held_ || (p_.lanes.known() & ~blocked_) != 0;
        return when_to_poll(due_, sooner, p_.lanes.pause(), p_.drain);
    }
    [[nodiscard]] bool held() const noexcept { return held_; }

private:
    static constexpr std::size_t nobody = turns<lanes>::nobody;

    static constexpr bool steered = Parts::can_be_steered;

    // Other limits than schedules let cheap items go before dear ones.
    static constexpr bool by_cost = !has_next_slot<limit_type>;
    // With an in_flight among its members, each item is a call with a token.
    static constexpr bool begins_calls = calling<limit_type>;

    static constexpr unsigned most_per_poll = 256;  // turns; then who polls gets a word in

    [[gnu::always_inline]] void look() noexcept {
        p_.rate_changed = false;
        closed_ = p_.lanes.all_closed();  // before the lanes are scanned
        ready_ = p_.lanes.scan(p_.turns);
        if constexpr (steered) hand_back();
    }
    // What was withdrawn, so much of each lane; that is a turn. All is handed over.
    void hand_back() noexcept {
        more_to_hand_back_ = false;
        for_each_lane<lanes>(p_.lanes.known(), [&](std::size_t i) {
            lane_type& l = p_.lanes[i];
            if (!l.items.any_withdrawn()) return;
            stirred_ = true;
            if (p_.hand_back(l)) more_to_hand_back_ = true;
        });
        if (!stirred_) return;
        if (left_ > 0) --left_;
        now_ = time_();
    }
    // A callback may have pushed, closed or changed the rate. False if it has changed nothing.
    [[nodiscard, gnu::always_inline]] bool look_again() noexcept {
        stirred_ = false;
        const mask before = ready_;
        const bool rate_changed = p_.rate_changed;
        look();
        // Where something was withdrawn another item may be the oldest.
        if ((ready_ & ~before) == 0 && !rate_changed && !(steered && stirred_)) return false;
        blocked_ = 0;
        cheaper_ = false;
        held_ = false;
        due_ = {};
        return true;
    }

    // What becomes of the lane's oldest item. False if it stays, or if a batch had to go before it.
    [[nodiscard, gnu::always_inline]] bool serve(std::size_t lane) noexcept {
        lane_type& l = p_.lanes[lane];
        limit_type* const own = l.own_limit();
        limit_type& limit = own == nullptr ? p_.limit : *own;
        if constexpr (steered) {
            if (!still_waits(lane)) return false;
        }
        const auto& oldest = l.items.front();
        const word cost = oldest.cost;
        if (oldest.by.missed(now_)) {
            if (flush()) return false;
            if (p_.drop_expired(l, now_)) {
                blocked_ |= bit_of<lanes>(lane);
                due_ = {now_, true};
            }
            return true;
        }
        if constexpr (Parts::watched && !by_cost) p_.slot = limit.next();
        auto said = ask(limit, cost, now_);
        switch (said.verdict) {
            case verdict::admitted:
                p_.turns.served(lane, cost == 0 ? 1 : cost);  // or it would keep its turn for ever
                if constexpr (begins_calls) {
                    emit(lane, limit, cost, std::move(said.token));
                } else {
                    emit(lane, limit, cost);
                }
                return true;
            case verdict::never:
                if (flush()) return false;
                p_.drop(l, dropped::never);
                return true;
            case verdict::wait: break;
        }
        if constexpr (by_cost) p_.slot = said.until;
        if (is_held(said)) {
            held_ = true;
        } else {
            due_.at_latest(said.until);
        }
        p_.tell_next(lane, said.until);
        const mask same = p_.turns.sharing(lane);
        blocked_ |= same;
        refused_ |= same;
        // An item that expires before anything can go makes room for others.
        if (oldest.by.is_set()) due_.at_latest(oldest.by.missed_at());
        // Who sleeps for the oldest item does not know whether it is withdrawn meanwhile.
        if constexpr (by_cost) cheaper_ |= cost > 1 && (steered || (same & ~ready_) != 0);
        return false;
    }

    // Does what has been asked of the lane until now, so that nothing goes which was cancelled
    // before its turn. False if nothing waits any more.
    [[nodiscard]] bool still_waits(std::size_t lane) noexcept {
        lane_type& l = p_.lanes[lane];
        l.look_again();
        if (l.items.any_withdrawn()) stirred_ = true;
        if (l.there == 0) ready_ &= all_but<lanes>(lane);
        return l.there != 0;
    }

    template <class Answer>
    [[nodiscard, gnu::always_inline]] static bool is_held(const Answer& said) noexcept {
        if constexpr (begins_calls) {
            return said.held;
        } else {
            return false;
        }
    }

    // The limit was charged for it.
    template <class... Token>
    [[gnu::always_inline]] void emit(std::size_t lane, limit_type& limit, word cost,
                                     Token&&... token) noexcept {
        lane_type& l = p_.lanes[lane];
        auto oldest = p_.take(l, cost);
        if constexpr (!by_cost) p_.tell_next(lane, limit.next());  // now that it has left its lane
        p_.emit(l, std::move(oldest), now_, std::forward<Token>(token)...);
        control::pause_if_failing(p_);
    }
    [[gnu::always_inline]] bool flush() noexcept {
        if (!p_.out.flush(p_.observer)) return false;
        control::pause_if_failing(p_);
        return true;
    }
    [[nodiscard, gnu::always_inline]] next_poll discard_all() noexcept {
        p_.drop_all(dropped::discarded);
        return {polled::done, instant(), false};
    }

    Parts& p_;
    instant now_;
    Time time_;
    unsigned left_ = most_per_poll;
    bool closed_ = false;   // before the lanes were looked at
    bool stirred_ = false;  // a callback was called since the lanes were looked at
    bool held_ = false;     // something waits for the end of a call
    bool cheaper_ = false;  // something cheap may come and go before what waits
    bool more_to_hand_back_ = false;
    mask ready_ = 0;    // lanes that have something
    mask refused_ = 0;  // lanes whose limit has refused something, in this poll or before
    mask blocked_ = 0;  // lanes that go on at due_ or at the next poll
    due_time<clock_type> due_{};
};

namespace detail {

// One poll; from a callback of another one it does nothing.
template <template <class, class> class Poller = poller, class Parts, class Time>
auto poll(Parts& p, Time time) noexcept {
    const auto now = time();
    next_poll<typename Parts::clock_type> next{polled::due, now, false};
    if (p.polling) return next;
    p.polling = true;
    const auto before = p.lost.look(p.turns);
    if constexpr (calling<typename Parts::limit_type>) {
        Poller<Parts, Time> one(p, now, time);
        next = one.run();
        next = p.held.after(next, one.held(), now);
    } else {
        next = Poller<Parts, Time>(p, now, time).run();
    }
    next.lost = p.lost.since(before, now, p.lanes, p.turns, p.limit, p.observer);
    p.observer.on_polled(now, [&p] { return p.lanes.approx_size(); });
    p.polling = false;
    return next;
}

}  // namespace detail

}  // namespace weir

// SPDX-License-Identifier: MIT
// keyed_poller: one poll of a keyed pacer. It takes the key whose turn it is and asks the limit of
// that key and then the overall limit. The key's oldest item then goes, or is dropped, or the key
// waits for its own limit, or all keys wait for the overall one.
//
// It lives as long as the poll. The thread that polls calls it. Invariant: both limits were charged
// exactly once for an item that is emitted, and before it left its queue. After a callback the time
// is asked again before anything is charged.
//
// It makes no system call and allocates nothing. It takes up to 256 turns; before each it reads
// what has been asked for, so nothing goes that was cancelled before its turn.
#pragma once

#include <cstdint>
#include <utility>

#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/pacer/asking.hpp>
#include <weir/pacer/control.hpp>
#include <weir/pacer/terms.hpp>
#include <weir/pacer/when_to_poll.hpp>

namespace weir {

template <class Parts, class Time>
class keyed_poller {
    using clock_type = typename Parts::clock_type;
    using instant = weir::instant<clock_type>;
    using next_poll = weir::next_poll<clock_type>;

public:
    // time() is asked again after each callback.
    keyed_poller(Parts& parts, instant now, Time time) noexcept
        : p_(parts), now_(now), time_(time) {}

    // What the next poll has to wait for; but what is held waits for the end of a call.
    [[nodiscard]] next_poll run() noexcept {
        if (p_.drain.is_over(now_)) return discard_all();
        if (p_.lanes.pause().is_over(now_)) control::resume(p_);
        look();
        while (left_ > 0 && !p_.drain.discarding()) {
            if (somebody_is_due()) {
                --left_;
                take_turn();
            } else {
                if (flush()) continue;
                if (!stirred_) break;
                look();
            }
        }
        (void)flush();
        if (p_.drain.discarding()) return discard_all();
        return answer();
    }

    [[nodiscard]] bool held() const noexcept { return held_; }

private:
    static constexpr unsigned most_per_poll = 256;  // turns; then who polls gets a word in

    // Other limits than schedules let cheap items go before dear ones.
    static constexpr bool by_cost = !has_next_slot<typename Parts::limit_type>;
    // With an in_flight among its members, each item is a call with a token.
    static constexpr bool begins_calls = calling<typename Parts::limit_type>;

    // All is handed over.
    void look() noexcept {
        stirred_ = false;
        blocked_ = held_ = false;
        p_.rate_changed = false;
        closed_ = p_.lanes.all_closed();  // before the lanes are read
        p_.read(now_);
        (void)p_.lanes.scan(p_.turns);
        p_.keys.tidy(now_);
        more_to_hand_back_ = false;
        if (!p_.keys.any_withdrawn()) return;
        more_to_hand_back_ = p_.hand_back();
        if (left_ > 0) --left_;
        after_a_callback();
    }
    void after_a_callback() noexcept {
        stirred_ = true;
        now_ = time_();
    }

    [[nodiscard]] bool somebody_is_due() const noexcept {
        return !blocked_ && !p_.lanes.pause().paused() && !p_.keys.is_empty() &&
               !earlier(now_, p_.keys.first_time());
    }

    void take_turn() noexcept {
        p_.read(now_);
        if (p_.keys.any_withdrawn()) stirred_ = true;
        if (!somebody_is_due()) return;
        const std::uint32_t key = p_.keys.first();
        const auto& oldest = p_.keys.front(key);
        if (oldest.by.missed(now_)) return drop(key, dropped::expired);
        switch (p_.keys.may_go(key, now_)) {
            case verdict::admitted: return ask_overall(key);
            case verdict::never: return drop(key, dropped::never);
            case verdict::wait: return;
        }
    }
    void ask_overall(std::uint32_t key) noexcept {
        const auto& oldest = p_.keys.front(key);
        auto said = ask(p_.limit, oldest.cost, now_);
        if (said.verdict == verdict::never) return drop(key, dropped::never);
        if constexpr (begins_calls) {
            if (said.verdict == verdict::admitted) return emit(key, std::move(said.token));
            held_ = said.held;
        } else {
            if (said.verdict == verdict::admitted) return emit(key);
        }
        // The others wait with it, or cheap items would keep a dear one from going.
        blocked_ = true;
        due_ = {};
        if (!held_) due_ = {said.until, true};
        if (oldest.by.is_set()) due_.at_latest(oldest.by.missed_at());
        cheaper_ = by_cost && oldest.cost > 1;
    }

    // The overall limit was charged for it.
    template <class... Token>
    void emit(std::uint32_t key, Token&&... token) noexcept {
        p_.keys.charge(key, now_);
        const instant slot = p_.keys.first_time();
        const auto& from = p_.lanes[p_.keys.lane_of_front(key)].items;
        auto its = p_.take(key, now_);
        if constexpr (Parts::watched) {
            detail::tell_emit(p_.observer, its, slot, now_, from.approx_units());
        }
        p_.out.emit(std::move(its.item), p_.observer, std::forward<Token>(token)...);
        control::pause_if_failing(p_);
        if (p_.out.all_handed_over()) after_a_callback();
    }
    // A batch goes before it, and then it is looked at again.
    void drop(std::uint32_t key, dropped reason) noexcept {
        if (flush()) return;
        p_.drop(key, reason, now_);
        after_a_callback();
    }
    [[nodiscard]] bool flush() noexcept {
        if (!p_.out.flush(p_.observer)) return false;
        control::pause_if_failing(p_);
        after_a_callback();
        return true;
    }

    [[nodiscard]] next_poll discard_all() noexcept {
        p_.drop_all(dropped::discarded);
        return {polled::done, instant(), false};
    }
    [[nodiscard]] next_poll answer() noexcept {
        const bool withdrawn = p_.keys.any_withdrawn();
        if (more_to_hand_back_ || (withdrawn && left_ == 0)) return {polled::due, now_, false};
        if (closed_ && p_.keys.is_empty()) return {polled::done, instant(), false};
        if (left_ == 0) {
            due_ = {now_, true};
        } else if (!blocked_) {
            due_ = {};
            if (!p_.keys.is_empty()) due_ = {p_.keys.first_time(), true};
        }
        // An item of another key may go at once, unless all wait for the overall limit.
        return when_to_poll(due_, !blocked_ || cheaper_ || held_, p_.lanes.pause(), p_.drain);
    }

    Parts& p_;
    instant now_;
    Time time_;
    unsigned left_ = most_per_poll;
    bool closed_ = false;   // before the lanes were read
    bool stirred_ = false;  // a callback was called, or something withdrawn, since then
    bool blocked_ = false;  // by the overall limit, until due_ or the next poll
    bool held_ = false;     // by the end of a call, which comes at no known time
    bool cheaper_ = false;  // something cheap may go before that
    bool more_to_hand_back_ = false;
    due_time<clock_type> due_{};
};

}  // namespace weir

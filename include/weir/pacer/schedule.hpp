// SPDX-License-Identifier: MIT
// schedule: when the next item may go. One thread asks it, so there is nothing atomic in it.
//
//     an item may go at r >= T;  then T = max(T, r - tau) + cost x interval
//
// tau, the catch-up, is how much of a delay is made good again. Invariant: whatever the r's, what
// went in any window costs no more than (window + tau) / interval and the last item, since T rises
// by each cost and never lies further back than tau. As long as no item is later than tau, the
// grid start + k x interval is kept and nothing is lost, however long it runs: the interval is in
// fine_time, rounded up by less than 2^-64 of a tick.
//
// For items of one unit this is gcra's rule with T = tat - tau and tau = (burst - 1) intervals, and
// gives the same answers (tests/pacer/schedule_test.cpp). What it adds: any tau, half an interval
// for example; a rate that changes; items that cost more than the catch-up, which are paid
// for afterwards where gcra would let the small ones bunch; no atomics; and the last half of a
// millionth of the rate, five items in ten million.
#pragma once

#include <cstdint>
#include <type_traits>

#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/fine_time.hpp>
#include <weir/pacer/lost_slots.hpp>
#include <weir/pacer/pacer_error.hpp>
#if __STDC_HOSTED__
#include <weir/clock/default.hpp>
#endif

namespace weir {

// How much of a delay is made good by items that follow each other more closely.
struct catch_up {
    std::int64_t half_intervals = 0;
    nanoseconds time{};

    // Nothing: two items are never closer than the interval. A pacer that is late by p of an
    // interval on average is that much below its rate.
    [[nodiscard]] static constexpr catch_up none() noexcept { return {}; }
    // Enough for the mean rate as long as nobody is later than that.
    [[nodiscard]] static constexpr catch_up half_an_interval() noexcept { return {1, {}}; }
    // After a delay, or an idle time, so many items and one more may go at once.
    [[nodiscard]] static constexpr catch_up items(std::int64_t n) noexcept {
        return {n > INT64_MAX / 2 ? INT64_MAX : n < INT64_MIN / 2 ? INT64_MIN : 2 * n, {}};
    }
    [[nodiscard]] static constexpr catch_up within(nanoseconds time) noexcept { return {0, time}; }
    // For a pacer that is polled once a frame, in a game loop for example: what became due since
    // the last frame goes at once. It keeps its rate as long as no frame takes longer than two of
    // these and no more than 256 items become due in one, as many as a poll lets go; what it then
    // loses a poll tells. At a higher rate poll again while `next_poll::at` is not in the future.
    [[nodiscard]] static constexpr catch_up frames_per_second(std::int64_t frames) noexcept {
        return within(frames > 0 ? nanoseconds(2 * nanoseconds::per_second / frames) : no_frames);
    }

    // In place of a time, until a schedule refuses it.
    static constexpr nanoseconds no_frames{INT64_MIN};
};

// What a schedule answers, in the words of a limiter's decision.
template <class Clock, class Word = word>
class [[nodiscard]] slot_decision {
public:
    struct in_ticks {
        Word wait;
        [[nodiscard]] constexpr Word retry_after() const noexcept { return wait; }
    };

    constexpr slot_decision(weir::verdict verdict, Word wait) noexcept
        : verdict_(verdict), wait_(wait) {}

    [[nodiscard]] constexpr bool admitted() const noexcept { return verdict_ == verdict::admitted; }
    [[nodiscard]] constexpr explicit operator bool() const noexcept { return admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept { return verdict_; }
    [[nodiscard]] constexpr nanoseconds retry_after() const noexcept {
        return verdict_ == verdict::never ? nanoseconds::longest() : to_time<Clock>(wait_);
    }
    [[nodiscard]] constexpr in_ticks ticks() const noexcept { return {wait_}; }

private:
    weir::verdict verdict_;
    Word wait_;
};

#if __STDC_HOSTED__
template <clock Clock = default_clock, class Word = word>
#else
template <clock Clock, class Word = word>
#endif
class schedule {
public:
    using clock_type = Clock;
    using decision_type = slot_decision<Clock, Word>;

    // q.units() per q.period(), evenly; no item may cost more than q.burst(). That is all the burst
    // is for: what goes at once after a delay is the catch-up.
    [[nodiscard]] static constexpr result<schedule, pacer_error>
    make(const weir::quota& q, catch_up c = catch_up::half_an_interval()) noexcept {
        schedule s(q, c, unchecked{});
        const pacer_error reason = s.refit(q);
        if (reason != pacer_error::none) return reason;
        return s;
    }
    // The same without an error value: an invalid constant does not compile; otherwise it throws
    // `refused`, or without exceptions prints the reason and ends the program.
    constexpr explicit schedule(const weir::quota& q, catch_up c = catch_up::half_an_interval())
        : schedule(make(q, c).value()) {}

    // Another rate from now on: what is left to wait, or is late and may be caught up, becomes as
    // much longer or shorter as the interval, whatever the new burst, so nothing starts anew and as
    // many slots are due as before; but a wait is no longer than a quarter of the clock's circle.
    // If the quota is refused nothing changes.
    [[nodiscard]] constexpr pacer_error set_rate(const weir::quota& q,
                                                 instant<Clock> now) noexcept {
        const Word wait = settle(now);
        schedule next(*this);
        const pacer_error reason = next.refit(q);
        if (reason != pacer_error::none) return reason;
        next.lost_.count_by(next.interval_, interval_);
        if (wait != 0) {
            const Word longer = next.scaled(wait, *this, true);
            next.next_ = {static_cast<Word>(at(now) + longer), 0};
            const auto furthest = static_cast<Word>(longer + guard());
            if (next.furthest_ < furthest) next.furthest_ = furthest;  // a debt, and no relic
        } else {
            const auto late = static_cast<Word>(at(now) - next_.rounded_up());
            next.next_ = {static_cast<Word>(at(now) - next.scaled(late, *this, false)), 0};
            (void)next.settle(now);  // what the new rate does not catch up is lost
        }
        *this = next;
        return pacer_error::none;
    }

    // May an item of n units go now? Then its time is taken.
    constexpr decision_type try_acquire(unit_count n, instant<Clock> now) noexcept {
        const decision_type d = answer(n, settle(now));
        if (d) next_ = next_ + interval_ * static_cast<Word>(n);
        return d;
    }
    [[nodiscard]] constexpr decision_type peek(unit_count n, instant<Clock> now) const noexcept {
        return answer(n, schedule(*this).settle(now));
    }

    // T; in the past if it may be caught up.
    [[nodiscard]] constexpr instant<Clock> next() const noexcept {
        return instant<Clock>(next_.rounded_up());
    }

    // Slots that cannot be made good any more, since somebody asked last.
    [[nodiscard]] constexpr bool has_lost() const noexcept requires counts_lost_slots<Word> {
        return lost_.any();
    }
    // The `now` of the call that lost the last one.
    [[nodiscard]] constexpr instant<Clock>
    lost_at() const noexcept requires counts_lost_slots<Word> {
        return instant<Clock>(lost_.at());
    }
    constexpr void forget_lost() noexcept requires counts_lost_slots<Word> { lost_.forget(); }
    [[nodiscard]] constexpr word take_lost(word at_most) noexcept requires counts_lost_slots<Word> {
        return lost_.take(interval_, at_most);
    }

    [[nodiscard]] constexpr const weir::quota& quota() const noexcept { return quota_; }
    [[nodiscard]] constexpr fine_time<Word> interval() const noexcept { return interval_; }
    [[nodiscard]] constexpr fine_time<Word> most_late() const noexcept { return tau_; }

private:
    struct unchecked {};

    static constexpr Word most = largest<Word> / 4;  // that anything takes, in ticks

    constexpr schedule(const weir::quota& q, catch_up c, unchecked) noexcept
        : quota_(q), catch_up_(c) {}

    [[nodiscard]] static constexpr Word at(instant<Clock> now) noexcept {
        return static_cast<Word>(now.count);
    }

    // How late a clock may be.
    [[nodiscard]] static constexpr Word guard() noexcept {
        const std::uint64_t guard = to_ticks<Clock>(seconds(sizeof(Word) == 8 ? 3600 : 0)) +
                                    to_ticks<Clock>(milliseconds(50));
        return static_cast<Word>(guard < most ? guard : most);
    }

    constexpr pacer_error refit(const weir::quota& q) noexcept {
        if (Clock::hertz() == 0) return pacer_error::clock_without_frequency;
        if (catch_up_.half_intervals < 0 || catch_up_.time < nanoseconds{}) {
            return catch_up_.time == catch_up::no_frames ? pacer_error::frames_not_positive
                                                         : pacer_error::catch_up_negative;
        }
        const auto units = static_cast<std::uint64_t>(q.units());
        const auto burst = static_cast<std::uint64_t>(q.burst());
        const fine_time<Word> interval = fine_time<Word>::from(
            multiply(static_cast<std::uint64_t>(q.period().count()), Clock::hertz()),
            multiply(units, nanoseconds::per_second));
        const auto halves = static_cast<std::uint64_t>(catch_up_.half_intervals);
        const std::uint64_t time = to_ticks<Clock>(catch_up_.time);
        const auto spans = [=](std::uint64_t n) {  // in ticks, rounded up
            return multiply(interval.ticks, n) + wide{0, 1} +
                   wide{0, multiply(interval.exact().low, n).high};
        };
        if (interval.ticks == 0 && interval.parts < 100) return pacer_error::rate_too_fine;
        if (burst > largest<Word> || halves > largest<Word>) return pacer_error::burst_too_long;
        if (!spans(burst).fits(most) || !spans(halves).fits(most) || time > most ||
            !(spans(burst) + spans(halves) + wide{0, time}).fits(most)) {
            return pacer_error::burst_too_long;
        }
        quota_ = q;
        interval_ = interval;
        most_units_ = static_cast<Word>(burst);
        tau_ = (interval * static_cast<Word>(halves)).half() +
               fine_time<Word>{static_cast<Word>(time), 0};
        furthest_ = static_cast<Word>((spans(burst) + wide{0, guard()}).low);
        return pacer_error::none;
    }

    // T = max(T, now - tau), and how long it is until then. So T is never so old that it seems to
    // come. Further ahead than an item's cost and the guard against late clocks it can only be a
    // relic of a wrap or of a clock that was set back, and counts as now.
    constexpr Word settle(instant<Clock> now) noexcept {
        const Word first = next_.rounded_up();
        const auto wait = static_cast<Word>(earlier(at(now), first) ? first - at(now) : 0);
        if (!started_ || wait > furthest_) {
            started_ = true;
            next_ = {at(now), 0};
            return 0;
        }
        // What is to come is not old, even where it and the catch-up are half a circle together.
        if (wait != 0) return wait;
        const fine_time<Word> oldest{static_cast<Word>(at(now) - tau_.rounded_up()),
                                     static_cast<Word>(Word{0} - tau_.parts)};
        if (next_.earlier_than(oldest)) [[unlikely]] {
            lost_.add(next_, oldest, at(now));
            next_ = oldest;
        }
        return 0;
    }

    [[nodiscard]] constexpr decision_type answer(word n, Word wait) const noexcept {
        if (n > most_units_) return {verdict::never, 0};
        return {wait == 0 || n == 0 ? verdict::admitted : verdict::wait, wait};
    }

    // `time` at the old rate is how long at this one? A wait is rounded up and a delay down, so
    // that nothing ever goes too early.
    [[nodiscard]] constexpr Word scaled(Word time, const schedule& old, bool up) const noexcept {
        wide from = old.interval_.exact();
        wide to = interval_.exact();
        while (from.high != 0 || to.high != 0) {
            from = halved(from);
            to = halved(to);
        }
        const division d = divide(multiply(time, to.low), {0, from.low == 0 ? 1 : from.low});
        const wide rest{0, up && d.remainder != wide{} ? 1U : 0U};
        const wide longer = d.quotient + rest;
        return longer.fits(most) ? static_cast<Word>(longer.low) : most;
    }
    [[nodiscard]] static constexpr wide halved(wide x) noexcept {
        return {x.high >> 1, (x.low >> 1) | (x.high << 63)};
    }

    fine_time<Word> next_{};      // T
    fine_time<Word> interval_{};  // of one unit
    fine_time<Word> tau_{};
    [[no_unique_address]] lost_slots<Word> lost_;
    Word most_units_ = 0;
    Word furthest_ = 0;  // a T further ahead is a relic
    bool started_ = false;
    weir::quota quota_;
    catch_up catch_up_;
};

}  // namespace weir

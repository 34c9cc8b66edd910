// SPDX-License-Identifier: MIT
// held_up: what a pacer whose limit has an in_flight knows of lanes that wait for the end of a
// call. Nobody knows when that comes. So there are two answers to a poll: whoever hears of the end
// of a call sleeps as if these lanes were empty; everybody else looks again a millisecond later.
// Other pacers have nothing of this.
//
// The thread that polls uses it. Plain values.
#pragma once

#include <cstdint>
#include <type_traits>

#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/in_flight.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

// What a poll answers whoever hears of the end of a call.
template <class Clock>
struct told_poll {
    next_poll<Clock> next;
    bool held;  // something waits for the end of a call

    friend constexpr bool operator==(told_poll, told_poll) = default;
};

template <clock Clock>
class held_up {
public:
    // After a poll at that time, which answered `next` but for what is held. Answers everybody. The
    // time stays the same until it has come, so that two polls in a row have one answer.
    [[nodiscard]] next_poll<Clock> after(next_poll<Clock> next, bool held,
                                         instant<Clock> now) noexcept {
        const bool stays = told_.held && earlier(now, look_);
        told_ = {next, held};
        if (!held || (next.what != polled::idle && next.what != polled::due)) return next;
        if (!stays) {
            const auto time = to_ticks<Clock>(place_decision::look_again);
            look_ = detail::after(now, time == 0 ? 1 : time);
        }
        if (next.what == polled::idle || earlier(look_, next.at)) next.at = look_;
        next.what = polled::due;
        return next;
    }
    [[nodiscard]] const told_poll<Clock>& told() const noexcept { return told_; }

private:
    told_poll<Clock> told_{{polled::due, instant<Clock>(), false}, false};
    instant<Clock> look_{};
};

// Of limits without an in_flight: nothing.
struct never_held_up {};
template <bool Held, class Clock>
using held_up_if = std::conditional_t<Held, held_up<Clock>, never_held_up>;

}  // namespace weir

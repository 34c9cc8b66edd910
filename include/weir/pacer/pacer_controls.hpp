// SPDX-License-Identifier: MIT
// pacer_controls: what users can tell and ask any pacer, whatever it is made of: to pause, to
// drain, to end, and how things stand. It holds the parts of the pacer.
//
// Any thread may close it and ask what is `approx_`; the rest belongs to the thread that polls.
// None of it blocks or allocates.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/pacer/asking.hpp>
#include <weir/pacer/bell.hpp>
#include <weir/pacer/control.hpp>
#include <weir/pacer/held_up.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/sink.hpp>

namespace weir {

namespace detail {

// One readable line if it does not. It may be a reference.
template <class Sink, class Item, class Limit>
constexpr void sink_fits() noexcept {
    if constexpr (calling<Limit>) {
        static_assert(
            sink_of_calls<std::remove_reference_t<Sink>, Item, typename Limit::token_type>,
            "with an in_flight a sink has void emit(Item&&, weir::call_token) and "
            "void drop(Item&&, weir::dropped)");
    } else {
        static_assert(sink_of<std::remove_reference_t<Sink>, Item>,
                      "a sink has void emit(Item&&) and void drop(Item&&, weir::dropped)");
    }
}

}  // namespace detail

template <class Parts>
class pacer_controls {
public:
    using limit_type = typename Parts::limit_type;
    using clock_type = typename Parts::clock_type;
    using instant = weir::instant<clock_type>;
    using observer_type = typename Parts::observer_type;

    static_assert(pacer_observer<observer_type>,
                  "an observer has every function of weir::unwatched: see pacer/observer.hpp");
    static_assert(counts_ticks_of<observer_type, clock_type>,
                  "the observer counts the ticks of another clock");

    pacer_controls(const pacer_controls&) = delete;
    pacer_controls& operator=(const pacer_controls&) = delete;

    // --- any thread

    // No lane takes anything from here on; what is in them still goes at its pace. A push that is
    // under way may still succeed, and its item comes out like all others. While the pacer is
    // paused, also because its sink failed so often, what is left waits for `resume`: it is not
    // done before that, unless it is told to drain or to discard.
    void close() noexcept { parts_.lanes.close(); }

    // Items in all lanes.
    [[nodiscard]] std::size_t approx_size() const noexcept { return parts_.lanes.approx_size(); }
    [[nodiscard]] std::size_t approx_size(std::size_t lane) const noexcept {
        return parts_.lanes[lane].items.approx_size();
    }

    // --- the thread that polls

    // Nothing is emitted until `resume`, or until a time. What is not emitted meanwhile may be
    // caught up as far as the limit lets it, as after any delay. A time more than half the clock's
    // circle away lies in the past, here and for `drain`.
    void pause() noexcept { control::pause(parts_, pacer_event::paused); }
    void pause_until(instant at) noexcept { control::pause(parts_, pacer_event::paused, at); }

    // The other side has asked for a pause (429, Retry-After). Does not shorten another one.
    void throttled(nanoseconds retry_after, instant now) noexcept {
        control::throttle(parts_, retry_after, now);
    }
    void throttled(nanoseconds retry_after) noexcept {
        throttled(retry_after, detail::fresh_now<clock_type>());
    }

    void resume() noexcept { control::resume(parts_); }
    [[nodiscard]] bool paused() const noexcept { return parts_.lanes.pause().paused(); }

    // Another rate from now on, of a schedule or an adjustable; what is left to wait is rescaled.
    // The limit stays as it is if it cannot hold this one. Who changes a limit that is shared
    // elsewhere should do it here too, as producers are told by the pacer. The answer is the
    // limit's: `pacer_error` of a schedule, `quota_error` of an adjustable.
    auto set_rate(const quota& q, instant now) noexcept requires changes_rate<limit_type> {
        return control::set_rate(parts_, q, now);
    }
    auto set_rate(const quota& q) noexcept requires changes_rate<limit_type> {
        return set_rate(q, detail::fresh_now<clock_type>());
    }

    // An orderly end: closes, lets what is in the lanes go at its pace, and discards what is still
    // there at that time. Polls say when it is `done`.
    void drain(instant until) noexcept { control::drain(parts_, until); }
    void drain_for(nanoseconds time) noexcept {
        drain(later(detail::fresh_now<clock_type>(), time));
    }
    // Closes and discards all there is; also what was pushed while it closed, at the next poll.
    void discard() noexcept { control::discard(parts_); }

    [[nodiscard]] const limit_type& limit() const noexcept { return parts_.limit; }
    [[nodiscard]] limit_type& limit() noexcept { return parts_.limit; }
    [[nodiscard]] const observer_type& observer() const noexcept { return parts_.observer; }
    [[nodiscard]] observer_type& observer() noexcept { return parts_.observer; }
    [[nodiscard]] auto& to() noexcept { return parts_.out.to(); }

    // What the last poll answers whoever hears of the end of a call, as a pacer's thread does. What
    // `poll` answers if something waits for that is to look again, within a millisecond.
    [[nodiscard]] const told_poll<clock_type>& told() const noexcept requires calling<limit_type> {
        return parts_.held.told();
    }
    // Emissions in a row that threw; how many did in all is the observer's to count.
    [[nodiscard]] unsigned failures() const noexcept { return parts_.out.failures(); }

    // Calls how(context), on whatever thread, when the one who sleeps by `sleeper` is to come
    // back. To be said before that one sleeps first. False, and nothing changed, if a lane is open
    // and it is woken in another way already, or if a lane is open and pushes would have to begin
    // to make fences.
    bool wake_with(void (*how)(void*) noexcept, void* context, bool needs_fences) noexcept {
        const bool begins = needs_fences && !sleeper().has_fences();
        const bool changes = begins || sleeper().wakes_otherwise(how, context);
        if (changes && parts_.lanes.any_open()) return false;
        sleeper().wakes_by(how, context, needs_fences);
        return true;
    }
    [[nodiscard]] bell<>& sleeper() noexcept { return parts_.lanes.bell(); }

protected:
    template <class... From>
    explicit pacer_controls(From&&... from) : parts_(std::forward<From>(from)...) {}
    ~pacer_controls() = default;

    Parts parts_;
};

}  // namespace weir

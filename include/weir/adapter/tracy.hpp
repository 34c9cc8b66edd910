// SPDX-License-Identifier: MIT
// tracy: observers that show a pacer and a limiter in the Tracy profiler.
//
//     weir::pacer<order, my_sink, weir::schedule<>, weir::lanes<8>, weir::pacer_trace<"orders">> p;
//     weir::limiter<weir::gcra<>, weir::default_clock, weir::limiter_trace<"api">> l{...};
//     l.observer().sample();  // once a frame, say
//
// A pacer's thread has a zone wherever it waits, takes an item from its lane, or is in the sink; a
// plot has what waits, the worst lateness, and what was emitted and dropped; messages tell of
// pauses and rates. The thread's name Tracy asks the system for. A decision of a limiter costs less
// than a zone, so it is only counted, and plotted when it is sampled. Nothing is sent, and little
// is done, before a profiler connects if the client is built with TRACY_ON_DEMAND, as it should be.
//
// Without TRACY_ENABLE, which the client's target brings along, these are the observers that hear
// nothing: no instruction is left of them, and no header of Tracy is needed.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/base/word.hpp>
#include <weir/cell/observer.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/default.hpp>
#include <weir/limiter/counters.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/terms.hpp>
#ifdef TRACY_ENABLE
#include <tracy/Tracy.hpp>
#endif

namespace weir {

// A name that is part of a type, as Tracy wants its names to be there for ever.
template <std::size_t Size>
struct trace_name {
    consteval trace_name(const char (&text)[Size]) noexcept {
        for (std::size_t i = 0; i < Size; ++i) characters[i] = text[i];
    }

    char characters[Size]{};
};

#ifdef TRACY_ENABLE

namespace detail {

// "orders: waiting", in static memory.
template <trace_name Name, trace_name What>
class plot {
public:
    static void show(word value) noexcept {
        tracy::Profiler::PlotData(title.characters, static_cast<std::int64_t>(value));
    }

private:
    static constexpr std::size_t size = sizeof Name.characters + sizeof What.characters + 1;
    struct title_type {
        char characters[size]{};
    };
    static constexpr title_type title = [] {
        title_type t;
        char* to = t.characters;
        for (const char c : Name.characters) *to++ = c;
        to[-1] = ':';
        *to++ = ' ';
        for (const char c : What.characters) *to++ = c;
        return t;
    }();
};

}  // namespace detail

template <trace_name Name, clock Clock = default_clock>
class pacer_trace final {
public:
    using clock_type = Clock;

    class during {
    public:
        during(pacer_trace&, pacer_work w) noexcept : zone_(&places[static_cast<std::size_t>(w)]) {}

    private:
        static constexpr tracy::SourceLocationData places[] = {
            {"wait", Name.characters, __FILE__, __LINE__, 0},
            {"pop", Name.characters, __FILE__, __LINE__, 0},
            {"emit", Name.characters, __FILE__, __LINE__, 0},
        };

        tracy::ScopedZone zone_;
    };

    void on_emit(tick /*now*/, word late, word /*queued*/, word /*left*/) noexcept {
        ++emitted_;
        if (late > worst_) worst_ = late;
    }
    static void on_emitted(bool /*well*/) noexcept {}
    void on_dropped(dropped /*reason*/) noexcept { ++dropped_; }
    static void on_lost(word /*slots*/, bool /*in_a_callback*/) noexcept {}

    // Once an interval, and when the lanes have become empty: then no poll may follow for long.
    // What comes and goes within an interval after that is in the next point.
    template <class Items>
    void on_polled(tick now, Items items) noexcept {
        if (!TracyIsConnected) return begin(now);
        const bool over = !earlier(now, {began_.count + interval_});
        if (!over && shown_ == 0) return;
        const word waiting = items();
        if (!over && waiting != 0) return;
        shown_ = waiting;
        detail::plot<Name, "waiting">::show(waiting);
        detail::plot<Name, "worst lateness (ns)">::show(
            static_cast<word>(to_time<Clock>(worst_).count()));
        detail::plot<Name, "emitted">::show(emitted_);
        detail::plot<Name, "dropped">::show(dropped_);
        begin(now);
    }

    static void on_event(pacer_event what) noexcept {
        switch (what) {
            case pacer_event::paused: return TracyMessageL("pacer: paused");
            case pacer_event::resumed: return TracyMessageL("pacer: resumed");
            case pacer_event::failing:
                return TracyMessageL("pacer: paused, its sink keeps throwing");
            case pacer_event::rate: return TracyMessageL("pacer: another rate");
            case pacer_event::throttled: return TracyMessageL("pacer: throttled");
        }
    }

private:
    void begin(tick now) noexcept {
        began_ = now;
        worst_ = emitted_ = dropped_ = 0;
    }

    // Between two points of a plot.
    word interval_ = static_cast<word>(to_ticks<Clock>(milliseconds(1)));
    tick began_{};
    word shown_ = 0;  // waiting, in the last point
    word worst_ = 0;
    word emitted_ = 0;
    word dropped_ = 0;
};

template <trace_name Name>
class limiter_trace final {
public:
    void on_admitted(word units) noexcept { counters_.on_admitted(units); }
    void on_denied() noexcept { counters_.on_denied(); }
    void on_never() noexcept { counters_.on_never(); }
    void on_retry() noexcept { counters_.on_retry(); }

    // Plots how many were admitted and denied since the last time. By one thread at a time.
    void sample() noexcept {
        const word now_admitted = counters_.admitted();
        const word now_denied = counters_.denied();
        detail::plot<Name, "admitted">::show(now_admitted - admitted_before_);
        detail::plot<Name, "denied">::show(now_denied - denied_before_);
        admitted_before_ = now_admitted;
        denied_before_ = now_denied;
    }

private:
    counters counters_;
    word admitted_before_ = 0;
    word denied_before_ = 0;
};

#else

template <trace_name Name, clock Clock = default_clock>
using pacer_trace = unwatched;

template <trace_name Name>
struct limiter_trace final {
    constexpr void on_admitted(word /*units*/) noexcept {}
    constexpr void on_denied() noexcept {}
    constexpr void on_never() noexcept {}
    constexpr void on_retry() noexcept {}
    static void sample() noexcept {}
};

#endif

}  // namespace weir

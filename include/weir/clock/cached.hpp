// SPDX-License-Identifier: MIT
// cached_clock: the time of another clock as your loop has last read it. A read is one load, where
// reading the core's counter takes 6 to 10 ns. For loops that make many decisions in a turn: a
// game's frame, a batch of messages.
//
//     struct frames {};  // in a namespace: a second `struct frames` elsewhere is another clock
//     using frame_time = weir::cached_clock<frames>;
//     weir::limiter<weir::gcra<>, frame_time> shots{weir::per_second(10)};
//     while (running) {
//         frame_time::refresh();  // once a turn
//         ...                     // shots.try_acquire(), as often as you like
//     }
//
// There is no thread of ours that refreshes it. Each Tag is a time of its own. The first read
// refreshes it if nobody has; from then on the time stands until the next `refresh`. A thread that
// waits by this clock refreshes it, and so does a pacer's `poll`.
//
// What late time does. If the time is late by D, units that came back in D pass at one instant
// together with those that were there: up to min(burst, rate x D) more than with the other clock.
// Units that the burst cannot hold meanwhile are lost: 10 000 a second with a burst of 1, refreshed
// once a millisecond, pass 1000 a second. So give a burst of at least rate x D.
//
// With an `Oldest`, in nanoseconds, one read of 64 of each thread looks at the age. A time that is
// older is refreshed then, and counted by `times_too_old`. So it ends a denial that would last as
// long as the loop stands still; a thread that reads seldom looks seldom. 50 ms:
//
//     weir::cached_clock<frames, weir::default_clock, weir::milliseconds(50).count()>
//
// Does not run backwards: `refresh` leaves a time as it is that another thread has read later.
// Relaxed order suffices, as the time is all that is told. All functions are lock-free, and a
// `now` that does not refresh is wait-free.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#if __STDC_HOSTED__
#include <weir/clock/default.hpp>
#endif

namespace weir {

#ifdef WEIR_HAS_DEFAULT_CLOCK
template <class Tag = void, clock Source = default_clock, std::int64_t Oldest = 0>
#else
template <class Tag, clock Source, std::int64_t Oldest = 0>
#endif
class cached_clock {
public:
    static_assert(Oldest >= 0, "the oldest time is so many nanoseconds old; 0: any age is fine");
    static_assert(Oldest == 0 || __STDC_HOSTED__ == 1,
                  "each thread looks at the age, and here are no threads");
    static constexpr std::uint64_t lowest_hertz = Source::lowest_hertz;
    static constexpr std::uint64_t highest_hertz = Source::highest_hertz;
    static constexpr bool is_of_machine = machine_clock<Source>;  // each process refreshes its own

    // As of the last refresh.
    [[nodiscard, gnu::always_inline]] static instant<cached_clock> now() noexcept {
        const word seen = last_.now.load_relaxed();
        if (seen == never) [[unlikely]]
            return refresh();
        if constexpr (Oldest != 0) {
            if (++reads_ % 64 == 0) [[unlikely]]
                return young(seen);
        }
        return instant<cached_clock>(seen);
    }

    // Reads the other clock. Any thread may call it at any time.
    static instant<cached_clock> refresh() noexcept {
        const word latest = Source::now().count;
        word seen = last_.now.load_relaxed();
        while (!is_later(seen, latest)) {
            if (last_.now.try_exchange_relaxed(seen, latest)) return instant<cached_clock>(latest);
        }
        return instant<cached_clock>(seen);
    }

    // How often a look at the age has found a time that was older.
    [[nodiscard]] static word times_too_old() noexcept requires(Oldest != 0) {
        return too_old_.load_relaxed();
    }

    [[nodiscard]] static std::uint64_t hertz() noexcept { return Source::hertz(); }
    [[nodiscard]] static std::uint64_t least_hertz() noexcept {
        return weir::least_hertz<Source>();
    }
    [[nodiscard]] static clock_facts facts() noexcept {
        clock_facts facts = Source::facts();
        facts.invariant = false;  // it stands still between two refreshes
        facts.note = "cached: its time is that of the last refresh";
        return facts;
    }

private:
    static constexpr word never = 0;

    // Has another thread refreshed it while this one read the clock? A time that is further ahead
    // is an old one: times live on a circle, and 32 bits of microseconds come round in an hour.
    [[nodiscard]] static bool is_later(word seen, word latest) noexcept {
        return seen != never && seen - latest < largest<word> / 1024;
    }

    [[gnu::noinline, gnu::cold]] static instant<cached_clock> young(word seen) noexcept {
        const word now = Source::now().count;
        if (is_later(seen, now) || now - seen <= to_ticks<Source>(nanoseconds(Oldest)))
            return instant<cached_clock>(seen);
        too_old_.fetch_add_relaxed(1);
        return refresh();
    }

    struct alignas(cache_line) line {
        atomic<word> now{never};
    };
    static constinit inline line last_{};
    static constinit inline atomic<word> too_old_{0};
    static constinit inline thread_local unsigned reads_ = 0;
};

}  // namespace weir

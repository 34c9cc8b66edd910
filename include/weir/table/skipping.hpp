// SPDX-License-Identifier: MIT
// skipping: cheap denials. Whoever hammers a limit that is used up is denied without a look at the
// clock most of the time. It stands in front of any limit, also of a `striped` one.
//
//     weir::limiter<> limit{weir::per_second(1000)};
//     weir::skipping requests(limit);
//     if (!requests.try_acquire()) return busy();
//
// After the limit has denied a thread, the thread's next k calls are denied without asking: as many
// as it makes in an eighth of the wait at its recent rate, 64 at most. It never admits what the
// limit does not.
//
// Wrong denials. A thread is denied no more than k calls in a row, at most 64, after the limit has
// denied it and before it asks again. Units that come meanwhile are seen so many calls late: by an
// eighth of the wait if the thread keeps its rate, and by at most 64 calls if it suddenly asks
// seldom, or if somebody resets the limit, gives units back or sets another quota. How long 64
// calls take is the thread's affair: who asks once a minute after a flood is denied for an hour. So
// a caller that sleeps for `retry_after` asks the limit itself; this is for callers that hammer. A
// request for another number of units than were denied always asks, and so does everybody while the
// clock stands still.
//
// A skipped denial says the wait that the limit said to the last denial. The limit's observer does
// not hear of it; `approx_skipped` counts. A call with a time of yours always asks, as it reads no
// clock anyway; so does `peek`.
//
// Any number of threads may call everything, without locks. Each thread has a place for its count.
// Threads that share a place, as there are more threads than places, skip less: nothing after a
// denial of the other one. A signal's handler that asks may bring back calls that its thread was to
// skip.
//
// Invariant: only the thread with that number writes words with its number, and those that it
// writes between two denials by the limit fall from k to 0. So a word that another thread puts in
// between only takes away the rest of the k. Relaxed order suffices: what the words beside it say
// may be another thread's, whose request was denied as well.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>
#include <weir/table/front_decision.hpp>
#include <weir/table/stripe_stock.hpp>

namespace weir {

template <limit Limit, std::size_t Places = 16, word Most = 64, class Threads = stripe_of_thread>
class skipping {
    static_assert(Places != 0 && (Places & (Places - 1)) == 0,
                  "the number of places is a power of two");
    static_assert(Most != 0 && Most <= 64 && (Most & (Most - 1)) == 0,
                  "the most calls that are skipped are a power of two, 64 at most");

public:
    using clock_type = typename Limit::clock_type;
    using instant = weir::instant<clock_type>;
    using decision_type = front_decision<Limit>;

    static_assert(
        !calling<Limit>,
        "a skipped call has no token: put `skipping` in front of the quota, and not of an "
        "all_of with an in_flight");
    static_assert(!told_clock<clock_type>,
                  "where each time is given, there is no clock read to skip");

    static constexpr word most_skipped = Most;

    // The limit must outlive this object.
    constexpr explicit skipping(detail::given_limit<Limit> shared) noexcept : limit_(shared) {}
    template <detail::not_named<Limit> Other>
    // NOLINTNEXTLINE(bugprone-forwarding-reference-overload): `not_named` takes no such object
    constexpr explicit skipping(Other&& shared) noexcept
        : skipping(detail::named<Limit, Other>(shared)) {}
    skipping(const skipping&) = delete;
    skipping& operator=(const skipping&) = delete;
    ~skipping() = default;

    // All n units now, or none; n = 0 always asks, and takes nothing. As lock-free as the limit's.
    [[gnu::always_inline]] decision_type try_acquire(unit_count n = 1) noexcept {
        const word mine = Threads::number();
        place& p = places_[static_cast<std::size_t>(mine) & (Places - 1)];
        const word seen = p.skips.load_relaxed();
        if ((seen & ~in_count) == mine * (in_count + 1) && (seen & in_count) != 0 &&
            n == p.units.load_relaxed()) {
            p.skips.store_relaxed(seen - 1);
            return decision_type(p.wait.load_relaxed());
        }
        if constexpr (requires { requires Limit::seldom_reads_clock; }) {
            const auto d = limit_.get().try_acquire(n);
            if (!d.admitted()) denied(p, mine, n, d, clock_type::now());
            return decision_type(d);
        } else {
            const instant now = clock_type::now();
            const auto d = limit_.get().try_acquire(n, now);
            if (!d.admitted()) denied(p, mine, n, d, now);
            return decision_type(d);
        }
    }
    decision_type try_acquire(unit_count n, instant now) noexcept {
        return decision_type(limit_.get().try_acquire(n, now));
    }

    // What the limit would answer, without skipping.
    [[nodiscard]] decision_type peek(unit_count n = 1) const noexcept {
        return decision_type(limit_.get().peek(n));
    }
    [[nodiscard]] decision_type peek(unit_count n, instant now) const noexcept {
        return decision_type(limit_.get().peek(n, now));
    }

    // Calls that were denied without asking the limit.
    [[nodiscard]] word approx_skipped() const noexcept {
        word all = 0;
        for (const place& p : places_) all += p.skipped.load_relaxed() + since_denied(p);
        return all;
    }

    [[nodiscard]] Limit& shared() noexcept { return limit_.get(); }
    [[nodiscard]] const Limit& shared() const noexcept { return limit_.get(); }

private:
    // The lower bits of `skips`; above them is the thread's number.
    static constexpr word in_count = 127;

    struct alignas(cache_line) place {
        atomic<word> skips{0};    // how many calls are still to be skipped, and whose
        atomic<word> units{0};    // that were denied
        atomic<word> wait{0};     // for them, in ticks
        atomic<word> denied{0};   // when, in ticks
        atomic<word> chosen{0};   // how many calls were to be skipped then
        atomic<word> skipped{0};  // up to then
    };

    // Calls that were skipped since the last denial, as far as the place knows.
    [[nodiscard]] static word since_denied(const place& p) noexcept {
        const word rest = p.skips.load_relaxed() & in_count;
        const word chosen = p.chosen.load_relaxed();
        return chosen < rest ? 0 : chosen - rest;
    }

    // Apart, so that neither an admission nor a skipped denial pays for it.
    [[gnu::noinline]] void denied(place& p, word mine, word n, const decision_of<Limit>& d,
                                  instant now) noexcept {
        if (n == 0 || d.verdict() != verdict::wait) return;
        const word skipped = since_denied(p);
        const word wait = detail::ticks_to_wait<clock_type>(d);
        // Of another thread's denial nothing follows for how often this one asks.
        const bool was_mine = p.skips.load_relaxed() / (in_count + 1) == mine;
        const word time = was_mine ? now.count - p.denied.load_relaxed() : 0;
        const word next = calls_within(wait / 8, skipped + 1, time);
        p.skipped.store_relaxed(p.skipped.load_relaxed() + skipped);
        p.denied.store_relaxed(now.count);
        p.chosen.store_relaxed(next);
        p.wait.store_relaxed(wait);
        p.units.store_relaxed(n);
        p.skips.store_relaxed(mine * (in_count + 1) + next);
    }

    // As many as come in `span` if `calls` came in `time`. None if the clock has stood still, as it
    // does between two rounds of a loop that refreshes it.
    [[nodiscard]] static constexpr word calls_within(word span, word calls, word time) noexcept {
        const word room = smaller(span, largest<word> / (2 * Most)) * calls;
        const word each = smaller(time, largest<word> / (2 * Most));
        if (each == 0 || room < each) return 0;
        word all = 0;
        for (word more = Most; more != 0; more /= 2)
            if (all + more <= Most && (all + more) * each <= room) all += more;
        return all;
    }

    detail::kept_limit<Limit> limit_;
    place places_[Places]{};
};

// An entry of an array may be given by value: skipping(shots[player]).
template <class Limit>
skipping(Limit&&) -> skipping<std::remove_cvref_t<Limit>>;

}  // namespace weir

// SPDX-License-Identifier: MIT
// outlook: what producers may know of a limit, which only the pacer's thread asks: when the next
// item may go, how much may be caught up, how long a unit takes, and what the largest item is. The
// pacer's thread alone writes. All but `next_is` is relaxed: a producer that sees one number before
// it sees another estimates by the old limit a moment longer.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/fine_time.hpp>

namespace weir {

template <clock Clock>
class outlook {
    using instant = weir::instant<Clock>;

public:
    // The numbers of a limit, as far as it tells them: several at once do not, and are then taken
    // to be free after the next item, and every item to be small enough.
    template <class Limit>
    void tell(const Limit& limit) noexcept {
        if constexpr (requires { limit.interval(); }) {
            set(limit.interval(), limit.quota().burst());
            catch_up_.store_relaxed(limit.most_late().rounded_up());
        } else if constexpr (requires { limit.quota(); }) {
            const auto& q = limit.quota();
            set(fine_time<word>::from(
                    multiply(static_cast<std::uint64_t>(q.period().count()), Clock::hertz()),
                    multiply(static_cast<std::uint64_t>(q.units()), nanoseconds::per_second)),
                q.burst());
        }
    }

    // Of no limit, until another one is told.
    void forget() noexcept {
        next_.store_relaxed(long_ago);
        catch_up_.store_relaxed(0);
        per_unit_.store_relaxed(0);
        most_.store_relaxed(largest<word>);
    }

    // Written only if it is another: the line is the producers', where there are lines.
    void next_is(instant next) noexcept {
        const bool same = sizeof(word) == 8 && next_.load_relaxed() == next.count;
        // Release: pairs with the acquire in `next`. What the limit was charged for until then has
        // left its lane.
        if (!same) next_.store_release(next.count);
    }
    // What lies further back than can be caught up may lie there for ever.
    void age(instant now) noexcept {
        const instant next(next_.load_relaxed());
        const instant oldest(now.count - catch_up_.load_relaxed());
        if (next.count == long_ago || !earlier(oldest, next)) next_is(oldest);
    }

    [[nodiscard]] bool never(word cost) const noexcept { return cost > most_.load_relaxed(); }

    // When the next item may go, for `after`. Acquire: pairs with the release in `next_is`, so that
    // a unit that is seen in its lane after this is not in that time as well.
    [[nodiscard]] instant next() const noexcept { return instant(next_.load_acquire()); }

    // When an item goes that has so many units before it, but no later than half the circle from
    // now: exactly then if all of them go and nothing else does, and never earlier.
    [[nodiscard]] instant after(instant next, word units, instant now) const noexcept {
        word wait = time_of(units);
        const word since = next.count == long_ago ? longest : now.count - next.count;
        if (since > longest) {
            wait -= since;
        } else {
            wait -= smaller(wait, smaller(since, catch_up_.load_relaxed()));
        }
        return now + smaller(wait, longest);
    }
    // The same if nothing is known but the rate and the burst, of which a window's end can let two
    // go: never earlier than that.
    [[nodiscard]] instant after_bursts(word units, instant now) const noexcept {
        const word burst = most_.load_relaxed();
        const word most = burst > largest<word> / 2 ? largest<word> : 2 * burst;
        const word wait = units > most ? time_of(units - most) : 0;
        return now + smaller(wait, longest);
    }

private:
    static constexpr unsigned shift = bits_of<word> / 8;
    static constexpr word longest = largest<word> / 2;
    static constexpr word long_ago = 0;  // in next_: nothing is known before the next poll

    [[nodiscard]] word time_of(word units) const noexcept {
        word time = 0;
        return __builtin_mul_overflow(units, per_unit_.load_relaxed(), &time) ? longest
                                                                              : time >> shift;
    }

    void set(fine_time<word> interval, std::int64_t burst) noexcept {
        const bool fits = interval.ticks <= longest >> shift;
        per_unit_.store_relaxed(fits ? (interval.ticks << shift) |
                                           (interval.parts >> (bits_of<word> - shift))
                                     : longest);
        most_.store_relaxed(static_cast<std::uint64_t>(burst) > largest<word>
                                ? largest<word>
                                : static_cast<word>(burst));
    }

    atomic<word> next_{long_ago};
    atomic<word> catch_up_{0};
    atomic<word> per_unit_{0};  // in ticks times 2^shift
    atomic<word> most_{largest<word>};
};

}  // namespace weir

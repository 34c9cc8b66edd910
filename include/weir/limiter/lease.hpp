// SPDX-License-Identifier: MIT
// lease: units that one thread takes from a shared limit in one go and spends with plain
// arithmetic, without an atomic instruction and without reading a clock. For who asks very often.
//
// All leases together never pass more than the limit does. But what is leased may be spent later
// than it was taken: in any span of time up to threads x units more pass than the quota allows,
// which a time to live keeps from growing old. A lease takes all that a request lacks, or nothing:
// a refusal takes no unit from the limit and none from the lease, and more than the limit's burst
// is refused always. It never holds more than its size, nor more than the burst was when it took
// that: after an `adjustable` has got a smaller one, what is held still passes. What is left goes
// back by the rule of refunds, when it is asked to, when it has grown old, and with the lease; to
// cells that cannot refund it is lost.
#pragma once

#include <cstdint>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/unit_count.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>

namespace weir {

// What all_of took from one limit could not be given back if another refused, and a schedule lends
// nothing. The functions are there so that the sentence is the only error.
template <class Limit>
class lease {
    static_assert(sizeof(Limit) == 0, "a lease takes from one limit that lends, not from all_of");

public:
    lease(detail::given_limit<Limit> from, unit_count units,
          nanoseconds time_to_live = nanoseconds::longest()) noexcept;
    [[nodiscard]] bool try_acquire(unit_count n = 1) noexcept;
    [[nodiscard]] bool try_acquire(unit_count n, tick now) noexcept;
    void give_back() noexcept;
    void give_back(tick now) noexcept;
    [[nodiscard]] word left() const noexcept;
};

// One thread's own.
template <lending Limit>
class lease<Limit> {
    using clock_type = typename Limit::clock_type;
    using permit_type = typename Limit::permit_type;
    using instant = weir::instant<clock_type>;
    using kept = detail::kept_limit<Limit>;

public:
    // Takes `units` at a time from a limit, which must outlive it, at the first call. Only the
    // try_acquire that is given a `now` heeds the time to live: the other one reads no clock.
    lease(detail::given_limit<Limit> from, unit_count units,
          nanoseconds time_to_live = nanoseconds::longest()) noexcept
        : units_(units), limit_(from), lifetime_(ticks_of(time_to_live)) {}
    template <detail::not_named<Limit> Other>
    lease(Other&& from, unit_count units,
          nanoseconds time_to_live = nanoseconds::longest()) noexcept
        : lease(detail::named<Limit, Other>(from), units, time_to_live) {}

    lease(lease&& other) noexcept
        : units_(other.units_),
          limit_(other.limit_),
          lifetime_(other.lifetime_),
          left_(std::exchange(other.left_, 0)),
          source_(std::move(other.source_)) {}
    lease& operator=(lease&&) = delete;
    // At the time when they were taken, if nobody reads the clock.
    [[gnu::always_inline]] ~lease() {
        if constexpr (told_clock<clock_type>) {
            give_back(source_.taken);
        } else {
            give_back();
        }
    }

    // All n units or none; n beyond the size takes just what is missing. As long as there are units
    // no clock is read and none of them grows old.
    [[nodiscard, gnu::always_inline]] bool try_acquire(unit_count n = 1) noexcept {
        return n <= left_ ? spend(n) : spend_more(n);
    }

    // The same at a time of the caller's, such as an event loop's: what has grown old goes back
    // first. If that time is late, then by as much more goes back than is still to come. That is no
    // more than was leased and not spent, so all leases stay within threads x units.
    [[nodiscard, gnu::always_inline]] bool try_acquire(unit_count n, instant now) noexcept {
        if (left_ != 0 && old_at(now)) [[unlikely]]
            give_back(now);
        return n <= left_ ? spend(n) : spend_more(n, now);
    }

    // What is not spent goes back, as far as it is still to come; at a time that is late, as above.
    [[gnu::always_inline]] void give_back() noexcept {
        return_rest(limit_, std::move(source_.permit), std::exchange(left_, 0));
    }
    [[gnu::always_inline]] void give_back(instant now) noexcept {
        return_rest(limit_, std::move(source_.permit), std::exchange(left_, 0), now);
    }

    [[nodiscard]] word left() const noexcept { return left_; }

private:
    struct source {
        instant taken{};
        permit_type permit;
    };
    struct demand {
        instant now;
        bool refused;
    };

    [[nodiscard]] static word ticks_of(nanoseconds time) noexcept {
        const std::uint64_t ticks = to_ticks<clock_type>(time);
        return ticks > largest<word> / 2 ? largest<word> / 2 : static_cast<word>(ticks);
    }

    [[nodiscard]] bool old_at(instant now) const noexcept {
        const auto age = static_cast<word>(now.count - source_.taken.count);
        return age > lifetime_ && !earlier(now, source_.taken);
    }

    [[nodiscard, gnu::always_inline]] bool spend(word n) noexcept {
        left_ -= n;
        return true;
    }

    template <class... Now>
    [[nodiscard, gnu::always_inline]] bool spend_more(word n, Now... now) noexcept {
        const demand d = asked(limit_, n - left_, now...);
        if (d.refused) return false;
        source more = restocked(limit_, units_, left_, n, d.now);
        const word units = more.permit.units();
        if (units == 0) return false;
        // The units that were left go first, so what is left now is all of the last source.
        left_ += units;
        source_ = std::move(more);
        return spend(n);
    }

    // Taking the address of a member would keep it out of registers, even while there are units. So
    // these three take and return values, and what calls them is always in line, the destructor
    // too. The first one is apart so that a refusal costs what the limit's own does.
    template <class... Now>
    [[nodiscard, gnu::noinline]] static demand asked(kept from, word missing, Now... now) noexcept {
        const instant present = detail::time_of_call<clock_type>(now...);
        if (missing == 0) __builtin_unreachable();
        const auto d = from.get().peek(missing, present);
        detail::tell_refusal(from.get(), d);
        return {present, !d.admitted()};
    }

    // As many units as n lacks, and up to the lease's size, or none.
    [[nodiscard, gnu::noinline]] static source restocked(kept from, word units, word left, word n,
                                                         instant now) noexcept {
        const word burst = from.get().burst();
        const word size = units < burst ? units : burst;
        // What is more than the burst is asked for as it is, so that the limit says never.
        const word least = n > burst ? n : n - left;
        return {now, from.get().take(least, n < size ? size - left : least, now)};
    }

    template <class... Now>
    [[gnu::noinline]] static void return_rest(kept to, permit_type mine, word left,
                                              Now... now) noexcept {
        if (left != 0) (void)to.get().refund(std::move(mine), left, now...);
    }

    word units_;
    kept limit_;
    word lifetime_;
    word left_ = 0;
    source source_{};
};

// An entry of an array may be given by value: lease(shots[player], 4).
template <class Limit, class... More>
lease(Limit&&, More...) -> lease<std::remove_cvref_t<Limit>>;

}  // namespace weir

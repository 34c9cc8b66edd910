// lease: units that one thread takes from a shared limit in one go and spends with plain
// arithmetic, without an atomic instruction and without reading a clock. For who asks very often.
//
// All leases together never pass more than the limit does. But what is leased may be spent later
// than it was taken: in any span of time up to threads x units more pass than the quota allows,
// which a time to live keeps from growing old. What is left goes back by the rule of refunds, when
// it is asked to, when it has grown old, and with the lease; to cells that cannot refund it is
// lost.
#pragma once

#include <cstdint>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/clock/clock.hpp>

namespace weir {

// One thread's own.
template <class Limiter>
class lease {
public:
    // Takes `units` at a time from `limit`, which must outlive it, at the first call.
    lease(Limiter& limit, word units, nanoseconds time_to_live = nanoseconds::longest()) noexcept
        : units_(units), limit_(&limit), lifetime_(ticks_of(time_to_live)) {}

    lease(lease&& other) noexcept
        : units_(other.units_),
          limit_(other.limit_),
          lifetime_(other.lifetime_),
          left_(std::exchange(other.left_, 0)),
          source_(other.source_) {}
    lease& operator=(lease&&) = delete;
    [[gnu::always_inline]] ~lease() { give_back(); }

    // All n units or none. As long as there are units no clock is read and none of them grows old.
    [[nodiscard, gnu::always_inline]] bool try_acquire(word n = 1) noexcept {
        if (n > left_) [[unlikely]]
            restock(restocked(limit_, units_, {left_, source_}, n));
        return spend(n);
    }

    // The same at a time of the caller's, such as an event loop's: what has grown old goes back
    // first. If that time is late, then by as much more goes back than is still to come. That is no
    // more than was leased and not spent, so all leases stay within threads x units.
    [[nodiscard, gnu::always_inline]] bool try_acquire(word n, tick now) noexcept {
        if (left_ != 0 && old_at(now)) [[unlikely]]
            give_back(now);
        if (n > left_) [[unlikely]]
            restock(restocked(limit_, units_, {left_, source_}, n, now));
        return spend(n);
    }

    // What is not spent goes back, as far as it is still to come; at a time that is late, as above.
    [[gnu::always_inline]] void give_back() noexcept {
        return_rest(limit_, {std::exchange(left_, 0), source_}, typename Limiter::present{});
    }
    [[gnu::always_inline]] void give_back(tick now) noexcept {
        return_rest(limit_, {std::exchange(left_, 0), source_}, typename Limiter::given{now});
    }

    [[nodiscard]] word left() const noexcept { return left_; }

private:
    using clock_type = typename Limiter::clock_type;

    struct source {
        tick taken{};
        typename Limiter::hold held{};
    };
    struct stock {
        word left;
        source from;
    };

    [[nodiscard]] static word ticks_of(nanoseconds time) noexcept {
        const std::uint64_t ticks = to_ticks<clock_type>(time);
        return ticks > largest<word> / 2 ? largest<word> / 2 : static_cast<word>(ticks);
    }

    [[nodiscard]] bool old_at(tick now) const noexcept {
        const auto age = static_cast<word>(now.count - source_.taken.count);
        return age > lifetime_ && !earlier(now, source_.taken);
    }

    [[nodiscard, gnu::always_inline]] bool spend(word n) noexcept {
        if (n > left_) return false;
        left_ -= n;
        return true;
    }

    // Apart, so that what is left can live in a register whatever becomes of the rest.
    [[gnu::always_inline]] void restock(const stock& s) noexcept {
        left_ = s.left;
        source_ = s.from;
    }

    // With n units or more, if they can be had. These two are given values and return values, and
    // what calls them is always in line, the destructor too: whose address a function had could not
    // live in a register, not even while there is enough.
    template <class... Now>
    [[nodiscard, gnu::noinline]] static stock restocked(Limiter* limit, word units, stock s, word n,
                                                        Now... now) noexcept {
        const word missing = n - s.left;
        word wanted = missing < units ? units : missing;
        const tick at = time(now...);
        if constexpr (Limiter::refunds) {
            typename Limiter::rate own;
            for (;;) {
                // Anew each time: the quota may change, and both must be told by the same one.
                const auto b = limit->book(wanted, 0, at, *limit->ready(own, at));
                if (b.how.verdict == verdict::admitted) {
                    return {s.left + wanted, {at, b.held}};
                }
                const word there = limit->peek(0, at).remaining();
                if (there < missing) return s;
                if (there < wanted) wanted = there;
            }
        } else {
            return {s.left + limit->acquire_up_to(wanted, at).units, {at, {}}};
        }
    }

    template <class Now>
    [[gnu::noinline]] static void return_rest(Limiter* limit, stock s, Now now) noexcept {
        if (s.left == 0) return;
        (void)limit->give_back(s.from.held, s.left, false, now);
    }

    [[nodiscard]] static tick time() noexcept { return clock_type::now(); }
    [[nodiscard]] static tick time(tick now) noexcept { return now; }

    word units_;
    Limiter* limit_;
    word lifetime_;
    word left_ = 0;
    source source_;
};

}  // namespace weir

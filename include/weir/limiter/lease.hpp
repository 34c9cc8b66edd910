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
        : left_(std::exchange(other.left_, 0)),
          units_(other.units_),
          limit_(other.limit_),
          lifetime_(other.lifetime_),
          taken_(other.taken_),
          permit_(std::move(other.permit_)) {}
    lease& operator=(lease&&) = delete;
    ~lease() { give_back(); }

    // All n units or none. As long as there are units no clock is read and none of them grows old.
    [[nodiscard, gnu::always_inline]] bool try_acquire(word n = 1) noexcept {
        if (n <= left_) [[likely]] {
            left_ -= n;
            return true;
        }
        return renew(n);
    }

    // The same at a time of the caller's, such as an event loop's: what has grown old goes back
    // first.
    [[nodiscard, gnu::always_inline]] bool try_acquire(word n, tick now) noexcept {
        if (left_ != 0 && old_at(now)) [[unlikely]]
            give_back(now);
        if (n <= left_) [[likely]] {
            left_ -= n;
            return true;
        }
        return renew(n, now);
    }

    // What is not spent goes back, as far as it is still to come.
    void give_back() noexcept { return_rest(); }
    void give_back(tick now) noexcept { return_rest(now); }

    [[nodiscard]] word left() const noexcept { return left_; }

private:
    using clock_type = typename Limiter::clock_type;

    [[nodiscard]] static word ticks_of(nanoseconds time) noexcept {
        const std::uint64_t ticks = to_ticks<clock_type>(time);
        return ticks > largest<word> / 2 ? largest<word> / 2 : static_cast<word>(ticks);
    }

    [[nodiscard]] bool old_at(tick now) const noexcept {
        const auto age = static_cast<word>(now.count - taken_.count);
        return age > lifetime_ && !earlier(now, taken_);
    }

    template <class... Now>
    [[gnu::noinline]] bool renew(word n, Now... now) noexcept {
        const word missing = n - left_;
        const word wanted = missing < units_ ? units_ : missing;
        if constexpr (Limiter::refunds) {
            auto taken = limit_->reserve(wanted, nanoseconds{}, now...);
            while (!taken) {
                const word there = limit_->peek(0, now...).remaining();
                if (there < missing) return false;
                taken = limit_->reserve(there < wanted ? there : wanted, nanoseconds{}, now...);
            }
            taken_ = taken.start();
            left_ += taken.units();
            permit_ = std::move(taken);
        } else {
            const tick at = time(now...);
            left_ += limit_->acquire_up_to(wanted, at).units;
            taken_ = at;
        }
        if (n > left_) return false;
        left_ -= n;
        return true;
    }

    template <class... Now>
    void return_rest(Now... now) noexcept {
        if (left_ == 0) return;
        const word rest = std::exchange(left_, 0);
        if constexpr (Limiter::refunds) (void)limit_->refund(std::move(permit_), rest, now...);
    }

    [[nodiscard]] static tick time() noexcept { return clock_type::now(); }
    [[nodiscard]] static tick time(tick now) noexcept { return now; }

    word left_ = 0;
    word units_;
    Limiter* limit_;
    word lifetime_;
    tick taken_{};
    typename Limiter::permit_type permit_;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// A limit as a user of the library may write one, of whole units and without a cell: it meets the
// concepts of limiter/limit.hpp and is used by everything that is built on limits.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/limit.hpp>

namespace own {

using weir::nanoseconds;
using weir::verdict;
using weir::word;

// `burst` units at once, and one every `interval` ticks. For one thread.
template <weir::clock Clock>
class limit {
public:
    using clock_type = Clock;
    using instant = weir::instant<Clock>;

    struct decision {
        weir::verdict how;
        word wait;

        [[nodiscard]] bool admitted() const { return how == verdict::admitted; }
        [[nodiscard]] explicit operator bool() const { return admitted(); }
        [[nodiscard]] weir::verdict verdict() const { return how; }
        [[nodiscard]] nanoseconds retry_after() const {
            return how == verdict::never ? nanoseconds::longest() : weir::to_time<Clock>(wait);
        }
    };

    class permit_type {
    public:
        permit_type() = default;
        permit_type(decision d, word units, instant start)
            : how_(d), units_(d ? units : 0), start_(start) {}
        permit_type(permit_type&& other) noexcept
            : how_(other.how_), units_(std::exchange(other.units_, 0)), start_(other.start_) {}
        permit_type& operator=(permit_type&& other) noexcept {
            how_ = other.how_;
            units_ = std::exchange(other.units_, 0);
            start_ = other.start_;
            return *this;
        }
        ~permit_type() = default;

        [[nodiscard]] explicit operator bool() const noexcept { return how_.admitted(); }
        [[nodiscard]] weir::verdict verdict() const noexcept { return how_.verdict(); }
        [[nodiscard]] word units() const noexcept { return units_; }
        [[nodiscard]] instant start(instant) const noexcept { return start_; }
        [[nodiscard]] nanoseconds wait() const noexcept { return weir::to_time<Clock>(how_.wait); }

    private:
        decision how_{verdict::never, 0};
        word units_ = 0;
        instant start_{};
    };

    limit(word burst, word interval) : burst_(burst), interval_(interval) {}

    [[nodiscard]] word burst() const noexcept { return burst_; }

    [[nodiscard]] decision peek(word n, instant now) const noexcept {
        if (n > burst_) return {verdict::never, 0};
        const word over = busy(now) + n * interval_;
        if (over <= burst_ * interval_) return {verdict::admitted, 0};
        return {verdict::wait, over - burst_ * interval_};
    }
    decision try_acquire(word n, instant now) noexcept {
        const decision d = peek(n, now);
        if (d) charge(n, now);
        return d;
    }

    permit_type take(word least, word most, instant now) noexcept {
        const decision d = least > most ? decision{verdict::never, 0} : peek(least, now);
        if (!d) return {d, 0, now};
        const word n = std::min(most, burst_ - (busy(now) + interval_ - 1) / interval_);
        charge(n, now);
        return {d, n, now};
    }
    permit_type reserve(word n, nanoseconds longest, instant now) noexcept {
        decision d = peek(n, now);
        if (d.how == verdict::wait && d.retry_after() <= longest) d.how = verdict::admitted;
        if (d) charge(n, now);
        return {d, n, now + d.wait};
    }

    bool refund(permit_type&& p, word unused = weir::largest<word>) noexcept {
        return refund(std::move(p), unused, Clock::now());
    }
    bool refund(permit_type&& p, word unused, instant now) noexcept {
        const permit_type mine = std::move(p);
        const word back = std::min(std::min(unused, mine.units()) * interval_, busy(now));
        idle_.count -= back;
        return back != 0;
    }
    bool undo(permit_type&& p) noexcept {
        const permit_type mine = std::move(p);
        idle_.count -= mine.units() * interval_;
        return true;
    }

private:
    [[nodiscard]] word busy(instant now) const noexcept {
        return weir::earlier(now, idle_) ? idle_.count - now.count : 0;
    }
    void charge(word n, instant now) noexcept { idle_ = now + (busy(now) + n * interval_); }

    word burst_;
    word interval_;
    instant idle_{};
};

}  // namespace own

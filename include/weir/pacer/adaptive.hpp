// SPDX-License-Identifier: MIT
// adaptive: finds the rate that the other side bears. Until the first `throttled` it does nothing;
// then each one multiplies the rate by less than one, and a run of `succeeded` raises it by a
// little: the additive increase and multiplicative decrease of congestion control (Chiu and Jain
// 1989), between a floor and the quota that it was made with.
//
// Used by the thread that polls the pacer, its callbacks for example.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>

namespace weir {

// Shares of the full rate in thousandths.
struct adaptive_options {
    unsigned floor = 50;
    unsigned decrease = 700;  // what is left of the rate after a throttle
    unsigned increase = 10;   // what is added after so many successes in a row:
    unsigned patience = 20;

    // Throttles that follow each other more closely answer what was sent before the first: they
    // count once.
    nanoseconds settle = seconds(1);
};

template <class Pacer>
class adaptive {
    using instant = typename Pacer::instant;

public:
    using clock_type = typename Pacer::clock_type;

    explicit adaptive(Pacer& p, const adaptive_options& o = {}) noexcept
        : pacer_(p), options_(sane(o)), full_(p.limit().quota()) {}

    // The other side refused, and wants so long a pause.
    void throttled(nanoseconds retry_after = {}) noexcept {
        throttled(retry_after, detail::fresh_now<clock_type>());
    }
    void throttled(nanoseconds retry_after, instant now) noexcept {
        successes_ = 0;
        const bool answered = active() && earlier(now, quiet_until_);
        const nanoseconds quiet = retry_after < options_.settle ? options_.settle : retry_after;
        if (!answered) {
            quiet_until_ = later(now, quiet);
            const unsigned less = share_ * options_.decrease / full;
            change(less < options_.floor ? options_.floor : less, now);
        }
        if (retry_after > nanoseconds{}) pacer_.throttled(retry_after, now);
    }

    // What was emitted was accepted.
    void succeeded() noexcept {
        if (active()) succeeded(clock_type::now());
    }
    void succeeded(instant now) noexcept {
        if (!active() || ++successes_ < options_.patience) return;
        successes_ = 0;
        const unsigned more = share_ + options_.increase;
        change(more > full ? full : more, now);
    }

    // Is the rate below the full one?
    [[nodiscard]] bool active() const noexcept { return share_ != full; }
    // Of the full rate, in thousandths.
    [[nodiscard]] unsigned share() const noexcept { return share_; }

private:
    static constexpr unsigned full = 1'000;

    // What makes no sense is taken for the nearest that does.
    [[nodiscard]] static constexpr adaptive_options sane(adaptive_options o) noexcept {
        const auto within = [](unsigned least, unsigned x, unsigned most) {
            return x < least ? least : x > most ? most : x;
        };
        o.floor = within(1, o.floor, full);
        o.decrease = within(0, o.decrease, full);
        o.increase = within(1, o.increase, full);
        o.patience = within(1, o.patience, UINT32_MAX);
        o.settle = o.settle < nanoseconds{} ? nanoseconds{} : o.settle;
        return o;
    }

    // A rate that cannot be held, as its numbers would be too large, is not taken.
    void change(unsigned share, instant now) noexcept {
        std::int64_t units = 0;
        std::int64_t period = 0;
        if (share == full) {
            if (is_set(full_, now)) share_ = share;
            return;
        }
        if (__builtin_mul_overflow(full_.units(), std::int64_t{share}, &units) ||
            __builtin_mul_overflow(full_.period().count(), std::int64_t{full}, &period)) {
            return;
        }
        const auto slower = quota::make(units, nanoseconds(period), full_.burst());
        if (slower && is_set(*slower, now)) share_ = share;
    }
    [[nodiscard]] bool is_set(const quota& rate, instant now) noexcept {
        const auto reason = pacer_.set_rate(rate, now);
        return reason == decltype(reason)::none;
    }

    Pacer& pacer_;
    adaptive_options options_;
    quota full_;
    instant quiet_until_{};
    unsigned share_ = full;
    unsigned successes_ = 0;
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// own_time: what a quota, a setting and a decision are in the time of an adjustable limit, which
// counts units: each takes a microsecond there, of 2^10 grains, whatever the quota is. How that
// time runs against the clock is told by `pace`. It needs 64-bit words.
#pragma once

#include <cstdint>

#include <weir/base/duration.hpp>
#include <weir/base/result.hpp>
#include <weir/base/wide.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/decision.hpp>
#include <weir/cell/gcra.hpp>
#include <weir/cell/quota.hpp>
#include <weir/cell/scale.hpp>
#include <weir/clock/clock.hpp>
#include <weir/limiter/pace.hpp>

namespace weir {

// A thousandth of a unit, more or less: so early may a unit come after an idle time.
inline constexpr unsigned grain_bits = 10;

struct own_quota {
    gcra<>::rate rate;
    speed per_tick;

    // Guard and queue are given in the clock's time and become the units that come in that time,
    // by default those of an hour.
    [[nodiscard]] static constexpr result<own_quota, quota_error>
    make(const quota& q, const options& o, std::uint64_t hertz) noexcept {
        options own = o;
        own.start = options::whole_burst;
        const quota_error invalid = scale<word>::reason_against(q, own, hertz);
        if (invalid != quota_error::none) return invalid;
        const auto per_tick = speed::of(q, hertz, grain_bits);
        if (!per_tick) return per_tick.error();
        // A tick must not bring so much that time comes round to where it was.
        if (per_tick->multiplier >> per_tick->shift > std::uint64_t{horizon} << grain_bits) {
            return quota_error::rate_too_fine;
        }
        if (o.queue == options::by_guard) {
            own.queue = smaller(units_within(q, seconds(3600)), horizon / 4);
        }
        const std::int64_t debt = o.debt == options::whole_burst ? q.burst() : o.debt;
        const bool by_word = o.guard == options::by_word;
        const std::int64_t late = by_word ? 0 : units_within(q, o.guard);
        const std::int64_t ahead = own.queue < debt ? debt : own.queue;
        if (q.burst() > horizon || ahead > horizon - q.burst() ||
            late > horizon - q.burst() - ahead) {
            return quota_error::burst_too_long;
        }
        // All of the horizon, whatever the quota, see there.
        own.guard = nanoseconds(per_unit * (horizon - q.burst() - ahead));
        const auto own_burst = quota::make(1, nanoseconds(per_unit), q.burst());
        constexpr std::uint64_t own_hertz = std::uint64_t{nanoseconds::per_second / per_unit}
                                            << grain_bits;
        const auto rate = gcra<>::rate::make(*own_burst, own_hertz, own);
        if (!rate) return rate.error();
        return own_quota{*rate, *per_tick};
    }

private:
    static constexpr std::int64_t per_unit = 1'000;  // nanoseconds

    // How many units ahead of now a state counts as busy and not as a relic of a wrap: the same for
    // all quotas, or a thread that still knows the last one would take what the present one has
    // admitted for a relic, and a quota that is lower would forget a debt. 1/64 of the circle,
    // which takes 26 days at 1 G units/s and 71 years at a million; after an idle time of that
    // length, and if it happens to end there, a limit is refused until the 64th part is over.
    static constexpr std::int64_t horizon = std::int64_t{1} << (61 - grain_bits - 6);

    // Rounded up; what is too many is as many as can be expressed.
    [[nodiscard]] static constexpr std::int64_t units_within(const quota& q,
                                                             nanoseconds time) noexcept {
        const wide units = divide_up(multiply(static_cast<std::uint64_t>(time.count()),
                                              static_cast<std::uint64_t>(q.units())),
                                     {0, static_cast<std::uint64_t>(q.period().count())});
        constexpr std::uint64_t most = INT64_MAX / 2;
        return static_cast<std::int64_t>(units.fits(most) ? units.low : most);
    }
};

// What decisions read. The cell's time is the pace's less the burst: so a bucket that becomes
// larger or smaller holds as many units as before.
struct alignas(sizeof(word)) own_setting {  // 32-bit x86 aligns a word by half
    weir::pace pace;
    gcra<>::rate rate;
    word burst;  // in grains

    [[nodiscard, gnu::always_inline]] constexpr tick at(tick now) const noexcept {
        return {pace.grains_at(now) - burst};
    }

    // What has come when `time` from now is over, and never before; up to a quarter of the circle.
    template <clock Clock>
    [[nodiscard]] static constexpr word grains_in(const weir::pace& p, nanoseconds time,
                                                  tick now) noexcept {
        constexpr word most = largest<word> / 4;
        const std::uint64_t ticks = to_ticks<Clock>(time);
        if (ticks == 0) return 0;
        if (ticks >= p.until(now, most)) return most;
        return p.grains_at({now.count + (ticks - 1)}) + 1 - p.grains_at(now);
    }
    // What comes within `time` of now, but no more than may wait.
    template <clock Clock>
    [[nodiscard]] constexpr word grains_within(nanoseconds time, tick now) const noexcept {
        if (time <= nanoseconds{}) return 0;
        const word most = rate.longest() >> rate.shift();
        if (time == nanoseconds::longest()) return most;
        const std::uint64_t ticks = to_whole_ticks<Clock>(time);
        return ticks >= pace.until(now, most)
                   ? most
                   : pace.grains_at({now.count + ticks}) - pace.grains_at(now);
    }
};

// A decision whose times are turned into the clock's when somebody asks: how long it takes if the
// quota stays as it is.
class [[nodiscard]] paced_decision {
public:
    using word_type = word;

    constexpr paced_decision(const decision<word>& d, const pace& p, tick now) noexcept
        : decision_(d), pace_(p), now_(now) {}

    [[nodiscard]] constexpr bool admitted() const noexcept { return decision_.admitted(); }
    [[nodiscard]] constexpr weir::verdict verdict() const noexcept { return decision_.verdict(); }
    [[nodiscard]] constexpr word remaining() const noexcept { return decision_.remaining(); }
    [[nodiscard]] constexpr word reset_after() const noexcept {
        return pace_.until(now_, decision_.reset_after());
    }
    [[nodiscard]] constexpr word retry_after() const noexcept {
        return verdict() == verdict::never ? largest<word>
                                           : pace_.until(now_, decision_.retry_after());
    }

private:
    decision<word> decision_;
    pace pace_;
    tick now_;
};

}  // namespace weir

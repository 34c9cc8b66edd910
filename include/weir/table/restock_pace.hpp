// SPDX-License-Identifier: MIT
// restock_pace: when a stripe of a `striped` limit restocks next, and how much it takes. A lease is
// doubled if the last one lasted less than 100 us, or halved if it was in vain. After a denial the
// stripe backs off for half to all of the time in which a largest lease comes together, by chance,
// so that stripes do not all ask again at one instant.
//
// Each call is wait-free. Relaxed order suffices: mostly one thread at a time restocks. If two do,
// one after the other, and a third sees values of both, a lease is larger or smaller within its
// bounds, and each back-off is still one of no more than 100 us after a denial.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>
#include <weir/limiter/jitter.hpp>

namespace weir {

template <clock Clock>
class restock_pace {
    using instant = weir::instant<Clock>;

public:
    static constexpr nanoseconds longest_back_off = microseconds(100);
    static constexpr word first_lease = 16;
    static constexpr nanoseconds short_lease = microseconds(100);

    // No less than n and no more than `largest`, if that is n at least.
    [[nodiscard]] word next_lease(word n, word largest, instant now) const noexcept {
        const word last = lease_.load_relaxed();
        const word age = now.count - taken_at_.load_relaxed();
        const bool was_short = age < static_cast<word>(to_ticks<Clock>(short_lease));
        const bool doubled = was_short && was_vain_.load_relaxed() == 0;
        const word next = smaller(doubled ? 2 * last : last, largest);
        return next < n ? n : next;
    }
    void took(word units, instant now) noexcept {
        lease_.store_relaxed(units);
        was_vain_.store_relaxed(0);
        taken_at_.store_relaxed(now.count);
        restocks_.store_relaxed(restocks_.load_relaxed() + 1);
    }
    void was_vain(word units) noexcept {
        lease_.store_relaxed(units / 2 == 0 ? 1 : units / 2);
        was_vain_.store_relaxed(1);
    }

    [[nodiscard]] word restocks() const noexcept { return restocks_.load_relaxed(); }
    [[nodiscard]] instant taken_at() const noexcept { return instant(taken_at_.load_relaxed()); }

    // After n units were denied; a largest lease is there after `wait`.
    void back_off(word n, nanoseconds wait, instant now) noexcept {
        const nanoseconds half(smaller(wait.count(), longest_back_off.count()) / 2);
        jitter more(now.count ^ reinterpret_cast<std::uintptr_t>(this), half);
        refused_.store_relaxed(n);
        refused_at_.store_relaxed(now.count);
        quiet_for_.store_relaxed(static_cast<word>(to_whole_ticks<Clock>(more.after(half))));
    }

    // The rest of a back-off, in ticks; none where fewer units are asked for than were denied, or
    // at a time that is from before the denial.
    [[nodiscard]] word quiet(word n, instant now) const noexcept {
        const word since = now.count - refused_at_.load_relaxed();
        const word length = quiet_for_.load_relaxed();
        return since < length && n >= refused_.load_relaxed() ? length - since : 0;
    }

    // The next lease is the first one, which is not doubled.
    void reset() noexcept {
        lease_.store_relaxed(first_lease);
        was_vain_.store_relaxed(1);
        quiet_for_.store_relaxed(0);
    }

private:
    atomic<word> lease_{first_lease};
    atomic<word> was_vain_{0};
    atomic<word> taken_at_{0};
    atomic<word> restocks_{0};
    atomic<word> refused_{0};
    atomic<word> refused_at_{0};
    atomic<word> quiet_for_{0};
};

}  // namespace weir

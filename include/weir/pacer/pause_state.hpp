// SPDX-License-Identifier: MIT
// pause_state: whether a pacer is paused, and until when.
//
// The thread that polls begins and ends a pause. Producers ask `after`, which tells them when their
// items cannot go yet. All functions are wait-free. Invariant: who sees that a pause has a time
// sees that time or a later pause's. Relaxed order suffices where the thread that polls reads what
// it alone writes; a producer that sees the end of a pause late estimates by it a moment longer.
#pragma once

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

template <clock Clock>
class pause_state {
    using instant = weir::instant<Clock>;

public:
    // --- the thread that polls

    void begin() noexcept { set(instant(), false); }
    void begin(instant until) noexcept { set(until, true); }
    void end() noexcept {
        paused_ = false;
        has_end_.store_relaxed(false);
    }

    [[nodiscard]] bool paused() const noexcept { return paused_; }
    // Is it paused until a time?
    [[nodiscard]] bool has_end() const noexcept { return has_end_.load_relaxed(); }
    [[nodiscard]] instant until() const noexcept { return instant(until_.load_relaxed()); }
    [[nodiscard]] bool is_over(instant now) const noexcept {
        return has_end() && !earlier(now, until());
    }
    // Does it last longer than until then?
    [[nodiscard]] bool outlasts(instant then) const noexcept {
        return paused_ && (!has_end() || earlier(then, until()));
    }

    // --- any thread

    // The end of the pause if it has one that is to come, or now.
    [[nodiscard]] instant after(instant now) const noexcept {
        // Acquire: pairs with the release in `set`.
        const bool has_end = has_end_.load_acquire();
        const instant then = until();
        return has_end && earlier(now, then) ? then : now;
    }

private:
    void set(instant until, bool has_end) noexcept {
        paused_ = true;
        until_.store_relaxed(until.count);
        has_end_.store_release(has_end);  // pairs with `after`
    }

    atomic<word> until_{0};
    atomic<bool> has_end_{false};
    bool paused_ = false;  // the polling thread's own
};

}  // namespace weir

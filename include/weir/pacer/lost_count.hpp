// SPDX-License-Identifier: MIT
// lost_count: slots that went by unused although items waited for them. A schedule knows which
// slots it gave up; whether anything waited for them only the pacer knows, and that is counted
// here.
//
// Invariant: a slot counts only if its limit had kept something in its lane when the last poll was
// over, and no more slots count than there are units left now: what goes late has gone. A pause
// loses nothing.
//
// The thread that polls calls all of it but `approx`, which any thread may ask. Relaxed order
// suffices: one thread writes the number, and it tells of nothing else. All of it is wait-free.
#pragma once

#include <cstddef>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/lane_mask.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

template <class Limit>
concept counts_lost = requires(Limit l) {
    l.take_lost(word{});
};

template <class LaneSet, class Limit = typename LaneSet::limit_type>
class lost_count {
    using instant = typename LaneSet::instant;
    using turns_type = typename LaneSet::turns_type;
    using mask = typename LaneSet::mask;

public:
    // How things stood before a poll.
    struct before {
        mask kept;
        mask elsewhere;
    };

    [[nodiscard]] word approx() const noexcept { return lost_.load_relaxed(); }

    // Lanes of limits that something waited for when the last poll was over.
    [[nodiscard]] mask kept() const noexcept { return kept_; }
    void keeps(mask lanes) noexcept { kept_ = lanes; }

    // Before lanes are left.
    [[nodiscard]] before look(const turns_type& turns) const noexcept {
        return {kept_, turns.elsewhere()};
    }

    // The slots that the poll which is over has lost. It began at `now`.
    template <class Observer>
    [[nodiscard]] word since(const before& b, instant now, LaneSet& lanes, const turns_type& turns,
                             Limit& limit, Observer& observer) noexcept {
        word slots = 0;
        if (limit.has_lost()) [[unlikely]]
            slots = take(limit, now, (b.kept & ~b.elsewhere) != 0, 0, lanes, observer);
        if (turns.elsewhere() != 0) [[unlikely]] {
            for_each_lane<LaneSet::count>(turns.elsewhere(), [&](std::size_t i) {
                Limit& own = *lanes[i].own_limit();
                if (!own.has_lost()) return;
                const mask its = b.kept & b.elsewhere & bit_of<LaneSet::count>(i);
                slots += take(own, now, its != 0, slots, lanes, observer);
            });
        }
        return slots;
    }

private:
    // `others` have been counted in this poll already.
    template <class Observer>
    [[nodiscard, gnu::noinline]] word take(Limit& limit, instant now, bool waited, word others,
                                           const LaneSet& lanes, Observer& observer) noexcept {
        if (!waited) {
            limit.forget_lost();
            return 0;
        }
        const word units = lanes.approx_units();
        const word slots = limit.take_lost(units < others ? 0 : units - others);
        lost_.store_relaxed(lost_.load_relaxed() + slots);
        // A time after the poll's first one was read after a callback: that took too long.
        if (slots != 0) observer.on_lost(slots, earlier(now, limit.lost_at()));
        return slots;
    }

    mask kept_ = 0;
    atomic<word> lost_{0};
};

// Of a limit that does not know what it lost.
template <class LaneSet, class Limit>
    requires(!counts_lost<Limit>)
class lost_count<LaneSet, Limit> {
public:
    [[nodiscard]] static word approx() noexcept { return 0; }
    [[nodiscard]] static typename LaneSet::mask kept() noexcept { return 0; }
    static void keeps(typename LaneSet::mask /*lanes*/) noexcept {}

    struct before {};
    [[nodiscard]] static before look(const typename LaneSet::turns_type& /*turns*/) noexcept {
        return {};
    }
    template <class... Any>
    [[nodiscard]] static slots_of_a_poll since(const Any&... /*any*/) noexcept {
        return {};
    }
};

}  // namespace weir

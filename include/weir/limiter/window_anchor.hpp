// SPDX-License-Identifier: MIT
// window_anchor: where the windows of a clock begin, if not at whole periods of it: an exchange's
// day that begins at 22:00 UTC, or a minute that begins when a server says. A limiter of an
// aligned_window has one, and an array of them has one for all its entries.
//
// The cell counts windows in a time of its own, the clock's time and an offset. Windows begin at
// whole periods of that time. A change moves the offset, and writes no cell, so what was used of
// the window under way stays used. The offset depends on the anchor alone, and differs by half a
// period at most from that of the options' anchor. So however often an anchor changes, in all it
// brings one window more than time does at most, and a change back and forth brings none.
//
// Invariant: the offset is 0 until the limit is ready, and then large enough that no time which is
// late by the guard lies before the first window. Any number of threads may call everything. A
// change linearises at its store, and is wait-free. A decision loads the offset once, after its
// time. Relaxed suffices, as the offset tells of nothing but itself.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/word.hpp>
#include <weir/cell/options.hpp>
#include <weir/cell/quota.hpp>
#include <weir/clock/clock.hpp>

namespace weir {

// A rate of windows that begin at whole periods, and so can be moved.
template <class Rate>
concept anchored_rate = requires(const Rate r, word w) {
    r.first_offset(w);
    r.next_offset(w, w);
};

class window_anchor {
public:
    constexpr window_anchor(const quota& q, const options& o) noexcept
        : given_(o.anchor.count() % q.period().count()) {}
    // While nobody else uses either.
    window_anchor& operator=(const window_anchor& other) noexcept {
        given_ = other.given_;
        offset_.store_relaxed(other.offset_.load_relaxed());
        return *this;
    }
    window_anchor(const window_anchor&) = delete;
    ~window_anchor() = default;

    // The anchor of the options, in less than a period.
    [[nodiscard]] constexpr nanoseconds given() const noexcept { return nanoseconds(given_); }

    // A time after the clock's zero, or before it.
    template <clock Clock>
    [[nodiscard]] static tick at(nanoseconds anchor) noexcept {
        if (anchor >= nanoseconds{}) return {static_cast<word>(to_ticks<Clock>(anchor))};
        const std::int64_t back = anchor.count() == INT64_MIN ? INT64_MAX : -anchor.count();
        return {static_cast<word>(0 - to_ticks<Clock>(nanoseconds(back)))};
    }

    // Threads that come first together all begin with the same offset.
    template <clock Clock, class Rate>
    void begin(const Rate& r) noexcept {
        word expected = 0;
        while (expected == 0 && !offset_.try_exchange_relaxed(expected, first<Clock>(r))) {
        }
    }

    // After `begin`.
    template <clock Clock, class Rate>
    void set(tick anchor, const Rate& r) noexcept {
        offset_.store_relaxed(r.next_offset(anchor.count, first<Clock>(r)));
    }

    // The time of the cell, at the offset that is valid now.
    class cell_time {
    public:
        cell_time() = default;
        [[gnu::always_inline]] explicit cell_time(const window_anchor& its) noexcept
            : offset_(its.offset_.load_relaxed()) {}

        [[nodiscard, gnu::always_inline]] tick at(tick now) const noexcept {
            return {now.count + offset_};
        }

    private:
        word offset_;
    };

private:
    // By the options.
    template <clock Clock, class Rate>
    [[nodiscard]] word first(const Rate& r) const noexcept {
        return r.first_offset(at<Clock>(given()).count);
    }

    std::int64_t given_;
    atomic<word> offset_{0};
};

// Of all other cells.
struct no_anchor {
    constexpr no_anchor(const quota&, const options&) noexcept {}

    [[nodiscard]] static constexpr nanoseconds given() noexcept { return {}; }
    template <clock Clock, class Rate>
    static void begin(const Rate&) noexcept {}

    struct cell_time {
        cell_time() = default;
        [[gnu::always_inline]] explicit cell_time(const no_anchor&) noexcept {}

        [[nodiscard, gnu::always_inline]] static tick at(tick now) noexcept { return now; }
    };
};

}  // namespace weir

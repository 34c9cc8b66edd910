// SPDX-License-Identifier: MIT
// statistics: an observer of a pacer that counts, to be read by any thread while it runs. What
// producers were refused, and how much waits in each lane, the producers and the pacer tell.
// Relaxed order suffices: the pacer's thread alone writes, and a count tells of nothing but itself.
#pragma once

#include <cstddef>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/clock/instant.hpp>
#include <weir/pacer/histogram.hpp>
#include <weir/pacer/observer.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

// What made a pacer lose slots.
enum class delay : unsigned char {
    late_wake,  // its thread waited, and was woken too late
    long_sink,  // a callback took too long
    no_poll,    // nobody polled it in time
};
[[nodiscard]] constexpr const char* describe(delay what) noexcept {
    switch (what) {
        case delay::late_wake: return "woken too late";
        case delay::long_sink: return "the sink took too long";
        case delay::no_poll: return "not polled in time";
    }
    return "unknown delay";
}
inline constexpr std::size_t delays = 3;

class statistics final {
public:
    class during {
    public:
        during(statistics& whose, pacer_work what) noexcept
            : whose_(what == pacer_work::wait ? &whose : nullptr) {}
        during(const during&) = delete;
        during& operator=(const during&) = delete;
        ~during() {
            if (whose_ != nullptr) whose_->waited_ = true;
        }

    private:
        statistics* whose_;
    };

    void on_emit(tick /*now*/, word late, word queued, word /*left*/) noexcept {
        late_.add(late);
        queued_.add(queued);
    }
    void on_emitted(bool well) noexcept {
        if (!well) bump(failed_);
    }
    void on_dropped(dropped reason) noexcept { bump(dropped_[static_cast<std::size_t>(reason)]); }
    static void on_event(pacer_event /*what*/) noexcept {}
    void on_lost(word slots, bool in_a_callback) noexcept {
        const delay what = in_a_callback ? delay::long_sink
                           : waited_     ? delay::late_wake
                                         : delay::no_poll;
        bump(lost_[static_cast<std::size_t>(what)], slots);
    }
    template <class Items>
    void on_polled(tick /*now*/, Items /*items*/) noexcept {
        waited_ = false;
    }

    [[nodiscard]] word emitted() const noexcept { return late_.count(); }
    // Calls of the sink that threw.
    [[nodiscard]] word failed() const noexcept { return failed_.load_relaxed(); }
    [[nodiscard]] word dropped_for(dropped reason) const noexcept {
        return dropped_[static_cast<std::size_t>(reason)].load_relaxed();
    }

    // Slots that went by unused, see `next_poll::lost`. All that one poll loses count by what
    // delayed that poll last.
    [[nodiscard]] word lost_by(delay what) const noexcept {
        return lost_[static_cast<std::size_t>(what)].load_relaxed();
    }

    // In ticks: after the slot that was meant for an item, and from its push to its emission.
    [[nodiscard]] const histogram& lateness() const noexcept { return late_; }
    [[nodiscard]] const histogram& time_in_queue() const noexcept { return queued_; }

private:
    static void bump(atomic<word>& count, word by = 1) noexcept {
        count.store_relaxed(count.load_relaxed() + by);
    }

    histogram late_;
    histogram queued_;
    atomic<word> failed_{0};
    atomic<word> dropped_[drop_reasons];
    atomic<word> lost_[delays];
    bool waited_ = false;  // since the last poll
};

}  // namespace weir

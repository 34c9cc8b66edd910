// statistics: an observer of a pacer that counts, to be read by any thread while it runs. What
// producers were refused, and how much waits in each lane, the producers and the pacer tell.
#pragma once

#include <cstddef>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/pacer/histogram.hpp>
#include <weir/pacer/terms.hpp>

namespace weir {

class statistics : public unwatched {
public:
    void on_emit(tick /*now*/, word late, word queued, word /*left*/) noexcept {
        late_.add(late);
        queued_.add(queued);
    }
    void on_emitted(bool well) noexcept {
        if (!well) bump(failed_);
    }
    void on_dropped(dropped reason) noexcept { bump(dropped_[static_cast<std::size_t>(reason)]); }

    [[nodiscard]] word emitted() const noexcept { return late_.count(); }
    // Calls of the sink that threw.
    [[nodiscard]] word failed() const noexcept { return failed_.load_relaxed(); }
    [[nodiscard]] word dropped_for(dropped reason) const noexcept {
        return dropped_[static_cast<std::size_t>(reason)].load_relaxed();
    }

    // In ticks: after the slot that was meant for an item, and from its push to its emission.
    [[nodiscard]] const histogram& lateness() const noexcept { return late_; }
    [[nodiscard]] const histogram& time_in_queue() const noexcept { return queued_; }

private:
    static void bump(atomic<word>& count) noexcept {
        count.store_relaxed(count.load_relaxed() + 1);
    }

    histogram late_;
    histogram queued_;
    atomic<word> failed_{0};
    atomic<word> dropped_[drop_reasons];
};

}  // namespace weir

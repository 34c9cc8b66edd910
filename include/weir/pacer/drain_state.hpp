// SPDX-License-Identifier: MIT
// drain_state: whether a pacer drains or discards. The thread that polls says so and asks; plain
// values. Invariant: a pacer that discards never does anything else again.
#pragma once

#include <weir/clock/clock.hpp>
#include <weir/clock/instant.hpp>

namespace weir {

template <clock Clock>
class drain_state {
    using instant = weir::instant<Clock>;

public:
    // What is left at that time is to be discarded.
    void begin(instant until) noexcept {
        until_ = until;
        draining_ = true;
    }
    void discard() noexcept { discarding_ = true; }

    [[nodiscard]] bool draining() const noexcept { return draining_; }
    [[nodiscard]] instant until() const noexcept { return until_; }
    [[nodiscard]] bool discarding() const noexcept { return discarding_; }

    // Is all to be discarded now?
    [[nodiscard]] bool is_over(instant now) noexcept {
        if (draining_ && !earlier(now, until_)) discarding_ = true;
        return discarding_;
    }

private:
    instant until_{};
    bool draining_ = false;
    bool discarding_ = false;
};

}  // namespace weir

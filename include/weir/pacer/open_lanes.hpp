// SPDX-License-Identifier: MIT
// open_lanes: which lanes of a pacer are open, one bit per lane.
//
// Any thread adds a lane that it has opened; the thread that polls removes lanes; all may look.
// Invariant: who sees a lane in here sees what was written to the lane before it was added. Looks
// are wait-free, changes lock-free. Relaxed order suffices where no lane is looked at afterwards.
#pragma once

#include <cstddef>

#include <weir/base/atomic.hpp>
#include <weir/pacer/lane_mask.hpp>

namespace weir {

template <std::size_t Lanes>
class open_lanes {
public:
    using mask = lane_mask<Lanes>;

    void add(std::size_t lane) noexcept { change(bit_of<Lanes>(lane), 0); }
    void remove(std::size_t lane) noexcept { change(0, bit_of<Lanes>(lane)); }

    // Acquire: pairs with the release in `change`.
    [[nodiscard]] mask seen() const noexcept { return open_.load_acquire(); }
    [[nodiscard]] bool any() const noexcept { return open_.load_relaxed() != 0; }

private:
    void change(mask with, mask without) noexcept {
        if constexpr (Lanes == 1) {     // nobody else changes it
            open_.store_release(with);  // pairs with the acquire in `seen`
        } else {
            mask seen = open_.load_relaxed();
            // Release: pairs with the acquire in `seen`. The acquire that comes with it has no
            // partner.
            while (!open_.try_exchange_acq_rel(seen, (seen & ~without) | with)) {
            }
        }
    }

    atomic<mask> open_{0};
};

}  // namespace weir

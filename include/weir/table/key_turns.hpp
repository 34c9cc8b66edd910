// SPDX-License-Identifier: MIT
// key_turns: the turns that threads take when they enter a key of a keyed table (what for is told
// in key_places.hpp), and what they count there.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/machine.hpp>
#include <weir/table/when_full.hpp>

namespace weir {

// Whoever enters a key takes a turn here. A table has several of these, by tag, so that two keys
// seldom meet.
template <template <class> class Atomic = atomic>
class alignas(cache_line) key_turns {
public:
    // The number of this turn. Who has a later one sees all that came before this one. Pairs with
    // itself in other threads.
    std::uint64_t take() noexcept {
        std::uint64_t number = turns_.load_relaxed();
        while (!turns_.try_exchange_acq_rel(number, number + 1)) {  // pairs with itself
        }
        return number;
    }

    // Adds what is counted here. Returns by how many granules places were taken too early.
    [[nodiscard]] std::uint64_t add_to(keyed_statistics& all) const noexcept {
        all.steals += steals.load_relaxed();
        all.full += full.load_relaxed();
        return forgiven.load_relaxed();
    }

    // Only counts, so relaxed order suffices.
    Atomic<std::uint64_t> steals{0};
    Atomic<std::uint64_t> full{0};
    Atomic<std::uint64_t> forgiven{0};  // granules

private:
    Atomic<std::uint64_t> turns_{0};
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// lost_races: how a loop around a compare-exchange goes on after it has lost.
//
// Two threads that do nothing but exchange one word can fall into lockstep: one of them then loses
// thousands of times in a row, because the other's next exchange always comes before its own. From
// the third loss on, one hint to the core and a fresh load before the next try break that. The
// load has to be fresh: the value that the lost exchange returned is from before the hint. The
// figures are in include/weir/README.md. The first two losses in a row cost nothing, as they are
// usual and mostly the last.
//
// A Cortex-M has none of this. An exchange is lost there only to an interrupt's handler, and that
// handler has come to its end.
#pragma once

#include <weir/base/machine.hpp>

namespace weir {

class lost_races {
public:
    // After a lost exchange. `expected` is the value that it saw, and becomes the one to try next.
    // Relaxed, as the exchange is: whether the value is the latest is the next exchange's to find.
    template <class Atomic, class T>
    [[gnu::always_inline]] constexpr void again_relaxed(const Atomic& from, T& expected) noexcept {
        if (pauses<Atomic>()) expected = from.load_relaxed();
    }
    // The same for loops whose exchange acquires. Pairs with the exchange that wrote the value.
    template <class Atomic, class T>
    [[gnu::always_inline]] constexpr void again_acquire(const Atomic& from, T& expected) noexcept {
        if (pauses<Atomic>()) expected = from.load_acquire();
    }

private:
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M'
    template <class>
    [[nodiscard, gnu::always_inline]] static constexpr bool pauses() noexcept {
        return false;
    }
#else
    // True after a hint. Atomics of a test may have a hint of their own.
    template <class Atomic>
    [[nodiscard, gnu::always_inline]] constexpr bool pauses() noexcept {
        if (++count_ < 3) [[likely]]
            return false;
        if constexpr (requires { Atomic::spin_hint(); }) {
            Atomic::spin_hint();
        } else {
            spin_hint();
        }
        return true;
    }

    unsigned count_ = 0;
#endif
};

}  // namespace weir

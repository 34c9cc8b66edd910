// lost_races: how a loop around a compare-exchange goes on after it has lost.
//
// Two threads that do nothing but exchange one word can fall into step: one of them then loses
// thousands of times in a row, because the other's next exchange always comes before its own. From
// the third loss on, one hint to the core and a fresh load before the next try break the step; the
// value that a lost exchange returns is as old as the hint by then. The figures are in
// include/weir/README.md. The first two losses cost nothing: they are usual, and over at once.
//
// On a Cortex-M nothing of this is there: an exchange that is lost there was interrupted, by a
// handler that has come to its end.
#pragma once

#include <weir/base/machine.hpp>

namespace weir {

class lost_races {
public:
    // After a lost exchange, of which `expected` is the value seen: the value for the next try.
    template <class Atomic, class T>
    [[gnu::always_inline]] constexpr void again_relaxed(const Atomic& from, T& expected) noexcept {
        if (pauses<Atomic>()) expected = from.load_relaxed();
    }
    // Acquire, as the exchange: for loops that pair with what an exchange has released.
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

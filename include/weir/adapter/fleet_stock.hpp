// SPDX-License-Identifier: MIT
// fleet_stock: the units of a shared limit that this process has leased and not yet spent, in one
// word. Any thread takes units; one thread, the supplier, puts them there.
//
// Invariant: no more than `most` units are in stock, and each unit that the supplier put there is
// taken once at most. A request that is admitted linearises at its exchange, one that is denied at
// the load that showed too few units. The lowest bit says that everything passes: the policy
// `open`.
//
// Taking is lock-free: a try fails only because another thread's exchange succeeded. Relaxed order
// suffices, as a unit says nothing of any other memory, nor does what is counted beside it.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/duration.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/machine.hpp>
#include <weir/base/word.hpp>

namespace weir {

class fleet_stock {
public:
    // What a request met.
    struct taken {
        bool passes;
        word units;  // that were taken; 0 if it passed because everything does
        word left;
    };

    // No more than a quarter of what a word can count.
    constexpr explicit fleet_stock(word most) noexcept : most_(most) {}

    [[nodiscard]] constexpr word most() const noexcept { return most_; }

    // From `least` to `greatest` units, or none.
    [[nodiscard, gnu::always_inline]] taken take(word least, word greatest) noexcept {
        lost_races lost;
        word seen = word_.load_relaxed();
        while (units_in(seen) >= least) {
            const word n = smaller(units_in(seen), greatest);
            if (word_.try_exchange_relaxed(seen, seen - 2 * n)) [[likely]]
                return {true, n, units_in(seen) - n};
            lost.again_relaxed(word_, seen);
        }
        return without(least, seen);
    }

    // What `take` of n units would meet. Wait-free.
    [[nodiscard]] taken look(word n) const noexcept {
        const word seen = word_.load_relaxed();
        const bool all = (seen & open) != 0 && n <= most_;
        return {n <= units_in(seen) || all, 0, units_in(seen)};
    }

    [[nodiscard]] word units() const noexcept { return units_in(word_.load_relaxed()); }
    [[nodiscard]] bool is_open() const noexcept { return (word_.load_relaxed() & open) != 0; }

    // Units come back that were taken, or are put there; what would be more than `most` does not
    // fit. How many did.
    word put(word n) noexcept {
        lost_races lost;
        word seen = word_.load_relaxed();
        for (;;) {
            const word fits = smaller(n, most_ - units_in(seen));
            if (word_.try_exchange_relaxed(seen, seen + 2 * fits)) return fits;
            lost.again_relaxed(word_, seen);
        }
    }

    // How long it takes, as the supplier last said, until units may have come. Never zero.
    [[nodiscard]] nanoseconds wait() const noexcept {
        return nanoseconds(static_cast<std::int64_t>(wait_.load_relaxed()) * 1000);
    }

    // --- the supplier

    // Rounded up to microseconds, which a word of 32 bits can count for an hour.
    void tell_wait(nanoseconds wait) noexcept {
        const std::uint64_t us = (static_cast<std::uint64_t>(wait.count()) + 999) / 1000;
        wait_.store_relaxed(static_cast<word>(smaller<std::uint64_t>(us, largest<std::uint32_t>)));
    }

    // Whether everything passes.
    void let_pass(bool everything) noexcept {
        lost_races lost;
        word seen = word_.load_relaxed();
        while (!word_.try_exchange_relaxed(seen, (seen & ~open) | (everything ? open : 0)))
            lost.again_relaxed(word_, seen);
    }
    // The largest number of units that was denied since the last time; 0 if none was. One that is
    // denied at this moment may be missed, and then is when it comes again.
    [[nodiscard]] word wanted() noexcept {
        const word most = wanted_.load_relaxed();
        if (most != 0) wanted_.store_relaxed(0);
        return most;
    }
    // Units that passed since the beginning because everything did.
    [[nodiscard]] word passed() const noexcept { return passed_.load_relaxed(); }

private:
    static constexpr word open = 1;

    [[nodiscard, gnu::always_inline]] static constexpr word units_in(word all) noexcept {
        return all / 2;
    }

    [[nodiscard, gnu::noinline]] taken without(word n, word seen) noexcept {
        if (n > most_) return {false, 0, units_in(seen)};
        if ((seen & open) != 0) {
            (void)passed_.fetch_add_relaxed(n);
            return {true, 0, units_in(seen)};
        }
        if (wanted_.load_relaxed() < n) wanted_.store_relaxed(n);
        return {false, 0, units_in(seen)};
    }

    alignas(own_line) atomic<word> word_{0};
    word most_;
    alignas(own_line) atomic<word> wanted_{0};
    atomic<word> passed_{0};
    atomic<word> wait_{5'000};
};

}  // namespace weir

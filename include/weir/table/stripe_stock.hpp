// SPDX-License-Identifier: MIT
// How the stripes of a `striped` limit are found and kept. A policy says both: which stripe is the
// caller's, and what a stripe's stock of units is. `stripe_of_thread` is the portable one. Another
// policy has the same two members, and its stock the same functions; a stock that must know which
// stripe it is has a `belong_to` as well (weir/adapter/stripe_of_core.hpp is such a policy).
#pragma once

#include <cstddef>

#include <weir/base/atomic.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/word.hpp>

namespace weir {

// Units in one word, beside the mark that somebody restocks. Any thread may call everything but
// `end_restock` and `take_all`, which are for the thread that has begun a restock. Lock-free; a
// decision linearises at its exchange. Relaxed order suffices for taking units, as a unit says
// nothing of any other memory.
class exchanged_stock {
public:
    enum class restock : unsigned char {
        served,    // there are n units now, and they have been taken
        begun,     // there are fewer than n, and this thread alone restocks
        occupied,  // there are fewer than n, and another thread restocks
    };

    // All n units or none.
    [[nodiscard, gnu::always_inline]] bool try_take(word n) noexcept {
        lost_races lost;
        for (word seen = word_.load_relaxed(); n <= units_in(seen);) {
            if (word_.try_exchange_relaxed(seen, seen - n)) [[likely]]
                return true;
            lost.again_relaxed(word_, seen);
        }
        return false;
    }

    // Waits for nobody: while another thread restocks, the answer is `occupied`.
    [[nodiscard]] restock begin_restock(word n) noexcept {
        lost_races lost;
        for (word seen = word_.load_relaxed();;) {
            const bool served = n <= units_in(seen);
            if (!served && (seen & restocking) != 0) return restock::occupied;
            // Pairs with the release in `end_restock`: what the last restocker wrote is seen.
            if (word_.try_exchange_acq_rel(seen, served ? seen - n : seen | restocking))
                return served ? restock::served : restock::begun;
            lost.again_relaxed(word_, seen);
        }
    }
    void end_restock(word more) noexcept {
        lost_races lost;
        // Pairs with the acquire in `begin_restock`.
        for (word seen = word_.load_relaxed();
             !word_.try_exchange_acq_rel(seen, units_in(seen) + more);)
            lost.again_relaxed(word_, seen);
    }

    [[nodiscard]] word take_all() noexcept {
        lost_races lost;
        word seen = word_.load_relaxed();
        while (!word_.try_exchange_relaxed(seen, restocking)) lost.again_relaxed(word_, seen);
        return units_in(seen);
    }

    [[nodiscard, gnu::always_inline]] word units() const noexcept {
        return units_in(word_.load_relaxed());
    }
    // What `try_take` would answer.
    [[nodiscard]] bool could_take(word n) const noexcept { return n <= units(); }

private:
    static constexpr word restocking = ~(largest<word> / 2);
    [[nodiscard, gnu::always_inline]] static constexpr word units_in(word all) noexcept {
        return all & ~restocking;
    }

    atomic<word> word_{0};
};

// Threads get numbers in the order of their first calls, and the stripe of that number, around in a
// circle. The end of a thread needs no care, since its stripe is not the thread's own.
struct stripe_of_thread {
    using stock = exchanged_stock;

    // Below `stripes`, which is a power of two. Wait-free.
    [[nodiscard, gnu::always_inline]] static std::size_t mine(std::size_t stripes) noexcept {
        return static_cast<std::size_t>(number()) & (stripes - 1);
    }

    // The thread's own, and not zero. Wait-free.
    [[nodiscard, gnu::always_inline]] static word number() noexcept {
        static constinit thread_local word mine = 0;
        if (mine == 0) [[unlikely]]
            mine = next();
        return mine;
    }

private:
    // Relaxed order suffices: the numbers only have to differ. Zero comes again after 2^31 threads
    // at the earliest, and then a thread asks twice.
    [[nodiscard, gnu::noinline]] static word next() noexcept {
        static constinit atomic<word> last{0};
        return last.fetch_add_relaxed(1) + 1;
    }
};

}  // namespace weir

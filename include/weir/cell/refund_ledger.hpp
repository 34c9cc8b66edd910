// SPDX-License-Identifier: MIT
// refund_ledger: what makes refunds of one cell strict when many threads give back at once.
//
// A refund moves what was reserved after it earlier. So when a permit's span comes to be refunded
// it no longer lies where it was granted, and the part of it that has gone by is larger than it
// seems. Two sums bound by how much it has moved, from above: every refund is announced before it
// lands in the cell and counted as landed after it has. A permit takes along what had landed when
// it was granted, at most all that it was granted upon; what has been announced when it is refunded
// is at least all that has moved it. A refund that stops in between makes others give back less.
// A reset makes the cell's state new from outside: permits that were taken before it ended give
// nothing back. And before the sums could wrap, all permits of the time before end as well.
//
// One word counts the resets: in its upper bits those that have ended, in its lower bits those that
// are under way. A permit takes along how many had ended. It lives as long as no more have, and
// none is under way. No two limits of a process count from the same number. So a limit that was
// made where another one was gives nothing back for that one's permits.
//
// An announcement, the beginning of a reset and the loads of both are relaxed: the cell's state
// orders them. It is replaced with release after either, and a refund acquires it before it looks.
#pragma once

#include <cstdint>
#include <type_traits>

#include <weir/base/atomic.hpp>
#include <weir/base/lost_races.hpp>
#include <weir/base/word.hpp>

namespace weir {

// What a refund has given back, or would. False if it is nothing.
class refunded {
public:
    constexpr refunded() noexcept = default;
    // `back` in the cell's time, of which a unit takes `unit`.
    constexpr refunded(std::uint64_t back, std::uint64_t unit) noexcept
        : back_(back), unit_(unit) {}

    [[nodiscard]] constexpr explicit operator bool() const noexcept { return back_ != 0; }

    // Whole units; a part of another one may have come back too.
    [[nodiscard]] constexpr word units() const noexcept { return static_cast<word>(back_ / unit_); }

private:
    std::uint64_t back_ = 0;
    std::uint64_t unit_ = 1;
};

template <class Word, template <class> class Atomic = atomic>
class refund_ledger {
public:
    // What a permit takes along; to be taken before it is granted.
    struct mark {
        Word landed;
        Word generation;
    };

    // The compiler cannot number those that it makes, so they take a number when they need one.
    constexpr refund_ledger() noexcept
        : refund_ledger(std::is_constant_evaluated() ? unnumbered : another()) {}
    refund_ledger(const refund_ledger&) = delete;
    ~refund_ledger() = default;

    [[nodiscard]] mark now() noexcept {
        // Pairs with the addition in `end_reset`: who sees the reset ended sees the new state.
        Word resets = resets_.load_acquire();
        if (resets == unnumbered) [[unlikely]]
            resets = numbered();
        const auto generation = static_cast<Word>(resets & ~under_way);
        // Pairs with the addition in `give_back`: what has landed is in the state that follows.
        return {landed_.load_acquire(), generation};
    }

    // Gives `cost` back, as far as its span is still to come, and says how much that was. The span
    // ended at `until` when it was granted; `whole` if cost is all of it. Linearises at the
    // exchange. Reset, sum and time are asked after the state, so they hold for that state.
    template <class Cell, class Now>
    Word give_back(Cell& cell, mark granted, Word until, Word cost, bool whole, Now now,
                   const typename Cell::rate& r) noexcept {
        Word own = 0;  // the most that this refund has announced, if others come in between
        Word back = 0;
        Word state = cell.seen();
        lost_races lost;
        do {
            const auto end = static_cast<Word>(until - moved(granted) + own);
            back = still_to_come(state, granted, end, cost, now, r);
            if (back == 0) break;
            // The last span, given back as a whole, moves nobody.
            if (back > own && (!whole || back != cost || !r.ends_at(state, end))) {
                announce(static_cast<Word>(back - own));
                own = back;
            }
        } while (!cell.try_replace(state, static_cast<Word>(state - back), lost));
        if (own != 0) landed_.fetch_add_release(own);  // pairs with the load in `now`
        return back;
    }

    // What it would give back now. Changes nothing.
    template <class Cell, class Now>
    [[nodiscard]] Word refundable(const Cell& cell, mark granted, Word until, Word cost, Now now,
                                  const typename Cell::rate& r) const noexcept {
        const Word state = cell.seen();
        return still_to_come(state, granted, static_cast<Word>(until - moved(granted)), cost, now,
                             r);
    }

    // Gives back all that a permit was granted, as if it had never been, or nothing if anything has
    // come after it. It needs no time, so a late one does no harm. Linearises at the exchange.
    template <class Cell>
    Word undo(Cell& cell, mark granted, Word until, Word cost,
              const typename Cell::rate& r) noexcept {
        Word state = cell.seen();
        lost_races lost;
        do {
            const auto end = static_cast<Word>(until - moved(granted));
            if (!r.ends_at(state, end) || ended(granted)) return 0;
        } while (!cell.try_replace(state, static_cast<Word>(state - cost), lost));
        return cost;
    }

    // Has a reset begun since, or was it another limit that granted it?
    [[nodiscard]] bool ended(mark granted) const noexcept {
        return resets_.load_relaxed() != granted.generation;
    }

    // Around whatever replaces the cell's state.
    void begin_reset() noexcept {
        if (resets_.load_relaxed() == unnumbered) (void)numbered();
        resets_.fetch_add_relaxed(1);
    }
    // Pairs with the load in `now`.
    void end_reset() noexcept { resets_.fetch_add_release(under_way); }

private:
    static constexpr Word unnumbered = 0;
    static constexpr Word under_way = 0xFFFF;  // one less than a reset that has ended

    constexpr explicit refund_ledger(Word first) noexcept : resets_(first) {}

    // No less than refunds have moved the permit's span by, with what its own has announced.
    [[nodiscard]] Word moved(mark granted) const noexcept {
        return static_cast<Word>(announced_.load_relaxed() - granted.landed);
    }

    // Whether there was a reset is asked last: the time may be one that another quota counts.
    template <class Now, class Rate>
    [[nodiscard]] Word still_to_come(Word state, mark granted, Word end, Word cost, Now& now,
                                     const Rate& r) const noexcept {
        const Word back = r.refundable(state, now(), end, cost);
        return ended(granted) ? 0 : back;
    }

    void announce(Word more) noexcept {
        const Word before = announced_.fetch_add_relaxed(more);
        constexpr Word quarter = largest<Word> / 4 + 1;
        if (before / quarter == static_cast<Word>(before + more) / quarter) return;
        begin_reset();
        end_reset();
    }

    [[nodiscard, gnu::cold]] Word numbered() noexcept {
        Word seen = unnumbered;
        const Word number = another();
        // Relaxed: the number tells of nothing that was written before.
        while (seen == unnumbered && !resets_.try_exchange_relaxed(seen, number)) {
        }
        return resets_.load_acquire();  // pairs with the addition in `end_reset`
    }

    // The compiler's own atomic: no decision reads the number of a limit that is not made yet.
    [[nodiscard]] static Word another() noexcept {
        const Word number = __atomic_add_fetch(&made_, 1, __ATOMIC_RELAXED);
        return static_cast<Word>(number * far_apart);
    }
    // The golden section of all numbers of resets: odd, so each limit has another one.
    static constexpr auto far_apart = static_cast<Word>(0x9E37'79B9'7F4B'0000);
    alignas(sizeof(Word)) inline static Word made_ = 0;

    Atomic<Word> announced_{0};  // sums of costs, which wrap
    Atomic<Word> landed_{0};
    Atomic<Word> resets_;
};

}  // namespace weir

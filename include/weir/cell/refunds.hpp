// refunds: what makes refunds of one cell strict when many threads give back at once.
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
// Resets are counted from a number that no other limit of the process counts from. So a limit that
// was made where another one was gives nothing back for that one's permits.
#pragma once

#include <type_traits>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>

namespace weir {

template <class Word, template <class> class Atomic = atomic>
class refunds {
public:
    // What a permit takes along; to be taken before it is granted.
    struct mark {
        Word landed;
        Word generation;
    };

    // The first one in a place may be the compiler's; it counts from nought.
    constexpr refunds() noexcept : refunds(std::is_constant_evaluated() ? Word{0} : another()) {}
    refunds(const refunds&) = delete;
    ~refunds() = default;

    [[nodiscard]] mark now() const noexcept {
        // Pairs with the addition in `end_reset`: who sees the reset ended sees the new state.
        const Word generation = ended_.load_acquire();
        // Pairs with the addition in `give_back`: what has landed is in the state that follows.
        return {landed_.load_acquire(), generation};
    }

    // `whole` if cost is all that the permit was granted. False if there was nothing to give back.
    template <class Cell, class Now>
    bool give_back(Cell& cell, mark granted, Word until, Word cost, bool whole, Now now,
                   const typename Cell::rate& r) noexcept {
        Word own = 0;
        const auto alive = [&]() noexcept { return begun_.load_relaxed() == granted.generation; };
        const auto since = [&]() noexcept {
            return static_cast<Word>(announced_.load_relaxed() - granted.landed - own);
        };
        // The most of all tries, if others come in between.
        const auto announce = [&](Word back) noexcept {
            if (back <= own) return;
            const auto more = static_cast<Word>(back - own);
            const Word before = announced_.fetch_add_relaxed(more);
            own = back;
            constexpr Word quarter = largest<Word> / 4 + 1;
            if (before / quarter == static_cast<Word>(before + more) / quarter) return;
            begin_reset();
            end_reset();
        };
        const bool given = cell.refund(until, cost, whole, alive, since, now, announce, r);
        if (own != 0) landed_.fetch_add_release(own);  // pairs with the load in `now`
        return given;
    }

    // Gives back all that a permit was granted, as if it had never been: at no time, so a late one
    // does no harm, but only if nothing has come after it.
    template <class Cell>
    bool undo(Cell& cell, mark granted, Word until, Word cost,
              const typename Cell::rate& r) noexcept {
        const auto alive = [&]() noexcept { return begun_.load_relaxed() == granted.generation; };
        const auto since = [&]() noexcept {
            return static_cast<Word>(announced_.load_relaxed() - granted.landed);
        };
        return cell.undo(until, cost, alive, since, r);
    }

    // Around whatever replaces the cell's state.
    void begin_reset() noexcept { begun_.fetch_add_relaxed(1); }
    void end_reset() noexcept { ended_.fetch_add_release(1); }  // pairs with the load in `now`

private:
    constexpr explicit refunds(Word first) noexcept : begun_(first), ended_(first) {}

    // The compiler's own atomic: no decision reads the number of a limit that is not made yet.
    [[nodiscard]] static Word another() noexcept {
        const Word number = __atomic_add_fetch(&made_, 1, __ATOMIC_RELAXED);
        return static_cast<Word>(number << (bits_of<Word> / 2));
    }
    alignas(sizeof(Word)) inline static Word made_ = 0;

    Atomic<Word> announced_{0};  // sums of costs, which wrap
    Atomic<Word> landed_{0};
    Atomic<Word> begun_;  // resets
    Atomic<Word> ended_;
};

}  // namespace weir

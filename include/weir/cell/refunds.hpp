// refunds: what makes refunds of one cell strict when many threads give back at once.
//
// A refund moves what was reserved after it earlier. So when a permit's span comes to be refunded
// it no longer lies where it was granted, and the part of it that has gone by is larger than it
// seems. Two sums bound by how much it has moved, from above: every refund is announced before it
// lands in the cell and counted as landed after it has. A permit takes along what had landed when
// it was granted, at most all that it was granted upon; what has been announced when it is refunded
// is at least all that has moved it. A refund that stops in between makes others give back less.
// What makes the cell's state new from outside, such as a reset, ends a generation: permits of
// older ones give nothing back.
#pragma once

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

    constexpr refunds() noexcept = default;
    refunds(refunds&& other) noexcept
        : announced_(other.announced_.load_relaxed()),
          landed_(other.landed_.load_relaxed()),
          generation_(other.generation_.load_relaxed()) {}
    refunds& operator=(refunds&&) = delete;
    ~refunds() = default;

    [[nodiscard]] mark now() const noexcept {
        const Word generation = generation_.load_relaxed();
        // Pairs with the addition in `give_back`: what has landed is in the state that follows.
        return {landed_.load_acquire(), generation};
    }

    // False if there was nothing to give back.
    template <class Cell, class Now>
    bool give_back(Cell& cell, mark granted, Word until, Word cost, Now now,
                   const typename Cell::rate& r) noexcept {
        Word own = 0;
        const auto since = [&]() noexcept -> Word {
            // Half the circle away nothing is still to come.
            if (generation_.load_relaxed() != granted.generation) return largest<Word> / 2;
            return static_cast<Word>(announced_.load_relaxed() - granted.landed - own);
        };
        // The most of all tries, if others come in between.
        const auto announce = [&](Word back) noexcept {
            if (back <= own) return;
            announced_.fetch_add_relaxed(static_cast<Word>(back - own));
            own = back;
        };
        const bool given = cell.refund(until, cost, since, now, announce, r);
        if (own != 0) landed_.fetch_add_release(own);  // pairs with the load in `now`
        return given;
    }

    // Before the cell's state is replaced.
    void end_generation() noexcept { generation_.fetch_add_relaxed(1); }

private:
    Atomic<Word> announced_{0};  // sums of costs, which wrap
    Atomic<Word> landed_{0};
    Atomic<Word> generation_{0};
};

}  // namespace weir

// SPDX-License-Identifier: MIT
// stripe_of_core: a policy of `striped` that gives each core a stripe. A unit is taken without a
// locked instruction, in a restartable section (see restartable.hpp), at a quarter of what an
// exchange costs.
//
//     weir::striped<weir::limiter<>, 64, weir::stripe_of_core> requests(shared);
//
// There should be as many stripes as the machine may have cores. Whatever is missing, all that
// `striped` promises holds, and only the price is another: `stripe_of_core::sections()` says
// whether sections are used, and `approx_exchanged()` of the stripes how many decisions had to
// exchange all the same. If they are not used, the stripes are those of `stripe_of_thread`, by
// exchanges. So are the decisions of a thread without sections, and of a stripe that two cores
// share, as soon as the second one comes.
//
// A stripe's units are in two words. `here_` belongs to one core, and only sections on that core
// exchange it. `free_` is for everybody. So no exchange ever meets a section on one word.
//
// Invariant: only the thread that restocks a stripe adds units to it. A restock begins if both
// words together have fewer than the restocker wants. The bounds of `striped` follow, with one
// difference: units that only their core can take serve neither a thread that is moved to another
// core in the middle of a request nor one without sections. Such a thread asks the shared limit,
// and may be denied although there are units in that stripe.
//
// Another core's units come back by `give_back`, `reset` and the destructor: the stripe is closed
// to its core, all sections are stopped (a `membarrier`), and then nobody else writes the word.
// Where the kernel refuses that, the units stay in the stripe. So do the units of a core that is
// switched off, until it is there again or somebody gives back.
//
// The child of a `fork` goes on with sections. The child of a `vfork` must not ask. A library that
// has stripes of cores must not be unloaded: the kernel may still look at its last section.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/adapter/restartable.hpp>
#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
#include <weir/table/stripe_stock.hpp>

namespace weir {

// Each function is lock-free, but for those that stop sections: `take_all`, and the first restock
// by a second core. `try_take` is wait-free while there are units of the core's own. Relaxed order
// suffices for units, as they say nothing of other memory; `free_` orders restocks. A core that is
// written to `core_` is seen by its sections in time, or `stop_all` has stopped them.
template <class Sections>
class core_stock {
public:
    using restock = exchanged_stock::restock;

    // Before anybody else knows the stock.
    constexpr void belong_to(std::size_t core, std::size_t cores) noexcept {
        home_ = static_cast<std::uint32_t>(core);
        cores_ = static_cast<std::uint32_t>(cores);
    }

    // All n units or none.
    [[nodiscard, gnu::always_inline]] bool try_take(word n) noexcept {
        return try_take_here(n) || try_take_by_exchange(n);
    }

    [[nodiscard]] restock begin_restock(word n) noexcept {
        restock how = free_.begin_restock(n);
        if (how == restock::begun && is_shared()) {
            free_.end_restock(free_.take_all() + emptied(never));
            how = free_.begin_restock(n);
        }
        if (how != restock::begun) return how;
        // From here on nobody else adds units. Somebody may have done so just before.
        if (here_.load_relaxed() + free_.units() < n) return how;
        const word some = free_.take_all();
        const bool served = some >= n || try_take_here(n - some);
        free_.end_restock(!served ? some : some > n ? some - n : 0);
        return served ? restock::served : restock::occupied;
    }
    void end_restock(word more) noexcept { free_.end_restock(try_put_here(more) ? 0 : more); }

    [[nodiscard]] word take_all() noexcept {
        const word all = emptied(core_.load_relaxed() == never ? never : closed);
        return all + free_.take_all();
    }

    [[nodiscard, gnu::always_inline]] word units() const noexcept {
        return here_.load_relaxed() + free_.units();
    }
    // Decisions of `try_take` that had to exchange although this process has sections. A snapshot.
    // Two threads that count at one instant may count once.
    [[nodiscard]] word exchanged() const noexcept { return exchanged_.load_relaxed(); }
    // By this thread, here and now.
    [[nodiscard]] bool could_take(word n) const noexcept {
        const bool is_here = Sections::core() == core_.load_relaxed();
        return (is_here && n <= here_.load_relaxed()) || free_.could_take(n);
    }

private:
    // No core has these numbers, nor has a thread that is not registered.
    static constexpr std::uint32_t closed = std::uint32_t{1} << 31U;
    static constexpr std::uint32_t never = closed + 1;
    // Each failure but the last is a section that was stopped. A debugger that goes step by step
    // stops every one.
    static constexpr unsigned most_tries = 16;

    [[nodiscard, gnu::always_inline]] bool try_take_here(word n) noexcept {
        word seen = here_.load_relaxed();
        for (unsigned tries = 0; n <= seen && tries < most_tries; ++tries) {
            if (Sections::try_replace(here_, core_, seen, seen - n)) [[likely]]
                return true;
            if (Sections::core() != core_.load_relaxed()) return false;
            seen = here_.load_relaxed();
        }
        return false;
    }

    // Where there are no sections it need not be counted.
    [[nodiscard, gnu::always_inline]] bool try_take_by_exchange(word n) noexcept {
        if (!free_.try_take(n)) return false;
        if (Sections::sections() == core_sections::used)
            exchanged_.store_relaxed(exchanged_.load_relaxed() + 1);
        return true;
    }

    // Only for who restocks, as the rest.
    [[nodiscard]] bool try_put_here(word more) noexcept {
        if (more == 0 || Sections::core() != home_) return false;
        if (core_.load_relaxed() == closed) core_.store_relaxed(home_);
        if (core_.load_relaxed() != home_) return false;
        for (unsigned tries = 0; tries < most_tries; ++tries) {
            const word seen = here_.load_relaxed();
            if (Sections::try_replace(here_, core_, seen, seen + more)) return true;
        }
        return false;
    }

    // Two cores have this stripe, as there are more cores than stripes.
    [[nodiscard]] bool is_shared() const noexcept {
        const std::uint32_t core = Sections::core();
        return core != Sections::no_core && core != home_ && (core & (cores_ - 1)) == home_ &&
               core_.load_relaxed() != never;
    }

    // What was the core's, which does not get at it any more until the stripe is opened again.
    [[nodiscard]] word emptied(std::uint32_t afterwards) noexcept {
        const std::uint32_t before = core_.load_relaxed();
        core_.store_relaxed(afterwards);
        // Nobody makes more of none, and no section is about to make fewer.
        if (here_.load_relaxed() == 0) return 0;
        if (!Sections::stop_all()) {
            core_.store_relaxed(before);
            return 0;
        }
        const word all = here_.load_relaxed();
        here_.store_relaxed(0);
        return all;
    }

    atomic<word> here_{0};
    exchanged_stock free_;
    atomic<word> exchanged_{0};
    atomic<std::uint32_t> core_{closed};
    std::uint32_t home_ = 0;
    std::uint32_t cores_ = 0;
};

struct stripe_of_core {
    using stock = core_stock<restartable>;

    // Whether this process takes units in sections, or why not.
    [[nodiscard]] static core_sections sections() noexcept { return restartable::sections(); }

    // Below `stripes`, which is a power of two. Wait-free.
    [[nodiscard, gnu::always_inline]] static std::size_t mine(std::size_t stripes) noexcept {
        const std::uint32_t core = restartable::core();
        if (core == restartable::no_core) [[unlikely]]
            return stripe_of_thread::mine(stripes);
        return core & (stripes - 1);
    }
};

}  // namespace weir

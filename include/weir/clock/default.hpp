// SPDX-License-Identifier: MIT
// default_clock: the core's counter where it can be trusted, else the system's monotonic clock.
// facts().source says which, and facts().note why it is not the counter.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/clock/clock.hpp>
#include <weir/clock/cycle.hpp>
#include <weir/clock/steady.hpp>

namespace weir {

// Decides at the first question, once: whether the counter is invariant and has a frequency that
// quotas were checked for. Where it is trusted, now() costs one predictable branch more than it.
template <class Counter, clock Fallback>
class trusted_clock {
public:
    static constexpr std::uint64_t lowest_hertz = Counter::lowest_hertz < Fallback::lowest_hertz
                                                      ? Counter::lowest_hertz
                                                      : Fallback::lowest_hertz;
    static constexpr std::uint64_t highest_hertz = Counter::highest_hertz > Fallback::highest_hertz
                                                       ? Counter::highest_hertz
                                                       : Fallback::highest_hertz;
    static constexpr bool is_of_machine = machine_clock<Counter> && machine_clock<Fallback>;

    [[nodiscard]] static instant<trusted_clock> now() noexcept {
        if (source_.load_relaxed() == source::counter) [[likely]]
            return instant<trusted_clock>(Counter::now().count);
        return undecided_now();
    }

    [[nodiscard]] static std::uint64_t hertz() noexcept {
        return uses_counter() ? Counter::hertz() : Fallback::hertz();
    }
    [[nodiscard]] static std::uint64_t least_hertz() noexcept {
        return uses_counter() ? weir::least_hertz<Counter>() : weir::least_hertz<Fallback>();
    }

    [[nodiscard]] static clock_facts facts() noexcept {
        if (uses_counter()) return Counter::facts();
        clock_facts facts = Fallback::facts();
        switch (source_.load_relaxed()) {
            case source::not_invariant: facts.note = clock_facts::not_invariant; break;
            case source::not_measured: facts.note = clock_facts::not_measured; break;
            default: facts.note = clock_facts::out_of_bounds;
        }
        return facts;
    }

private:
    // The counter, or why it is not.
    enum class source : unsigned char {
        undecided,
        counter,
        not_invariant,
        not_measured,
        out_of_bounds
    };

    [[nodiscard]] [[gnu::noinline, gnu::cold]] static instant<trusted_clock>
    undecided_now() noexcept {
        return instant<trusted_clock>(uses_counter() ? Counter::now().count
                                                     : Fallback::now().count);
    }

    [[nodiscard]] static bool uses_counter() noexcept {
        source known = source_.load_relaxed();
        while (known == source::undecided) {
            // Threads that are first together may measure different things if the system's clock
            // stands still meanwhile: the first one to say so decides.
            const source found = judge();
            if (source_.try_exchange_relaxed(known, found)) known = found;
        }
        return known == source::counter;
    }

    [[nodiscard]] static source judge() noexcept {
        if (!Counter::invariant()) return source::not_invariant;
        const std::uint64_t hertz = Counter::hertz();
        if (hertz == 0) return source::not_measured;
        return hertz >= Counter::lowest_hertz && hertz <= Counter::highest_hertz
                   ? source::counter
                   : source::out_of_bounds;
    }

    // Relaxed order suffices: it tells of nothing that was written before, but for the frequency,
    // and who does not see that measures it again.
    static constinit inline atomic<source> source_{source::undecided};
};

#if defined(__x86_64__) || defined(__aarch64__)
#define WEIR_HAS_DEFAULT_CLOCK
using default_clock = trusted_clock<cycle_clock, steady_clock>;
#elif defined(CLOCK_MONOTONIC)
#define WEIR_HAS_DEFAULT_CLOCK
using default_clock = steady_clock;
#else
class default_clock;  // there is none: a limiter or a schedule has to name its clock
#endif

}  // namespace weir

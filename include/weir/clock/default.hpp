// default_clock: the core's counter where it can be trusted, else the system's monotonic clock.
// facts().source says which.
#pragma once

#include <cstdint>

#include <weir/base/atomic.hpp>
#include <weir/base/word.hpp>
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

    [[nodiscard]] static tick now() noexcept {
        if (source_.load_relaxed() == source::counter) [[likely]]
            return Counter::now();
        return undecided_now();
    }

    [[nodiscard]] static std::uint64_t hertz() noexcept {
        return uses_counter() ? Counter::hertz() : Fallback::hertz();
    }

    [[nodiscard]] static clock_facts facts() noexcept {
        return uses_counter() ? Counter::facts() : Fallback::facts();
    }

private:
    enum class source : unsigned char { undecided, counter, fallback };

    [[nodiscard]] [[gnu::noinline, gnu::cold]] static tick undecided_now() noexcept {
        return uses_counter() ? Counter::now() : Fallback::now();
    }

    [[nodiscard]] static bool uses_counter() noexcept {
        source known = source_.load_relaxed();
        if (known == source::undecided) {
            const bool usable = Counter::invariant() && Counter::hertz() >= Counter::lowest_hertz &&
                                Counter::hertz() <= Counter::highest_hertz;
            known = usable ? source::counter : source::fallback;
            source_.store_relaxed(known);  // every thread comes to the same answer
        }
        return known == source::counter;
    }

    static constinit inline atomic<source> source_{source::undecided};
};

#if defined(__x86_64__) || defined(__aarch64__)
using default_clock = trusted_clock<cycle_clock, steady_clock>;
#elif defined(CLOCK_MONOTONIC)
using default_clock = steady_clock;
#else
class default_clock;  // there is none: a limiter has to name its clock
#endif

}  // namespace weir

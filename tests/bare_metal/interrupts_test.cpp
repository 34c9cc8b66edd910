// SPDX-License-Identifier: MIT
// One cell, charged by main() as fast as it can and by the timer's interrupt at every tick. Demand
// never stops, so what both get together is known to the unit: the burst, and the rate until the
// last decision.
#include <weir/cell/gcra.hpp>
#include <weir/clock/systick.hpp>

#include "check.hpp"
#include "ticks.hpp"

namespace {

using cell = weir::gcra<>;
using ticks = weir::systick_clock<1'000'000>;  // fast, so that interrupts are many

// A large burst, since only admissions exchange the word, and an interrupt has to hit that.
constexpr std::int64_t burst = 50'000;
constexpr std::uint32_t ticks_per_unit = 3;
constexpr std::uint32_t end = 60'000;
constexpr auto rate = *cell::rate::make(weir::quota{1, weir::microseconds(3), burst},
                                        ticks::hertz(), {.guard = weir::milliseconds(1)});

cell shared;
std::uint32_t by_interrupt = 0;
std::uint32_t retries = 0;

// Without it the loop and the timer can fall into lockstep, and interrupts hit the same few places
// again and again.
void wait_for_a_while() {
    static std::uint32_t random = 1;
    random = random * 1'664'525 + 1'013'904'223;  // Numerical Recipes
    for (std::uint32_t n = random >> 28; n > 0; --n) asm volatile("nop");
}

// Counts the exchanges that an interrupt has spoilt.
struct watch {
    static void on_retry() noexcept { ++retries; }
};

}  // namespace

extern "C" void SysTick_Handler() {
    count_tick<ticks>();
    if (shared.try_acquire(ticks::now(), 1, rate)) ++by_interrupt;
}

int main() {
    checks check;
    static_assert(sizeof(cell) == 4);

    std::uint32_t by_main = 0;
    std::uint32_t denied = 0;
    shared.fill(ticks::now(), burst, rate);
    check.is_true("the timer starts", start_ticks<ticks>());
    while (ticks::now().count < end) {
        wait_for_a_while();
        if (shared.try_acquire(ticks::now(), 1, rate, watch{})) {
            ++by_main;
        } else {
            ++denied;
        }
    }
    // The clock may have gone on since; from here on nobody else is there.
    mask_interrupts();
    const weir::tick last = ticks::now();
    while (shared.try_acquire(last, 1, rate)) ++by_main;

    check.equal("all that was admitted", by_main + by_interrupt,
                burst + last.count / ticks_per_unit);
    check.is_true("main got some", by_main > 0);
    check.is_true("the interrupt got some", by_interrupt > 0);
    check.is_true("an interrupt came into an exchange", retries > 0);
    note("main", by_main);
    note("interrupt", by_interrupt);
    note("denied", denied);
    note("retries", retries);
    return check.result();
}

// SPDX-License-Identifier: MIT
// SysTick counts in step with the core; the cycle counter says that qemu has none.
#include <weir/clock/clock.hpp>
#include <weir/clock/dwt.hpp>
#include <weir/clock/systick.hpp>
#include <weir/weir.hpp>

#include "check.hpp"

namespace {

using milliseconds = weir::systick_clock<1'000>;
using seconds = weir::systick_clock<1, struct slow>;
using cycles = weir::dwt_clock<CORE_HERTZ>;

static_assert(weir::clock<milliseconds>);
static_assert(weir::clock<cycles>);
static_assert(milliseconds::facts().granularity == weir::milliseconds(1));
static_assert(!milliseconds::facts().invariant && !cycles::facts().invariant);

constinit weir::limiter<weir::gcra<>, milliseconds> limit{
    weir::quota{1, weir::milliseconds(10), 3}};

// With everything that a limiter has, which computes its rate at its first decision.
void a_limiter_reads_the_clock(checks& check) {
    std::uint32_t admitted = 0;
    while (limit.try_acquire()) ++admitted;
    check.equal("the burst", admitted, 3);
    const auto d = limit.try_acquire();
    check.is_true("comes within a period", d.retry_after() <= weir::milliseconds(10));
    const auto start = milliseconds::now();
    while (milliseconds::now().count - start.count <= 100) {
        if (limit.try_acquire()) ++admitted;
    }
    check.equal("and the rate", admitted, 3 + 10);
}

#if __ARM_ARCH >= 7
// A unit with a counter, which is SysTick's: it counts down, but it counts.
struct counting_unit : weir::dwt_unit {
    static volatile registers& get() {
        return *reinterpret_cast<volatile registers*>(&weir::systick_timer::get().reload);
    }
};
struct unit_without_counter : weir::dwt_unit {
    static volatile registers& get() {
        static volatile registers r{1U << 25, 0};
        r.cycles = r.cycles + 1;
        return r;
    }
};

void tells_whether_the_cycle_counter_counts(checks& check) {
    using counting = weir::dwt_clock<CORE_HERTZ, counting_unit>;
    using missing = weir::dwt_clock<CORE_HERTZ, unit_without_counter>;
    check.is_true("a counter that counts", counting::start());
    const auto before = counting::now();
    for (int i = 0; i < 100; ++i) asm volatile("nop");
    check.is_true("is read", !(counting::now() == before));
    check.is_true("a part without a counter", !missing::start());
    check.is_true("qemu has none, and leaves it out without a word", !cycles::start());
}
#endif

}  // namespace

extern "C" void SysTick_Handler() { milliseconds::on_interrupt(); }

int main() {
    checks check;
    check.is_true("24 bits cannot count a second", !seconds::start(2 * CORE_HERTZ));
    check.is_true("nor a part of a cycle", !milliseconds::start(CORE_HERTZ + 1));
    check.equal("not started yet", milliseconds::now().count, 0);
    check.is_true("a millisecond can be counted", milliseconds::start(CORE_HERTZ));

    // With -icount an instruction takes a nanosecond: 100 ms are 100 million of them, two at a
    // time.
    std::uint32_t left = 50'000'000;
    asm volatile(".syntax unified\n1: subs %0, #1\n\tbne 1b" : "+l"(left) : : "cc");
    check.equal("milliseconds that have passed", milliseconds::now().count, 100);
    a_limiter_reads_the_clock(check);
#if __ARM_ARCH >= 7
    tells_whether_the_cycle_counter_counts(check);
#endif
    return check.result();
}

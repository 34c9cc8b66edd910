// SPDX-License-Identifier: MIT
// An interrupt hits every instruction of a cell's function, and on its way back a second one hits
// every instruction that follows; both take from the same cell. Whatever they interrupt, nothing is
// lost and nothing is given twice. Prints the addresses that were hit: stepped.cmake compares them
// with the disassembly.
//
// The first interrupt comes a fixed time after the timer was started. What varies, by single
// instructions, is how long main() waits before it calls the function; and, in the first
// interrupt's handler, how long that waits after it has set the timer for the second.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <weir/clock/systick.hpp>

#include "check.hpp"
#include "hot.hpp"

namespace {

using cell = weir::gcra<>;

// With qemu's -icount shift=0 an instruction takes a nanosecond, and the timer counts the core's
// cycles: the interrupt comes so many instructions after the timer was started.
constexpr std::uint32_t ticks_ahead = 8;
constexpr std::uint32_t longest_wait = (ticks_ahead + 1) * (1'000'000'000 / CORE_HERTZ);
constexpr std::uint32_t window = 80;  // instructions of the function and around it, at most
constexpr std::uint32_t longest_function = 160;  // bytes

constexpr auto rate = *cell::rate::make(weir::quota{1, weir::seconds(1), 8}, 1'000, {.debt = 0});
// No quota makes such a rate: a unit costs more than the burst, so the function says `never`.
constexpr auto closed = std::bit_cast<cell::rate>(
    std::array<std::uint32_t, sizeof(cell::rate) / sizeof(std::uint32_t)>{1});

cell shared;
const cell::rate* used = &rate;
weir::tick now{1'000'000};
std::uint32_t by_interrupt = 0;
std::uint32_t interrupts = 0;
std::uint32_t wait_again = 0;
bool second_wanted = false;
std::uint32_t interrupted[2];

bool hit[longest_function / 2];  // by halfwords from the function's first instruction

auto& timer() { return weir::systick_timer::get(); }

void start_timer() {
    timer().reload = ticks_ahead;
    timer().current = 0;
    timer().control = 7;
}
void stop_timer() {
    timer().control = 0;
    volatile auto& pending = *reinterpret_cast<volatile std::uint32_t*>(0xE000'ED04);
    pending = 1U << 25;  // PENDSTCLR
}

// One instruction longer for each 1 that n is larger by.
[[gnu::always_inline]] inline void wait(std::uint32_t n) {
    std::uint32_t pairs = n / 2 + 1;
    std::uint32_t odd = n;
    asm volatile(".syntax unified\n\t"
                 "lsrs %1, %1, #1\n\t"
                 "bcc 1f\n\t"
                 "nop\n"
                 "1: subs %0, #1\n\t"
                 "bne 1b"
                 : "+l"(pairs), "+l"(odd)
                 :
                 : "cc");
}

std::uint32_t function() {
    return reinterpret_cast<std::uint32_t>(&hot<cell>::try_one) & ~std::uint32_t{1};
}

void remember(std::uint32_t address) {
    const std::uint32_t place = (address - function()) / 2;
    if (place < sizeof(hit)) hit[place] = true;
}

[[nodiscard]] bool inside(std::uint32_t address) { return address - function() < longest_function; }

struct state {
    const char* name;
    const cell::rate* rate;
    std::uint32_t there;  // units at the beginning
    std::uint32_t later;  // ticks
};

}  // namespace

extern "C" {

// The frame that the core has pushed: r0-r3, r12, lr, pc, psr.
[[gnu::used]] void on_interrupt(const std::uint32_t* frame) {
    stop_timer();
    if (interrupts < 2) interrupted[interrupts] = frame[6];
    ++interrupts;
    if (hot<cell>::try_one(shared, now, *used)) ++by_interrupt;
    if (second_wanted && interrupts == 1) {
        start_timer();
        wait(wait_again);
    }
}

[[gnu::naked]] void SysTick_Handler() {
    asm volatile("mov r0, sp\n\t"
                 "ldr r1, =on_interrupt\n\t"
                 "bx r1\n\t"
                 ".ltorg");
}
}

namespace {

// One try by main(), with a first interrupt `before` instructions earlier than as late as possible,
// and perhaps a second one.
void one_try(checks& check, const state& s, std::uint32_t before) {
    used = s.rate;
    if (s.rate == &rate) {
        shared.fill(now, s.there, rate);
    }
    by_interrupt = 0;
    interrupts = 0;
    now.count += s.later;
    start_timer();
    wait(before);
    const bool by_main = hot<cell>::try_one(shared, now, *used);
    wait(2 * longest_wait + 2 * window);  // until both have come
    check.equal("interrupts", interrupts, second_wanted ? 2 : 1);
    for (std::uint32_t i = 0; i < interrupts; ++i) remember(interrupted[i]);

    const std::uint32_t admitted = by_interrupt + (by_main ? 1 : 0);
    const std::uint32_t asked = interrupts + 1;
    if (s.rate == &closed) {
        check.equal("from a closed cell", admitted, 0);
        return;
    }
    const auto left = static_cast<std::uint32_t>(shared.peek(now, 0, rate).remaining());
    const std::uint32_t came = s.later / 1'000;
    const std::uint32_t there = s.there + came < 8 ? s.there + came : 8;
    check.equal(s.name, admitted, asked < there ? asked : there);
    check.equal(s.name, admitted + left, there);
}

// Until an interrupt comes after the function has returned.
std::uint32_t sweep(checks& check, const state& s) {
    std::uint32_t tries = 0;
    for (std::uint32_t before = 0; before < longest_wait + window; ++before) {
        second_wanted = false;
        one_try(check, s, before);
        ++tries;
        if (!inside(interrupted[0])) continue;
        second_wanted = true;
        for (wait_again = longest_wait - 2 * window; wait_again < longest_wait + window;
             ++wait_again) {
            one_try(check, s, before);
            ++tries;
        }
    }
    return tries;
}

}  // namespace

int main() {
    checks check;
    const state states[] = {
        {"there is enough", &rate, 5, 0},     {"there are two", &rate, 2, 0},
        {"there is one", &rate, 1, 0},        {"there is none", &rate, 0, 0},
        {"it is idle", &rate, 8, 0},          {"it has long been idle", &rate, 0, 20'000},
        {"it admits nothing", &closed, 0, 0},
    };
    std::uint32_t tries = 0;
    for (const state& s : states) tries += sweep(check, s);
    note("tries", tries);
    for (std::uint32_t i = 0; i < sizeof(hit); ++i) {
        if (hit[i]) note("hit", function() + 2 * i);
    }
    return check.result();
}

// SPDX-License-Identifier: MIT
// A remote control: a button whose contacts bounce, and a radio that may send 10 messages a second
// and 5 of them at once. The button is read in SysTick's interrupt, the super-loop reports every
// 40 ms how the device is; both send, whoever comes first, and together never more than allowed.
// What was sent is told on a serial line of 50 characters a second: the interrupt puts characters
// into a lane, and the super-loop polls the pacer, which lets them go evenly.
//
// A limit is 4 bytes of RAM here. Quotas are numbers in flash, computed and checked by the
// compiler.
#include <weir/cell/gcra.hpp>
#include <weir/clock/systick.hpp>
#include <weir/pacer/pacer.hpp>
#include <weir/pacer/schedule.hpp>

#include "board.hpp"

namespace {

using milliseconds = weir::systick_clock<1'000>;
using limit = weir::gcra<>;

// One change at once: with a larger burst the contacts that bounce would pass as well.
constexpr weir::quota one_change{1, weir::milliseconds(30), 1};
constexpr weir::quota by_law{10, weir::seconds(1), 5};
constexpr auto settling = *limit::rate::make(one_change, milliseconds::hertz(), {.debt = 0});
constexpr auto airtime = *limit::rate::make(by_law, milliseconds::hertz(), {.debt = 0});

limit changes;  // of the button
limit radio;

struct serial_line {
    static void emit(char&& c) { board::write(c); }
    static void drop(char&&, weir::dropped) {}  // it has no deadlines and is never closed
};
using schedule = weir::schedule<milliseconds>;
using pacer = weir::pacer<char, serial_line, schedule, weir::lanes<1, 16>>;
constexpr schedule fifty_a_second(*schedule::make({50, weir::seconds(1), 1},
                                                  weir::catch_up::none()));

pacer::producer_type* told = nullptr;  // the interrupt's

// The first contact counts at once, and what follows within 30 ms is the same one bouncing.
[[nodiscard]] bool button_was_pressed() {
    static bool down = false;
    if (board::button_is_down() == down) return false;
    if (!changes.try_acquire(milliseconds::now(), 1, settling)) return false;
    down = !down;
    return down;
}

bool send_if_allowed(char message) {
    const bool allowed = radio.try_acquire(milliseconds::now(), 1, airtime).admitted();
    if (allowed) board::send(message);
    return allowed;
}

void tell(const char* text) {
    for (; *text != 0; ++text) (void)told->try_push(char(*text));  // too much is left out
}

}  // namespace

extern "C" void SysTick_Handler() {
    milliseconds::on_interrupt();
    if (button_was_pressed()) tell(send_if_allowed('B') ? "sent\n" : "wait\n");
}

int main() {
    board::start();
    changes.fill(milliseconds::now(), 1, settling);
    radio.fill(milliseconds::now(), 5, airtime);
    // These live in main's frame, which is never left.
    pacer line(schedule(fifty_a_second), serial_line{});
    auto lane = line.open();
    told = &lane;
    if (!milliseconds::start(board::core_hertz)) return 1;
    auto next_report = milliseconds::now();
    for (;;) {
        (void)line.poll();
        if (!weir::earlier(milliseconds::now(), next_report)) {
            next_report.count += 40;
            (void)send_if_allowed('R');
        }
        board::sleep();
    }
}

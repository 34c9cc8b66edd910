// A remote control: a button whose contacts bounce, and a radio that may send 10 messages a second
// and 5 of them at once. The button is read in SysTick's interrupt, the super-loop reports every
// 40 ms how the device is; both send, whoever comes first, and together never more than allowed.
//
// A limit is 4 bytes of RAM here. Quotas are numbers in flash, computed and checked by the
// compiler.
#include <weir/cell/gcra.hpp>
#include <weir/clock/systick.hpp>

#include "board.hpp"

namespace {

using milliseconds = weir::systick_clock<1'000>;
using limit = weir::gcra<>;

constexpr weir::quota one_change{1, weir::milliseconds(30)};
constexpr weir::quota by_law{10, weir::seconds(1), 5};
constexpr auto settling = *limit::rate::make(one_change, milliseconds::hertz(), {.debt = 0});
constexpr auto airtime = *limit::rate::make(by_law, milliseconds::hertz(), {.debt = 0});

limit changes;  // of the button
limit radio;

// The first contact counts at once, and what follows within 30 ms is the same one bouncing.
[[nodiscard]] bool button_was_pressed() {
    static bool down = false;
    if (board::button_is_down() == down) return false;
    if (!changes.try_acquire(milliseconds::now(), 1, settling)) return false;
    down = !down;
    return down;
}

void send_if_allowed(char message) {
    if (radio.try_acquire(milliseconds::now(), 1, airtime)) board::send(message);
}

}  // namespace

extern "C" void systick_handler() {
    milliseconds::on_interrupt();
    if (button_was_pressed()) send_if_allowed('B');
}

int main() {
    changes.fill(milliseconds::now(), 1, settling);
    radio.fill(milliseconds::now(), 5, airtime);
    if (!milliseconds::start(board::core_hertz)) return 1;
    weir::tick next_report = milliseconds::now();
    for (;;) {
        // Here a pacer would be polled.
        if (!weir::earlier(milliseconds::now(), next_report)) {
            next_report.count += 40;
            send_if_allowed('R');
        }
        board::sleep();
    }
}

// SPDX-License-Identifier: MIT
// The board of the firmware's test: a button that is pressed every 700 ms for 300 ms and bounces
// for 7 ms each time, a radio that counts, a serial line of 20 ms a character, and an end after 20
// s.
#include "../../src/examples/firmware/board.hpp"

#include "check.hpp"

namespace {

constexpr std::uint32_t end = 20'000;  // a multiple of 40 and of 100: all that may be sent then is

std::uint32_t now = 0;  // milliseconds, by how often the interrupt has looked
std::uint32_t by_button = 0;
std::uint32_t reports = 0;
std::uint32_t edges = 0;
std::uint32_t written = 0;
std::uint32_t last_written = 0;
std::uint32_t too_close = 0;  // characters that came before the line had sent the last one
std::uint32_t lines = 0;

[[nodiscard]] bool contact(std::uint32_t time) {
    const std::uint32_t phase = time % 700;
    const bool down = phase >= 100 && phase < 400;
    const std::uint32_t since = phase >= 400 ? phase - 400 : phase >= 100 ? phase - 100 : 99;
    const bool bouncing = since < 7 && since % 2 == 1;
    return down != bouncing;
}

}  // namespace

namespace board {

const std::uint32_t core_hertz = CORE_HERTZ;

void start() noexcept {}

bool button_is_down() noexcept {
    ++now;
    if (contact(now) != contact(now - 1)) ++edges;
    return contact(now);
}

void send(char message) noexcept { ++(message == 'B' ? by_button : reports); }

void write(char c) noexcept {
    if (written != 0 && now - last_written < 20) ++too_close;
    last_written = now;
    ++written;
    if (c == '\n') ++lines;
}

void sleep() noexcept {
    asm volatile("wfi");
    if (now <= end) return;
    checks check;
    check.equal("messages", by_button + reports, 5 + end / 100);
    // It is pressed 29 times. At some of them the radio had nothing left.
    check.is_true("the button bounced", edges > 10 * 29);
    check.is_true("the button was heard", by_button > 0 && by_button <= 29);
    check.equal("characters before the line was ready", too_close, 0);
    check.equal("lines", lines, 29);
    check.equal("characters", written, 5 * 29);
    note("by the button", by_button);
    note("reports", reports);
    semihosting::exit(static_cast<std::uint32_t>(check.result()));
}

}  // namespace board

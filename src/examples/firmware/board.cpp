// SPDX-License-Identifier: MIT
// The board: Arm's MPS2 with a Cortex-M3 (AN385) or a Cortex-M4 (AN386), as qemu has it. A key that
// is typed is the button: it is down for 60 ms and bounces for 5 ms each time. The serial line is
// the terminal. The radio only counts. `q` ends the program a second later, and it says what it has
// sent.
#include "board.hpp"

namespace {

struct serial_port {  // of Arm's Cortex-M System Design Kit
    std::uint32_t data;
    std::uint32_t state;
    std::uint32_t control;
    std::uint32_t interrupts;
    std::uint32_t divisor;
};
volatile serial_port& terminal = *reinterpret_cast<volatile serial_port*>(0x4000'4000);
constexpr std::uint32_t cannot_send = 1;
constexpr std::uint32_t has_received = 2;

std::uint32_t milliseconds = 0;  // counted by SysTick's interrupt, as it reads the button
std::uint32_t since_key = 1'000;
std::uint32_t messages = 0;
bool quits = false;

// What is not there on a board without a debugger: a way out.
std::uint32_t semihosting(std::uint32_t operation, const void* argument) {
    register std::uint32_t r0 asm("r0") = operation;
    register const void* r1 asm("r1") = argument;
    asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void show(const char* text) {
    for (; *text != 0; ++text) board::write(*text);
}

void show(std::uint32_t number) {
    if (number >= 10) show(number / 10);
    board::write(static_cast<char>('0' + number % 10));
}

[[noreturn]] void quit() {
    show(messages);
    show(" messages in ");
    show(milliseconds);
    show(" ms\n");
    constexpr std::uint32_t exit_extended = 0x20;
    constexpr std::uint32_t application_exit = 0x20026;
    const std::uint32_t how[] = {application_exit, 0};
    for (;;) (void)semihosting(exit_extended, how);
}

}  // namespace

namespace board {

const std::uint32_t core_hertz = 25'000'000;

void start() noexcept {
    terminal.divisor = 16;
    terminal.control = 3;  // sends and receives
}

bool button_is_down() noexcept {
    ++milliseconds;
    ++since_key;
    if (since_key > 120 && !quits && (terminal.state & has_received) != 0) {
        quits = terminal.data == 'q';
        since_key = 0;
    }
    const bool bounces = since_key < 5 && since_key % 2 == 1;
    return !quits && since_key < 60 && !bounces;
}

void send(char) noexcept { ++messages; }

void write(char c) noexcept {
    while ((terminal.state & cannot_send) != 0) {
    }
    terminal.data = static_cast<std::uint8_t>(c);
}

void sleep() noexcept {
    if (quits && since_key > 1'000) quit();
    asm volatile("wfi");
}

}  // namespace board

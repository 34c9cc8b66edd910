// SPDX-License-Identifier: MIT
// What the firmware wants of a board. board.cpp is an emulated one.
#pragma once

#include <cstdint>

namespace board {

extern const std::uint32_t core_hertz;

void start() noexcept;                         // clocks, pins, serial line
[[nodiscard]] bool button_is_down() noexcept;  // as the pin is read: it bounces
void send(char message) noexcept;              // by radio, of which the law allows so much
void write(char c) noexcept;                   // to the serial line, which takes 50 a second
void sleep() noexcept;                         // until the next interrupt

}  // namespace board

// What the firmware wants of a board. tests/bare_metal has one with a button that bounces.
#pragma once

#include <cstdint>

namespace board {

extern const std::uint32_t core_hertz;

[[nodiscard]] bool button_is_down() noexcept;  // as the pin is read: it bounces
void send(char message) noexcept;              // by radio, of which the law allows so much
void write(char c) noexcept;                   // to the serial line, which takes 50 a second
void sleep() noexcept;                         // until the next interrupt

}  // namespace board

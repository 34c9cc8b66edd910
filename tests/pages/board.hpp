// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who has a microcontroller.
#pragma once

#include <cstdint>

extern std::uint32_t milliseconds;

void blink();
void toggle_led();
extern "C" void HAL_IncTick();

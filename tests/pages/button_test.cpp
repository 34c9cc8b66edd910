// SPDX-License-Identifier: MIT
// The button of the STM32 in toolchains/README.md, whose lines button.cmake has taken out of the
// page: on this machine the timer's interrupt and the pin's come from the test.
#include <cstdint>

#include <gtest/gtest.h>

#include <weir/base/word.hpp>

namespace {
int toggled = 0;
}

void toggle_led() { ++toggled; }
extern "C" void HAL_IncTick() {}  // NOLINT(readability-identifier-naming)

#include "button_of_the_page.hpp"

namespace {

void milliseconds_pass(int count) {
    for (int i = 0; i < count; ++i) SysTick_Handler();
}

// 30 contacts in 5 ms.
void bounces() {
    for (int contact = 0; contact < 30; ++contact) {
        EXTI0_IRQHandler();
        if (contact % 6 == 5) milliseconds_pass(1);
    }
}

TEST(page, debounces_a_button) {
    button.fill(ms::now(), rate.burst(), rate);
    for (int press = 1; press <= 20; ++press) {
        bounces();
        EXPECT_EQ(toggled, press) << "30 contacts in 5 ms are one press";
        milliseconds_pass(press < 10 ? 45 : 2'000);
    }
}

}  // namespace

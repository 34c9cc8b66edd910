// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <weir/cell/gcra.hpp>

constexpr auto rate = *weir::gcra<>::rate::make(weir::per_second(20), 1'000, {.debt = 0});

// A heap and a stream, which ask the system below the C library.
int main() {
    std::vector<weir::gcra<>> buttons(3);
    for (auto& b : buttons) b.fill({0}, rate.burst(), rate);
    if (!buttons[0].try_acquire({0}, 1, rate)) std::puts("busy");
    return EXIT_SUCCESS;
}

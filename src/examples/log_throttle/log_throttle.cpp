// SPDX-License-Identifier: MIT
// Two threads write as fast as they can, for two seconds.
#include "log_throttle.hpp"

#include <chrono>
#include <thread>

int main() {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2'100);
    const auto work = [end](int disk) {
        while (std::chrono::steady_clock::now() < end) {
            PRINTF_AT_MOST(weir::per_second(1), "disk %d is slow\n", disk);
        }
    };
    const std::jthread one(work, 1);
    const std::jthread two(work, 2);
}

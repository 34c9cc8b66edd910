// SPDX-License-Identifier: MIT
// Lines until some are suppressed, and then until the next one passes and tells how many.
#include "log_throttle_spdlog.hpp"

int main() {
    int calls = 0;
    int written = 0;  // the arguments of a line that is suppressed are not evaluated
    const auto log = [&] {
        ++calls;
        SPDLOG_AT_MOST(warn, weir::per_second(5).with_burst(2), "disk {} is slow", ++written);
    };
    while (calls == written) log();
    const int before = written;
    do {
        log();
    } while (written == before);
}

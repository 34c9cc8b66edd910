// SPDX-License-Identifier: MIT
// What the blocks about calls to somebody else's API take from the reader's program.
#pragma once

#include <chrono>
#include <optional>

#include <weir/weir.hpp>

using namespace std::chrono_literals;

struct reply {
    int status = 200;
};
struct left {
    weir::word remaining;
    weir::nanoseconds reset_after;
};
extern weir::limiter<weir::fixed_window<>> api;
reply call();
std::optional<left> told_by(const reply& r);
void back_off(weir::nanoseconds time);
void log(const char* what);

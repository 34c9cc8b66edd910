// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who calls a service.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stop_token>

#include <weir/weir.hpp>

using namespace std::chrono_literals;

extern weir::limiter<> api, per_second, per_minute;
extern const weir::instant<weir::default_clock> now;
extern const weir::instant<weir::coarse_clock> frame_began;
extern weir::word bytes;
extern std::uint64_t seed;
extern std::stop_token stop;

void call();
void write();
void disconnect();
void busy(weir::nanoseconds wait);
void retry_in(weir::nanoseconds wait);
void log(std::size_t which, weir::nanoseconds wait);
void fail(const char* why);

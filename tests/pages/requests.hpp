// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who sends requests to a service that
// answers on some other thread.
#pragma once

#include <chrono>
#include <stop_token>
#include <utility>

#include <weir/limiter/in_flight.hpp>

using namespace std::chrono_literals;

namespace weir {
enum class dropped : unsigned char;
}  // namespace weir

struct request {
    int number;
};
extern request r;
extern std::stop_token stop;

// Keeps the token until the answer is there.
void send(const request& r, weir::call_token call);
void fetch(const request& r);
void log(const request& r, weir::dropped reason);
void later(const request& r);

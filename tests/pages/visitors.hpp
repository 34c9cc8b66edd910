// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who serves requests.
#pragma once

#include <cstddef>
#include <cstdint>

#include <weir/adapter/random_seed.hpp>
#include <weir/table/keyed.hpp>

struct visitor {
    std::uint32_t address;
};

bool is_member(const visitor& who);
void tell_to_come_back(visitor& who, weir::nanoseconds when);
void report(std::uint64_t some, std::uint64_t other);
void log_line(const char* what, weir::nanoseconds time);

extern weir::keyed_limits<4096> addresses;

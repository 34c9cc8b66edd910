// SPDX-License-Identifier: MIT
// What the page on keyed pacers takes from a reader who calls for many accounts.
#pragma once

#include <cstdint>

namespace weir {
enum class dropped : unsigned char;
enum class pushing : unsigned char;
}  // namespace weir

struct call {
    std::uint64_t account;
    std::uint64_t order;
    bool pays;
};
extern call c;
extern std::uint64_t account;

bool send(const call& c);
void refused(const call& c, weir::pushing how);
void log(const call& c, weir::dropped reason);
void fail(const char* why);

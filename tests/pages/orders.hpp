// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who sends orders.
#pragma once

#include <weir/base/duration.hpp>

namespace weir {
enum class dropped : unsigned char;
enum class pushing : unsigned char;
}  // namespace weir

struct order {
    int number;
};
extern order o;

bool wire(const order& o);
bool later(const order& o, weir::nanoseconds wait);
void refused(const order& o, weir::pushing how);
void log(const order& o, weir::dropped reason);
void fail(const char* why);

// SPDX-License-Identifier: MIT
// What the page on lanes that can be steered takes from a reader who sends quotes.
#pragma once

#include <string>

namespace weir {
enum class dropped : unsigned char;
enum class pushing : unsigned char;
}  // namespace weir

struct quote {
    std::string symbol;
    long price;
};

bool wire(const quote& q);
void refused(weir::pushing how);
void later();
void log(const quote& q, weir::dropped reason);
void fail(const char* why);

// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who has a game's loop.
#pragma once

#include <cstdint>

namespace weir {
enum class dropped : unsigned char;
}

struct packet {
    int number;
};

void send(const packet& p);
void log(const packet& p, weir::dropped reason);
void warn(std::uint64_t lost);
void draw();

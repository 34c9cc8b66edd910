// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who has players.
#pragma once

#include <cstddef>

struct player {
    std::size_t slot;
};

extern player& who;

void shoot(player& by);

// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who counts frames.
#pragma once

#include <cstdint>

struct frames {};

extern std::uint64_t frame;

void shoot();

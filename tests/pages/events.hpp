// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader whose events bring their time.
#pragma once

#include <cstdint>

#include <weir/weir.hpp>

struct incoming {
    std::uint64_t microseconds;
};
extern const incoming event;

void handle(const incoming& one);

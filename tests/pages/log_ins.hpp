// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who limits log-ins.
#pragma once

#include <string>

#include <weir/base/duration.hpp>

extern const std::string secret, user;

void serve();
void unavailable(const char* why);
void too_many_requests(weir::nanoseconds wait);

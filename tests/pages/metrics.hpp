// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who watches it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <weir/adapter/metrics.hpp>
#include <weir/weir.hpp>

using counted = weir::limiter<weir::gcra<>, weir::default_clock, weir::stats>;
extern counted api, disk;
extern const weir::metrics all;

void reply(int status, const char* content_type, std::string_view body);
void to_my_system(std::string_view name, double value);

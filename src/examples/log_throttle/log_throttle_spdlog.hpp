// SPDX-License-Identifier: MIT
// The same for spdlog:
//
//     spdlog_at_most(warn, weir::per_second(5), "disk {} is slow", disk);
#pragma once

#include <spdlog/spdlog.h>

#include "log_throttle.hpp"

#define spdlog_at_most(how, quota, format, ...)                                                    \
    LOG_AT_MOST(quota, spdlog::log(spdlog::level::how, "{}" format,                                \
                                   log_site_line.text() __VA_OPT__(, ) __VA_ARGS__))

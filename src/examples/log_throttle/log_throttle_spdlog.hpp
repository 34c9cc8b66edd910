// SPDX-License-Identifier: MIT
// The same for spdlog:
//
//     SPDLOG_AT_MOST(warn, weir::per_second(5), "disk {} is slow", disk);
#pragma once

#include <spdlog/spdlog.h>

#include "log_throttle.hpp"

#define SPDLOG_AT_MOST(how, quota, format, ...)                                                    \
    LOG_AT_MOST(quota, spdlog::log(spdlog::level::how, "{}" format,                                \
                                   log_site_line.text() __VA_OPT__(, ) __VA_ARGS__))

// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who calls other people's APIs.
#pragma once

#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/weir.hpp>

using namespace std::chrono_literals;

struct request {
    unsigned weight;
    std::string_view path;
};
struct response {
    int status;
    unsigned tokens;
    std::vector<std::pair<std::string_view, std::string_view>> headers;
};

extern request r;

response send(const request& r);
void log(const char* what);

// SPDX-License-Identifier: MIT
// What the pages' blocks take from the program of a reader who speaks HTTP.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/adapter/http_policy.hpp>
#include <weir/adapter/http_told.hpp>
#include <weir/weir.hpp>

struct answer {
    int status;
    std::vector<std::pair<std::string, std::string>> headers;
    void add(std::string_view name, std::string_view value);
};
extern answer response;
extern weir::limiter<> clients, limit, calls, tokens, weight, orders;

struct some_pacer {
    void throttled(weir::nanoseconds retry_after);
};
extern some_pacer pacer;
struct some_thread {
    template <class Act>
    void run(Act act) {
        act(pacer);
    }
};
extern some_thread runner;

void log(const char* sentence);

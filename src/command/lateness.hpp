// SPDX-License-Identifier: MIT
// lateness: how late things go that are due once a millisecond, by each way of waiting: beside a
// loop that sleeps for a millisecond and then goes.
#pragma once

#include <vector>

#include <weir/base/rest.hpp>

#include "command/json.hpp"
#include "command/table.hpp"

namespace weir::command {

struct lateness {
    waiting how;
    double half;  // nanoseconds after the time that was due: half of the things went no later
    double most_but_1_percent;
    double longest;
    double share_of_core;
    double share_of_rate = 1;  // of the thousand a second that was asked for, and no more than 1
    bool by_loop = false;      // of sleep_for

    [[nodiscard]] const char* name() const { return by_loop ? "sleep_for loop" : describe(how); }
};

// As a pacer's schedule has them, which makes good what was late.
[[nodiscard]] lateness lateness_of(waiting how, int things);

// By std::this_thread::sleep_for between one thing and the next.
[[nodiscard]] lateness lateness_of_sleep_for(int things);

[[nodiscard]] table lateness_table(const std::vector<lateness>& all);
void put(json& j, const lateness& l);

}  // namespace weir::command

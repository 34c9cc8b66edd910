// SPDX-License-Identifier: MIT
// Panels of an image, one for each limit: what came and what passed, and how much of it passed
// within one period of the quota, where what is above the quota has another colour. Narrow, so that
// it can be read on a telephone too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/cell/quota.hpp>

namespace weir::command {

// Points of `recent`: two pixels each.
constexpr std::size_t points_of_panel = 168;

struct panel {
    std::string name;
    std::string character;  // what to look for, in some words
    quota asked;
    std::uint64_t admitted;  // requests
    std::uint64_t requests;
    std::uint64_t worst;  // the most units in one period
    bool is_least;        // or more
    // In bins of equal width.
    std::vector<double> came;     // units per second
    std::vector<double> passed;   // units per second
    std::vector<double> recent;   // units that passed in the last period; empty: not known
    std::vector<double> waiting;  // requests; empty: none can wait
};

struct panels {
    std::string title;                                  // may be empty
    std::vector<std::string> notes;                     // below it
    std::string bin;                                    // the width of one of `came`: 200 ms
    bool has_rate = true;                               // the quota's rate is that of all that came
    std::vector<std::pair<double, std::string>> times;  // below each, at shares of its width
    std::vector<panel> all;
};

[[nodiscard]] std::string svg_of(const panels& p);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
// tracks: times on a logarithmic scale, a track for each of those that are compared: an average,
// and how much longer the slowest take. Narrow, so that it can be read on a telephone too.
#pragma once

#include <string>
#include <vector>

namespace bench {

struct track {
    std::string name;
    std::string remark;  // at the right
    bool is_ours;
    std::vector<double> marks;  // from the shortest to the longest: the first is filled
};

struct track_group {
    std::string title;
    std::vector<track> tracks;
};

struct tracks {
    std::string title;
    std::vector<std::string> notes;  // each a line
    double unit;                     // of the marks, in nanoseconds
    std::vector<track_group> groups;
    std::string description;  // for those who cannot see it
};

[[nodiscard]] std::string svg_of(const tracks& all);

}  // namespace bench

// SPDX-License-Identifier: MIT
// told: what many slices of a row tell together, and whether a bar was held.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <weir/base/word.hpp>

#include "slice.hpp"

namespace bench {

// A median, and the distance between the quartiles.
struct told {
    double median = 0;
    double spread = 0;
};

[[nodiscard]] inline told told_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    const auto at = [&](std::size_t quarters) { return values[values.size() * quarters / 4]; };
    return {at(2), at(3) - at(1)};
}
template <class Of>
[[nodiscard]] told told_of(const std::vector<slice>& slices, Of of) {
    std::vector<double> values;
    values.reserve(slices.size());
    for (const slice& s : slices) values.push_back(of(s));
    return told_of(std::move(values));
}

[[nodiscard]] inline double to_ns(weir::word ticks) {
    return static_cast<double>(ticks) * 1e9 / static_cast<double>(core_clock::hertz());
}

[[nodiscard]] inline bool counts(const slice& s) { return !s.disturbed && s.held; }

template <class... Values>
void print(std::ostream& out, const char* format, Values... values) {
    std::array<char, 240> text{};
    std::snprintf(text.data(), text.size(), format, values...);
    out << text.data();
}

inline void write_bar(std::ostream& out, const std::string& what, double value, double bar,
                      int places, const char* unit) {
    print(out, "- %s: %.*f <= %.*f%s, ", what.c_str(), places, value, places, bar, unit);
    if (value <= bar) {
        out << "held\n";
    } else {
        print(out, "missed by %.1f %%\n", (value / bar - 1) * 100);
    }
}

}  // namespace bench

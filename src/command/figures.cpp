// SPDX-License-Identifier: MIT
#include "command/figures.hpp"

#include <cmath>
#include <cstddef>

#include "command/text.hpp"

namespace weir::command {
namespace {

// Three digits, without zeros that say nothing.
std::string three_digits(double value) {
    const int digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : value >= 0.9995 ? 2 : 3;
    std::string text = fixed(value, digits);
    if (digits != 0) {
        while (text.back() == '0') text.pop_back();
        if (text.back() == '.') text.pop_back();
    }
    return text;
}

}  // namespace

std::string brief(double value) {
    const char* prefix = "";
    for (const char* next : {"k", "M", "G", "T"}) {
        if (value < 999.5) break;
        value /= 1000;
        prefix = next;
    }
    return three_digits(value) + prefix;
}

std::string brief_time(double nanoseconds) {
    struct unit {
        const char* name;
        double size;
    };
    constexpr unit units[] = {{" d", 86'400e9}, {" h", 3'600e9}, {" min", 60e9}, {" s", 1e9},
                              {" ms", 1e6},     {" us", 1e3},    {" ns", 1}};
    if (nanoseconds == 0) return "0";
    for (const unit& u : units) {
        // 90 s are told as seconds, and 47 h as hours.
        const double least = u.size >= 60e9 ? 2 * u.size : u.size;
        // What would be rounded up to a whole unit is one.
        if (nanoseconds >= 0.9995 * least || u.size == 1)
            return three_digits(nanoseconds / u.size) + u.name;
    }
    return "";
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
    if (whole == 0) return "-";
    if (part == 0) return "0 %";
    if (part == whole) return "100 %";
    const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
    int digits = 2;
    while (digits < 7 &&
           (share < 5 * std::pow(10, -digits) || 100 - share < 5 * std::pow(10, -digits)))
        ++digits;
    return fixed(share, digits) + " %";
}

std::string harmless(std::string_view text, std::size_t most) {
    std::string result;
    for (const char c : text) {
        if (result.size() == most) return result + "...";
        result += c >= ' ' && c <= '~' ? c : '?';
    }
    return result;
}

rate_unit unit_of_rate(double highest_per_second) {
    for (const rate_unit u : {rate_unit{"/s", 1}, {"/min", 60}, {"/h", 3'600}}) {
        if (highest_per_second * u.seconds >= 1) return u;
    }
    return {"/d", 86'400};
}

}  // namespace weir::command

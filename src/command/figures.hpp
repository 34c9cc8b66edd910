// SPDX-License-Identifier: MIT
// Figures as people read them: rounded to three digits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::command {

// 0.25, 12.5, 1.2k, 33M
[[nodiscard]] std::string brief(double value);

// 1.5 ms, 12 s, 23.9 h
[[nodiscard]] std::string brief_time(double nanoseconds);

// part / whole in percent, with enough digits to tell it from none and from all
[[nodiscard]] std::string percent(std::uint64_t part, std::uint64_t whole);

// What a terminal shows of a text that anybody may have written: no control characters, nothing
// that is not ASCII, and no more than so many characters.
[[nodiscard]] std::string harmless(std::string_view text, std::size_t most);

// Whether rates are told per second, per minute, per hour or per day: so that the highest is at
// least one.
struct rate_unit {
    const char* name;
    double seconds;
};
[[nodiscard]] rate_unit unit_of_rate(double highest_per_second);

}  // namespace weir::command

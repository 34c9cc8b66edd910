// SPDX-License-Identifier: MIT
// Numbers and quotas as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <weir/cell/quota.hpp>

namespace weir::command {

// 7,099,970
[[nodiscard]] std::string grouped(std::uint64_t value);

// 1 round, 2 rounds
[[nodiscard]] std::string plural(std::uint64_t count, std::string_view what);

// 3.14 with two digits
[[nodiscard]] std::string fixed(double value, int digits);

// 10 M: for round numbers, without a loss.
[[nodiscard]] std::string scaled(std::uint64_t value);

// part / whole with six digits, cut off: what is below 1 never reads as 1.
[[nodiscard]] std::string ratio(std::uint64_t part, std::uint64_t whole);

// "100/s, burst 5" or "200/2s, burst 200": as parse_quota takes it.
[[nodiscard]] std::string in_words(const quota& q);

// 250 ms, 3.2 s, 125 s: never shorter than it is.
[[nodiscard]] std::string rounded_up(nanoseconds time);

// Bytes of the UTF-8 character that a text begins with; 0 if it begins with none.
[[nodiscard]] std::size_t length_of_character(std::string_view text);

// Any bytes, as a terminal may show them: what would break the line or move the cursor, and what is
// no UTF-8, becomes '?'.
[[nodiscard]] std::string printable(std::string_view text);

// Lines of at most `width` columns, each ended; a longer word has a line of its own.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t width);

}  // namespace weir::command

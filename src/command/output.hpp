// SPDX-License-Identifier: MIT
// The two standard streams, in whole texts: no buffer that could hide an error until the exit.
#pragma once

#include <string_view>

namespace weir::command {

// To standard output; throws std::system_error if not all of it could be written.
void write_out(std::string_view text);

// To standard error, whose failures nobody could be told.
void write_error(std::string_view text) noexcept;

// One line to standard error, whatever the message holds.
void complain(std::string_view message);

// Writes all of it; false, with errno set, if that fails.
[[nodiscard]] bool write_all(int file, std::string_view text) noexcept;

}  // namespace weir::command

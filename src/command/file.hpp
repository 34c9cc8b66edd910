// SPDX-License-Identifier: MIT
// Writing a file so that nobody ever sees half of it.
#pragma once

#include <filesystem>
#include <string_view>

namespace weir::command {

// The file holds `text`, or is what it was before and std::system_error says why. A device or a
// pipe is written to as it is.
void replace_file(const std::filesystem::path& path, std::string_view text);

}  // namespace weir::command

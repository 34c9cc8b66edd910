// SPDX-License-Identifier: MIT
// results: the files that a run leaves behind.
#pragma once

#include <string>

namespace bench {

// Writes `folder`/`name`.md and .json and says so. If it cannot, it says why and returns false.
[[nodiscard]] bool write_results(const std::string& folder, const std::string& name,
                                 const std::string& markdown, const std::string& json);

// One more file. Nobody ever sees half of it.
[[nodiscard]] bool write_file(const std::string& path, const std::string& text);

}  // namespace bench

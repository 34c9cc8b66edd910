// SPDX-License-Identifier: MIT
#include "results.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>

namespace bench {

// Under another name first.
bool write_file(const std::string& path, const std::string& text) {
    const std::filesystem::path half = path + ".part";
    std::ofstream(half, std::ios::binary) << text;
    std::error_code failed;
    const bool is_whole = std::filesystem::file_size(half, failed) == text.size() && !failed;
    if (is_whole) std::filesystem::rename(half, path, failed);
    const bool done = is_whole && !failed;
    if (!done) std::cerr << "cannot write " << path << '\n';
    return done;
}

bool write_results(const std::string& folder, const std::string& name, const std::string& markdown,
                   const std::string& json) {
    const std::string path = (std::filesystem::path(folder) / name).string();
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    const bool done = write_file(path + ".md", markdown) && write_file(path + ".json", json);
    if (done) std::cout << "\nresults: " << path << ".md and .json\n";
    return done;
}

}  // namespace bench

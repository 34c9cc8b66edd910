// SPDX-License-Identifier: MIT
#include "results.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <system_error>

namespace bench {

namespace {

// Under another name first, so that nobody ever sees half a file.
bool write_file(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::path half = path;
    half += ".part";
    std::ofstream(half, std::ios::binary) << text;
    std::error_code failed;
    if (std::filesystem::file_size(half, failed) == text.size() && !failed)
        std::filesystem::rename(half, path, failed);
    if (failed) std::cerr << "cannot write " << path.string() << '\n';
    return !failed;
}

}  // namespace

bool write_results(const std::string& folder, const std::string& name, const std::string& markdown,
                   const std::string& json) {
    const std::filesystem::path path = folder;
    std::error_code failed;
    std::filesystem::create_directories(path, failed);
    const bool done =
        write_file(path / (name + ".md"), markdown) && write_file(path / (name + ".json"), json);
    if (done) std::cout << "\nresults: " << (path / name).string() << ".md and .json\n";
    return done;
}

}  // namespace bench

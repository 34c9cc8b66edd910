// SPDX-License-Identifier: MIT
#include "command/run/program.hpp"

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace weir::command {
namespace {

int look_at(const std::string& path) {
    struct stat is {};
    if (::stat(path.c_str(), &is) != 0) return errno;
    if (S_ISDIR(is.st_mode)) return EACCES;
    return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

}  // namespace

int look_for_program(const std::string& name) {
    if (name.empty()) return ENOENT;
    if (name.find('/') != name.npos) return look_at(name);
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody writes the environment
    const char* const path = std::getenv("PATH");
    std::string_view folders = path == nullptr ? "/bin:/usr/bin" : path;
    int reason = ENOENT;
    for (bool is_more = true; is_more;) {
        const std::size_t end = folders.find(':');
        std::string file(folders.substr(0, end));
        if (file.empty()) file = ".";  // where we are
        const int wrong = look_at(file.append("/").append(name));
        if (wrong == 0) return 0;
        if (wrong == EACCES) reason = EACCES;
        is_more = end != folders.npos;
        if (is_more) folders.remove_prefix(end + 1);
    }
    return reason;
}

int become(std::vector<std::string> words) {
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ::execvp(pointers[0], pointers.data());
    return errno;
}

}  // namespace weir::command

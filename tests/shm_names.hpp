// SPDX-License-Identifier: MIT
// Names in shared memory and folders of files for tests, gone when the test is over.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <weir/adapter/shm_segment.hpp>

// A name that no other test and no other process has.
class own_name {
public:
    own_name() : text_("/weir-test-" + std::to_string(getpid()) + "-" + std::to_string(++last_)) {}
    own_name(const own_name&) = delete;
    own_name& operator=(const own_name&) = delete;
    ~own_name() { (void)weir::remove_shared(c_str()); }

    [[nodiscard]] const char* c_str() const { return text_.c_str(); }
    [[nodiscard]] std::string file() const { return "/dev/shm" + text_; }

private:
    static inline int last_ = 0;
    std::string text_;
};

class own_folder {
public:
    own_folder() { made_ = mkdtemp(path_) != nullptr; }
    own_folder(const own_folder&) = delete;
    own_folder& operator=(const own_folder&) = delete;
    ~own_folder() {
        std::error_code ignored;
        if (made_) std::filesystem::remove_all(path_, ignored);
    }

    [[nodiscard]] std::string operator/(const char* name) const {
        return std::string(path_) + "/" + name;
    }
    [[nodiscard]] long files() const {
        std::filesystem::directory_iterator all(path_);
        return std::distance(begin(all), end(all));
    }

private:
    char path_[32] = "/dev/shm/weir-test-XXXXXX";
    bool made_ = false;
};

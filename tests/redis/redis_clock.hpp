// SPDX-License-Identifier: MIT
// The clock of a Redis, which a test sets: see set_clock.cpp.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

class redis_clock {
public:
    redis_clock() {
        std::string name = (std::filesystem::temp_directory_path() / "weir_clock_XXXXXX").string();
        if (mkdtemp(name.data()) != nullptr) folder_ = name;
        set({});
    }
    redis_clock(const redis_clock&) = delete;
    redis_clock& operator=(const redis_clock&) = delete;
    ~redis_clock() {
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }

    // To that of the machine and so much more.
    void set(std::chrono::seconds more) const {
        const std::string part = file() + ".new";
        const std::int64_t number = more.count();
        std::ofstream(part).write(reinterpret_cast<const char*>(&number), sizeof number);
        std::filesystem::rename(part, file());
    }

    // Of a Redis that has this clock.
    [[nodiscard]] std::vector<std::string> environment() const {
        return {"LD_PRELOAD=" WEIR_SET_CLOCK, "WEIR_CLOCK=" + file()};
    }

private:
    [[nodiscard]] std::string file() const { return folder_ + "/time"; }

    std::string folder_;
};

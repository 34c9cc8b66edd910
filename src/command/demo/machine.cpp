// SPDX-License-Identifier: MIT
#include "command/demo/machine.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sys/utsname.h>
#include <thread>

#include <weir/clock/default.hpp>

namespace weir::command {
namespace {

std::string processor() {
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != line.npos) return line.substr(colon + 2);
    }
    utsname names{};
    return ::uname(&names) == 0 ? names.machine : "unknown";
}

}  // namespace

machine this_machine() {
    return {std::max(1U, std::thread::hardware_concurrency()), processor(), default_clock::facts()};
}

}  // namespace weir::command

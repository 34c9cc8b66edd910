// SPDX-License-Identifier: MIT
#include "command/demo/machine.hpp"

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <sched.h>
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

// The standard library may count those too that somebody has taken from this process (taskset).
unsigned usable_cores() {
    cpu_set_t set;
    if (::sched_getaffinity(0, sizeof set, &set) == 0)
        return static_cast<unsigned>(CPU_COUNT(&set));
    return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace

machine this_machine() { return {usable_cores(), processor(), default_clock::facts()}; }

}  // namespace weir::command

// SPDX-License-Identifier: MIT
#include "cores.hpp"

#include <fstream>
#include <sched.h>
#include <string>
#include <vector>

namespace bench {

namespace {

// "package core", or what is empty for every processor if the system does not say.
std::string core_of(int processor) {
    const std::string folder =
        "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/";
    std::string place;
    for (const char* file : {"physical_package_id", "core_id"}) {
        std::string number;
        std::ifstream(folder + file) >> number;
        if (number.empty()) return std::to_string(processor);
        place += number + ' ';
    }
    return place;
}

std::vector<int> find_cores() {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    std::vector<int> found;
    for (int processor = 0; processor < CPU_SETSIZE && found.size() < 2; ++processor) {
        if (!CPU_ISSET(static_cast<unsigned>(processor), &allowed)) continue;
        if (found.empty() || core_of(processor) != core_of(found.front()))
            found.push_back(processor);
    }
    return found;
}

}  // namespace

const std::vector<int>& cores() {
    static const std::vector<int> found = find_cores();
    return found;
}

void pin(unsigned index) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(cores().at(index)), &one);
    sched_setaffinity(0, sizeof one, &one);
}

}  // namespace bench

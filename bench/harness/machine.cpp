// SPDX-License-Identifier: MIT
#include <array>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <weir/weir.hpp>

#include "cores.hpp"
#include "machine.hpp"

namespace bench {

namespace {

// The value of a key in /proc/cpuinfo, of the first processor.
std::string cpuinfo(std::string_view key) {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const auto colon = line.find(": ");
        if (line.compare(0, key.size(), key) == 0 && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "";
}

utsname kernel() {
    utsname names{};
    uname(&names);
    return names;
}

std::string model() {
    const std::string name = cpuinfo("model name");
    return name.empty() ? kernel().machine : name;
}

std::string model_numbers() {
    const std::string family = cpuinfo("cpu family");
    if (family.empty()) return "";
    return " (family " + family + ", model " + cpuinfo("model\t") + ", stepping " +
           cpuinfo("stepping") + ")";
}

// The hypervisor's own name, where the processor tells that there is one.
std::string virtualised() {
#ifdef __x86_64__
    std::array<unsigned, 4> r{};
    __cpuid(1, r[0], r[1], r[2], r[3]);
    constexpr unsigned hypervisor_present = 1U << 31U;
    if ((r[2] & hypervisor_present) == 0) return "no";
    constexpr unsigned hypervisor = 0x4000'0000;
    __cpuid(hypervisor, r[0], r[1], r[2], r[3]);
    std::array<char, 13> name{};
    std::memcpy(name.data(), &r[1], 12);
    return std::string("yes: ") + name.data();
#else
    return "unknown";
#endif
}

std::string compiler() {
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "g++ " __VERSION__;
#endif
}

std::string clock() {
    const weir::clock_facts facts = weir::default_clock::facts();
    std::array<char, 64> mhz{};
    std::snprintf(mhz.data(), mhz.size(), ", %.3f MHz, ", static_cast<double>(facts.hertz) / 1e6);
    return facts.source + std::string(mhz.data()) + (facts.invariant ? "" : "not ") + "invariant";
}

std::string today() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 16> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
    return text.data();
}

std::string processors() { return std::to_string(sysconf(_SC_NPROCESSORS_ONLN)); }

}  // namespace

facts machine_facts() {
    std::string used;
    for (const int core : cores()) used += (used.empty() ? "" : ", ") + std::to_string(core);
    const utsname k = kernel();
    return {{"processor", model() + model_numbers()},
            {"logical processors", processors() + ", measured on " + used},
            {"virtualised", virtualised()},
            {"compiler", compiler()},
            {"flags", WEIR_BENCH_FLAGS},
            {"kernel", std::string(k.sysname) + " " + k.release + " " + k.machine},
            {"clock", clock()},
            {"date", today()}};
}

std::string machine_name() {
    std::string name;
    const std::string text = model();
    bool in_brackets = false;  // as in (R) and (TM)
    for (const char c : text.substr(0, text.find(" @"))) {
        if (c == '(' || c == ')') {
            in_brackets = c == '(';
        } else if (in_brackets) {
            continue;
        } else if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        } else if (!name.empty() && name.back() != '-') {
            name += '-';
        }
    }
    if (!name.empty() && name.back() != '-') name += '-';
    return name + processors();
}

}  // namespace bench

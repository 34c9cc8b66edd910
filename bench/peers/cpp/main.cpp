// SPDX-License-Identifier: MIT
// The C++ worker; what it is asked and what it answers is told in worker.hpp of the driver.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

#include "rows.hpp"

namespace {

void introduce(const bench::peers& all) {
    for (const bench::peer& p : all.rows) {
        std::cout << "row " << p.name << ' ' << p.bytes << ' ';
        const char* comma = "";
        for (const auto& [demand, run] : p.demands) {
            std::cout << comma << demand;
            comma = ",";
        }
        for (const auto& [demand, tell] : p.tells) {
            std::cout << comma << demand;
            comma = ",";
        }
        std::cout << ' ' << p.title << '\n';
    }
    for (const std::string& sentence : all.left_out) std::cout << "left_out " << sentence << '\n';
    std::cout << "ready" << std::endl;
}

// Whether this was such a demand, with as many numbers as it needs.
bool tell(const bench::peer& row, const std::string& demand, std::istringstream& words) {
    const std::map<std::string, std::size_t> needs = {
        {"accuracy", 3}, {"waiting", 2}, {"making", 1}};
    const auto needed = needs.find(demand);
    if (needed == needs.end() || row.tells.count(demand) == 0) return false;
    bench::numbers of(needed->second);
    for (std::uint64_t& number : of) words >> number;
    if (!words) return false;
    std::cout << row.tells.at(demand)(of) << std::endl;
    return true;
}

void answer(const bench::peers& all, const std::string& request) {
    std::istringstream words(request);
    std::string name;
    std::string demand;
    std::string told;
    bench::sample_size size{};
    words >> name >> demand;
    const auto row = std::find_if(all.rows.begin(), all.rows.end(),
                                  [&](const bench::peer& p) { return p.name == name; });
    if (row != all.rows.end() && tell(*row, demand, words)) return;
    words >> size.threads >> size.decisions >> told;
    size.tail = told == "p99.99";
    if (!words || (!size.tail && told != "average") || row == all.rows.end() ||
        row->demands.count(demand) == 0 || size.threads < 1 ||
        size.threads > bench::cores().size()) {
        std::cout << "error: cannot do: " << request << std::endl;
        return;
    }
    const bench::sample s = row->demands.at(demand)(size);
    std::cout << s.ns << ' ' << s.asked << ' ' << s.admitted << ' ' << s.switches << std::endl;
}

}  // namespace

// Finds the same cores as the driver, so it needs no more than the number of keys.
int main(int argc, char** argv) {
    if (argc == 3 && std::string(argv[1]) == "first") {
        const std::string told = bench::first_decision(argv[2]);
        (told.empty() ? std::cerr : std::cout) << (told.empty() ? "no such limit" : told) << '\n';
        return told.empty() ? 2 : 0;
    }
    if (argc < 2) {
        std::cerr << "usage: " << argv[0] << " <keys> <core> [<core>], or first <name>\n";
        return 2;
    }
    bench::peers all;
    bench::add_direct_peers(all);
    bench::add_waiting_peers(all);
    bench::add_keyed_peers(all, std::strtoull(argv[1], nullptr, 10));
    introduce(all);
    for (std::string line; std::getline(std::cin, line);) answer(all, line);
    return 0;
}

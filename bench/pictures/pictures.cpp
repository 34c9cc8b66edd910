// SPDX-License-Identifier: MIT
// bench_pictures: draws what was measured, from the pages of results and into a folder. It measures
// nothing, so it draws the same on every machine.

#include <exception>
#include <iostream>
#include <string>

#include "harness/results.hpp"
#include "measured.hpp"

int main(int argc, char** argv) {
    if (argc != 4) {
        std::cerr << "usage: bench_pictures RESULTS.md PEERS.md FOLDER\n";
        return 2;
    }
    const std::string folder = argv[3];
    try {
        const bool written =
            bench::write_file(folder + "/waiting.svg", bench::waiting_svg(argv[1])) &&
            bench::write_file(folder + "/peers.svg", bench::peers_svg(argv[2]));
        return written ? 0 : 1;
    } catch (const std::exception& e) {
        std::cerr << "bench_pictures: " << e.what() << '\n';
        return 1;
    }
}

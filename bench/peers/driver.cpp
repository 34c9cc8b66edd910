// SPDX-License-Identifier: MIT
// bench_peers: weir beside what else there is, in one run on one machine: starts a worker for each
// language, lets all rows take turns, and writes one table.

#include <algorithm>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cores.hpp"
#include "harness/machine.hpp"
#include "harness/results.hpp"
#include "load.hpp"
#include "rounds.hpp"
#include "table.hpp"
#include "worker.hpp"

namespace {

constexpr const char* usage =
    "usage: bench_peers [--quick] [--only=REGEX] [--out=DIR] [--workers=DIR]\n"
    "  --quick        a second, to see that it runs\n"
    "  --only=REGEX   of the rows, those with such a name\n"
    "  --out=DIR      where results go (without --quick and --only: " WEIR_BENCH_RESULTS
    ");\n                 --out=bench/results replaces those that are committed\n"
    "  --workers=DIR  the programs that measure (" WEIR_PEERS_WORKERS ")\n";

constexpr bench::effort in_full = {31, 60, 50'000, 10'000, 10'000, 5'000, 200'000};
constexpr bench::effort in_quick = {1, 2, 500, 500, 500, 500, 500};

struct command_line {
    bool quick = false;
    bool help = false;
    std::string only;
    std::string out;
    std::string workers = WEIR_PEERS_WORKERS;
    std::string unknown;
};

command_line parse(int argc, char** argv) {
    command_line c;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        const auto has = [&](std::string_view option, std::string& value) {
            if (argument.rfind(option, 0) != 0) return false;
            value = argument.substr(option.size());
            return true;
        };
        if (argument == "--quick") {
            c.quick = true;
        } else if (argument == "--help") {
            c.help = true;
        } else if (!has("--only=", c.only) && !has("--out=", c.out) &&
                   !has("--workers=", c.workers)) {
            c.unknown = argument;
        }
    }
    if (c.out.empty() && c.only.empty() && !c.quick) c.out = WEIR_BENCH_RESULTS;
    return c;
}

struct workers {
    std::vector<std::unique_ptr<bench::worker>> all;
    std::vector<std::string> left_out;
};

// Each program in the folder, in the order of their names, so that C++ comes first.
workers start(const command_line& c) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(c.workers)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    const std::size_t keys = c.quick ? 1000 : 1'000'000;
    workers found;
    for (const auto& file : files) {
        const std::string language = file.stem().string() + ": ";
        if (file.extension() == ".left_out") {
            std::string sentence;
            std::getline(std::ifstream(file) >> std::ws, sentence);
            found.left_out.push_back(language + sentence);
            continue;
        }
        found.all.push_back(std::make_unique<bench::worker>(file.string(), keys));
        for (const std::string& sentence : found.all.back()->left_out())
            found.left_out.push_back(language + sentence);
    }
    return found;
}

std::vector<bench::row> rows_of(const workers& w, const std::string& only) {
    const std::regex chosen(only);
    std::vector<bench::row> rows;
    for (const auto& worker : w.all) {
        for (const bench::worker_row& what : worker->rows()) {
            const bench::row r{worker.get(), what};
            if (r.is_empty_loop() || std::regex_search(what.name, chosen)) rows.push_back(r);
        }
    }
    return rows;
}

int run(const command_line& c) {
    const bench::load machine;
    workers w = start(c);
    bench::pin(0);  // after they have inherited all cores
    std::vector<bench::row> rows = rows_of(w, c.only);
    bench::take_samples(rows, c.quick ? in_quick : in_full, [] { std::cerr << '.'; });
    std::cerr << '\n';
    std::ostringstream markdown;
    markdown << "# " << bench::machine_name() << ": the peers\n";
    bench::write_peers(markdown, rows);
    markdown << "\n## The run\n\n";
    for (const std::string& sentence : w.left_out) markdown << "- left out: " << sentence << '\n';
    w.all.clear();  // what they used is known when they have ended
    bench::write_quiet(markdown, rows);
    machine.write(markdown);
    for (const auto& [key, value] : bench::machine_facts())
        markdown << "- " << key << ": " << value << '\n';
    std::cout << markdown.str() << std::flush;
    if (c.out.empty()) return std::cout ? 0 : 1;
    return bench::write_results(c.out, bench::machine_name() + "-peers", markdown.str(),
                                bench::peers_json(rows))
               ? 0
               : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const command_line c = parse(argc, argv);
    if (c.help || !c.unknown.empty()) {
        (c.help ? std::cout : std::cerr) << usage;
        return c.help ? 0 : 2;
    }
    try {
        return run(c);
    } catch (const std::exception& e) {
        std::cerr << "bench_peers: " << e.what() << '\n';
        return 1;
    }
}

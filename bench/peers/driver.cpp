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
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "harness/cores.hpp"
#include "harness/machine.hpp"
#include "harness/results.hpp"
#include "load.hpp"
#include "rounds.hpp"
#include "sections.hpp"
#include "table.hpp"
#include "worker.hpp"

namespace {

constexpr const char* usage =
    "usage: bench_peers [--quick] [--only=REGEX] [--languages=LIST] [--parts=LIST] [--out=DIR]\n"
    "                   [--workers=DIR] [--weir=PATH]\n"
    "  --quick           only to see that it runs\n"
    "  --only=REGEX      of the rows, those with such a name\n"
    "  --languages=LIST  of cpp,go,java,rust\n"
    "  --parts=LIST      of speed,accuracy,waiting,beginning,pipes\n"
    "  --out=DIR         where results go (of all rows and parts: " WEIR_BENCH_RESULTS
    ");\n                    --out=bench/results replaces those that are committed\n"
    "  --workers=DIR     the programs that measure (" WEIR_PEERS_WORKERS ")\n"
    "  --weir=PATH       the command, for `weir pace` (" WEIR_PEERS_COMMAND ")\n";

constexpr bench::effort in_full = {31, 60, 50'000, 10'000, 10'000, 5'000, 200'000};
constexpr bench::effort in_quick = {1, 2, 500, 500, 500, 500, 500};
constexpr bench::section_effort sections_in_full = {3, 2'200, 200, 1'000, 1'000'000, 11, 3'000};
constexpr bench::section_effort sections_in_quick = {1, 5, 2, 5, 1'000, 1, 50};

// Words with commas between them.
using list = std::set<std::string>;
[[nodiscard]] list list_of(const std::string& text) {
    list words;
    std::istringstream all(text);
    for (std::string word; std::getline(all, word, ',');) words.insert(word);
    return words;
}

// With an empty list all are.
[[nodiscard]] bool is_chosen(const list& of, const std::string& word) {
    return of.empty() || of.count(word) != 0;
}

struct command_line {
    bool quick = false;
    bool help = false;
    std::string only;
    list languages;
    list parts;
    std::string out;
    std::string workers = WEIR_PEERS_WORKERS;
    std::string weir = WEIR_PEERS_COMMAND;
    std::string unknown;
    std::string as_told;  // but for where things are

    [[nodiscard]] bool is_whole() const {
        return !quick && only.empty() && languages.empty() && parts.empty();
    }
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
        std::string words;
        if (has("--out=", c.out) || has("--workers=", c.workers) || has("--weir=", c.weir))
            continue;
        c.as_told += ' ' + std::string(argument);
        if (argument == "--quick") {
            c.quick = true;
        } else if (argument == "--help") {
            c.help = true;
        } else if (has("--languages=", words)) {
            c.languages = list_of(words);
        } else if (has("--parts=", words)) {
            c.parts = list_of(words);
        } else if (!has("--only=", c.only)) {
            c.unknown = argument;
        }
    }
    const list parts = {"speed", "accuracy", "waiting", "beginning", "pipes"};
    for (const std::string& part : c.parts) {
        if (parts.count(part) == 0) c.unknown = "--parts=" + part;
    }
    if (c.out.empty() && c.is_whole()) c.out = WEIR_BENCH_RESULTS;
    return c;
}

struct workers {
    std::vector<std::unique_ptr<bench::worker>> all;
    std::vector<std::string> left_out;
    bench::facts versions;
};

// Each program in the folder, in the order of their names, so that C++ comes first.
workers start(const command_line& c) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(c.workers)) {
        if (entry.is_regular_file() && is_chosen(c.languages, entry.path().stem().string()))
            files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const std::string& language : c.languages) {
        if (std::none_of(files.begin(), files.end(),
                         [&](const auto& file) { return file.stem().string() == language; }))
            throw std::runtime_error("no such language: " + language);
    }
    const bool full = !c.quick && is_chosen(c.parts, "speed");
    const std::size_t keys = full ? 1'000'000 : 1000;
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
        const bench::worker& one = *found.all.back();
        for (const std::string& sentence : one.left_out())
            found.left_out.push_back(language + sentence);
        if (!one.by().empty()) found.versions.emplace_back(file.stem().string(), one.by());
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

std::vector<bench::section> sections_of(const command_line& c, const std::vector<bench::row>& rows,
                                        std::vector<std::string>& left_out) {
    const bench::section_effort& effort = c.quick ? sections_in_quick : sections_in_full;
    std::vector<bench::section> all;
    const auto add = [&](const char* part, const auto& measure) {
        if (!is_chosen(c.parts, part)) return;
        all.push_back(measure());
        std::cerr << part << ' ';
    };
    add("accuracy", [&] { return bench::measure_accuracy(rows, effort); });
    add("waiting", [&] { return bench::measure_waiting(rows, effort); });
    add("beginning", [&] { return bench::measure_beginning(rows, effort); });
    add("pipes", [&] { return bench::measure_pipes(c.only, c.weir, effort, left_out); });
    return all;
}

int run(const command_line& c) {
    const bench::load machine;
    workers w = start(c);
    std::vector<bench::row> rows = rows_of(w, c.only);
    const std::vector<bench::section> sections = sections_of(c, rows, w.left_out);
    bench::pin(0);  // after all others have inherited all cores
    if (is_chosen(c.parts, "speed"))
        bench::take_samples(rows, c.quick ? in_quick : in_full, [] { std::cerr << '.'; });
    std::cerr << '\n';
    std::ostringstream markdown;
    markdown << "# " << bench::machine_name() << ": the peers\n";
    bench::write_peers(markdown, rows);
    for (const bench::section& s : sections) bench::write_section(markdown, s);
    markdown << "\n## The run\n\n";
    for (const std::string& sentence : w.left_out) markdown << "- left out: " << sentence << '\n';
    w.all.clear();  // what they used is known when they have ended
    bench::write_quiet(markdown, rows);
    machine.write(markdown);
    bench::facts facts = {{"command", "toolchains/bootstrap peers" + c.as_told}};
    facts.insert(facts.end(), w.versions.begin(), w.versions.end());
    for (const auto& fact : bench::machine_facts()) facts.push_back(fact);
    for (const auto& [key, value] : facts) markdown << "- " << key << ": " << value << '\n';
    std::cout << markdown.str() << std::flush;
    if (c.out.empty()) return std::cout ? 0 : 1;
    const std::string name = bench::machine_name() + "-peers";
    const std::string json = bench::peers_json(rows, sections, facts);
    return bench::write_results(c.out, name, markdown.str(), json) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const command_line c = parse(argc, argv);
    if (c.help || !c.unknown.empty()) {
        if (!c.help) std::cerr << "bench_peers: unknown: " << c.unknown << '\n';
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

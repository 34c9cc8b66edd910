// SPDX-License-Identifier: MIT
// bench_report: measures every row in one process, prints each as a multiple of the floor of the
// same run, says which bars hold, and keeps the figures with the machine's description.
// Takes Google Benchmark's options too.

#include "harness/report.hpp"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <benchmark/benchmark.h>

#include "harness/bars.hpp"
#include "harness/cores.hpp"
#include "harness/keys.hpp"
#include "harness/machine.hpp"
#include "harness/pacer.hpp"
#include "harness/results.hpp"
#include "harness/tails.hpp"
#include "harness/waiting.hpp"

namespace {

struct command_line {
    bool quick = false;
    bool whole = true;   // no choice of rows
    bool tails = false;  // nothing but how long the slowest decisions take
    bool waits = false;  // nothing but how threads wait
    bool keyed = false;  // nothing but the memory of keyed tables, and a flood
    std::string out;
    std::vector<std::string> others;
};

command_line options;

constexpr const char* usage =
    "usage: bench_report [--quick] [--tails] [--waiting] [--keyed] [--out=DIR] "
    "[--benchmark_filter=REGEX, or any other option of "
    "Google Benchmark]";

// Google Benchmark calls this for --help, and for values it does not understand; then it exits
// with 0, whatever the reason.
void print_help() {
    const auto& all = options.others;
    if (std::find(all.begin(), all.end(), "--help") != all.end()) {
        std::cout
            << usage << "\n"
            << "  --quick    a few seconds, to see that it runs; no bars\n"
            << "  --tails    only how long the slowest decisions take; printed and not kept\n"
            << "  --waiting  only how threads wait, and the pacer; printed and not kept\n"
            << "  --keyed    only the memory of keyed tables, and a flood; printed and not kept\n"
            << "  --out=DIR  where results go (without --quick and a filter: " WEIR_BENCH_RESULTS
               ");\n             --out=bench/results replaces those that the pages show\n";
        return;
    }
    std::cerr << "bench_report: a value that Google Benchmark does not know; " << usage << '\n';
    std::exit(2);  // NOLINT(concurrency-mt-unsafe): there is one thread
}

command_line parse(int argc, char** argv) {
    command_line c;
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--quick") {
            c.quick = true;
        } else if (argument == "--tails") {
            c.tails = true;
        } else if (argument == "--waiting") {
            c.waits = true;
        } else if (argument == "--keyed") {
            c.keyed = true;
        } else if (argument.rfind("--out=", 0) == 0) {
            c.out = argument.substr(6);
        } else {
            c.whole = c.whole && argument.rfind("--benchmark_filter", 0) != 0;
            c.others.emplace_back(argument);
        }
    }
    if (c.out.empty() && c.whole && !c.quick) c.out = WEIR_BENCH_RESULTS;
    return c;
}

// Ours come first, so that the user's replace them. False if there was an unknown option.
bool set_up_library(const char* program) {
    std::vector<std::string> all = {
        program, "--benchmark_enable_random_interleaving=true",
        std::string("--benchmark_repetitions=") + (options.quick ? "3" : "100"),
        std::string("--benchmark_min_time=") + (options.quick ? "0.0001" : "0.001")};
    all.insert(all.end(), options.others.begin(), options.others.end());
    // It keeps the pointers that it does not understand, and the program's name.
    static std::vector<std::string> texts;
    static std::vector<char*> pointers;
    texts = std::move(all);
    pointers.reserve(texts.size());
    for (std::string& text : texts) pointers.push_back(text.data());
    int count = static_cast<int>(pointers.size());
    benchmark::Initialize(&count, pointers.data(), print_help);
    if (count > 1) {
        std::cerr << "bench_report: unknown option " << pointers[1] << "; " << usage << '\n';
        return false;
    }
    for (const auto& [key, value] : bench::machine_facts()) {
        if (key != "date") benchmark::AddCustomContext(key, value);  // it has its own
    }
    return true;
}

std::string as_markdown(const bench::report& figures, const std::vector<bench::bar>& bars) {
    std::ostringstream text;
    text << "# " << bench::machine_name() << "\n\n";
    figures.write_headlines(text);
    text
        << "\nThe floor of a row alone is the clock read, load and CAS (or load, if it is denied)\n"
           "that it cannot do without. Two threads that are admitted are compared with two "
           "threads\n"
           "in a loop of clock read and CAS on one line, and two that are denied with one.\n\n";
    for (const auto& [key, value] : bench::machine_facts())
        text << "- " << key << ": " << value << '\n';
    if (!options.quick) {
        text << "\n## Bars\n\n";
        bench::write_bars(text, bars);
    }
    text << "\n## All rows\n\n";
    figures.write_all(text);
    if (options.whole && !options.quick) bench::write_keyed_tables(text);
    if (options.whole && !options.quick) bench::write_tails(text, false);
    if (options.whole && !options.quick) bench::write_waiting(text);
    if (options.whole && !options.quick) bench::write_pacer(text);
    return text.str();
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int runs = 3;
    options = parse(argc, argv);
    if (options.tails) {
        bench::write_tails(std::cout, options.quick);
        return 0;
    }
    if (options.waits) {
        bench::write_waiting(std::cout);
        bench::write_pacer(std::cout);
        return 0;
    }
    if (options.keyed) {
        bench::write_keyed_tables(std::cout);
        return 0;
    }
    if (!set_up_library(argv[0])) return 2;
    bench::pin(0);
    // Until there has been a second thread, the C library's mutex does without atomics.
    std::thread([] {}).join();
    bench::add_floor_rows();
    bench::add_cell_rows();
    bench::add_limit_rows();
    bench::add_c_rows();
    bench::add_table_rows();
    bench::add_key_rows(options.quick);
    bench::add_layout_rows();

    bench::report figures;
    if (benchmark::RunSpecifiedBenchmarks(&figures) == 0) {
        std::cerr << "bench_report: no row of that name\n";
        return 2;
    }
    if (figures.empty()) return 0;  // they were only listed

    std::vector<bench::bar> bars = bench::all_bars();
    if (!options.quick) bench::judge(bars, figures);
    for (int run = 1; run < runs && bench::any_fails(bars); ++run) {
        const std::string rows = bench::failing_rows(bars);
        std::cerr << "bench_report: measuring again: " << rows << '\n';
        bench::report again;
        benchmark::RunSpecifiedBenchmarks(&again, rows);
        bench::judge(bars, again);
    }
    const std::string markdown = as_markdown(figures, bars);
    std::cout << markdown << std::flush;
    if (!std::cout) {
        std::cerr << "bench_report: could not write to the standard output\n";
        return 1;
    }
    if (!options.out.empty() &&
        !bench::write_results(options.out, bench::machine_name(), markdown, figures.json()))
        return 1;
    return bench::any_fails(bars) ? 1 : 0;
}

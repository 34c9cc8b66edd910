// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "rows.hpp"
#include "table.hpp"

namespace bench {

namespace {

std::vector<row>& all_rows() {
    static std::vector<row> rows;
    return rows;
}

const row* find_row(const std::string& name) {
    const auto found = std::find_if(all_rows().begin(), all_rows().end(),
                                    [&](const row& r) { return r.name == name; });
    return found == all_rows().end() ? nullptr : &*found;
}

bool is_duel(const row& r) { return !r.reference.empty(); }

double counter(const benchmark::BenchmarkReporter::Run& run, const char* name) {
    const auto found = run.counters.find(name);
    return found == run.counters.end() ? 0 : found->second.value;
}

}  // namespace

const std::vector<row>& enlisted() { return all_rows(); }

void enlist(const row& r) { all_rows().push_back(r); }

bool report::ReportContext(const Context& context) {
    if (has_context_) return true;  // rows that are repeated
    has_context_ = true;
    json_.SetOutputStream(&json_text_);
    json_.SetErrorStream(&json_text_);
    return json_.ReportContext(context);
}

void report::ReportRuns(const std::vector<Run>& runs) {
    std::vector<Run> telling;  // the rest would make the file ten times as long
    for (const Run& run : runs) {
        const row* r = find_row(run.run_name.function_name);
        if (r == nullptr) continue;
        if (run.error_occurred) continue;
        const bool single = run.run_type == Run::RT_Iteration && run.repetitions <= 1;
        const std::string statistic = is_duel(*r) ? "median" : "min";
        if (!single && run.aggregate_name != statistic && run.aggregate_name != "cv") continue;
        telling.push_back(run);
        if (run.aggregate_name == "cv") continue;
        figures_[r->name] = {run.GetAdjustedRealTime(), counter(run, "ratio"),
                             counter(run, "reference_ns"), counter(run, "probe_ns")};
    }
    if (!telling.empty()) json_.ReportRuns(telling);
    const auto failed =
        std::find_if(runs.begin(), runs.end(), [](const Run& run) { return run.error_occurred; });
    if (failed != runs.end()) {
        GetErrorStream() << failed->run_name.function_name << ": " << failed->error_message << '\n';
    }
}

std::string report::json() {
    json_.Finalize();
    std::istringstream whole(json_text_.str());
    std::string kept;
    for (std::string line; std::getline(whole, line);) {
        if (line.find("\"host_name\":") != std::string::npos) continue;
        if (line.find("\"executable\":") != std::string::npos) continue;
        kept += line + '\n';
    }
    return kept;
}

const figure* report::find(const std::string& name) const {
    const auto found = figures_.find(name);
    return found == figures_.end() ? nullptr : &found->second;
}

std::optional<double> report::ratio(const row& r) const {
    const figure* f = find(r.name);
    if (f != nullptr && is_duel(r)) return f->ratio;
    return ratio(r.name, r.floor);
}

std::optional<double> report::ratio(const std::string& name, const std::string& reference) const {
    const figure* f = find(name);
    const figure* of = find(reference);
    if (f == nullptr || of == nullptr) return std::nullopt;
    return f->ns / of->ns;
}

void report::write_headlines(std::ostream& out) const {
    lines table = {{"what", "ns", "x floor"}};
    for (const row& r : all_rows()) {
        const figure* f = find(r.name);
        if (f == nullptr || !r.headline) continue;
        const auto multiple = ratio(r);
        const bool floor = r.name.rfind("floor/", 0) == 0;
        table.push_back({r.title + (is_duel(r) ? ", two threads" : ""), text("%.1f", f->ns),
                         multiple && !floor ? text("%.2f", *multiple) : ""});
    }
    write_lines(out, table, {false, true, true});
}

void report::write_table(std::ostream& out, bool duels) const {
    lines table = {{"what", "ns", "x", "of", "its ns"}};
    if (duels) table.front().emplace_back("probe ns");
    for (const row& r : all_rows()) {
        const figure* f = find(r.name);
        if (f == nullptr || is_duel(r) != duels) continue;
        const row* floor = find_row(r.floor);
        const figure* of = find(r.floor);
        const auto multiple = ratio(r);
        const std::string x = multiple ? text("%.3f", *multiple) : "";
        if (duels) {
            table.push_back({r.title, text("%.2f", f->ns), x, r.reference,
                             text("%.2f", f->reference), text("%.0f", f->probe)});
        } else {
            table.push_back({r.title, text("%.2f", f->ns), x, floor == nullptr ? "" : floor->title,
                             of == nullptr ? "" : text("%.2f", of->ns)});
        }
    }
    std::vector<bool> right = {false, true, true, false, true};
    if (duels) right.push_back(true);
    write_lines(out, table, right);
}

void report::write_all(std::ostream& out) const {
    out << "One thread, the fastest repetition:\n\n";
    write_table(out, false);
    out << "\nTwo threads on one object, ns per operation of each; the median of rounds in which\n"
           "the row and what it is compared with were measured side by side:\n\n";
    write_table(out, true);
}

}  // namespace bench

// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <vector>

#include "harness/cores.hpp"
#include "harness/table.hpp"

namespace bench {

namespace {

struct group {
    const char* title;
    const char* what;
    const char* bytes;  // the heading of what a limiter or key has on the heap
    std::vector<measure> columns;
};

[[nodiscard]] std::vector<group> groups() {
    std::vector<group> all = {
        {"One limit", "Nanoseconds per decision and thread", "bytes a limiter", {}},
        {"One limit, p99.99",
         "Nanoseconds that one decision in ten thousand exceeds, of two threads the worse, with "
         "the\n"
         "time that it takes to know them, which is the empty loop's",
         nullptr,
         {}},
        {"A limit for each key", "Nanoseconds per decision and thread", "bytes a key", {}}};
    for (const char* demand : {"admit", "deny", "mixed"}) {
        for (unsigned threads = 1; threads <= cores().size(); ++threads) {
            all[0].columns.push_back({false, demand, threads});
            all[1].columns.push_back({true, demand, threads});
        }
    }
    for (const char* demand : {"uniform", "zipf"}) {
        for (unsigned threads = 1; threads <= cores().size(); ++threads)
            all[2].columns.push_back({false, demand, threads});
    }
    return all;
}

[[nodiscard]] std::string heading(const measure& m) {
    return m.demand + (m.threads == 2 ? ", 2 threads" : "");
}

[[nodiscard]] std::string in_ns(const figure& f) {
    return text("%.1f", f.ns) + (f.as_told ? "" : " (!)");
}

[[nodiscard]] std::string as_multiple(const figure& f) { return f.x == 0 ? "" : text("%.2f", f.x); }

// A line for each row that has a figure in one of the columns.
void write_group(std::ostream& out, const std::vector<row>& rows, const group& g, bool multiples) {
    lines table = {{"what"}};
    for (const measure& m : g.columns) table.front().push_back(heading(m));
    const bool bytes = !multiples && g.bytes != nullptr;
    if (bytes) table.front().emplace_back(g.bytes);
    for (const row& r : rows) {
        if (multiples && r.is_empty_loop()) continue;
        std::vector<std::string> line = {r.what.title};
        bool any = false;
        for (const measure& m : g.columns) {
            const std::optional<figure> f = figure_of(rows, r, m);
            any = any || f;
            line.push_back(!f ? "" : multiples ? as_multiple(*f) : in_ns(*f));
        }
        if (bytes) line.push_back(r.what.bytes == 0 ? "" : text("%.0f", r.what.bytes));
        if (any) table.push_back(line);
    }
    std::vector<bool> right(table.front().size(), true);
    right.front() = false;
    if (multiples && table.size() > 1) out << "\nTimes " << table[1][0] << ":\n\n";
    write_lines(out, table, right);
}

void write_details(std::ostream& out, const std::vector<row>& rows, const group& g) {
    lines table = {{"what", "demand", "threads", "ns", "spread", "x", "probe ns", "admitted %",
                    "kept", "dropped"}};
    for (const measure& m : g.columns) {
        for (const row& r : rows) {
            const std::optional<figure> f = figure_of(rows, r, m);
            if (!f) continue;
            table.push_back({r.what.title, m.demand, std::to_string(m.threads), text("%.2f", f->ns),
                             text("%.2f", f->spread), text("%.3f", f->x), text("%.0f", f->probe),
                             text("%.1f", f->admitted) + (f->as_told ? "" : " (!)"),
                             std::to_string(f->kept), std::to_string(f->dropped)});
        }
    }
    write_lines(out, table, {false, false, true, true, true, true, true, true, true, true});
}

[[nodiscard]] std::string quoted(const std::string& words) {
    std::string all = "\"";
    for (const char c : words) {
        if (c == '"' || c == '\\') all += '\\';
        all += c;
    }
    return all + '"';
}

}  // namespace

void write_peers(std::ostream& out, const std::vector<row>& rows) {
    for (const group& g : groups()) {
        out << "\n## " << g.title << "\n\n" << g.what << ":\n\n";
        write_group(out, rows, g, false);
        write_group(out, rows, g, true);
    }
    for (const group& g : groups()) {
        out << "\n## " << g.title << ": all figures\n\n";
        write_details(out, rows, g);
    }
}

void write_quiet(std::ostream& out, const std::vector<row>& rows) {
    std::vector<double> probes;
    std::size_t all = 0;
    for (const row& r : rows) {
        for (const auto& [m, samples] : r.samples) {
            if (m.threads == 1) continue;
            all += samples.size();
            for (const taken& t : samples) {
                if (t.kept) probes.push_back(t.probe);
            }
        }
    }
    if (probes.empty()) return;
    std::sort(probes.begin(), probes.end());
    const auto at = [&](std::size_t percent) {
        return probes[(probes.size() - 1) * percent / 100];
    };
    constexpr double enough = 80;  // per cent of the samples
    constexpr double near = 1.3;
    const double kept = 100 * static_cast<double>(probes.size()) / static_cast<double>(all);
    const bool quiet = kept >= enough && at(90) <= near * at(10);
    out << "- " << (quiet ? "two threads can be compared" : "do NOT compare two threads") << ": "
        << text("%.0f", kept) << " % of the samples of two threads were kept; a line came over "
        << "from the other core in " << text("%.0f", at(10)) << " to " << text("%.0f", at(90))
        << " ns in eight of ten of them\n";
}

std::string peers_json(const std::vector<row>& rows) {
    std::ostringstream out;
    const char* comma = "\n";
    out << "{\"figures\": [";
    for (const group& g : groups()) {
        for (const row& r : rows) {
            for (const measure& m : g.columns) {
                const std::optional<figure> f = figure_of(rows, r, m);
                if (!f) continue;
                out << comma << "{\"row\": " << quoted(r.what.name)
                    << ", \"title\": " << quoted(r.what.title) << ", \"bytes\": " << r.what.bytes
                    << ", \"told\": " << quoted(m.tail ? "p99.99" : "average")
                    << ", \"demand\": " << quoted(m.demand) << ", \"threads\": " << m.threads
                    << ", \"ns\": " << f->ns << ", \"spread\": " << f->spread << ", \"x\": " << f->x
                    << ", \"probe\": " << f->probe << ", \"admitted\": " << f->admitted
                    << ", \"kept\": " << f->kept << ", \"dropped\": " << f->dropped << '}';
                comma = ",\n";
            }
        }
    }
    out << "\n]}\n";
    return out.str();
}

}  // namespace bench

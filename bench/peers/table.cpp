// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
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

[[nodiscard]] bool is_measured(const std::vector<row>& rows, const group& g) {
    return std::any_of(rows.begin(), rows.end(), [&](const row& r) {
        return std::any_of(g.columns.begin(), g.columns.end(),
                           [&](const measure& m) { return r.samples.count(m) != 0; });
    });
}

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

[[nodiscard]] std::string quoted(const std::string& words) {
    std::string all = "\"";
    for (const char c : words) {
        if (c == '"' || c == '\\') all += '\\';
        all += c;
    }
    return all + '"';
}

// As many digits as are known.
[[nodiscard]] std::string number(double value) { return text("%.4g", value); }

[[nodiscard]] std::string in_words(const cell& one, const column& c) {
    if (!one.wrong_by) return text(c.format, *one.value);
    constexpr std::array<const char*, 7> formats = {"%.0f", "%.1f", "%.2f", "%.3f",
                                                    "%.4f", "%.5f", "%.6f"};
    const double digits = std::ceil(-std::log10(*one.wrong_by));  // the last may be wrong
    return text(formats[static_cast<std::size_t>(std::clamp(digits, 0.0, 6.0))], *one.value);
}

// How often the first line's figure goes into this one.
[[nodiscard]] std::optional<double> multiple_of(const section& s, const cell& one, std::size_t i) {
    const std::optional<double> ours = s.lines.front().cells[i].value;
    if (!one.value || !ours || *ours <= 0) return std::nullopt;
    return *one.value / *ours;
}

}  // namespace

void write_peers(std::ostream& out, const std::vector<row>& rows) {
    for (const group& g : groups()) {
        if (!is_measured(rows, g)) continue;
        out << "\n## " << g.title << "\n\n" << g.what << ":\n\n";
        write_group(out, rows, g, false);
        write_group(out, rows, g, true);
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

void write_section(std::ostream& out, const section& s) {
    if (s.lines.empty()) return;
    lines values = {{"what"}};
    lines multiples = {{"what"}};
    for (const column& c : s.columns) {
        values.front().push_back(c.heading);
        if (c.is_cost) multiples.front().push_back(c.heading);
    }
    for (const section_line& l : s.lines) {
        values.push_back({l.title});
        multiples.push_back({l.title});
        for (std::size_t i = 0; i < s.columns.size(); ++i) {
            const cell& one = l.cells[i];
            values.back().push_back(
                one.value ? in_words(one, s.columns[i]) + (one.as_told ? "" : " (!)") : "");
            if (!s.columns[i].is_cost) continue;
            const std::optional<double> x = multiple_of(s, one, i);
            multiples.back().push_back(x ? text("%.2f", *x) : "");
        }
    }
    const auto right = [](const lines& table) {
        std::vector<bool> all(table.front().size(), true);
        all.front() = false;
        return all;
    };
    out << "\n## " << s.title << "\n\n" << s.what << ":\n\n";
    write_lines(out, values, right(values));
    if (multiples.front().size() == 1) return;
    out << "\nTimes " << s.lines.front().title << ":\n\n";
    write_lines(out, multiples, right(multiples));
}

std::string peers_json(const std::vector<row>& rows, const std::vector<section>& sections,
                       const std::vector<std::pair<std::string, std::string>>& facts) {
    std::ostringstream out;
    const char* comma = "{\n";
    for (const auto& [key, value] : facts) {
        out << comma << quoted(key) << ": " << quoted(value);
        comma = ",\n";
    }
    out << comma << "\"rows\": [[\"row\", \"title\", \"bytes\"]";
    for (const row& r : rows) {
        out << ",\n[" << quoted(r.what.name) << ", " << quoted(r.what.title) << ", "
            << number(r.what.bytes) << ']';
    }
    out << "],\n\"figures\": [[\"title\", \"told\", \"demand\", \"threads\", \"ns\", \"spread\", "
           "\"x\", \"probe\", \"admitted\", \"kept\", \"dropped\"]";
    for (const group& g : groups()) {
        for (const row& r : rows) {
            for (const measure& m : g.columns) {
                const std::optional<figure> f = figure_of(rows, r, m);
                if (!f) continue;
                out << ",\n[" << quoted(r.what.title) << ", "
                    << quoted(m.tail ? "p99.99" : "average") << ", " << quoted(m.demand) << ", "
                    << m.threads;
                for (const double value : {f->ns, f->spread, f->x, f->probe, f->admitted})
                    out << ", " << number(value);
                out << ", " << f->kept << ", " << f->dropped << ']';
            }
        }
    }
    out << "],\n\"sections\": [[\"section\", \"title\", \"column\", \"value\", \"x\"]";
    for (const section& s : sections) {
        for (const section_line& l : s.lines) {
            for (std::size_t i = 0; i < s.columns.size(); ++i) {
                if (!l.cells[i].value) continue;
                const std::optional<double> x =
                    s.columns[i].is_cost ? multiple_of(s, l.cells[i], i) : std::nullopt;
                out << ",\n[" << quoted(s.title) << ", " << quoted(l.title) << ", "
                    << quoted(s.columns[i].heading) << ", " << text("%.9g", *l.cells[i].value)
                    << ", " << (x ? number(*x) : "null") << ']';
            }
        }
    }
    out << "]\n}\n";
    return out.str();
}

}  // namespace bench

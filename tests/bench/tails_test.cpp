// SPDX-License-Identifier: MIT
// The bench's section about tails, with a tiny effort: it comes to an end and prints its rows.
#include <cstddef>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <weir/cell/kinds.hpp>

#include "harness/cores.hpp"
#include "harness/tails.hpp"

namespace {

[[nodiscard]] std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::istringstream rest(line);
    for (std::string cell; std::getline(rest, cell, '|');) {
        const std::size_t first = cell.find_first_not_of(' ');
        const std::size_t last = cell.find_last_not_of(' ');
        cells.push_back(first == std::string::npos ? "" : cell.substr(first, last + 1 - first));
    }
    return cells;
}

using row = std::vector<std::string>;

// The rows below a heading, without the table's own two lines.
[[nodiscard]] std::vector<row> table_of(const std::string& text, const std::string& heading) {
    std::vector<row> rows;
    const std::size_t found = text.find("\n### " + heading + "\n\n");
    if (found == std::string::npos) return rows;
    std::istringstream rest(text.substr(text.find('|', found)));
    for (std::string line; std::getline(rest, line) && !line.empty();)
        rows.push_back(cells_of(line));
    for (const row& r : rows) EXPECT_EQ(r.size(), rows.front().size()) << r[1];
    if (rows.size() >= 2) rows.erase(rows.begin(), rows.begin() + 2);
    return rows;
}

[[nodiscard]] std::vector<std::string> all_cells() {
    std::vector<std::string> all;
    weir::for_each_kind([&](auto kind) { all.emplace_back(kind.name); });
    return all;
}

[[nodiscard]] std::vector<std::string> with_demands(const std::vector<std::string>& subjects) {
    std::vector<std::string> all;
    for (const std::string& s : subjects) {
        for (const char* demand : {": admit", ": deny", ": mixed"}) all.push_back(s + demand);
    }
    return all;
}

void expect_names(const std::vector<row>& rows, const std::vector<std::string>& names) {
    ASSERT_EQ(rows.size(), names.size());
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(rows[i].at(1), names[i]);
}

TEST(tails, are_measured_and_printed_for_each_row) {
    std::ostringstream out;
    bench::write_tails(out, true);
    const std::string text = out.str();

    std::vector<std::string> names = {"clock read", "clock read + fetch_add",
                                      "clock read + CAS loop", "clock read + CAS loop: mixed",
                                      "clock read + two CAS loops"};
    std::vector<std::string> subjects = {"mutex_bucket"};
    for (const std::string& cell : all_cells()) subjects.push_back(cell);
    for (const char* more : {"limiter", "reserve + refund", "all_of two", "adjustable"})
        subjects.emplace_back(more);
    for (const std::string& name : with_demands(subjects)) names.push_back(name);
    expect_names(table_of(text, "One thread, hammering"), names);
    expect_names(table_of(text, "One thread, 50 to 500 ns between two calls"), names);
    if (bench::cores().size() < 2) return;
    expect_names(table_of(text, "Two threads, hammering"), names);
    expect_names(table_of(text, "Two threads, 50 to 500 ns between two calls"), names);
    const std::vector<row> tries = table_of(text, "Two threads, hammering, no call timed");
    std::vector<std::string> tried = {"clock read + CAS loop", "clock read + CAS loop: mixed",
                                      "clock read + two CAS loops"};
    for (const std::string& cell : all_cells()) tried.push_back(cell + ": admit");
    for (const char* more : {"limiter: admit", "adjustable: admit"}) tried.emplace_back(more);
    expect_names(tries, tried);
    for (const row& r : tries) {
        EXPECT_GE(std::stoull(r.at(2)), 2'000U) << r.at(1) << ": decisions";
        EXPECT_GE(std::stoull(r.at(3)), 1U) << r.at(1) << ": tries";
    }
}

}  // namespace

// SPDX-License-Identifier: MIT
#include "page.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

[[nodiscard]] std::string without_blanks(const std::string& text) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// | a | b |
[[nodiscard]] std::vector<std::string> cells_of(const std::string& row) {
    std::vector<std::string> cells;
    std::istringstream rest(row.substr(1));
    for (std::string cell; std::getline(rest, cell, '|');) cells.push_back(without_blanks(cell));
    return cells;
}

[[nodiscard]] bool has(const std::vector<std::string>& all, std::string_view one) {
    return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

std::string line::text(std::string_view heading) const {
    const auto found = std::find(headings_->begin(), headings_->end(), heading);
    const auto i = static_cast<std::size_t>(found - headings_->begin());
    return i < cells_.size() ? cells_[i] : "";
}

std::optional<double> line::number(std::string_view heading) const {
    const std::string cell = text(heading);
    char* end = nullptr;
    const double value = std::strtod(cell.c_str(), &end);
    if (cell.empty() || *end != '\0') return std::nullopt;
    return value;
}

page::page(const std::string& path) : path_(path) {
    std::ifstream file(path);
    if (!file) throw std::runtime_error("cannot read " + path);
    text_.assign(std::istreambuf_iterator<char>(file), {});
    std::istringstream rest(text_);
    std::string heading;
    bool in_table = false;
    for (std::string row; std::getline(rest, row);) {
        if (row.rfind("## ", 0) == 0) heading = row.substr(3);
        const bool is_row = row.rfind('|', 0) == 0;
        if (is_row && !in_table) {
            tables_.push_back({heading, cells_of(row), {}});
        } else if (is_row && row.rfind("| -", 0) != 0) {
            tables_.back().cells.push_back(cells_of(row));
        }
        in_table = is_row;
    }
}

bool page::says(std::string_view words) const { return text_.find(words) != std::string::npos; }

std::vector<line> page::table(std::string_view heading, std::string_view column) const {
    const auto found = std::find_if(tables_.begin(), tables_.end(), [&](const lines_of_text& t) {
        return t.heading == heading && has(t.columns, column);
    });
    if (found == tables_.end()) {
        throw std::runtime_error(path_ + " has no table with a column '" + std::string(column) +
                                 "' below '" + std::string(heading) + "'");
    }
    std::vector<line> all;
    for (const auto& cells : found->cells) all.emplace_back(found->columns, cells);
    return all;
}

}  // namespace bench

// SPDX-License-Identifier: MIT
#include "command/table.hpp"

#include <algorithm>
#include <numeric>

namespace weir::command {
namespace {

constexpr std::size_t gap = 2;

std::string to_the_left(const std::string& text, std::size_t width) {
    return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string to_the_right(const std::string& text, std::size_t width) {
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string line(const std::vector<std::string>& fields, const std::vector<std::size_t>& widths) {
    std::string text = "  " + to_the_left(fields[0], widths[0]);
    for (std::size_t i = 1; i < fields.size(); ++i) {
        text += std::string(gap, ' ') + to_the_right(fields[i], widths[i]);
    }
    return text + "\n";
}

}  // namespace

std::vector<std::size_t> table::widths() const {
    std::vector<std::size_t> widest;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
        std::size_t width = heads_[i].size();
        for (const auto& row : rows_) width = std::max(width, row[i].size());
        widest.push_back(width);
    }
    return widest;
}

std::string table::as_columns(const std::vector<std::size_t>& widths) const {
    std::string text = line(heads_, widths);
    for (const auto& row : rows_) text += line(row, widths);
    return text;
}

std::string table::as_lists() const {
    std::size_t name = 0;
    std::size_t value = 0;
    for (std::size_t i = 1; i < heads_.size(); ++i) name = std::max(name, heads_[i].size());
    for (const auto& row : rows_) {
        for (std::size_t i = 1; i < row.size(); ++i) value = std::max(value, row[i].size());
    }
    std::string text;
    for (const auto& row : rows_) {
        text += row[0] + "\n";
        for (std::size_t i = 1; i < row.size(); ++i) {
            text += line({heads_[i], row[i]}, {name, value});
        }
    }
    return text;
}

std::string table::text(std::size_t width) const {
    const std::vector<std::size_t> columns = widths();
    const std::size_t needed =
        std::accumulate(columns.begin(), columns.end(), columns.size() * gap);
    return needed <= width ? as_columns(columns) : as_lists();
}

}  // namespace weir::command

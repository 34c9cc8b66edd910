// SPDX-License-Identifier: MIT
// page: the tables of a page of results, as bench_report and bench_peers write them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bench {

// A line of a table, with the headings of its columns.
class line {
public:
    line(const std::vector<std::string>& headings, std::vector<std::string> cells)
        : headings_(&headings), cells_(std::move(cells)) {}

    // Empty if there is no such column. Of two with this heading the first.
    [[nodiscard]] std::string text(std::string_view heading) const;
    // None if there is no number, or more than a number: what is marked by `(!)` was not done as
    // told.
    [[nodiscard]] std::optional<double> number(std::string_view heading) const;

private:
    const std::vector<std::string>* headings_;
    std::vector<std::string> cells_;
};

class page {
public:
    // Throws std::runtime_error if it cannot be read.
    explicit page(const std::string& path);

    [[nodiscard]] bool says(std::string_view words) const;

    // The first table below this heading that has this column. Throws std::runtime_error if there
    // is none. The lines live as long as the page.
    [[nodiscard]] std::vector<line> table(std::string_view heading, std::string_view column) const;

private:
    struct lines_of_text {
        std::string heading;  // of the part of the page
        std::vector<std::string> columns;
        std::vector<std::vector<std::string>> cells;
    };

    std::string path_;
    std::string text_;
    std::vector<lines_of_text> tables_;
};

}  // namespace bench

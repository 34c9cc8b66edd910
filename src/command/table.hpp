// SPDX-License-Identifier: MIT
// A table for people: columns where they fit, else one short list per row.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace weir::command {

class table {
public:
    explicit table(std::vector<std::string> heads) : heads_(std::move(heads)) {}

    // As many fields as there are heads.
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

    // The first column is set to the left, the others to the right.
    [[nodiscard]] std::string text(std::size_t width) const;

private:
    [[nodiscard]] std::vector<std::size_t> widths() const;
    [[nodiscard]] std::string as_columns(const std::vector<std::size_t>& widths) const;
    [[nodiscard]] std::string as_lists() const;

    std::vector<std::string> heads_;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace weir::command

// SPDX-License-Identifier: MIT
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <ostream>
#include <string>
#include <vector>

namespace bench {

void write_lines(std::ostream& out, const lines& table, const std::vector<bool>& right) {
    if (table.size() == 1) return;
    std::vector<std::size_t> width(right.size(), 0);
    for (const auto& line : table) {
        for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
    }
    for (std::size_t l = 0; l < table.size(); ++l) {
        for (std::size_t i = 0; i < right.size(); ++i) {
            const std::string space(width[i] - table[l][i].size(), ' ');
            out << "| " << (right[i] ? space + table[l][i] : table[l][i] + space) << ' ';
        }
        out << "|\n";
        if (l > 0) continue;
        for (std::size_t i = 0; i < right.size(); ++i) {
            out << "| " << std::string(width[i] - (right[i] ? 1 : 0), '-')
                << (right[i] ? ": " : " ");
        }
        out << "|\n";
    }
}

std::string text(const char* format, double value) {
    std::array<char, 32> digits{};
    std::snprintf(digits.data(), digits.size(), format, value);
    return digits.data();
}

}  // namespace bench

// SPDX-License-Identifier: MIT
#include "command/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace weir::command {
namespace {

constexpr std::size_t fewest_columns = 10;
constexpr std::size_t most_columns = 100;  // finer would show the chance of single arrivals
constexpr int eighths = 8;                 // that a block character can show

struct signs {
    std::array<std::string_view, eighths + 1> passed;  // by filled eighths of the cell
    std::string_view refused;
    std::string_view axis;
    std::string_view corner;
    std::string_view base;
};

constexpr signs unicode = {{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "░", "│", "└", "─"};
constexpr signs ascii = {{" ", "_", "_", "_", "=", "=", "=", "#", "#"}, ".", "|", "+", "-"};

const signs& signs_of(const style& out) { return out.unicode ? unicode : ascii; }

// How full the cell in this row, counted from below, is of something of that height.
int filled(double value, double per_row, int row) {
    constexpr double most = 1e6;  // rows
    const auto height = static_cast<int>(std::lround(std::min(value / per_row, most) * eighths));
    return std::clamp(height - row * eighths, 0, eighths);
}

// Colours that are readable on dark and on light terminals.
enum class ink { none, passed, refused };

std::string_view switch_to(ink colour) {
    switch (colour) {
        case ink::passed: return "\x1b[32m";
        case ink::refused: return "\x1b[2m";
        case ink::none: break;
    }
    return "\x1b[0m";
}

// Changes the colour only where it changes.
class row_writer {
public:
    explicit row_writer(bool coloured) : coloured_(coloured) {}

    void put(std::string_view sign, ink colour) {
        if (coloured_ && colour != colour_) {
            if (colour_ != ink::none) text_ += switch_to(ink::none);
            if (colour != ink::none) text_ += switch_to(colour);
            colour_ = colour;
        }
        text_ += sign;
    }

    [[nodiscard]] std::string ended() {
        put("\n", ink::none);
        return text_;
    }

private:
    bool coloured_;
    ink colour_ = ink::none;
    std::string text_;
};

std::string label(const plot& p, int row) {
    const std::string text = row == p.rows - 1 ? p.top : row == 0 ? p.bottom : "";
    const std::size_t room = p.gutter - 1;
    return std::string(room > text.size() ? room - text.size() : 0, ' ') + text.substr(0, room);
}

}  // namespace

std::size_t plot_columns(const plot& p, const style& out) {
    const std::size_t room = out.width > p.gutter + 1 ? out.width - p.gutter - 1 : 0;
    return std::clamp(room, fewest_columns, most_columns);
}

std::string plot_rows(const plot& p, const std::vector<double>& came,
                      const std::vector<double>& passed, const style& out) {
    const signs& sign = signs_of(out);
    std::string rows;
    for (int row = p.rows - 1; row >= 0; --row) {
        row_writer line(out.colour);
        line.put(label(p, row), ink::none);
        line.put(sign.axis, ink::none);
        for (std::size_t i = 0; i < passed.size(); ++i) {
            const int solid = filled(passed[i], p.per_row, row);
            const bool light = solid == 0 && filled(came[i], p.per_row, row) >= eighths / 2;
            if (light) {
                line.put(sign.refused, ink::refused);
            } else {
                line.put(sign.passed[static_cast<std::size_t>(solid)],
                         solid != 0 ? ink::passed : ink::none);
            }
        }
        rows += line.ended();
    }
    return rows;
}

std::string plot_axis(const plot& p, const std::vector<std::pair<double, std::string>>& labels,
                      const style& out) {
    const signs& sign = signs_of(out);
    const std::size_t columns = plot_columns(p, out);
    std::string line = std::string(p.gutter - 1, ' ') + std::string(sign.corner);
    for (std::size_t i = 0; i < columns; ++i) line += sign.base;
    std::string texts(p.gutter + columns, ' ');
    for (const auto& [share, text] : labels) {
        if (text.size() > texts.size()) continue;
        const auto place = static_cast<std::size_t>(share * static_cast<double>(columns));
        texts.replace(std::min(p.gutter + place, texts.size() - text.size()), text.size(), text);
    }
    return line + "\n" + texts + "\n";
}

std::string plot_legend(const plot& p, const style& out) {
    const signs& sign = signs_of(out);
    row_writer line(out.colour);
    line.put(std::string(p.gutter, ' '), ink::none);
    line.put(sign.passed[eighths], ink::passed);
    line.put(" passed  ", ink::none);
    line.put(sign.refused, ink::refused);
    line.put(" refused", ink::none);
    return line.ended();
}

}  // namespace weir::command

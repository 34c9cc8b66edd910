// SPDX-License-Identifier: MIT
#include "command/demo/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace weir::command {
namespace {

constexpr std::size_t gutter = 6;  // "400/s" and the axis
constexpr std::size_t fewest_columns = 10;
constexpr std::size_t most_columns = 100;  // finer would show the chance of single arrivals
constexpr int rows = peak_rate / usual_rate;
constexpr int eighths = 8;  // that a block character can show

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

std::size_t columns_of(const style& out) {
    const std::size_t room = out.width > gutter + 1 ? out.width - gutter - 1 : 0;
    return std::clamp(room, fewest_columns, most_columns);
}

// How full the cell in this row, counted from below, is of something of that rate.
int filled(double rate, int row) {
    const auto height = static_cast<int>(std::lround(rate / usual_rate * eighths));
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

std::string label(int row) {
    const bool named = row == rows - 1 || row == 0;
    const std::string text = named ? std::to_string((row + 1) * usual_rate) + "/s" : "";
    return std::string(gutter - 1 - text.size(), ' ') + text;
}

}  // namespace

std::string chart_of(const arrivals& all, const shape& s, const style& out) {
    const signs& sign = signs_of(out);
    const std::size_t columns = columns_of(out);
    const std::vector<double> came = arrival_rates(all, columns);
    const std::vector<double> passed = passed_rates(all, s, columns);
    std::string chart;
    for (int row = rows - 1; row >= 0; --row) {
        row_writer line(out.colour);
        line.put(label(row), ink::none);
        line.put(sign.axis, ink::none);
        for (std::size_t i = 0; i < columns; ++i) {
            const int solid = filled(passed[i], row);
            const bool light = solid == 0 && filled(came[i], row) >= eighths / 2;
            if (light) {
                line.put(sign.refused, ink::refused);
            } else {
                line.put(sign.passed[static_cast<std::size_t>(solid)],
                         solid != 0 ? ink::passed : ink::none);
            }
        }
        chart += line.ended();
    }
    return chart;
}

std::string time_axis(const style& out) {
    const signs& sign = signs_of(out);
    const std::size_t columns = columns_of(out);
    std::string line = std::string(gutter - 1, ' ') + std::string(sign.corner);
    for (std::size_t i = 0; i < columns; ++i) line += sign.base;

    constexpr int tick = 5;
    std::string numbers(gutter + columns, ' ');
    for (int second = 0; second <= trace_length.count(); second += tick) {
        const bool last = second + tick > trace_length.count();
        const std::string text = std::to_string(second) + (last ? " s" : "");
        const std::size_t place =
            columns * static_cast<std::size_t>(second) / std::size_t{trace_length.count()};
        numbers.replace(std::min(gutter + place, numbers.size() - text.size()), text.size(), text);
    }
    return line + "\n" + numbers + "\n";
}

std::string chart_legend(const style& out) {
    const signs& sign = signs_of(out);
    row_writer line(out.colour);
    line.put(std::string(gutter, ' '), ink::none);
    line.put(sign.passed[eighths], ink::passed);
    line.put(" passed  ", ink::none);
    line.put(sign.refused, ink::refused);
    line.put(" refused", ink::none);
    return line.ended();
}

}  // namespace weir::command

// SPDX-License-Identifier: MIT
#include "tracks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

#include "command/drawing.hpp"

namespace bench {

namespace {

namespace svg = weir::command::drawing;

// Pixels.
constexpr double width = 400;
constexpr double margin = 14;
constexpr double left = 24;  // of the scale
constexpr double right = 24;
constexpr double row = 18;        // of text
constexpr double track_row = 40;  // a name and its marks
constexpr double to_marks = 16;   // from the name
constexpr double dot = 5;

[[nodiscard]] double x_of(const tracks& all, double value) {
    const double part = std::log(std::clamp(value, all.least, all.most) / all.least) /
                        std::log(all.most / all.least);
    return left + (width - left - right) * part;
}

[[nodiscard]] std::string marks_of(const tracks& all, const track& t, double y) {
    if (t.marks.empty()) return "";
    std::string text = svg::line(x_of(all, t.marks.front()), y, x_of(all, t.marks.back()), y,
                                 t.is_ours ? "our-span" : "span");
    for (std::size_t i = t.marks.size(); i-- > 1;)
        text += svg::dot(x_of(all, t.marks[i]), y, dot - 1, t.is_ours ? "our-end" : "other-end");
    return text + svg::dot(x_of(all, t.marks[0]), y, dot, t.is_ours ? "passed" : "other");
}

[[nodiscard]] std::string group_of(const tracks& all, const track_group& g, double& y) {
    y += 34;
    std::string text = svg::label(margin, y, g.title, "name");
    y += 24;
    const double bottom = y + 6 + track_row * static_cast<double>(g.tracks.size());
    for (const auto& [value, words] : all.scale) {
        const double x = x_of(all, value);
        text += svg::line(x, y + 6, x, bottom, "grid") +
                svg::label(x, y, words, "quiet", svg::anchor::middle);
    }
    y += 4;
    for (const track& t : g.tracks) {
        text += svg::label(margin, y + row, t.name, t.is_ours ? "" : "quiet") +
                svg::label(width - margin, y + row, t.remark, t.is_ours ? "" : "quiet",
                           svg::anchor::end) +
                marks_of(all, t, y + row + to_marks - 5);
        y += track_row;
    }
    return text;
}

}  // namespace

std::string svg_of(const tracks& all) {
    double y = 34;
    std::string text = svg::label(margin, y, all.title, "title");
    y += 4;
    for (const std::string& note : all.notes) {
        y += row;
        text += svg::label(margin, y, note, "quiet");
    }
    y += row + 4;
    text += svg::dot(margin + 5, y - 4, dot, "passed") +
            svg::dot(margin + 19, y - 4, dot - 1, "our-end") + svg::label(margin + 30, y, "weir") +
            svg::dot(margin + 85, y - 4, dot, "other") +
            svg::dot(margin + 99, y - 4, dot - 1, "other-end") +
            svg::label(margin + 110, y, "others");
    for (const track_group& g : all.groups) text += group_of(all, g, y);
    return svg::image(width, y + 22, all.title, text, all.description);
}

}  // namespace bench

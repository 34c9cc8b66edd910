// SPDX-License-Identifier: MIT
#include "tracks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "command/drawing.hpp"
#include "command/figures.hpp"

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

// Powers of ten around all marks.
struct scale {
    int least = 100;
    int most = -100;

    // What was rounded to nothing lies where the scale begins.
    [[nodiscard]] double x_of(double value) const {
        if (value <= 0) return left;
        const double part = (std::log10(value) - least) / (most - least);
        return left + (width - left - right) * part;
    }
};

[[nodiscard]] scale scale_of(const tracks& all) {
    scale s;
    for (const track_group& g : all.groups) {
        for (const track& t : g.tracks) {
            for (const double mark : t.marks) {
                if (mark <= 0) continue;
                s.least = std::min(s.least, static_cast<int>(std::floor(std::log10(mark))));
                s.most = std::max(s.most, static_cast<int>(std::ceil(std::log10(mark))));
            }
        }
    }
    if (s.most < s.least) return {0, 1};  // no marks
    if (s.most == s.least) ++s.most;
    return s;
}

[[nodiscard]] std::string marks_of(const scale& s, const track& t, double y) {
    if (t.marks.empty()) return "";
    std::string text = svg::line(s.x_of(t.marks.front()), y, s.x_of(t.marks.back()), y,
                                 t.is_ours ? "our-span" : "span");
    for (std::size_t i = t.marks.size(); i-- > 1;)
        text += svg::dot(s.x_of(t.marks[i]), y, dot - 1, t.is_ours ? "our-end" : "other-end");
    return text + svg::dot(s.x_of(t.marks[0]), y, dot, t.is_ours ? "passed" : "other");
}

[[nodiscard]] std::string group_of(const scale& s, double unit, const track_group& g, double& y) {
    y += 34;
    std::string text = svg::label(margin, y, g.title, "name");
    y += 24;
    const double bottom = y + 6 + track_row * static_cast<double>(g.tracks.size());
    constexpr int most_labels = 7;
    const int step = s.most - s.least < most_labels ? 1 : 2;
    for (int power = s.least; power <= s.most; power += step) {
        const double value = std::pow(10, power);
        const double x = s.x_of(value);
        text +=
            svg::line(x, y + 6, x, bottom, "grid") +
            svg::label(x, y, weir::command::brief_time(value * unit), "quiet", svg::anchor::middle);
    }
    y += 4;
    for (const track& t : g.tracks) {
        text += svg::label(margin, y + row, t.name, t.is_ours ? "" : "quiet") +
                svg::label(width - margin, y + row, t.remark, t.is_ours ? "" : "quiet",
                           svg::anchor::end) +
                marks_of(s, t, y + row + to_marks - 5);
        y += track_row;
    }
    return text;
}

}  // namespace

std::string svg_of(const tracks& all) {
    const scale s = scale_of(all);
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
    for (const track_group& g : all.groups) text += group_of(s, all.unit, g, y);
    return svg::image(width, y + 22, all.title, text, all.description);
}

}  // namespace bench

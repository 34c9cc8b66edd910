// SPDX-License-Identifier: MIT
#include "picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "command/drawing.hpp"

namespace bench {

namespace {

namespace svg = weir::command::drawing;

// Pixels.
constexpr double width = 960;
constexpr double left = 276;  // of the first panel
constexpr double between = 46;
constexpr double right = 30;
constexpr double panel = (width - left - between - right) / 2;
constexpr double top = 146;  // of the first line
constexpr double height_of_line = 22;
constexpr double dot = 5;

// Nanoseconds, on a logarithmic scale.
constexpr double least = 0.1;
constexpr double most = 100'000;

[[nodiscard]] double x_of(double ns, double begin) {
    const double part = std::log(std::clamp(ns, least, most) / least) / std::log(most / least);
    return begin + panel * part;
}

[[nodiscard]] double begin_of(unsigned threads) { return left + (threads - 1) * (panel + between); }

struct drawn_line {
    std::string title;
    bool is_ours;
    std::array<std::optional<figure>, 2> average;  // of one thread, and of two
    std::array<std::optional<figure>, 2> tail;
};

// Nothing of a row that does not do what is asked.
[[nodiscard]] std::optional<figure> told(const std::vector<row>& rows, const row& r,
                                         const measure& m) {
    const std::optional<figure> f = figure_of(rows, r, m);
    return f && f->as_told ? f : std::nullopt;
}

[[nodiscard]] std::vector<drawn_line> lines_of(const std::vector<row>& rows) {
    std::vector<drawn_line> all;
    for (const row& r : rows) {
        if (r.is_empty_loop() || !r.has("admit")) continue;
        drawn_line l{r.what.title, r.what.name.rfind("weir", 0) == 0, {}, {}};
        for (unsigned threads = 1; threads <= 2; ++threads) {
            l.average[threads - 1] = told(rows, r, {false, "admit", threads});
            l.tail[threads - 1] = told(rows, r, {true, "admit", threads});
        }
        all.push_back(l);
    }
    return all;
}

[[nodiscard]] std::string scale(double begin, double bottom, const std::string& title) {
    std::string all = svg::label(begin, top - 42, title, "name");
    for (double ns = least; ns <= most; ns *= 10) {
        const double x = x_of(ns, begin);
        all += svg::line(x, top - 12, x, bottom, "grid");
        std::string tick = ns < 1 ? "0.1" : std::to_string(std::lround(ns));
        if (ns >= 1000) tick = std::to_string(std::lround(ns / 1000)) + "k";
        all += svg::label(x, top - 20, tick, "quiet", svg::anchor::middle);
    }
    return all;
}

[[nodiscard]] std::string marks(const drawn_line& l, double y) {
    std::string all;
    for (unsigned threads = 1; threads <= 2; ++threads) {
        const double begin = begin_of(threads);
        const auto& average = l.average[threads - 1];
        const auto& tail = l.tail[threads - 1];
        if (average && tail) {
            all += svg::line(x_of(average->ns, begin), y, x_of(tail->ns, begin), y,
                             l.is_ours ? "our-span" : "span");
        }
        if (tail)
            all += svg::dot(x_of(tail->ns, begin), y, dot - 1, l.is_ours ? "our-end" : "other-end");
        if (average)
            all += svg::dot(x_of(average->ns, begin), y, dot, l.is_ours ? "passed" : "other");
    }
    return all;
}

}  // namespace

std::string picture_of(const std::vector<row>& rows) {
    const std::vector<drawn_line> lines = lines_of(rows);
    const double bottom = top + height_of_line * static_cast<double>(lines.size());
    std::string all;
    all += svg::label(24, 42, "What one decision takes", "title");
    all += svg::dot(30, 62, dot, "passed") + svg::dot(46, 62, dot, "other") +
           svg::label(58, 67, "average of weir, of others");
    all += svg::dot(288, 62, dot - 1, "our-end") + svg::dot(304, 62, dot - 1, "other-end") +
           svg::label(316, 67,
                      "one in ten thousand takes longer (with the 20 to 30 ns of measuring it)");
    all += scale(begin_of(1), bottom, "one thread");
    all += scale(begin_of(2), bottom, "two threads on one limit");
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const double y = top + height_of_line * (static_cast<double>(i) + 0.5);
        all += svg::label(left - 14, y + 4, lines[i].title, lines[i].is_ours ? "" : "quiet",
                          svg::anchor::end);
        all += marks(lines[i], y);
    }
    all += svg::label(width - right, bottom + 20, "nanoseconds of a decision that admits", "quiet",
                      svg::anchor::end);
    return svg::image(width, bottom + 34, "What one decision takes", all);
}

}  // namespace bench

// SPDX-License-Identifier: MIT
// Pieces of an SVG image: text, lines, boxes, areas and the looks that they name. Light or dark as
// the viewer prefers. All lengths are pixels.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace weir::command::drawing {

enum class anchor { start, middle, end };

// With a digit after the point if it needs one, and the same on every machine.
[[nodiscard]] std::string number(double value);

[[nodiscard]] std::string label(double x, double y, std::string_view text,
                                std::string_view looks_as = "", anchor at = anchor::start);
// A figure that is read first, and what it counts.
[[nodiscard]] std::string label_with_figure(double x, double y, std::string_view figure,
                                            std::string_view looks_as, std::string_view text);
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2,
                               std::string_view looks_as);
[[nodiscard]] std::string box(double x, double y, double w, double h, std::string_view looks_as);

[[nodiscard]] std::string dot(double x, double y, double radius, std::string_view looks_as);

// A staircase over `base`, of equal steps: each is a count, and nothing is known of its inside. A
// height of `most` is as high as `height`.
struct stairs {
    double left;
    double width;
    double base;
    double height;
    double most;
};
[[nodiscard]] std::string area(const stairs& s, const std::vector<double>& heights,
                               std::string_view looks_as);

// Through these points, x and y.
[[nodiscard]] std::string curve(const std::vector<std::pair<double, double>>& points,
                                std::string_view looks_as);

// The whole image around what is drawn. Who cannot see it is told its title and description.
[[nodiscard]] std::string image(double width, double height, std::string_view title,
                                const std::string& content, std::string_view description = "");

}  // namespace weir::command::drawing

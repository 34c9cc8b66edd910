// SPDX-License-Identifier: MIT
// What images in SVG are made of, light or dark as the viewer prefers. A part's look is the name of
// a class in svg_begin.
#pragma once

#include <string>
#include <string_view>

namespace weir::command {

// The element, the looks and the page; whoever adds the rest ends it with "</svg>".
[[nodiscard]] std::string svg_begin(double width, double height, std::string_view title);

// Pixels, with one digit.
[[nodiscard]] std::string number(double value);

enum class anchor { start, middle, end };

[[nodiscard]] std::string label(double x, double y, std::string_view text,
                                std::string_view looks_as = "", anchor at = anchor::start);
[[nodiscard]] std::string line(double x1, double y1, double x2, double y2,
                               std::string_view looks_as);
[[nodiscard]] std::string box(double x, double y, double w, double h, std::string_view looks_as);
[[nodiscard]] std::string dot(double x, double y, double radius, std::string_view looks_as);

}  // namespace weir::command

// SPDX-License-Identifier: MIT
#include "command/drawing.hpp"

#include <cmath>
#include <cstddef>

#include "command/text.hpp"

namespace weir::command::drawing {
namespace {

constexpr std::string_view looks = R"(<style>
  svg { font-family: system-ui, "Segoe UI", "Helvetica Neue", "DejaVu Sans", sans-serif }
  .page { fill: #ffffff }
  text { fill: #1f2933; font-size: 13px }
  .title { font-size: 21px; font-weight: 600 }
  .name { font-size: 15px; font-weight: 600 }
  .quiet { fill: #5b6876 }
  .came { fill: #cfd8e3 }
  .passed { fill: #2473c8 }
  .grid { stroke: #e4e9ef; stroke-width: 1 }
  .axis { stroke: #8a97a6; stroke-width: 1 }
  .span { stroke: #8a97a6; stroke-width: 2 }
  .our-span { stroke: #2473c8; stroke-width: 2 }
  .other { fill: #66748a }
  .other-end { fill: #ffffff; stroke: #66748a; stroke-width: 2 }
  .our-end { fill: #ffffff; stroke: #2473c8; stroke-width: 2 }
  .quota { stroke: #c2410c; stroke-width: 1.5; stroke-dasharray: 6 4 }
  .quota-text { fill: #c2410c }
  .above { fill: #e8590c }
  .figure { font-size: 30px; font-weight: 700; fill: #2473c8 }
  .figure-above { font-size: 30px; font-weight: 700; fill: #c2410c }
  @media (prefers-color-scheme: dark) {
    .page { fill: #12171e }
    text { fill: #e6ebf1 }
    .quiet { fill: #9aa7b5 }
    .came { fill: #364252 }
    .passed { fill: #58a6ff }
    .grid { stroke: #232c37 }
    .axis { stroke: #66748a }
    .span { stroke: #66748a }
    .our-span { stroke: #58a6ff }
    .other { fill: #9aa7b5 }
    .other-end { fill: #12171e; stroke: #9aa7b5 }
    .our-end { fill: #12171e; stroke: #58a6ff }
    .quota { stroke: #ff9d5c }
    .quota-text { fill: #ff9d5c }
    .above { fill: #ff8a3d }
    .figure { fill: #58a6ff }
    .figure-above { fill: #ff9d5c }
  }
</style>
)";

std::string attribute(std::string_view name, double value) {
    return " " + std::string(name) + "=\"" + number(value) + "\"";
}

// What XML has no place for becomes a question mark.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '&': result += "&amp;"; break;
            case '"': result += "&quot;"; break;
            default: result += c >= ' ' && c <= '~' ? c : '?';
        }
    }
    return result;
}

}  // namespace

// What lies half-way between two tenths is rounded up, also where another machine's last bit says a
// little less.
std::string number(double value) {
    constexpr double last_bits = 1e-6;
    const double tenths = std::floor(value * 10 + 0.5 + last_bits);
    return fixed(tenths / 10, std::fmod(tenths, 10) == 0 ? 0 : 1);
}

std::string label(double x, double y, std::string_view text, std::string_view looks_as, anchor at) {
    std::string tag = "<text" + attribute("x", x) + attribute("y", y);
    if (!looks_as.empty()) tag += " class=\"" + std::string(looks_as) + "\"";
    if (at != anchor::start)
        tag += at == anchor::end ? " text-anchor=\"end\"" : " text-anchor=\"middle\"";
    return tag + ">" + escaped(text) + "</text>\n";
}

std::string label_with_figure(double x, double y, std::string_view figure,
                              std::string_view looks_as, std::string_view text) {
    return "<text" + attribute("x", x) + attribute("y", y) + " class=\"name\"><tspan class=\"" +
           std::string(looks_as) + "\">" + escaped(figure) + "</tspan> " + escaped(text) +
           "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, std::string_view looks_as) {
    return "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
           attribute("y2", y2) + " class=\"" + std::string(looks_as) + "\"/>\n";
}

std::string box(double x, double y, double w, double h, std::string_view looks_as) {
    return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", w) +
           attribute("height", h) + " class=\"" + std::string(looks_as) + "\"/>\n";
}

std::string dot(double x, double y, double radius, std::string_view looks_as) {
    return "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius) +
           " class=\"" + std::string(looks_as) + "\"/>\n";
}

std::string area(const stairs& s, const std::vector<double>& heights, std::string_view looks_as) {
    std::string path = "M" + number(s.left) + " " + number(s.base);
    for (std::size_t i = 0; i < heights.size(); ++i) {
        const std::string height = number(s.base - s.height * heights[i] / s.most);
        while (i + 1 < heights.size() &&
               number(s.base - s.height * heights[i + 1] / s.most) == height)
            ++i;
        const double end =
            s.left + s.width * static_cast<double>(i + 1) / static_cast<double>(heights.size());
        path += "V" + height + "H" + number(end);
    }
    return "<path d=\"" + path + "V" + number(s.base) + "Z\" class=\"" + std::string(looks_as) +
           "\"/>\n";
}

std::string curve(const std::vector<std::pair<double, double>>& points, std::string_view looks_as) {
    std::string path;
    for (const auto& [x, y] : points)
        path += (path.empty() ? "M" : "L") + number(x) + " " + number(y);
    return "<path d=\"" + path + "\" class=\"" + std::string(looks_as) + "\" fill=\"none\"/>\n";
}

std::string image(double width, double height, std::string_view title, const std::string& content,
                  std::string_view description) {
    const std::string size = number(width) + " " + number(height);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"" + attribute("width", width) +
           attribute("height", height) + " viewBox=\"0 0 " + size + "\">\n" + "<title>" +
           escaped(title) + "</title>\n" +
           (description.empty() ? "" : "<desc>" + escaped(description) + "</desc>\n") +
           std::string(looks) + box(0, 0, width, height, "page") + content + "</svg>\n";
}

}  // namespace weir::command::drawing

// SPDX-License-Identifier: MIT
#include "command/demo/svg.hpp"

#include <cstddef>
#include <string_view>

#include "command/text.hpp"

namespace weir::command {
namespace {

// Pixels.
constexpr double width = 960;
constexpr double left = 76;
constexpr double right = 28;
constexpr double top = 112;     // of the first panel
constexpr double panel = 204;   // from one panel to the next
constexpr double heading = 34;  // above a plot
constexpr double plot_height = 112;
constexpr double plot_width = width - left - right;
constexpr double bottom = 38;

constexpr double highest_rate = peak_rate * 1.08;  // a bin may hold one arrival more than its share
constexpr std::size_t bins = 100;                  // of 200 ms

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
  .quota { stroke: #c2410c; stroke-width: 1.5; stroke-dasharray: 6 4 }
  .quota-text { fill: #c2410c }
  @media (prefers-color-scheme: dark) {
    .page { fill: #12171e }
    text { fill: #e6ebf1 }
    .quiet { fill: #9aa7b5 }
    .came { fill: #364252 }
    .passed { fill: #58a6ff }
    .grid { stroke: #232c37 }
    .axis { stroke: #66748a }
    .quota { stroke: #ff9d5c }
    .quota-text { fill: #ff9d5c }
  }
</style>
)";

std::string number(double value) { return fixed(value, 1); }

std::string attribute(std::string_view name, double value) {
    return " " + std::string(name) + "=\"" + number(value) + "\"";
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '<': result += "&lt;"; break;
            case '>': result += "&gt;"; break;
            case '&': result += "&amp;"; break;
            case '"': result += "&quot;"; break;
            default: result += c;
        }
    }
    return result;
}

enum class anchor { start, middle, end };

std::string label(double x, double y, std::string_view text, std::string_view looks_as = "",
                  anchor at = anchor::start) {
    constexpr std::string_view anchors[] = {"start", "middle", "end"};
    return "<text" + attribute("x", x) + attribute("y", y) + " class=\"" + std::string(looks_as) +
           "\" text-anchor=\"" + std::string(anchors[static_cast<std::size_t>(at)]) + "\">" +
           escaped(text) + "</text>\n";
}

std::string line(double x1, double y1, double x2, double y2, std::string_view looks_as) {
    return "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
           attribute("y2", y2) + " class=\"" + std::string(looks_as) + "\"/>\n";
}

std::string box(double x, double y, double w, double h, std::string_view looks_as) {
    return "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", w) +
           attribute("height", h) + " class=\"" + std::string(looks_as) + "\"/>\n";
}

double x_of(double second) {
    return left + plot_width * second / static_cast<double>(trace_length.count());
}

double y_of(double rate, double base) { return base - plot_height * rate / highest_rate; }

// A staircase over `base`: a bin is a count, and nothing is known of its inside.
std::string area(const std::vector<double>& rates, double base, std::string_view looks_as) {
    std::string path = "M" + number(left) + " " + number(base);
    for (std::size_t i = 0; i < rates.size(); ++i) {
        const double end =
            left + plot_width * static_cast<double>(i + 1) / static_cast<double>(rates.size());
        path += "V" + number(y_of(rates[i], base)) + "H" + number(end);
    }
    return "<path d=\"" + path + "V" + number(base) + "Z\" class=\"" + std::string(looks_as) +
           "\"/>\n";
}

std::string grid(double base) {
    std::string g;
    for (int rate = usual_rate; rate <= peak_rate; rate += usual_rate) {
        g += line(left, y_of(rate, base), width - right, y_of(rate, base), "grid");
    }
    for (int rate = 0; rate <= peak_rate; rate += 2 * usual_rate) {
        g += label(left - 8, y_of(rate, base) + 4, std::to_string(rate), "quiet", anchor::end);
    }
    return g;
}

std::string seconds_below(double base) {
    std::string s = line(left, base, width - right, base, "axis");
    for (int second = 0; second <= trace_length.count(); second += 5) {
        s += line(x_of(second), base, x_of(second), base + 4, "axis");
        s += label(x_of(second), base + 18, std::to_string(second), "quiet", anchor::middle);
    }
    return s;
}

std::string panel_of(const arrivals& all, const shape& s, double y) {
    const double base = y + heading + plot_height;
    const std::string counts = grouped(passed_in_all(s)) + " of " + grouped(all.size()) +
                               " passed, at most " + grouped(most_in_a_second(all, s)) +
                               " in any second";
    return "<g>\n" + label(left, y, s.algorithm, "name") +
           label(width - right, y, in_words(s.asked), "name", anchor::end) +
           label(left, y + 19, s.character, "quiet") +
           label(width - right, y + 19, counts, "quiet", anchor::end) + grid(base) +
           area(arrival_rates(all, bins), base, "came") +
           area(passed_rates(all, s, bins), base, "passed") +
           line(left, y_of(usual_rate, base), width - right, y_of(usual_rate, base), "quota") +
           seconds_below(base) + "</g>\n";
}

std::string legend(double y) {
    return box(left, y - 11, 14, 14, "came") + label(left + 22, y, "arrives") +
           box(left + 100, y - 11, 14, 14, "passed") + label(left + 122, y, "passes") +
           line(left + 196, y - 4, left + 226, y - 4, "quota") +
           label(left + 234, y, "the quota's rate", "quota-text") +
           label(width - right, y, "requests per second, in bins of 200 ms", "quiet", anchor::end);
}

}  // namespace

std::string svg_of(const arrivals& all, const std::vector<shape>& shapes) {
    const double height = top + panel * static_cast<double>(shapes.size()) + bottom - 34;
    const std::string size = number(width) + " " + number(height);
    std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"" +
                      attribute("width", width) + attribute("height", height) + " viewBox=\"0 0 " +
                      size + "\">\n" +
                      "<title>The same arrivals through each algorithm of weir</title>\n";
    svg += looks;
    svg += box(0, 0, width, height, "page");
    svg += label(left, 42, "The same arrivals through each algorithm", "title");
    svg += legend(70);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        svg += panel_of(all, shapes[i], top + panel * static_cast<double>(i));
    }
    svg += label(width - right, height - 14, "seconds of virtual time", "quiet", anchor::end);
    return svg + "</svg>\n";
}

}  // namespace weir::command

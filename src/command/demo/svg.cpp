// SPDX-License-Identifier: MIT
#include "command/demo/svg.hpp"

#include <cstddef>
#include <string_view>

#include "command/drawing.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

using namespace drawing;

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

double x_of(double second) {
    return left + plot_width * second / static_cast<double>(trace_length.count());
}

double y_of(double rate, double base) { return base - plot_height * rate / highest_rate; }

// A bin is a count, and nothing is known of its inside.
std::string rates_over(double base, const std::vector<double>& rates, std::string_view looks_as) {
    return area({left, plot_width, base, plot_height, highest_rate}, rates, looks_as);
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
           rates_over(base, arrival_rates(all, bins), "came") +
           rates_over(base, passed_rates(all, s, bins), "passed") +
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
    std::string svg;
    svg += label(left, 42, "The same arrivals through each algorithm", "title");
    svg += legend(70);
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        svg += panel_of(all, shapes[i], top + panel * static_cast<double>(i));
    }
    svg += label(width - right, height - 14, "seconds of virtual time", "quiet", anchor::end);
    return image(width, height, "The same arrivals through each algorithm of weir", svg);
}

}  // namespace weir::command

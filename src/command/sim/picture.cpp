// SPDX-License-Identifier: MIT
// The simulation as an image, a panel for each limit, and as a table of the same numbers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "command/drawing.hpp"
#include "command/figures.hpp"
#include "command/sim/results.hpp"
#include "command/text.hpp"

namespace weir::command {
namespace {

using namespace drawing;

constexpr double width = 960;
constexpr double left = 76;
constexpr double right = 28;
constexpr double top = 112;     // of the first panel
constexpr double heading = 34;  // above a plot
constexpr double plot_height = 112;
constexpr double queue_height = 64;
constexpr double below = 58;  // the axis and the gap to the next panel
constexpr double plot_width = width - left - right;
constexpr double bottom = 30;

// Of a quarter of the quota's period, as far as that makes a number that can be looked at.
std::size_t bins_of(const sim_results& r) {
    constexpr std::uint64_t fewest = 40;
    constexpr std::uint64_t most = 200;
    for (const simulated_limit& l : r.limits) {
        if (!l.limit) continue;
        const auto period = static_cast<std::uint64_t>(l.limit->asked().period().count());
        const std::uint64_t quarters = (r.shown_end() - r.begin) / (period / 4 + 1);
        return static_cast<std::size_t>(std::clamp(quarters, fewest, most));
    }
    return most;
}

struct frame {
    std::size_t bins;
    double seconds;  // of a bin
    double highest;  // rate, per second
    rate_unit unit;
};

std::string grid(double base, double height, double highest, const std::string& unit) {
    std::string g;
    for (int i = 1; i <= 2; ++i) {
        const double y = base - height * i / 2;
        g += line(left, y, width - right, y, "grid");
        g += label(left - 8, y + 4, brief(highest * i / 2) + unit, "quiet", anchor::end);
    }
    return g;
}

std::string times_below(const sim_results& r, double base) {
    constexpr int parts = 5;
    const std::uint64_t length = r.shown_end() - r.begin;
    std::string s = line(left, base, width - right, base, "axis");
    for (int i = 0; i <= parts; ++i) {
        const double x = left + plot_width * i / parts;
        const double after = static_cast<double>(length) * i / parts;
        s += line(x, base, x, base + 4, "axis");
        const anchor at = i == 0 ? anchor::start : i == parts ? anchor::end : anchor::middle;
        s += label(x, base + 18, axis_text(r, static_cast<std::uint64_t>(after)), "quiet", at);
    }
    return s;
}

double height_of(const simulated_limit& l) {
    return heading + plot_height + (l.kind->waits ? queue_height + 12 : 0) + below;
}

std::string panel_of(const sim_results& r, const simulated_limit& l, const frame& f, double y) {
    const tally& found = l.found();
    const std::uint64_t end = r.shown_end();
    const quota& q = l.limit->asked();
    double base = y + heading + plot_height;
    const stairs rates = {left, plot_width, base, plot_height, f.highest * f.seconds};
    std::string text =
        label(left, y, l.kind->name, "name") +
        label(width - right, y, in_words(q), "name", anchor::end) +
        label(left, y + 19, l.kind->character, "quiet") +
        label(width - right, y + 19,
              grouped(found.admitted) + " of " + grouped(r.requests) + " passed, at most " +
                  grouped(found.worst.most()) + " in any " + period_text(q),
              "quiet", anchor::end) +
        grid(base, plot_height, f.highest * f.unit.seconds, f.unit.name) +
        area(rates, r.came.parts(r.begin, end, f.bins), "came") +
        area(rates, found.passed.parts(r.begin, end, f.bins), "passed");
    const double rate =
        static_cast<double>(q.units()) * 1e9 / static_cast<double>(q.period().count());
    if (r.key_count() <= 1 && rate <= f.highest) {
        const double at = base - plot_height * rate / f.highest;
        text += line(left, at, width - right, at, "quota");
    }
    if (l.kind->waits) {
        text += line(left, base, width - right, base, "axis");
        base += queue_height + 12;
        const std::vector<double> waiting = found.queue.means(r.begin, end, f.bins);
        const double most = std::max(1.0, *std::max_element(waiting.begin(), waiting.end()));
        text += grid(base, queue_height, most, "") +
                area({left, plot_width, base, queue_height, most}, waiting, "passed") +
                label(width - right - 4, base - queue_height + 14, "waiting", "quiet", anchor::end);
    }
    return "<g>\n" + text + times_below(r, base) + "</g>\n";
}

}  // namespace

std::string sim_svg(const sim_results& r) {
    const std::size_t bins = bins_of(r);
    const double seconds =
        static_cast<double>(r.shown_end() - r.begin) / 1e9 / static_cast<double>(bins);
    double most = 0;
    const auto look_at = [&most](const std::vector<double>& counts) {
        most = std::max(most, *std::max_element(counts.begin(), counts.end()));
    };
    look_at(r.came.parts(r.begin, r.shown_end(), bins));
    double height = top + bottom;
    for (const simulated_limit& l : r.limits) {
        if (!l.limit) continue;
        look_at(l.found().passed.parts(r.begin, r.shown_end(), bins));
        height += height_of(l);
    }
    const double highest = most > 0 ? most / seconds : 1;
    const frame f = {bins, seconds, highest, unit_of_rate(highest)};
    const std::string what = harmless(r.arrivals, 80);
    std::string svg = label(left, 42, what, "title");
    if (r.log && r.requests != 0) {
        svg += label(width - right, 42, time_text(r, r.begin) + " to " + time_text(r, r.end),
                     "quiet", anchor::end);
    }
    svg += box(left, 59, 14, 14, "came") + label(left + 22, 70, "arrives") +
           box(left + 100, 59, 14, 14, "passed") + label(left + 122, 70, "passes");
    if (r.key_count() <= 1) {
        svg += line(left + 196, 66, left + 226, 66, "quota") +
               label(left + 234, 70, "the quota's rate", "quota-text");
    }
    svg += label(width - right, 70, "units, in bins of " + brief_time(seconds * 1e9), "quiet",
                 anchor::end);
    double y = top;
    for (const simulated_limit& l : r.limits) {
        if (!l.limit) continue;
        svg += panel_of(r, l, f, y);
        y += height_of(l);
    }
    return image(width, height, "What limits make of " + what, svg);
}

std::string sim_csv(const sim_results& r) {
    const std::size_t bins = bins_of(r);
    const std::uint64_t end = r.shown_end();
    std::string text = "from_ns,to_ns,arrived_units";
    std::vector<std::vector<double>> columns = {r.came.parts(r.begin, end, bins)};
    for (const simulated_limit& l : r.limits) {
        if (!l.limit) continue;
        text += "," + std::string(l.kind->name) + "_admitted_units";
        columns.push_back(l.found().passed.parts(r.begin, end, bins));
        if (!l.kind->waits) continue;
        text += "," + std::string(l.kind->name) + "_waiting";
        columns.push_back(l.found().queue.means(r.begin, end, bins));
    }
    text += '\n';
    const double length = static_cast<double>(end - r.begin);
    for (std::size_t i = 0; i < bins; ++i) {
        const auto at = [&](std::size_t bin) {
            const double share = static_cast<double>(bin) / static_cast<double>(bins);
            return std::to_string(r.begin + static_cast<std::uint64_t>(share * length));
        };
        text += at(i) + "," + at(i + 1);
        for (const auto& c : columns) text += "," + fixed(c[i], 3);
        text += '\n';
    }
    return text;
}

}  // namespace weir::command

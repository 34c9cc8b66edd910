// SPDX-License-Identifier: MIT
#include "command/demo/chart.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include "command/plot.hpp"

namespace weir::command {
namespace {

// One row of text is the quota's rate.
plot frame() {
    return {6, peak_rate / usual_rate, usual_rate, std::to_string(peak_rate) + "/s",
            std::to_string(usual_rate) + "/s"};
}

}  // namespace

std::string chart_of(const arrivals& all, const shape& s, const style& out) {
    const std::size_t columns = plot_columns(frame(), out);
    return plot_rows(frame(), arrival_rates(all, columns), passed_rates(all, s, columns), out);
}

std::string time_axis(const style& out) {
    constexpr int tick = 5;
    std::vector<std::pair<double, std::string>> labels;
    for (int second = 0; second <= trace_length.count(); second += tick) {
        const bool last = second + tick > trace_length.count();
        labels.emplace_back(static_cast<double>(second) / static_cast<double>(trace_length.count()),
                            std::to_string(second) + (last ? " s" : ""));
    }
    return plot_axis(frame(), labels, out);
}

std::string chart_legend(const style& out) { return plot_legend(frame(), out); }

}  // namespace weir::command

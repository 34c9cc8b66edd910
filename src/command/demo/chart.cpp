// SPDX-License-Identifier: MIT
#include "command/demo/chart.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <weir/cell/quota.hpp>

#include "command/figures.hpp"
#include "command/plot.hpp"

namespace weir::command {
namespace {

// One row of text is the quota's rate.
plot frame(const scene& t) {
    const std::string period = std::string("/") + detail::text_of_period(t.asked.period()).c_str();
    const std::string top = t.rate_in_words(peak) + period;
    constexpr std::size_t usual_gutter = 6;
    return {std::max(usual_gutter, top.size() + 1), peak, static_cast<double>(t.played.units()),
            top, t.rate_in_words(1) + period};
}

}  // namespace

std::string chart_of(const scene& t, const shape& s, const style& out) {
    const std::size_t columns = plot_columns(frame(t), out);
    return plot_rows(frame(t), arrival_rates(t.times, columns), passed_rates(t.times, s, columns),
                     out);
}

std::string time_axis(const scene& t, const style& out) {
    constexpr int tick = 5;
    std::vector<std::pair<double, std::string>> labels;
    for (int second = 0; second <= trace_length.count(); second += tick) {
        labels.emplace_back(static_cast<double>(second) / static_cast<double>(trace_length.count()),
                            brief_time(second * static_cast<double>(t.asked.period().count())));
    }
    return plot_axis(frame(t), labels, out);
}

std::string chart_legend(const scene& t, const style& out) { return plot_legend(frame(t), out); }

}  // namespace weir::command

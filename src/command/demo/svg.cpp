// SPDX-License-Identifier: MIT
#include "command/demo/svg.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "command/figures.hpp"
#include "command/panel.hpp"
#include "command/sim/worst_window.hpp"

namespace weir::command {
namespace {

constexpr std::size_t bins = 100;  // of a fifth of a period

panel panel_of(const scene& t, const shape& s) {
    const worst_window passed = windows_of(t.times, s);
    const auto end = static_cast<std::uint64_t>(std::chrono::microseconds(trace_length).count());
    std::vector<double> recent = passed.recent(end).highest(0, end, points_of_panel);
    for (double& units : recent) units *= static_cast<double>(t.units);
    return {s.algorithm,
            s.character,
            s.asked,
            t.in_units(passed_in_all(s)),
            t.in_units(t.times.size()),
            t.in_units(passed.most()),
            false,
            t.per_second(arrival_rates(t.times, bins)),
            t.per_second(passed_rates(t.times, s, bins)),
            std::move(recent),
            {}};
}

}  // namespace

std::string svg_of(const scene& t, const std::vector<shape>& shapes) {
    const auto period = static_cast<double>(t.asked.period().count());
    const auto periods = static_cast<int>(trace_length.count());
    panels p;
    p.title = "The same arrivals";
    p.notes = {"through each algorithm of weir, in virtual time"};
    p.bin = brief_time(period * periods / static_cast<double>(bins));
    for (int i = 0; i <= periods; i += 5)
        p.times.emplace_back(static_cast<double>(i) / periods, brief_time(i * period));
    for (const shape& s : shapes) p.all.push_back(panel_of(t, s));
    return svg_of(p);
}

}  // namespace weir::command

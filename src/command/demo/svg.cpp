// SPDX-License-Identifier: MIT
#include "command/demo/svg.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "command/panel.hpp"
#include "command/sim/worst_window.hpp"

namespace weir::command {
namespace {

constexpr std::size_t bins = 100;  // of 200 ms

panel panel_of(const arrivals& all, const shape& s) {
    const worst_window passed = windows_of(all, s);
    const auto end = static_cast<std::uint64_t>(std::chrono::microseconds(trace_length).count());
    return {s.algorithm,
            s.character,
            s.asked,
            passed_in_all(s),
            all.size(),
            passed.most(),
            false,
            arrival_rates(all, bins),
            passed_rates(all, s, bins),
            passed.recent(end).highest(0, end, points_of_panel),
            {}};
}

}  // namespace

std::string svg_of(const arrivals& all, const std::vector<shape>& shapes) {
    panels p;
    p.title = "The same arrivals";
    p.notes = {"through each algorithm of weir, in virtual time"};
    p.bin = "200 ms";
    const auto seconds = static_cast<int>(trace_length.count());
    for (int second = 0; second <= seconds; second += 5)
        p.times.emplace_back(static_cast<double>(second) / seconds, std::to_string(second) + " s");
    for (const shape& s : shapes) p.all.push_back(panel_of(all, s));
    return svg_of(p);
}

}  // namespace weir::command
